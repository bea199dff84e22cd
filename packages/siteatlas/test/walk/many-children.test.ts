/**
 * More children than a walk could ever request: they are held up to a bound, whatever declares them (sec-S04);
 * and 50,000 that are refused leave time for everything else (sec-S05, sec-S10).
 */
import { expect, it } from "vitest";
import type { Client } from "../../src/fetch/client.ts";
import { allSitemaps, sitemapTreeForHomepage } from "../../src/tree.ts";
import type { WalkedSitemap } from "../../src/walk/events.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { robotsTxt, sitemapIndex } from "../support/test-site.ts";

const HOME = "https://example.com/";
const OPTIONS: WalkOptions = { useKnownPaths: false, useHomepageLinks: false, concurrency: 1 };

interface Answers {
  readonly client: Client;
  readonly paths: string[];
}

/** Answers by path, 404 where there is nothing; an error is thrown at the end of its text. */
function answer(bodyOf: (path: string) => string | readonly [string, Error] | undefined): Answers {
  const paths: string[] = [];
  const client: Client = async ({ url }) => {
    const { pathname } = new URL(url);
    paths.push(pathname);
    const [text, error] = [bodyOf(pathname) ?? []].flat() as [string?, Error?];
    return {
      status: text === undefined ? 404 : 200,
      headers: {},
      body: (async function* () {
        if (text !== undefined) yield Buffer.from(text);
        if (error !== undefined) throw error;
      })(),
    };
  };
  return { client, paths };
}

const childrenOf = (count: number, name = ""): string =>
  sitemapIndex(Array.from({ length: count }, (_, at) => `${name}${at}/`));

async function walk(options: WalkOptions): Promise<{ sitemaps: WalkedSitemap[]; issues: string[] }> {
  const sitemaps: WalkedSitemap[] = [];
  const issues: string[] = [];
  for await (const event of walkSitemaps(HOME, { ...OPTIONS, ...options })) {
    if (event.kind === "sitemap") sitemaps.push(event.sitemap);
    if (event.kind === "issue") issues.push(`${event.issue.code} ${event.issue.value}`);
  }
  return { sitemaps, issues };
}

/** Two indexes of so many dead children each. */
const twoIndexes = (path: string): string | undefined => {
  if (path === "/robots.txt") return robotsTxt(["/a/", "/b/"]);
  return /^\/[ab]\/$/.test(path) ? childrenOf(30_000) : undefined;
};

const childCounts = (sitemaps: readonly WalkedSitemap[]): object =>
  Object.fromEntries(
    sitemaps
      .filter(({ url }) => /^\/[ab]\/$/.test(new URL(url).pathname))
      .map(({ url, childCount, partial = false }) => [url.slice(HOME.length - 1), [childCount, partial]]),
  );

it("indexes of 50,000 indexes of 50,000 end after a few rows of them (sec-S04)", async () => {
  const index = childrenOf(50_000);
  const { client, paths } = answer((path) => (path === "/robots.txt" ? robotsTxt(["/s/"]) : index));
  const tree = await sitemapTreeForHomepage(HOME, { ...OPTIONS, client, limits: { barrenChildren: 20 } });
  expect(paths.length).toBeLessThan(100);
  expect(tree.issues.map(({ code }) => code).sort()).toEqual(["limit.barren", "limit.sitemaps"]);
  // robots.txt, and as many children as are held.
  expect([...allSitemaps(tree)]).toHaveLength(1 + 55_000);
});

it("what a walk has no room for is not held, and the index says so", async () => {
  const { client } = answer(twoIndexes);
  const { sitemaps, issues } = await walk({ client, limits: { sitemaps: 10, barrenChildren: 2 } });
  // Two lines of robots.txt, too, are children.
  expect(childCounts(sitemaps)).toEqual({ "/a/": [30_000, false], "/b/": [24_998, true] });
  expect(issues).toContain("limit.sitemaps sitemaps 55001, limit 10");
  expect(sitemaps).toHaveLength(1 + 55_000);
});

it("what a filter left out takes no room", async () => {
  const { client } = answer(twoIndexes);
  const recurseListCallback = (urls: readonly string[]): readonly string[] => urls.slice(0, 2);
  const { sitemaps, issues } = await walk({ client, recurseListCallback, limits: { sitemaps: 10 } });
  expect(childCounts(sitemaps)).toEqual({ "/a/": [30_000, false], "/b/": [30_000, false] });
  expect(issues.filter((issue) => issue.startsWith("limit."))).toEqual([]);
});

it("an index that is read twice takes room once (H20)", async () => {
  let times = 0;
  const { client } = answer((path) => {
    if (path === "/robots.txt") return robotsTxt(["/a/"]);
    if (path !== "/a/") return undefined;
    const broken = Object.assign(new Error("broken"), { code: "ECONNRESET" });
    return ++times === 1 ? [childrenOf(40_000), broken] : childrenOf(40_000);
  });
  const { sitemaps, issues } = await walk({ client, limits: { sitemaps: 10, barrenChildren: 2 } });
  expect(times).toBe(2);
  expect(childCounts(sitemaps)).toEqual({ "/a/": [40_000, false] });
  expect(issues.filter((issue) => issue.startsWith("limit.sitemaps"))).toEqual([]);
});

it.each<[string, WalkOptions]>([
  ["dead", {}],
  ["too many", { limits: { sitemaps: 5 } }],
  ["of too many hosts", { limits: { foreignHosts: 0 } }],
  ["left out", { recurseListCallback: (urls, level) => (level === 0 ? urls : []) }],
])("others run while 50,000 children are refused: %s (sec-S05, sec-S08, sec-S10)", async (name, options) => {
  const base = name === "of too many hosts" ? "https://example.org/" : "";
  const { client } = answer((path) => {
    if (path === "/robots.txt") return robotsTxt(["/a/"]);
    return path === "/a/" ? childrenOf(50_000, base) : undefined;
  });
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const { sitemaps } = await walk({ ...options, client });
  isOver = true;
  expect(sitemaps).toHaveLength(2 + 50_000);
  expect(turns).toBeGreaterThan(90);
});
