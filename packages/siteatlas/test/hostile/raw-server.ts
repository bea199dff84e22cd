/**
 * The servers of a case: HTTP servers, and raw sockets for bytes that no HTTP library would send. All of them
 * count connections, requests and bytes for the client's process.
 */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { HttpAnswer, SeenRequest, ServerFacts, ServerOptions, Stage } from "./case.ts";
import { makeCertificate } from "./certificate.ts";
import { serveDns } from "./dns-server.ts";

export type Route = (request: IncomingMessage, response: ServerResponse) => unknown;

/** How the server responds to a request on a connection: `write`, `end`, `destroy` as it likes. */
export type RawBehaviour = (socket: Socket, request: RawRequest) => unknown;

interface RawRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of this server, from 1, robots.txt aside. */
  readonly nth: number;
}

export interface RawOptions extends ServerOptions {
  /** Whether `/robots.txt` is served without calling the behavior. @default true */
  readonly robots?: boolean;
}

/** The most requests that are reported in detail. */
const MAX_REQUESTS = 5000;

/** A complete response with a length, so that the connection stays open. */
export function httpResponse(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  status = "200 OK",
): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ "content-length": String(bytes.length), ...headers });
  return Buffer.concat([httpHead(Object.fromEntries(lines), status), bytes]);
}

/** Status line and headers, with the empty line. */
export function httpHead(headers: Readonly<Record<string, string>> = {}, status = "200 OK"): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`, "latin1");
}

/** A urlset with `count` pages, `/p1` and on. */
export function urlset(count: number, origin = "http://www.example.com"): string {
  let text =
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
  for (let n = 1; n <= count; n++) text += `<url><loc>${origin}/p${n}</loc></url>\n`;
  return `${text}</urlset>\n`;
}

/** A sitemap index of these URLs. */
export function sitemapIndex(urls: Iterable<string>): string {
  let text =
    '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
  for (const url of urls) text += `<sitemap><loc>${url}</loc></sitemap>\n`;
  return `${text}</sitemapindex>\n`;
}

/** Writes chunks as fast as the client reads them, until it disconnects or there are no more. */
export async function pour(
  socket: Socket | ServerResponse,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return;
    if (!socket.write(piece)) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          socket.off("drain", go);
          socket.off("close", go);
          resolve();
        };
        socket.on("drain", go);
        socket.on("close", go);
      });
    }
  }
}

/** The same chunk without end: for `pour`. */
export function* forever<T>(piece: T): Generator<T> {
  for (;;) yield piece;
}

/** Writes a chunk per interval, until the client disconnects or there are no more. */
export async function drip(socket: Socket, pieces: Iterable<string | Uint8Array>, ms: number): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return;
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function robotsTxt(url: string, sitemaps: readonly string[] = ["/sitemap.xml"]): string {
  return `User-agent: *\nDisallow:\n${sitemaps.map((path) => `Sitemap: ${url}${path}\n`).join("")}`;
}

export class HostileStage implements Stage {
  readonly certificate: Stage["certificate"] = makeCertificate;
  readonly #requests: SeenRequest[] = [];
  #requestCount = 0;
  readonly #questions: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #connectionsOf: Record<string, number> = {};
  #connections = 0;
  #bytesWritten = 0;

  async http(
    routes: Route | Readonly<Record<string, Route | HttpAnswer>>,
    options: ServerOptions = {},
  ): Promise<string> {
    let url = "";
    const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const path = request.url ?? "";
      this.#note({ server: url, path, headers: request.headers, connection: numberOf(request.socket) });
      response.on("error", () => {});
      const route = typeof routes === "function" ? routes : routes[path.replace(/[?#].*/, "")];
      if (typeof route === "function") await route(request, response);
      else if (route !== undefined) answer(response, route);
      else if (path === "/robots.txt") answer(response, { body: robotsTxt(url, options.sitemaps) });
      else answer(response, { status: 404, body: "not found" });
    };
    const settings = { keepAliveTimeout: 10_000 };
    const server = options.tls
      ? createHttpsServer({ ...settings, ...options.tls }, onRequest)
      : createHttpServer(settings, onRequest);
    const scheme = options.tls ? "https" : "http";
    url = `${scheme}://${await this.#listen(server, options, (host) => `${scheme}://${host}`)}`;
    return url;
  }

  async raw(behave: RawBehaviour, { robots = true, ...options }: RawOptions = {}): Promise<string> {
    let url = "";
    let count = 0;
    const onConnection = (socket: Socket): void => {
      let text = "";
      socket.on("data", (bytes) => {
        text += bytes.toString("latin1");
        for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
          const [line = "", ...lines] = text.slice(0, end).split("\r\n");
          text = text.slice(end + 4);
          const path = line.split(" ", 2)[1] ?? "";
          const headers = readHeaders(lines);
          this.#note({ server: url, path, headers, connection: numberOf(socket) });
          if (robots && path === "/robots.txt") socket.write(httpResponse(robotsTxt(url, options.sitemaps)));
          else behave(socket, { path, headers, nth: ++count });
        }
      });
      socket.on("end", () => socket.end());
    };
    const scheme = options.tls ? "https" : "http";
    const server = options.tls
      ? createTlsServer({ ...options.tls, allowHalfOpen: true }, (socket) => {
          socket.on("error", () => {});
          numbers.set(socket, this.#connections);
          onConnection(socket);
        })
      : createTcpServer({ allowHalfOpen: true }, onConnection);
    url = `${scheme}://${await this.#listen(server, options, (host) => `${scheme}://${host}`)}`;
    return url;
  }

  tcp(behave: (socket: Socket) => unknown, options: ServerOptions = {}): Promise<string> {
    const onConnection = (socket: Socket): void => {
      // A socket that is not read does not notice that the client has disconnected.
      socket.resume();
      behave(socket);
    };
    return this.#listen(createTcpServer(onConnection), options, (host) => host);
  }

  dns(behave: Parameters<Stage["dns"]>[0]): Promise<number> {
    return serveDns(behave, (name) => this.#questions.push(name));
  }

  facts(): ServerFacts {
    let bytesWritten = this.#bytesWritten;
    for (const socket of this.#sockets) bytesWritten += socket.bytesWritten;
    return {
      requestCount: this.#requestCount,
      requests: this.#requests,
      connections: this.#connections,
      connectionsOf: this.#connectionsOf,
      open: this.#sockets.size,
      bytesWritten,
      questions: this.#questions,
    };
  }

  #note(request: SeenRequest): void {
    this.#requestCount++;
    if (this.#requests.length < MAX_REQUESTS) this.#requests.push(request);
  }

  /** Gives `host:port`. */
  async #listen(
    server: Server,
    { address = "127.0.0.1", port = 0 }: ServerOptions,
    nameOf: (host: string) => string,
  ): Promise<string> {
    let name = "";
    server.on("tlsClientError", () => {});
    // For a TLS server, this is the connection below TLS.
    server.on("connection", (socket: Socket) => {
      numbers.set(socket, ++this.#connections);
      this.#connectionsOf[name] = (this.#connectionsOf[name] ?? 0) + 1;
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#bytesWritten += socket.bytesWritten;
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject);
      server.listen(port, address, resolve);
    });
    const host = `${address.includes(":") ? `[${address}]` : address}:${(server.address() as AddressInfo).port}`;
    name = nameOf(host);
    this.#connectionsOf[name] = 0;
    return host;
  }
}

export function answer(
  response: ServerResponse,
  { status = 200, headers = {}, body = "" }: HttpAnswer,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

const numbers = new WeakMap<object, number>();
const numberOf = (socket: object): number => numbers.get(socket) ?? 0;
