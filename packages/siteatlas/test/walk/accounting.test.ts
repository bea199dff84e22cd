/**
 * No data is silently missing. Each requested URL and each declared sitemap has exactly one outcome: found, failed,
 * skipped, stopped or shared. A limit keeps everything before it, and its code is reported.
 */
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IndexWebsiteSitemap, Sitemap } from "../../src/model/model.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkEvent, WalkedSitemap } from "../../src/walk/events/events.ts";
import type { WalkLimits, WalkOptions } from "../../src/walk/options.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { runs, seed } from "../support/runs.ts";
import {
  HTML_PAGE,
  openSite,
  pageUrls,
  redirectTo,
  robotsTxt,
  type SiteAnswer,
  type SiteHandler,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";
import { openAcceptanceSite } from "./acceptance-site.ts";

async function eventsOf(site: TestSite, options: WalkOptions): Promise<WalkEvent[]> {
  const events: WalkEvent[] = [];
  for await (const event of walkSitemaps(site.url, options)) events.push(event);
  return events;
}

const sitemapsOf = (events: readonly WalkEvent[]): WalkedSitemap[] =>
  events.flatMap((event) => (event.kind === "sitemap" ? [event.sitemap] : []));

/** Whether the document of this sitemap is reported by another event. */
function endsElsewhere({ outcome, code }: WalkedSitemap): boolean {
  return outcome === "shared" || outcome === "skipped" || code?.startsWith("index.") === true;
}

/**
 * Every URL in the server's log, except the homepage, is a redirect of some sitemap or the final URL of exactly one.
 */
function expectAllAccounted(site: TestSite, events: readonly WalkEvent[]): void {
  const walked = sitemapsOf(events);
  const redirects = new Set(walked.flatMap((sitemap) => sitemap.redirects ?? []));
  const ends = walked.filter((sitemap) => !endsElsewhere(sitemap)).map(({ url }) => url);
  const requested = new Set(site.paths().filter((path) => path !== "/"));
  const unclear = [...requested].filter((path) => {
    const times = ends.filter((url) => url === site.url + path).length;
    return redirects.has(site.url + path) ? times > 1 : times !== 1;
  });
  expect(unclear).toEqual([]);
  // Every declared sitemap without a result has a reason.
  for (const { outcome, code, reason, http, url } of walked) {
    if (outcome === "found" || outcome === "shared") expect(code).toBeUndefined();
    else
      expect({ url, code, reason }).toEqual({
        url,
        code: expect.any(String),
        reason: expect.stringMatching(/\w/),
      });
    if (code === "http.status") expect(http?.status).toBeGreaterThan(299);
  }
  // Every child of every index has one outcome.
  for (const { url, childCount, outcome } of walked) {
    if (outcome !== "found") continue;
    expect(`${url} ${walked.filter(({ parentUrl }) => parentUrl === url).length}`).toBe(
      `${url} ${childCount}`,
    );
  }
  const pages = events.filter(({ kind }) => kind === "page").length;
  expect(walked.reduce((sum, { pageCount }) => sum + pageCount, 0)).toBe(pages);
}

const OUTCOMES = ["found", "failed", "skipped", "stopped", "shared"] as const;

describe("on the acceptance site", () => {
  it.each<{ name: string; options: WalkOptions; outcomes: readonly (typeof OUTCOMES)[number][] }>([
    { name: "without limits", options: {}, outcomes: ["found", "failed", "shared"] },
    {
      name: "with filters",
      options: {
        recurseListCallback: (urls) => urls.filter((url) => !url.includes("gzip")),
        recurseCallback: async (url) => !url.includes("list"),
      },
      outcomes: ["found", "failed", "skipped", "shared"],
    },
    { name: "with crossHost: none", options: { crossHost: "none" }, outcomes: ["found", "failed", "shared"] },
    {
      name: "with 5 indexes",
      options: { limits: { indexes: 5 } },
      outcomes: ["found", "failed", "stopped", "shared"],
    },
    {
      name: "with 30 sitemaps",
      options: { limits: { sitemaps: 30 } },
      outcomes: ["found", "stopped", "shared"],
    },
    {
      name: "with 90 sitemaps",
      options: { limits: { sitemaps: 90 } },
      outcomes: ["found", "failed", "stopped", "shared"],
    },
    { name: "with 20 pages", options: { limits: { urls: 20 } }, outcomes: ["found", "stopped"] },
    {
      name: "with depth 2",
      options: { limits: { depth: 2 } },
      outcomes: ["found", "failed", "stopped", "shared"],
    },
    {
      // The filter never answers for these, so the time limit ends the walk in the middle.
      name: "with 1 s",
      options: {
        limits: { timeMs: 1000 },
        recurseCallback: (url) => (url.includes("list") ? new Promise<boolean>(() => {}) : true),
      },
      outcomes: ["found", "stopped"],
    },
    {
      name: "with 10,000 bytes",
      options: { limits: { totalBytes: 10_000 } },
      outcomes: ["found", "stopped"],
    },
    { name: "with 300 bytes each", options: { limits: { wireBytes: 300 } }, outcomes: ["found", "failed"] },
    {
      name: "with 300 decoded bytes each",
      options: { limits: { decodedBytes: 300 } },
      outcomes: ["found", "failed"],
    },
    { name: "with no retries", options: { limits: { retries: 0 } }, outcomes: ["found", "failed", "shared"] },
    {
      name: "with all of it",
      options: {
        recurseCallback: (url) => !url.includes("utf"),
        limits: { depth: 2, sitemaps: 40, wireBytes: 2000 },
      },
      outcomes: ["found", "failed", "skipped", "stopped"],
    },
  ])("every requested URL ends once: $name", async ({ options, outcomes }) => {
    const { site, expected } = await openAcceptanceSite();
    const { limits, ...rest } = options;
    const events = await eventsOf(site, {
      useHomepageLinks: true,
      ...rest,
      limits: { backoffMs: 10, ...limits },
    });
    expectAllAccounted(site, events);
    const seen = new Set(sitemapsOf(events).map(({ outcome }) => outcome));
    expect(OUTCOMES.filter((outcome) => seen.has(outcome))).toEqual(expect.arrayContaining([...outcomes]));
    const pages = events.flatMap((event) => (event.kind === "page" ? [event.page.url] : []));
    expect(pages.filter((url) => !expected.has(url))).toEqual([]);
  });
});

it("redirect loops and mutual redirects are also reported", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt(["a", "b", "c", "d", "e"].map((name) => `${base}/${name}`)),
    "/a": redirectTo("/b"),
    "/b": redirectTo("/c"),
    "/c": { ...redirectTo("/a"), delayMs: 30 },
    "/d": redirectTo("/x"),
    "/x": redirectTo("/y"),
    "/y": redirectTo("/robots.txt"),
    "/e": redirectTo("/x"),
  }));
  expectAllAccounted(site, await eventsOf(site, {}));
});

