/**
 * The parts of undici that make connections, by their own files. Its index brings fetch, WebSocket, caches and
 * mocks along, 70 ms at each start of the command line. These files have had their places since undici 6.
 */
declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}
declare module "undici/lib/core/errors.js" {
  export { errors as default } from "undici";
}
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}
