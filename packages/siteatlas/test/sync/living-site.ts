/**
 * A site that changes: sitemaps below an index or several, pages that are added, changed, moved and removed, and a server
 * whose validators may be wrong. Serves on loopback and counts requests.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LivingPage {
  lastmod?: string | undefined;
  changefreq?: string | undefined;
  priority?: string | undefined;
  image?: string | undefined;
}

/** How the server responds to requests for a sitemap. */
export type Mood =
  | "well"
  /** Answers 503. */
  | "down"
  /** Sends a page that says that the site will be back soon, with status 200. */
  | "maintenance"
  | "missing"
  /** Sends the first half with a matching Content-Length. */
  | "cut"
  /** Breaks the connection in the middle. */
  | "broken"
  /** Redirects to the index. */
  | "redirect"
  /** Always answers 304 and never changes its ETag. */
  | "lying-etag"
  /** Sends a new ETag with each response. */
  | "restless-etag"
  /** Sends `madeAt` or the newest date of its pages as Last-Modified, and no ETag. */
  | "dated"
  /** Sends no validators. */
  | "plain";

export interface LivingSitemap {
  pages: Map<string, LivingPage>;
  mood: Mood;
  /** The date in the index; `null`: nothing. */
  declared: string | null;
  /** Not in the index. */
  hidden?: boolean;
  /** Name of the index that lists the sitemap: `archive` is at /archive.xml. By default `index`. */
  index?: string;
  /** For `dated`. */
  madeAt?: string;
  /** The content, in place of `pages`. */
  text?: string;
}

export class LivingSite {
  /** By name: `a` is at /a.xml. */
  readonly sitemaps: Map<string, LivingSitemap> = new Map();
  indexMood: Mood = "well";
  robotsMood: Mood = "well";
  /** Names of indexes that robots.txt does not list. */
  readonly unlisted: Set<string> = new Set();
  /** How far the clock of the server is ahead of ours, in milliseconds. */
  skewMs = 0;
  /** Paths of pages that exist. Others answer 404. */
  alive: ReadonlySet<string> = new Set();
  /** How pages respond. */
  pageMood: Mood = "well";
  /** Origin of the listed pages; by default this server. */
  pageOrigin: string | undefined;
  readonly requests: { path: string; status: number }[] = [];
  bytesSent = 0;
  readonly #server: Server = createServer((request, response) => this.#answer(request, response));
  /** The last correct ETags. */
  readonly #honest: Map<string, string> = new Map();
  readonly #held: Map<string, (answer: () => void) => void> = new Map();
  #answers = 0;
  #port = 0;

  static async start(): Promise<LivingSite> {
    const site = new LivingSite();
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    site.#port = (site.#server.address() as AddressInfo).port;
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  get origin(): string {
    return this.pageOrigin ?? this.url.slice(0, -1);
  }

  sitemapUrl(name: string): string {
    return `${this.url}${name}.xml`;
  }

  pageUrl(path: string): string {
    return `${this.origin}${path}`;
  }

  add(name: string, paths: readonly string[], declared: string | null = "2026-01-01"): LivingSitemap {
    const sitemap: LivingSitemap = {
      pages: new Map(paths.map((path) => [path, { lastmod: "2026-01-01" }])),
      mood: "well",
      declared,
    };
    this.sitemaps.set(name, sitemap);
    return sitemap;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /**
   * Holds back the responses for this path; `asked` is called for each request. Returns a function that
   * releases them.
   */
  hold(path: string, asked: () => void = () => {}): () => void {
    const waiting: (() => void)[] = [];
    this.#held.set(path, (answer) => {
      waiting.push(answer);
      asked();
    });
    return () => {
      this.#held.delete(path);
      for (const answer of waiting) answer();
    };
  }

