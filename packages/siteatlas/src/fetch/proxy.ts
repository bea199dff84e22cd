/** What undici's agent for proxies needs to be told: who we are to the proxy, and how it is not named. */
import { isIP } from "node:net";
import type { buildConnector } from "undici";

/** @throws {TypeError} for what is no URL of a proxy */
export function proxyOf(text: string): { uri: string; token?: string } {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new TypeError("The proxy must be an http or https URL");
  }
  const { username, password } = new URL(text);
  if (username === "" && password === "") return { uri: text };
  // undici sends nothing for a user without a password.
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { uri: text, token: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** undici names a proxy by its address, too, which is no name for TLS (RFC 6066): Node 26 throws. */
export function withoutAddressName(connect: buildConnector.connector): buildConnector.connector {
  return ({ servername = "", ...options }, callback) =>
    connect(isIP(servername) === 0 ? { ...options, servername } : options, callback);
}
