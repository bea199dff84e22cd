/**
 * The sites of the screens, on loopback. The command line reaches them by name through a proxy (SITEATLAS_PROXY),
 * which is also here and terminates TLS with its own certificate. Nothing leaves the machine.
 *
 * - www.example.com: 80,356 pages, large-site.mjs
 * - troubled.example.com: the acceptance site of the tests, with every kind of problem; new for each screen,
 *   because some responses depend on the number of requests
 * - empty.example.com: a homepage and nothing else
 * - all others refuse connections
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { createLargeSite } from "./large-site.mjs";

const tests = fileURLToPath(new URL("../../packages/siteatlas/test/", import.meta.url));

const LARGE = "www.example.com";
const TROUBLED = "troubled.example.com";
const EMPTY = "empty.example.com";

/**
 * @typedef {object} Sites
 * @property {Readonly<Record<string, string>>} environment variables that the command line needs to reach them
 * @property {(path: string | undefined) => void} hold pauses the large site in the middle of this document
 * @property {(isNextDay: boolean) => void} turn switches the large site to the next day, or back
 * @property {() => Promise<void>} renew resets the number of requests
 * @property {() => void} close
 */

/**
 * @param {string} folder for temporary files
 * @returns {Promise<Sites>}
 */
export async function openSites(folder) {
  const { key, certificate } = makeCertificate(folder);
  const large = createLargeSite(`https://${LARGE}`);
  const empty = createServer(({ url }, response) => {
    response.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html" });
    response.end("<!doctype html><html><body>Nothing here</body></html>");
  });
  const openTroubled = await loadAcceptanceSite(folder, `https://${TROUBLED}`);
  /** @type {{ port: number; close(): Promise<void> }} */
  let troubled = await openTroubled();
  const ports = new Map([
    [LARGE, await listen(large.server)],
    [EMPTY, await listen(empty)],
    [TROUBLED, troubled.port],
  ]);

  const secure = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    const port = ports.get(socket.servername || "") ?? 0;
    tie(socket, connect(port, "127.0.0.1"));
  });
  secure.on("tlsClientError", () => {});
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket) => {
    socket.on("error", () => {});
    if (!ports.has(url.replace(/:443$/, ""))) return socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    secure.emit("connection", socket);
  });
  return {
    environment: {
      SITEATLAS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
      NODE_EXTRA_CA_CERTS: certificate,
    },
    hold(path) {
      large.heldPath = path;
    },
    turn(isNextDay) {
      large.isNextDay = isNextDay;
    },
    async renew() {
      await troubled.close();
      troubled = await openTroubled();
      ports.set(TROUBLED, troubled.port);
    },
    close() {
      for (const server of [large.server, empty, proxy]) {
        server.close();
        server.closeAllConnections();
      }
      void troubled.close();
    },
  };
}

/** @param {import("node:net").Server} server */
async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

/**
 * @param {import("node:net").Socket} a
 * @param {import("node:net").Socket} b
 */
function tie(a, b) {
  for (const socket of [a, b]) {
    const other = socket === a ? b : a;
    socket.on("error", () => {});
    socket.on("close", () => other.destroy());
    socket.pipe(other);
  }
}

/** @param {string} folder */
function makeCertificate(folder) {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = `subjectAltName=${[LARGE, TROUBLED, EMPTY].map((name) => `DNS:${name}`).join(",")}`;
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", ...kind, ...files, "-subj", "/CN=siteatlas", "-addext", names], {
    stdio: "ignore",
  });
  return { key, certificate };
}

/**
 * The acceptance site under a name instead of 127.0.0.1 and a port. Its module is bundled with another `openSite`
 * and without the test runner.
 *
 * @param {string} folder
 * @param {string} base
 * @returns {Promise<() => Promise<{ port: number; close(): Promise<void> }>>}
 */
async function loadAcceptanceSite(folder, base) {
  const named = `
    export * from ${JSON.stringify(join(tests, "support/test-site.ts"))};
    import { TestSite } from ${JSON.stringify(join(tests, "support/test-site.ts"))};
    export async function openSite(routes, options) {
      const site = new TestSite(options);
      await site.listen();
      site.routes = routes(${JSON.stringify(base)}, site);
      return site;
    }`;
  const outfile = join(folder, "acceptance-site.mjs");
  await build({
    entryPoints: [join(tests, "walk/acceptance-site.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    plugins: [
      {
        name: "named-site",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /\/test-site\.ts$/ }, ({ importer, namespace }) =>
            namespace === "named" || !importer.endsWith("acceptance-site.ts")
              ? undefined
              : { path: "test-site", namespace: "named" },
          );
          onLoad({ filter: /^test-site$/, namespace: "named" }, () => ({
            contents: named,
            resolveDir: tests,
          }));
          onResolve({ filter: /^vitest$/ }, () => ({ path: "vitest", namespace: "runner" }));
          onLoad({ filter: /.*/, namespace: "runner" }, () => ({
            contents: "export const onTestFinished = () => {};",
          }));
        },
      },
    ],
  });
  const { openAcceptanceSite } = await import(pathToFileURL(outfile).href);
  return async () => (await openAcceptanceSite()).site;
}
