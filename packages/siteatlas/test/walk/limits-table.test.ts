/**
 * Every limit of a walk, on a site with exactly the allowed amount and on a site with one more. Zero allows nothing,
 * the exact amount cuts nothing. One more is cut and reported with the observed and the allowed value. The ids are
 * those of security.md 3.1. Limits of one request are in fetch/request-limits.test.ts. Limits that no site can reach
 * exactly, of time and ratio, are in fetch/exact-time-limits.test.ts.
 */
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Client } from "../../src/fetch/client/client.ts";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import type { Issue, Sitemap } from "../../src/model/model.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { LimitName } from "../../src/walk/budget.ts";
import { DEFAULT_LIMITS, readLimits, type WalkLimits, type WalkOptions } from "../../src/walk/options.ts";
import {
  openSite,
  pageUrls,
  robotsTxt,
  type SiteOptions,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

const OPTIONS: WalkOptions = {
  useKnownPaths: false,
  useHomepageLinks: false,
  allowPrivateNetworks: true,
  concurrency: 8,
};

interface Row {
  readonly code: string;
  /** A site with this amount. */
  readonly routes: (amount: number, base: string, site: TestSite) => SiteRoutes;
  /** The amount that the walk used, at most the limit. */
  readonly took: (site: TestSite, nodes: readonly Sitemap[]) => number;
  readonly site?: SiteOptions;
  /** A small amount for the third row of cases. @default 7 */
  readonly some?: number;
}

const numbered = (count: number, make: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => make(at + 1));
const served = (count: number, body: (at: number) => string): SiteRoutes =>
  Object.fromEntries(numbered(count, String).map((at) => [`/s${at}.xml`, body(Number(at))]));
const requested = (site: TestSite, pattern: RegExp): number =>
  site.paths().filter((path) => pattern.test(path)).length;
const pageCount = (_: TestSite, nodes: readonly Sitemap[]): number =>
  nodes.reduce((sum, { pages }) => sum + pages.length, 0);
/** robots.txt of this number of bytes. */
const robotsOf = (bytes: number): SiteRoutes => ({ "/robots.txt": "#".repeat(bytes) });

const ROWS: Partial<Record<LimitName, Row>> = {
  // Row 31. robots.txt is the first.
  sitemaps: {
    code: "limit.sitemaps",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt(numbered(amount - 1, (at) => `${base}/s${at}.xml`)),
      ...served(amount, (at) => urlset([`${base}/${at}`])),
    }),
    took: (site) => site.requests.length,
  },
  // Row 30.
  indexes: {
    code: "limit.indexes",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt(numbered(amount, (at) => `${base}/s${at}.xml`)),
      ...served(amount, (at) => sitemapIndex([`${base}/leaf${at}`])),
    }),
    took: (site) => requested(site, /^\/leaf/),
  },
  // Row 28.
  children: {
    code: "limit.children",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      "/index.xml": sitemapIndex(numbered(amount, (at) => `${base}/s${at}.xml`)),
      ...served(amount, (at) => urlset([`${base}/${at}`])),
    }),
    took: (site) => requested(site, /^\/s\d/),
  },
  // Row 14, sec-T06.
  robotsSitemaps: {
    code: "limit.children",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt(numbered(amount, (at) => `${base}/s${at}.xml`)),
      ...served(amount, (at) => urlset([`${base}/${at}`])),
    }),
    took: (site) => requested(site, /^\/s\d/),
  },
  // Row 32, sec-S05.
  barrenChildren: {
    code: "limit.barren",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      "/index.xml": sitemapIndex(numbered(amount, (at) => `${base}/dead${at}.xml`)),
    }),
    took: (site) => requested(site, /^\/dead/),
  },
  // sec-S08.
  foreignHosts: {
    code: "limit.foreign-hosts",
    routes: (amount, _, { port }) => ({
      "/robots.txt": robotsTxt(
        // Two of each, because a host counts once.
        numbered(2 * amount, (at) => `http://127.0.0.${2 + (at >> 1)}:${port}/s${at}.xml`).slice(1),
      ),
    }),
    site: { everyAddress: true },
    took: (site) => new Set(site.requests.map(({ host }) => host)).size - 1,
  },
  // Row 34.
  urls: {
    code: "limit.urls",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt([`${base}/s1.xml`, `${base}/s2.xml`]),
      "/s1.xml": urlset(pageUrls(`${base}/a`, amount - 1)),
      "/s2.xml": urlset([`${base}/b`]),
    }),
    took: pageCount,
  },
  // Row 27.
  urlsPerSitemap: {
    code: "limit.urls",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt([`${base}/s1.xml`]),
      "/s1.xml": urlset(pageUrls(`${base}/a`, amount)),
    }),
    took: pageCount,
  },
  // Row 29.
  depth: {
    code: "limit.depth",
    routes: (amount, base) => ({
      "/robots.txt": robotsTxt([`${base}/s1.xml`]),
      ...served(amount, (at) =>
        at === amount ? urlset([`${base}/a`]) : sitemapIndex([`${base}/s${at + 1}.xml`]),
      ),
    }),
    took: (site) => site.requests.length - 1,
  },
  // Row 33.
  totalBytes: {
    code: "limit.bytes",
    routes: robotsOf,
    took: (_, [robots]) => robots?.http?.bytes ?? 0,
    some: 2000,
  },
  totalDecodedBytes: {
    code: "limit.bytes",
    routes: robotsOf,
    took: (_, [robots]) => robots?.http?.bytes ?? 0,
    some: 2000,
  },
  // Row 15; with a Content-Length: fetch/fetch-resource.test.ts.
  wireBytes: { code: "limit.bytes", routes: robotsOf, took: () => Number.NaN, some: 2000 },
  // Row 16.
  decodedBytes: {
    code: "limit.bytes",
    routes: (amount) => ({ "/robots.txt": { body: gzipSync("#".repeat(amount)) } }),
    took: () => Number.NaN,
    some: 2000,
  },
};

