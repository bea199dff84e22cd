/**
 * A programmable site on loopback for the tests of the walk: routes by path with status, headers, delay or a
 * function, a log of requests, and the number of concurrent requests per host. Sitemaps list absolute URLs, so
 * the routes are created once the port is known.
 *
 * One server can respond for all of 127.0.0.0/8: each address is a host of its own. Connections from other
 * addresses are closed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { IndexWebsiteSitemap, Sitemap } from "../../src/model/model.ts";

export interface SiteRequest {
  /** Address and port. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly method: string;
  /** `performance.now()` at its arrival. */
  readonly at: number;
}

export interface SiteAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Before the headers. */
  readonly delayMs?: number;
}

/** `times` counts the requests for this route, from 1. */
export type SiteHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  times: number,
) => SiteAnswer | undefined | Promise<SiteAnswer | undefined>;

/** A text is a complete body. Paths that are not in the table get 404. Keys are paths with or without a query. */
export type SiteRoutes = Readonly<Record<string, string | SiteAnswer | SiteHandler>>;

export interface SiteOptions {
  /** Responds on all of 127.0.0.0/8, not only on 127.0.0.1. */
  readonly everyAddress?: boolean;
  /** For paths that are not in the table. */
  readonly fallback?: SiteAnswer | SiteHandler;
  /** Delays every response. */
  readonly delayMs?: (path: string) => number;
}

export class TestSite {
  readonly requests: SiteRequest[] = [];
  /** The largest number of concurrent requests, by host. */
  readonly maxActive: Map<string, number> = new Map();
  /** Open connections. */
  readonly sockets: Set<Socket> = new Set();
  routes: SiteRoutes = {};
  port = 0;

  readonly #server = createServer({ keepAliveTimeout: 10_000 });
  readonly #active: Map<string, number> = new Map();
  readonly #times: Map<string, number> = new Map();
  readonly #timers: Set<ReturnType<typeof setTimeout>> = new Set();
  readonly #options: SiteOptions;

  constructor(options: SiteOptions = {}) {
    this.#options = options;
    this.#server.on("request", (request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#server.on("connection", (socket: Socket) => {
      if (!socket.remoteAddress?.startsWith("127.")) {
        socket.destroy();
        return;
      }
      this.sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.on("error", reject);
      this.#server.listen(0, this.#options.everyAddress ? "0.0.0.0" : "127.0.0.1", resolve);
    });
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Without a final slash. */
  get url(): string {
    return this.at("127.0.0.1");
  }

  /** The same site under another address; needs `everyAddress`. */
  at(address: string): string {
    return `http://${address}:${this.port}`;
  }

  /** The requested paths in order, of all hosts or of one. */
  paths(host?: string): string[] {
    return this.requests
      .filter((request) => host === undefined || request.host === host)
      .map(({ path }) => path);
  }

  /** Clears the log. */
  reset(): void {
    this.requests.length = 0;
    this.#times.clear();
  }

  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const host = request.headers.host ?? "";
    this.requests.push({
      host,
      path,
      headers: request.headers,
      method: request.method ?? "",
      at: performance.now(),
    });
    this.#meter(host, response);
    const route = this.routes[path] ?? this.routes[path.replace(/\?.*/, "")] ?? this.#options.fallback;
    const times = (this.#times.get(path) ?? 0) + 1;
    this.#times.set(path, times);
    const late = this.#options.delayMs?.(path) ?? 0;
    if (late > 0) await this.#sleep(late);
    const answer =
      typeof route === "function" ? await route(request, response, times) : (route ?? { status: 404 });
    if (answer === undefined) return;
    const {
      status = 200,
      headers = {},
      body = "",
      delayMs = 0,
    } = typeof answer === "string" ? { body: answer } : answer;
    if (delayMs > 0) await this.#sleep(delayMs);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.writeHead(status).end(body);
  }

  #meter(host: string, response: ServerResponse): void {
    const active = (this.#active.get(host) ?? 0) + 1;
    this.#active.set(host, active);
    this.maxActive.set(host, Math.max(active, this.maxActive.get(host) ?? 0));
    response.on("error", () => {});
    response.on("close", () => this.#active.set(host, this.#active.get(host)! - 1));
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }
}

/** A site that is closed at the end of the test. */
export async function openSite(
  routes: SiteRoutes | ((base: string, site: TestSite) => SiteRoutes),
  options: SiteOptions = {},
): Promise<TestSite> {
  const site = new TestSite(options);
  await site.listen();
  onTestFinished(() => site.close());
  site.routes = typeof routes === "function" ? routes(site.url, site) : routes;
  return site;
}

// ---------------------------------------------------------------- documents

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

export function urlset(urls: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACE}>\n${urls
    .map((url) => `<url><loc>${url}</loc></url>`)
    .join("\n")}\n</urlset>\n`;
}

/** A child is its URL, or its URL and its lastmod. */
export function sitemapIndex(
  children: readonly (string | readonly [url: string, lastmod: string])[],
): string {
  const rows = children.map((child) => {
    const [url, lastmod] = typeof child === "string" ? [child] : child;
    return `<sitemap><loc>${url}</loc>${lastmod === undefined ? "" : `<lastmod>${lastmod}</lastmod>`}</sitemap>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex ${NAMESPACE}>\n${rows.join("\n")}\n</sitemapindex>\n`;
}

export function robotsTxt(sitemaps: readonly string[], rules = ""): string {
  return `User-agent: *\n${rules || "Disallow:"}\n${sitemaps.map((url) => `Sitemap: ${url}\n`).join("")}`;
}

export function redirectTo(location: string, status = 302): SiteAnswer {
  return { status, headers: { location } };
}

/** `/1`, `/2`, … below this URL. */
export function pageUrls(base: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${base}/${at + 1}`);
}

export const HTML_PAGE =
  "<!doctype html><html><head><title>Not here</title></head><body><h1>Not here</h1><a href=/>home</a></body></html>";

// ---------------------------------------------------------------- results

/** A tree as lines, one per node, indented by two spaces per level; URLs without `base`. */
export function outline(tree: Sitemap, base: string): string[] {
  const short = (url: string): string => (url.startsWith(base) ? url.slice(base.length) || "/" : url);
  const line = (node: Sitemap): string => {
    const pages = [...node.pages].map((page) => ` ${short(page.url)}`).join("");
    const what = node.kind === "invalid" ? `invalid ${node.code}` : `${node.kind} ${node.format}`;
    return `${what} ${short(node.url)}${pages && `:${pages}`}${node.partial ? " (partial)" : ""}`;
  };
  const lines = (node: Sitemap): string[] => [
    line(node),
    ...node.subSitemaps.flatMap((child) => lines(child).map((text) => `  ${text}`)),
  ];
  return lines(tree);
}

/** The tree without the times, which differ from run to run. */
export function timeless(tree: IndexWebsiteSitemap): string {
  return JSON.stringify(tree, (key, value) => (key === "ms" || key === "waitMs" ? undefined : value));
}
