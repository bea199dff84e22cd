/**
 * Servers on loopback for the tests of fetch/: programmable routes, a log of requests, the number of concurrent
 * requests, and raw sockets for behavior that no HTTP server has.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";

interface LoggedRequest {
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Number of the connection, from 1. Equal numbers mean that it was reused. */
  readonly connection: number;
  /** `performance.now()` at its arrival. */
  readonly at: number;
}

export interface TestServer extends AsyncDisposable {
  /** Without a final slash. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly requests: readonly LoggedRequest[];
  /** The largest number of concurrent requests, each until its response was sent or aborted. */
  readonly maxActive: number;
  /** Numbers of the open connections. */
  readonly open: ReadonlySet<number>;
  /** Number of all connections so far. */
  readonly connections: number;
  /** Closes the connection with this number. */
  cut(connection: number): void;
  /** Also closes all connections. */
  close(): Promise<void>;
}

type Route = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A function responds to everything. A table has paths without query, and 404 for the rest. */
export type Routes = Route | Readonly<Record<string, Route | Answer>>;

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/** `address` gives a test many hosts: all of 127.0.0.0/8. */
export async function serve(routes: Routes, { address = "127.0.0.1", port = 0 } = {}): Promise<TestServer> {
  const requests: LoggedRequest[] = [];
  const meter = { active: 0, max: 0 };
  const server = createServer({ keepAliveTimeout: 10_000 }, async (request, response) => {
    const path = request.url ?? "";
    const connection = connectionOf(request.socket);
    requests.push({ path, headers: request.headers, connection, at: performance.now() });
    meter.max = Math.max(meter.max, ++meter.active);
    response.on("close", () => meter.active--);
    response.on("error", () => {});
    const route = typeof routes === "function" ? routes : routes[path.replace(/[?#].*/, "")];
    if (typeof route === "function") await route(request, response);
    else answer(response, route ?? { status: 404, body: "not found" });
  });
  return listen(server, { address, port }, requests, () => meter.max);
}

function answer(response: ServerResponse, { status = 200, headers = {}, body = "" }: Answer): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
}

/** How a server responds to a request: `write` and `end` as it likes. */
export type RawBehaviour = (socket: Socket, request: string) => unknown;

/** A request is its text up to the empty line. Without a behavior the server never responds. */
export async function serveRaw(behave?: RawBehaviour): Promise<TestServer> {
  const requests: LoggedRequest[] = [];
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const request = text.slice(0, end);
        text = text.slice(end + 4);
        const path = request.split(" ", 2)[1] ?? "";
        const connection = connectionOf(socket);
        requests.push({ path, headers: parseHeaders(request), connection, at: performance.now() });
        behave?.(socket, request);
      }
    });
    socket.on("end", () => socket.end());
  });
  return listen(server, { address: "127.0.0.1", port: 0 }, requests, () => 0);
}

function parseHeaders(request: string): Record<string, string> {
  const lines = request.split("\r\n").slice(1);
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

const numbers = new WeakMap<Socket, number>();
const connectionOf = (socket: Socket): number => numbers.get(socket)!;

async function listen(
  server: Server,
  { address, port: wanted }: { readonly address: string; readonly port: number },
  requests: readonly LoggedRequest[],
  maxActive: () => number,
): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const open = new Set<number>();
  let connections = 0;
  server.on("connection", (socket) => {
    const number = ++connections;
    numbers.set(socket, number);
    open.add(number);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      open.delete(number);
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(wanted, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const cut = (connection: number): void => {
    for (const socket of sockets) if (numbers.get(socket) === connection) socket.destroy();
  };
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://${address}:${port}`,
    host: `${address}:${port}`,
    port,
    requests,
    get maxActive() {
      return maxActive();
    },
    open,
    get connections() {
      return connections;
    },
    cut,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A port of 127.0.0.1 without a listener. */
export async function closedPort(): Promise<number> {
  const { port, close } = await serveRaw();
  await close();
  return port;
}

/**
 * Waits until the condition is true. Throws after a timeout. The default is less than the 4 s for which the client
 * keeps idle connections: a connection that only that timer closes counts as left open.
 */
export async function eventually(isTrue: () => boolean, what: string, ms = 3000): Promise<void> {
  const from = performance.now();
  while (!isTrue()) {
    if (performance.now() - from > ms) throw new Error(`Not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Returns a check that throws unless all sockets and timers created after this call are gone within a second.
 * Timers that do not keep the process alive are not counted.
 */
export function watchLeftovers(): () => Promise<void> {
  const before = countResources();
  return async () => {
    const left = (): string[] =>
      [...countResources()].flatMap(([name, count]) => (count > (before.get(name) ?? 0) ? [name] : []));
    await eventually(() => left().length === 0, "no socket or timer is left").catch((error: Error) => {
      throw new Error(`${error.message}: ${left().join(", ")}`);
    });
  };
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