async function walk(
  row: Row,
  name: LimitName,
  limit: number | undefined,
  amount: number,
): Promise<{ site: TestSite; nodes: Sitemap[]; issues: Issue[]; isPartial: boolean }> {
  const site = await openSite((base, own) => row.routes(amount, base, own), row.site);
  const limits = { [name]: limit } as WalkLimits;
  const tree = await sitemapTreeForHomepage(site.url, { ...OPTIONS, limits });
  const nodes = [...allSitemaps(tree)];
  const all = [tree, ...nodes];
  return {
    site,
    nodes,
    issues: all.flatMap(({ issues }) => issues.filter(({ code }) => /^limit\.|^gzip\.bomb/.test(code))),
    isPartial: all.some(({ partial }) => partial),
  };
}

describe.each(Object.entries(ROWS) as [LimitName, Row][])("%s", (name, row) => {
  const { some = 7 } = row;
  it.each([
    [0, 1],
    [1, 1],
    [1, 2],
    [some, some],
    [some, some + 1],
    [Number.POSITIVE_INFINITY, some + 1],
    [undefined, some + 1],
  ])("limit %s, site %i", async (limit, amount) => {
    const { site, nodes, issues, isPartial } = await walk(row, name, limit, amount);
    const isOver = amount > (limit ?? Number.POSITIVE_INFINITY);
    expect(isPartial).toBe(isOver);
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(isOver ? [row.code] : []));
    for (const { value } of issues)
      expect(value).toMatch(new RegExp(`^\\d+( bytes| ms)?; limits\\.${name} allows ${limit}$`));
    const took = row.took(site, nodes);
    if (!Number.isNaN(took)) {
      const isWhole = name.startsWith("total") && limit !== 0;
      expect(took).toBe(isOver && !isWhole ? limit : amount);
    }
    // Declared sitemaps that were not read are in the tree, with the reason.
    const left = nodes.filter((node) => node.kind === "invalid" && node.code === row.code);
    for (const node of left)
      expect(node).toMatchObject({ reason: expect.stringContaining(`allows ${limit}`) });
  });
});