/** The kinds of documents of a site. `to` are the numbers of other documents. */
const KINDS: Readonly<
  Record<string, (to: readonly string[], own: string) => string | SiteAnswer | SiteHandler>
> = {
  pages: (to, own) => urlset([own, ...to]),
  index: (to) => sitemapIndex(to),
  redirect: ([first = "/"]) => redirectTo(first),
  missing: () => ({ status: 404 }),
  html: () => HTML_PAGE,
  empty: () => "",
  cut: (to, own) => urlset([own, ...to]).slice(0, -20),
  broken: () => (_, response) => {
    response.destroy();
    return undefined;
  },
  busy: (to, own) => (_, __, times) => (times === 1 ? { status: 503 } : { body: urlset([own, ...to]) }),
};

describe("any site, any limits, any filter", () => {
  const SIZE = 10;
  const someNodes = fc.array(fc.nat(SIZE - 1), { minLength: 1, maxLength: 4 });
  const document = fc.record({
    kind: fc.constantFrom("index", "index", "redirect", ...Object.keys(KINDS)),
    to: someNodes,
  });
  const few = { requiredKeys: [] };
  const walks = fc.record({
    documents: fc.array(document, { minLength: SIZE, maxLength: SIZE }),
    listed: someNodes,
    skipped: fc.option(fc.nat(SIZE - 1), { nil: undefined }),
    concurrency: fc.constantFrom(1, 2, 8),
    limits: fc.record(
      {
        depth: fc.nat(4),
        sitemaps: fc.nat(12),
        indexes: fc.nat(4),
        children: fc.nat(3),
        barrenChildren: fc.integer({ min: 1, max: 3 }),
        urls: fc.nat(20),
        urlsPerSitemap: fc.nat(4),
        wireBytes: fc.nat(400),
        totalBytes: fc.nat(2000),
        redirects: fc.nat(2),
        retries: fc.nat(1),
      },
      few,
    ),
  });

  it("every requested URL and every declared sitemap has one outcome with its reason", async () => {
    const site = await openSite({});
    const urlOf = (at: number): string => `${site.url}/d/${at}`;
    await fc.assert(
      fc.asyncProperty(walks, async ({ documents, listed, skipped, concurrency, limits }) => {
        site.routes = {
          "/robots.txt": robotsTxt(listed.map(urlOf)),
          ...Object.fromEntries(
            documents.map(({ kind, to }, at) => [
              `/d/${at}`,
              KINDS[kind]!(to.map(urlOf), `${site.url}/p/${at}`),
            ]),
          ),
        };
        site.reset();
        const events = await eventsOf(site, {
          useKnownPaths: false,
          useHomepageLinks: false,
          concurrency,
          recurseCallback: (url) => skipped === undefined || url !== urlOf(skipped),
          limits: { backoffMs: 1, ...limits },
        });
        expectAllAccounted(site, events);
        if (limits.urls !== undefined) {
          expect(events.filter(({ kind }) => kind === "page").length).toBeLessThanOrEqual(limits.urls);
        }
      }),
      { numRuns: runs(150), seed },
    );
  });
});