  /** The current pages of all sitemaps, with their data. */
  truth(): Map<string, string> {
    const pages = new Map<string, string>();
    for (const { pages: own, hidden } of this.sitemaps.values()) {
      if (hidden) continue;
      for (const [path, page] of own) pages.set(this.pageUrl(path), JSON.stringify(page));
    }
    return pages;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "/";
    const held = this.#held.get(path);
    if (held !== undefined) {
      this.#held.delete(path);
      return held(() => this.#answer(request, response));
    }
    response.on("close", () => this.requests.push({ path, status: response.statusCode }));
    response.setHeader("date", new Date(Date.now() + this.skewMs).toUTCString());
    if (path === "/robots.txt") {
      const text = [...this.#indexes()]
        .filter((name) => !this.unlisted.has(name))
        .map((name) => `Sitemap: ${this.sitemapUrl(name)}\n`)
        .join("");
      return this.#send(
        request,
        response,
        path,
        text,
        this.robotsMood === "well" ? "plain" : this.robotsMood,
      );
    }
    const [, name = ""] = /^\/(.+)\.xml$/.exec(path) ?? [];
    if (this.#indexes().has(name))
      return this.#send(request, response, path, this.#index(name), this.indexMood);
    const sitemap = this.sitemaps.get(name);
    if (sitemap === undefined) {
      const isAlive = this.alive.has(path) || this.pageMood !== "well";
      return this.#send(request, response, path, "A page.", isAlive ? this.pageMood : "missing");
    }
    if (sitemap.mood === "redirect") {
      return void response.writeHead(302, { location: this.sitemapUrl(sitemap.index ?? "index") }).end();
    }
    if (sitemap.mood === "dated") {
      const dates = [...sitemap.pages.values()].flatMap(({ lastmod }) => lastmod ?? []);
      const newest = new Date(sitemap.madeAt ?? dates.sort().at(-1)!).toUTCString();
      response.setHeader("last-modified", newest);
      if (request.headers["if-modified-since"] === newest) return void response.writeHead(304).end();
    }
    this.#send(request, response, path, this.#urlset(sitemap), sitemap.mood);
  }

  #send(request: IncomingMessage, response: ServerResponse, path: string, text: string, mood: Mood): void {
    this.#answers++;
    if (mood === "down" || mood === "missing") {
      response.writeHead(mood === "down" ? 503 : 404).end();
      return;
    }
    if (mood === "maintenance") {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>Back soon</title><p>We will be back soon.");
      return;
    }
    const etag = this.#etag(path, text, mood);
    if (etag !== undefined) response.setHeader("etag", etag);
    if (etag !== undefined && request.headers["if-none-match"] === etag) {
      response.writeHead(304).end();
      return;
    }
    response.setHeader("content-type", "application/xml");
    const body = Buffer.from(text);
    if (mood === "broken") {
      response.setHeader("content-length", body.length);
      response.write(body.subarray(0, body.length >> 1), () => response.destroy());
      return;
    }
    const sent = mood === "cut" ? body.subarray(0, body.length >> 1) : body;
    this.bytesSent += sent.length;
    response.end(sent);
  }

  #etag(path: string, text: string, mood: Mood): string | undefined {
    if (mood === "plain" || mood === "dated") return undefined;
    if (mood === "restless-etag") return `"${this.#answers}"`;
    const etag = `"${createHash("sha1").update(text).digest("hex")}"`;
    if (mood !== "lying-etag") this.#honest.set(path, etag);
    return this.#honest.get(path) ?? etag;
  }

  #indexes(): Set<string> {
    return new Set(["index", ...[...this.sitemaps.values()].map(({ index = "index" }) => index)]);
  }

  #index(name: string): string {
    const items = [...this.sitemaps]
      .filter(([, { hidden, index = "index" }]) => !hidden && index === name)
      .map(([name, { declared }]) => {
        const lastmod = declared === null ? "" : `<lastmod>${declared}</lastmod>`;
        return `<sitemap><loc>${this.sitemapUrl(name)}</loc>${lastmod}</sitemap>\n`;
      });
    return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${items.join("")}</sitemapindex>`;
  }

  #urlset({ pages, text }: LivingSitemap): string {
    if (text !== undefined) return text;
    const items = [...pages].map(([path, { lastmod, changefreq, priority, image }]) => {
      const part = (name: string, value: string | undefined): string =>
        value === undefined ? "" : `<${name}>${value}</${name}>`;
      return (
        `<url>${part("loc", this.pageUrl(path))}${part("lastmod", lastmod)}${part("changefreq", changefreq)}` +
        `${part("priority", priority)}${image === undefined ? "" : `<image:image><image:loc>${image}</image:loc></image:image>`}</url>\n`
      );
    });
    return (
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ` +
      `xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n${items.join("")}</urlset>`
    );
  }
}