describe("compressionRatio (row 17)", () => {
  /** 9 MiB that gzip compresses to a thousandth, or with some noise to 1/150. */
  const blank = " ".repeat(9 * 1024 * 1024);
  const head = (base: string): string => urlset([`${base}/1`]).replace("</urlset>", "");
  const ratioOf = (text: string): number => text.length / gzipSync(text, { level: 9 }).length;

  async function readAt(ratio: number | undefined, text = blank): Promise<Sitemap> {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml.gz`]),
      "/a.xml.gz": { body: gzipSync(`${head(base)}${text}</urlset>`, { level: 9 }) },
    }));
    const limits = ratio === undefined ? {} : { compressionRatio: ratio };
    return (await sitemapTreeForHomepage(site.url, { ...OPTIONS, limits })).subSitemaps[0]!.subSitemaps[0]!;
  }

  it.each([
    ["0", 0, true],
    ["1", 1, true],
    ["less than it is", ratioOf(blank) * 0.95, true],
    ["more than it is", ratioOf(blank) * 1.05, false],
    ["Infinity", Number.POSITIVE_INFINITY, false],
    ["undefined", undefined, true],
  ])("%s", async (_, ratio, isBomb) => {
    const node = await readAt(ratio);
    expect(node.pages).toHaveLength(1);
    expect(node.partial ?? false).toBe(isBomb);
    expect(node.issues.filter(({ code }) => code === "gzip.bomb").map(({ value }) => value)).toEqual(
      isBomb ? [expect.stringMatching(/^\d+; limits\.compressionRatio allows /)] : [],
    );
  });

  it("below 8 MiB nothing is a bomb, not even a real sitemap of 158:1 (sec-E16)", async () => {
    expect((await readAt(0, blank.slice(0, 7 * 1024 * 1024))).partial).toBeUndefined();
    let state = 1;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state;
    };
    const link = (at: number): string =>
      `<xhtml:link rel="alternate" hreflang="x" href="https://e.com/${at}"/>`;
    const row = (): string =>
      `<url><loc>https://e.com/${random().toString(36)}</loc>${link(1).repeat(40)}</url>`;
    const rows = Array.from({ length: 4000 }, row).join("");
    expect(rows.length).toBeGreaterThan(8.5 * 1024 * 1024);
    expect(ratioOf(rows)).toBeGreaterThan(145);
    const node = await readAt(undefined, rows);
    expect(node.pages).toHaveLength(4001);
    expect(node.partial).toBeUndefined();
  });
});

it.each([
  [0, true],
  [0.01, true],
  [1, true],
  [60_000, false],
  [Number.POSITIVE_INFINITY, false],
  [undefined, false],
])("cpuMs %s (row 41)", async (cpuMs, isCut) => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset(pageUrls(`${base}/${"x".repeat(100)}`, 10_000)),
  }));
  const limits = cpuMs === undefined ? {} : { cpuMs };
  const [a] = (await sitemapTreeForHomepage(site.url, { ...OPTIONS, limits })).subSitemaps[0]!.subSitemaps;
  expect(a!.partial ?? false).toBe(isCut);
  expect(a!.issues.map(({ code }) => code).includes("limit.cpu")).toBe(isCut);
  if (isCut) expect(a!.pages.length).toBeLessThan(10_000);
  else expect(a!.pages).toHaveLength(10_000);
});

it.each([
  // A delay that is not shortened is longer than the test.
  [0, "3600", true, 0],
  [1, "3600", true, 1],
  [500, "0.5", false, 500],
  [500, "0.6", true, 500],
  [500, "3600", true, 500],
  [Number.POSITIVE_INFINITY, "0.5", false, 500],
  [undefined, "0.5", false, 500],
])("crawlDelayMs %s, Crawl-delay %s (row 37, sec-T08)", async (crawlDelayMs, delay, isTold, waitMs) => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`], `Crawl-delay: ${delay}`),
  }));
  const limits = crawlDelayMs === undefined ? {} : { crawlDelayMs };
  // Measured when requests are sent: the first may be in flight for longer than the second.
  const sentAt: number[] = [];
  const own = createNodeClient({ allowPrivateNetworks: true });
  onTestFinished(() => own.close());
  const client: Client = (request) => {
    sentAt.push(performance.now());
    return own(request);
  };
  const options = { ...OPTIONS, allowPrivateNetworks: undefined, client, useCrawlDelay: true, limits };
  const tree = await sitemapTreeForHomepage(site.url, options);
  const told = tree.subSitemaps[0]!.issues.filter(({ code }) => code === "robots.crawl-delay");
  expect(told).toHaveLength(isTold ? 1 : 0);
  const [, a = 0, b = 0] = sentAt;
  expect(b - a).toBeGreaterThanOrEqual(waitMs * 0.8);
});

it.each([0, 1, 300])(
  "timeMs %i in the middle of a tree: unread sitemaps are listed (row 33, sec-S12)",
  async (timeMs) => {
    const site = await openSite(
      (base) => ({
        "/robots.txt": robotsTxt([`${base}/index.xml`]),
        "/index.xml": sitemapIndex(numbered(400, (at) => `${base}/s${at}.xml`)),
        ...served(400, (at) => urlset([`${base}/${at}`])),
        "/s3.xml": () => new Promise<undefined>(() => {}),
        "/s5.xml": () => new Promise<undefined>(() => {}),
      }),
      { delayMs: (path) => (path === "/robots.txt" && timeMs === 1 ? 50 : 0) },
    );
    const options = { ...OPTIONS, concurrency: 2, limits: { timeMs } };
    const tree = await sitemapTreeForHomepage(site.url, options);
    expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.time" }] });
    expect(tree.issues[0]!.value).toMatch(new RegExp(`^\\d+ ms; limits\\.timeMs allows ${timeMs}$`));
    if (timeMs < 300) {
      expect(tree.subSitemaps).toMatchObject([{ kind: "invalid", code: "limit.time" }]);
      return;
    }
    const children = tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
    expect(children).toHaveLength(400);
    const left = children.filter((node) => node.kind === "invalid");
    expect(left.length).toBeGreaterThan(390);
    expect(left.every((node) => node.kind === "invalid" && node.code === "limit.time")).toBe(true);
    expect([...allPages(tree)].length).toBe(400 - left.length);
  },
);

it.each([60_000, Number.POSITIVE_INFINITY, undefined])("timeMs %s is enough (row 33)", async (timeMs) => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/s1.xml`]),
    ...served(1, (at) => urlset([`${base}/${at}`])),
  }));
  const limits = timeMs === undefined ? {} : { timeMs };
  const tree = await sitemapTreeForHomepage(site.url, { ...OPTIONS, limits });
  expect(tree.partial).toBeUndefined();
  expect([...allPages(tree)]).toHaveLength(1);
});

