/** The order of requests: declared sitemaps before known locations. Also the time that a request waits for its slot. */
import { describe, expect, it } from "vitest";
import { knownPaths } from "../../src/discover/known-paths.ts";
import { allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import { streamPages, walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import {
  openSite,
  pageUrls,
  robotsTxt,
  type SiteRoutes,
  sitemapIndex,
  urlset,
} from "../support/test-site.ts";

const GUESSES = knownPaths("usual").map((path) => `/${path}`);
const isGuess = (path: string): boolean => GUESSES.includes(path);

/** An index with this number of sitemaps at this path. */
const indexAt =
  (path: string, count = 75) =>
  (base: string): SiteRoutes => ({
    [path]: sitemapIndex(pageUrls(`${base}/s`, count)),
    ...Object.fromEntries(pageUrls("/s", count).map((child) => [child, urlset(pageUrls(base + child, 3))])),
  });

describe("declared before guessed", () => {
  it.each([
    ["in robots.txt", "/index.xml"],
    ["at a known location", "/sitemap.xml"],
  ])("an index %s: its first page is emitted before most known locations are tried", async (_, path) => {
    const site = await openSite(
      (base) => ({
        "/robots.txt": robotsTxt(path === "/index.xml" ? [base + path] : []),
        ...indexAt(path)(base),
      }),
      { delayMs: () => 10 },
    );
    for await (const page of streamPages(site.url)) {
      expect(page.url).toMatch(/\/s\/[12]\/1$/);
      break;
    }
    // robots.txt, the index and one known location, one more after the first response, and two sitemaps.
    const asked = site.paths();
    expect(asked.filter((path) => path !== "/sitemap.xml" && isGuess(path)).length).toBeLessThanOrEqual(2);
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  it("every known location is tried, in order, after the declared sitemaps have started", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      ...indexAt("/index.xml", 20)(base),
    }));
    for await (const _ of streamPages(site.url, { concurrency: 1, useHomepageLinks: false }));
    expect(site.paths()).toEqual(["/robots.txt", "/index.xml", ...pageUrls("/s", 20), ...GUESSES]);
  });

  it("a known location that is declared is requested once, as a declared sitemap", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      "/index.xml": sitemapIndex([`${base}/news-sitemap.xml`, `${base}/a.xml`]),
      "/news-sitemap.xml": urlset([`${base}/1`]),
      "/a.xml": urlset([`${base}/2`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, { concurrency: 1, useHomepageLinks: false });
    const rest = GUESSES.filter((path) => path !== "/news-sitemap.xml");
    expect(site.paths()).toEqual(["/robots.txt", "/index.xml", "/news-sitemap.xml", "/a.xml", ...rest]);
    expect([...allSitemaps(tree)].map(({ url }) => url.slice(site.url.length))).toEqual([
      "/robots.txt",
      "/index.xml",
      "/news-sitemap.xml",
      "/a.xml",
    ]);
  });

  it("a limit on sitemaps is used for declared sitemaps first", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      ...indexAt("/index.xml", 8)(base),
    }));
    let pages = 0;
    for await (const _ of streamPages(site.url, { concurrency: 1, limits: { sitemaps: 10 } })) pages++;
    expect(pages).toBe(24);
    expect(site.paths().filter(isGuess)).toEqual([]);
  });
});

describe("http.ms and http.waitMs", () => {
  /** Times are rounded to milliseconds. A sum has at most six of them. */
  const SLACK = 6;

  it("the wait for a slot is not time of the request", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt(pageUrls(`${base}/s`, 6)),
      ...Object.fromEntries(
        pageUrls("/s", 6).map((path) => [path, { body: urlset([base + path]), delayMs: 100 }]),
      ),
    }));
    const options = { concurrency: 1, useKnownPaths: false, useHomepageLinks: false };
    const http = [];
    const from = performance.now();
    for await (const event of walkSitemaps(site.url, options)) {
      if (event.kind === "sitemap" && event.sitemap.level === 1) http.push(event.sitemap.http!);
    }
    const elapsed = performance.now() - from;
    expect(http).toHaveLength(6);
    for (const { ms } of http) expect(ms).toBeGreaterThanOrEqual(95);
    // The last request waited for the other five.
    expect(http[5]!.waitMs).toBeGreaterThanOrEqual(475);
    // No time is counted twice, in two requests or in both fields.
    const sum = http.reduce((total, { ms }) => total + ms, 0);
    expect(sum).toBeLessThanOrEqual(elapsed + SLACK);
    expect(http[5]!.ms + http[5]!.waitMs!).toBeLessThanOrEqual(elapsed + SLACK);
  });

  it("hops and retries are time of the request, the wait before a retry is not", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": { status: 302, headers: { location: "/b.xml" }, delayMs: 100 },
      "/b.xml": (_, __, times) =>
        times === 1
          ? { status: 503, headers: { "retry-after": "1" }, delayMs: 100 }
          : { body: urlset([`${base}/1`]), delayMs: 100 },
    }));
    const options = { useKnownPaths: false, useHomepageLinks: false };
    const from = performance.now();
    const tree = await sitemapTreeForHomepage(site.url, options);
    const elapsed = performance.now() - from;
    const { ms = 0, waitMs = 0 } = tree.subSitemaps[0]!.subSitemaps[0]!.http ?? {};
    expect(ms).toBeGreaterThanOrEqual(290);
    expect(waitMs).toBeGreaterThanOrEqual(980);
    expect(ms + waitMs).toBeLessThanOrEqual(elapsed + SLACK);
  });
});