// ---------------------------------------------------------------- limits

interface Measured {
  readonly tree: IndexWebsiteSitemap;
  readonly requests: number;
  readonly pages: number;
  /** All limit codes in the issues of the website and of the sitemaps. */
  readonly limits: readonly string[];
}

describe("limits: zero allows nothing, the exact number cuts nothing, one less cuts", () => {
  /** robots.txt, two indexes, four sitemaps of five pages, one of them compressed: 7 requests, level 2. */
  async function openSmallSite(): Promise<TestSite> {
    return openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/1.xml`, `${base}/2.xml`]),
      "/1.xml": sitemapIndex([`${base}/a.xml`, `${base}/b.xml`]),
      "/2.xml": sitemapIndex([`${base}/c.xml`, `${base}/d.xml`]),
      "/a.xml": urlset(pageUrls(`${base}/a`, 5)),
      "/b.xml": urlset(pageUrls(`${base}/b`, 5)),
      "/c.xml": urlset(pageUrls(`${base}/c`, 5)),
      "/d.xml": { body: gzipSync(urlset(pageUrls(`${base}/d`, 5))) },
    }));
  }

  async function measure(site: TestSite, limits: WalkLimits): Promise<Measured> {
    site.requests.length = 0;
    const options = { useKnownPaths: false, useHomepageLinks: false, concurrency: 1, limits };
    const tree = await sitemapTreeForHomepage(site.url, options);
    const issues = [tree, ...allSitemaps(tree)].flatMap((node: Sitemap) => node.issues);
    return {
      tree,
      requests: site.requests.length,
      pages: [...allPages(tree)].length,
      limits: [...new Set(issues.map(({ code }) => code).filter((code) => code.startsWith("limit.")))],
    };
  }

  /** The amount that the complete site needs. */
  const amounts: Record<
    string,
    { code: string; all: (tree: Sitemap) => number; atZero: { requests: number } }
  > = {
    sitemaps: { code: "limit.sitemaps", all: () => 7, atZero: { requests: 0 } },
    indexes: { code: "limit.indexes", all: () => 2, atZero: { requests: 3 } },
    urls: { code: "limit.urls", all: () => 20, atZero: { requests: 4 } },
    depth: { code: "limit.depth", all: () => 2, atZero: { requests: 1 } },
    totalBytes: {
      code: "limit.bytes",
      all: (tree) => [...allSitemaps(tree)].reduce((sum, { http }) => sum + (http?.bytes ?? 0), 0),
      atZero: { requests: 0 },
    },
    wireBytes: {
      code: "limit.bytes",
      all: (tree) => Math.max(...[...allSitemaps(tree)].map(({ http }) => http?.bytes ?? 0)),
      atZero: { requests: 1 },
    },
    decodedBytes: {
      code: "limit.bytes",
      all: () => urlset(pageUrls("http://127.0.0.1:00000/a", 5)).length,
      atZero: { requests: 1 },
    },
  };

  it.each(Object.entries(amounts))("%s", async (name, { code, all, atZero }) => {
    const site = await openSmallSite();
    const whole = await measure(site, {});
    expect(whole).toMatchObject({ requests: 7, pages: 20, limits: [] });
    const amount = all(whole.tree);

    const exact = await measure(site, { [name]: amount });
    expect(exact).toMatchObject({ requests: 7, pages: 20, limits: [] });
    expect([exact.tree, ...allSitemaps(exact.tree)].filter(({ partial }) => partial)).toEqual([]);

    const short = await measure(site, { [name]: amount - 1 });
    expect(short.limits).toEqual([code]);
    // The last byte is a line break.
    if (code === "limit.bytes") expect(short.pages).toBe(20);
    else expect(short.pages).toBeLessThan(20);
    expect([short.tree, ...allSitemaps(short.tree)].some(({ partial }) => partial)).toBe(true);

    const none = await measure(site, { [name]: 0 });
    expect(none).toMatchObject({ ...atZero, pages: 0, limits: [code] });

    const unbounded = await measure(site, { [name]: Number.POSITIVE_INFINITY });
    expect(unbounded).toMatchObject({ requests: 7, pages: 20, limits: [] });
  });

  it("timeMs", async () => {
    const site = await openSmallSite();
    expect(await measure(site, { timeMs: 0 })).toMatchObject({
      requests: 0,
      pages: 0,
      limits: ["limit.time"],
    });
    expect(await measure(site, { timeMs: 60_000 })).toMatchObject({ requests: 7, pages: 20, limits: [] });
    expect(await measure(site, { timeMs: Number.POSITIVE_INFINITY })).toMatchObject({
      pages: 20,
      limits: [],
    });
  });

  it("timeMs in the middle of a body keeps the received pages, and is the only reason", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": (_, response) => {
        response.write(urlset([`${base}/1`]).replace("</urlset>", "<url><loc>"));
        return new Promise<undefined>(() => {});
      },
    }));
    const { tree, pages, limits } = await measure(site, { timeMs: 200 });
    expect(pages).toBe(1);
    expect(limits).toEqual(["limit.time"]);
    const a = tree.subSitemaps[0]!.subSitemaps[0]!;
    expect(a).toMatchObject({ kind: "pages", partial: true });
    expect(a.issues.map(({ code }) => code)).toEqual(["limit.time"]);
  });

  it("a limit on the number of sitemaps does not cut started ones", async () => {
    const inTwo =
      (text: string): SiteHandler =>
      (_, response) => {
        response.write(text.slice(0, 1000));
        setTimeout(() => response.end(text.slice(1000)), 20);
        return undefined;
      };
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt(pageUrls(`${base}/s`, 20)),
      ...Object.fromEntries(
        pageUrls("/s", 20).map((path) => [path, inTwo(urlset(pageUrls(base + path, 50)))]),
      ),
    }));
    const options = {
      useKnownPaths: false,
      useHomepageLinks: false,
      concurrency: 8,
      limits: { sitemaps: 9 },
    };
    const tree = await sitemapTreeForHomepage(site.url, options);
    expect([...allPages(tree)]).toHaveLength(8 * 50);
    expect([...allSitemaps(tree)].filter(({ partial }) => partial)).toEqual([]);
    expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.sitemaps" }] });
  });

  it("a limit on indexes does not drop other sitemaps", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/1.xml`, `${base}/2.xml`, `${base}/a.xml`]),
      "/1.xml": sitemapIndex([`${base}/b.xml`]),
      "/2.xml": sitemapIndex([`${base}/c.xml`]),
      "/a.xml": { body: urlset([`${base}/a`]), delayMs: 50 },
      "/b.xml": { body: urlset([`${base}/b`]), delayMs: 50 },
      "/c.xml": urlset([`${base}/c`]),
    }));
    const { tree, limits } = await measure(site, { indexes: 1 });
    expect([...allPages(tree)].map(({ url }) => url.slice(site.url.length)).sort()).toEqual(["/a", "/b"]);
    expect(limits).toEqual(["limit.indexes"]);
  });

  it("of an index beyond the limit, only the start is read", async () => {
    const large = (base: string, name: string): string =>
      sitemapIndex(Array.from({ length: 40_000 }, (_, n) => `${base}/${name}/${n}.xml`));
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/i.xml`, `${base}/pages.xml`, `${base}/small.xml`]),
      "/i.xml": large(base, "i"),
      "/pages.xml": urlset(Array.from({ length: 40_000 }, (_, n) => `${base}/p/${n}`)),
      "/small.xml": sitemapIndex([`${base}/s.xml`]),
    }));
    const { tree, limits, pages } = await measure(site, { indexes: 0, heldRatio: Number.POSITIVE_INFINITY });
    const [robots] = tree.subSitemaps;
    const [index, , small] = robots!.subSitemaps;
    expect(index).toMatchObject({ kind: "index", partial: true, issues: [{ code: "limit.indexes" }] });
    expect(index!.subSitemaps.length).toBeGreaterThan(0);
    expect(index!.subSitemaps.length).toBeLessThan(10_000);
    expect(index!.http!.bytes).toBeLessThan(1_000_000);
    // A small one is read to its end: what it lists is reported.
    expect(small!.partial).toBeUndefined();
    expect(small!.subSitemaps).toMatchObject([{ kind: "invalid", code: "limit.indexes" }]);
    expect(pages).toBe(40_000);
    expect(new Set(limits)).toEqual(new Set(["limit.indexes"]));
  });

  it("a sitemap that a limit stopped is not requested later", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt(pageUrls(`${base}/s`, 30)),
      ...Object.fromEntries(
        pageUrls("/s", 30).map((path) => [path, { body: urlset(pageUrls(base + path, 10)), delayMs: 20 }]),
      ),
    }));
    const options = { useKnownPaths: false, useHomepageLinks: false, limits: { urls: 15 } };
    const events = await eventsOf(site, options);
    expect(events.filter(({ kind }) => kind === "page")).toHaveLength(15);
    // The sitemap that exceeded the limit, a concurrent one, and at most one more that already had a slot.
    expect(site.requests.length).toBeLessThanOrEqual(1 + 4);
    expectAllAccounted(site, events);
  });
});