describe("the options", () => {
  it.each<[WalkOptions]>([
    [{ concurrency: 0 }],
    [{ concurrency: Number.NaN }],
    [{ concurrency: -1 }],
    [{ delayMs: -1 }],
    [{ delayMs: Number.NaN }],
  ])("%j is misuse: no request would ever be sent", async (options) => {
    await expect(sitemapTreeForHomepage("http://127.0.0.1:9/", options)).rejects.toThrow(RangeError);
  });

  it("zero allows nothing, undefined is the default", () => {
    for (const name of Object.keys(DEFAULT_LIMITS) as (keyof WalkLimits)[]) {
      expect(readLimits({ [name]: 0 })[name]).toBe(0);
      expect(readLimits({ [name]: Number.POSITIVE_INFINITY })[name]).toBe(Number.POSITIVE_INFINITY);
      expect(readLimits({ [name]: undefined } as WalkLimits)[name]).toBe(DEFAULT_LIMITS[name]);
      expect(() => readLimits({ [name]: -1 })).toThrow(RangeError);
      expect(() => readLimits({ [name]: Number.NaN })).toThrow(RangeError);
    }
  });

  it("the defaults are those of security.md 3.1", () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      redirects: 10,
      robotsSitemaps: 5000,
      wireBytes: 104_857_600,
      decodedBytes: 104_857_600,
      compressionRatio: 1000,
      urlsPerSitemap: 1_000_000,
      children: 50_000,
      depth: 11,
      indexes: 500,
      sitemaps: 50_000,
      barrenChildren: 200,
      foreignHosts: 10,
      timeMs: 3_600_000,
      totalBytes: 10 * 1024 ** 3,
      totalDecodedBytes: 40 * 1024 ** 3,
      urls: Number.POSITIVE_INFINITY,
      retries: 2,
      retryAfterMs: 120_000,
      crawlDelayMs: 30_000,
      headersMs: 30_000,
      idleMs: 30_000,
      requestMs: 300_000,
      bytesPerSecond: 1024,
      cpuMs: 10_000,
    });
  });
});

it.each<[sitemaps: number, requests: readonly string[]]>([
  [0, []],
  [1, ["/robots.txt"]],
])(
  "sitemaps %i: the homepage is not requested for links that could not be followed",
  async (sitemaps, requests) => {
    const site = await openSite(() => ({ "/": '<link rel="sitemap" href="/a.xml">' }));
    for (const useHomepageLinks of [true, "when-empty"] as const) {
      site.requests.length = 0;
      const tree = await sitemapTreeForHomepage(site.url, { useHomepageLinks, limits: { sitemaps } });
      expect(site.requests.map(({ path }) => path)).toEqual(requests);
      expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.sitemaps" }] });
    }
  },
);
