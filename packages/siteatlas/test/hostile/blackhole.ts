/**
 * A port that never completes a connection, like a firewall that drops packets: a thread listens, fills its
 * accept queue and sleeps.
 */
import { Worker } from "node:worker_threads";

const SOURCE = `
  const { createServer, connect } = require("node:net");
  const { parentPort } = require("node:worker_threads");
  const server = createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    const { port } = server.address();
    parentPort.postMessage(port);
    for (let n = 0; n < 8; n++) connect(port, "127.0.0.1").on("error", () => {});
    // Blocks this thread only after the connections above have been started.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;

/** Returns its port. */
export function openBlackhole(): Promise<number> {
  const worker = new Worker(SOURCE, { eval: true });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
