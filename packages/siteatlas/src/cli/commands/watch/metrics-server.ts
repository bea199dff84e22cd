/**
 * The HTTP server of a watch: /metrics for Prometheus, and /healthz for a supervisor. No request can change anything.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { terminalText } from "../../../escape/terminal.ts";
import type { ListenAddress } from "../../config/parse-value.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";

/**
 * Maximum number of connections. A scrape needs only one. Further connections are refused, so that they cannot use up
 * the file descriptors of the watch.
 */
const MAX_CONNECTIONS = 32;
const REQUEST_MS = 10_000;

export interface Health {
  readonly isHealthy: boolean;
  readonly facts: object;
}

export interface MetricsSource {
  metrics(): string;
  health(): Health;
}

export interface MetricsServer {
  readonly address: string;
  close(): void;
}

/** @throws {UsageError} if the port is in use, or the address does not exist */
export async function serveMetrics(
  source: MetricsSource,
  { host, port }: ListenAddress,
): Promise<MetricsServer> {
  const isLoopback = /^127\.|^::1$/.test(host);
  const server = createServer((request, response) => answer(source, isLoopback, request, response));
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = REQUEST_MS;
  server.keepAliveTimeout = REQUEST_MS;
  // The server must not keep the process alive when the watch has ended.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, () => resolve());
  }).catch((error: unknown) => {
    const where = terminalText(shownAddress(host, port));
    throw new UsageError(
      `cannot serve metrics on ${where}: ${terminalText(systemReason(error))}`,
      "Use another port: --metrics PORT.",
    );
  });
  // An error of one connection must not end the watch.
  server.on("error", () => {});
  const { port: bound } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://${shownAddress(host, bound)}`, close };
}

function answer(
  source: MetricsSource,
  isLoopback: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, url = "", headers } = request;
  const [path] = url.split("?");
  const send = (status: number, type: string, text: string): void => {
    const body = method === "HEAD" ? undefined : text;
    const about = { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" };
    response.writeHead(status, about).end(body);
  };
  // Stops DNS rebinding: a web page in a browser on this machine could reach the port through a host name of the
  // attacker.
  if (isLoopback && !isLocalName(headers.host ?? "")) send(403, "text/plain", "forbidden\n");
  else if (method !== "GET" && method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    send(405, "text/plain", "method not allowed\n");
  } else if (path === "/metrics") send(200, "text/plain; version=0.0.4; charset=utf-8", source.metrics());
  else if (path === "/healthz") {
    const { isHealthy, facts } = source.health();
    send(isHealthy ? 200 : 503, "application/json", `${JSON.stringify(facts)}\n`);
  } else send(404, "text/plain", "not found\n");
}

function isLocalName(host: string): boolean {
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isIP(name) !== 0;
}

function shownAddress(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
