/** A host that accepts connections and never answers costs two requests, not one for each sitemap. */
import { describe, expect, it } from "vitest";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { open, openRaw } from "../fetch/client/client-suite.ts";
import { robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";

/** Enough for the responses of a busy machine. */
const HEADERS_MS = 3000;
/** For hosts that never answer. */
const SILENT = { limits: { headersMs: 300 } };

interface Walked {
  readonly sitemaps: readonly WalkedSitemap[];
  readonly pages: number;
  readonly ms: number;
}

async function walk(url: string, options: WalkOptions = {}): Promise<Walked> {
  const sitemaps: WalkedSitemap[] = [];
  let pages = 0;
  const from = performance.now();
  const limits = { headersMs: HEADERS_MS, backoffMs: 5, ...options.limits };
  const allowed = options.client === undefined ? { allowPrivateNetworks: true } : {};
  for await (const event of walkSitemaps(url, { ...allowed, ...options, limits })) {
    if (event.kind === "sitemap") sitemaps.push(event.sitemap);
    if (event.kind === "page") pages++;
  }
  return { sitemaps, pages, ms: performance.now() - from };
}

describe("a silent host", () => {
  it.each([1, 2, 8])("gets two requests with a concurrency of %i, and the walk ends", async (concurrency) => {
    const server = await openRaw();
    const { sitemaps } = await walk(`${server.url}/`, { ...SILENT, concurrency });
    expect(server.requests.length).toBe(2);
    expect(sitemaps[0]).toMatchObject({ source: "robots", outcome: "failed", code: "http.timeout" });
    const others = sitemaps.filter(({ source }) => source === "known");
    expect(others.length).toBeGreaterThan(10);
    expect(others.filter(({ reason = "" }) => !reason.startsWith("skipped: "))).toHaveLength(1);
    expect(new Set(others.map(({ code }) => code))).toEqual(new Set(["http.timeout"]));
  });

  it("with many sitemaps in an index gets as many requests as are concurrent, at least two", async () => {
    const silent = await openRaw();
    const site = await open((request, response) => {
      const { url = "" } = request;
      if (url === "/robots.txt") response.end(robotsTxt([`${base}/index.xml`]));
      else if (url === "/index.xml") response.end(sitemapIndex([...elsewhere, `${base}/own.xml`]));
      else if (url === "/own.xml") response.end(urlset([`${base}/1`]));
      else response.writeHead(404).end();
    });
    const base = site.url;
    const elsewhere = Array.from({ length: 40 }, (_, at) => `${silent.url}/${at}.xml`);
    const { sitemaps, pages } = await walk(`${base}/`);
    expect(silent.requests.length).toBe(2);
    expect(pages).toBe(1);
    expect(sitemaps.filter(({ url }) => url.startsWith(silent.url))).toHaveLength(40);
  });

  it("is not a host that answers late", async () => {
    let isFirst = true;
    const site = await open((request, response) => {
      if (isFirst) isFirst = false;
      else if (request.url === "/sitemap.xml") response.end(urlset([`${site.url}/1`]));
      else response.writeHead(404).end();
    });
    const { pages } = await walk(`${site.url}/`);
    expect(pages).toBe(1);
    expect(site.requests.length).toBeGreaterThan(10);
  });

  it("is not a host that answered before and then delays one sitemap", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const site = await open((request, response) => {
      const { url = "" } = request;
      if (url === "/robots.txt") response.end(robotsTxt(names.map((name) => `${site.url}/${name}.xml`)));
      else if (url === "/e.xml") response.end(urlset([`${site.url}/1`]));
      else if (!url.endsWith(".xml")) response.writeHead(404).end();
    });
    const { pages } = await walk(`${site.url}/`, { useKnownPaths: false });
    expect(pages).toBe(1);
  });

  it("is noticed with a client that ignores its signal", async () => {
    let requests = 0;
    const client = (): Promise<never> => {
      requests++;
      return new Promise(() => {});
    };
    await walk("http://www.example.com/", { ...SILENT, client });
    expect(requests).toBe(2);
  });
});

it("calls onRequest with each request, and its function when the request has ended", async () => {
  const site = await open((request, response) => {
    const { url = "" } = request;
    if (url === "/robots.txt") response.end(robotsTxt([`${site.url}/old.xml`]));
    else if (url === "/old.xml") response.writeHead(301, { location: "/new.xml" }).end();
    else if (url === "/new.xml") response.end(urlset([`${site.url}/1`]));
    else response.writeHead(404).end();
  });
  const log: string[] = [];
  const path = (url: string): string => new URL(url).pathname;
  await walk(`${site.url}/`, {
    useKnownPaths: false,
    onRequest: (url) => {
      log.push(`sent ${path(url)}`);
      return () => log.push(`ended ${path(url)}`);
    },
  });
  expect(log).toEqual([
    "sent /robots.txt",
    "ended /robots.txt",
    "sent /old.xml",
    "ended /old.xml",
    "sent /new.xml",
    "ended /new.xml",
  ]);
});

it("throws an error of onRequest", async () => {
  const site = await open({});
  const mistake = new Error("a bug of the caller");
  const onRequest = (): undefined => {
    throw mistake;
  };
  await expect(walk(`${site.url}/`, { onRequest })).rejects.toBe(mistake);
});
