/**
 * More listed sitemaps than a walk could request: they take a bounded amount of memory (sec-S04), and 50,000 refused
 * ones do not delay the rest of the site (sec-S05, sec-S10).
 */
import { expect, it, vi } from "vitest";
import type { Client } from "../../src/fetch/client/client.ts";
import { allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { robotsTxt, sitemapIndex } from "../support/test-site.ts";

const HOME = "https://example.com/";
const OPTIONS: WalkOptions = { useKnownPaths: false, useHomepageLinks: false, concurrency: 1 };

interface Answers {
  readonly client: Client;
  readonly paths: string[];
}

/** Responses by path, 404 for other paths. An error is thrown at the end of its text. */
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

/** Two indexes with this number of dead children each. */
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

it("nested indexes of 50,000 indexes end after a few of them (sec-S04)", async () => {
  const index = childrenOf(50_000);
  const { client, paths } = answer((path) => (path === "/robots.txt" ? robotsTxt(["/s/"]) : index));
  const tree = await sitemapTreeForHomepage(HOME, { ...OPTIONS, client, limits: { barrenChildren: 20 } });
  expect(paths.length).toBeLessThan(100);
  expect(tree.issues.map(({ code }) => code).sort()).toEqual(["limit.barren", "limit.sitemaps"]);
  // robots.txt, and the maximum number of sitemaps that a walk holds.
  expect([...allSitemaps(tree)]).toHaveLength(1 + 55_000);
});

it("sitemaps that exceed heldBytes are dropped, and the index that lists them is partial", async () => {
  const { client } = answer(twoIndexes);
  const limits = { sitemaps: 10, barrenChildren: 2, heldBytes: 16_000_000 };
  const { sitemaps, issues } = await walk({ client, limits });
  expect(childCounts(sitemaps)).toEqual({ "/a/": [30_000, false], "/b/": [expect.any(Number), true] });
  expect(issues).toContainEqual(
    expect.stringMatching(/^limit\.held 160\d{5} bytes; limits\.heldBytes allows 16000000$/),
  );
  // Less than robots.txt, both indexes, and all sitemaps that they list.
  expect(sitemaps.length).toBeLessThan(3 + 60_000);
});

it("a walk holds at most heldRatio times the bytes on the wire", async () => {
  const { client } = answer(twoIndexes);
  // 60,000 sitemaps of 30 bytes each hold 26 MB. The ratio counts from 16 MiB on.
  const { sitemaps, issues } = await walk({ client, limits: { sitemaps: 10, heldRatio: 1 } });
  expect(childCounts(sitemaps)).toEqual({ "/a/": [30_000, false], "/b/": [expect.any(Number), true] });
  expect(issues).toContainEqual(expect.stringMatching(/^limit\.held \d+; limits\.heldRatio allows 1$/));
});

it("sitemaps that a filter dropped have no place", async () => {
  const { client } = answer(twoIndexes);
  const recurseListCallback = (urls: readonly string[]): readonly string[] => urls.slice(0, 2);
  const limits = { sitemaps: 10, heldBytes: 16_000_000 };
  const { sitemaps, issues } = await walk({ client, recurseListCallback, limits });
  expect(childCounts(sitemaps)).toEqual({ "/a/": [30_000, false], "/b/": [30_000, false] });
  expect(issues.filter((issue) => issue.startsWith("limit."))).toEqual([]);
});

it("an index that is read twice counts once for heldBytes (H20)", async () => {
  let times = 0;
  const { client } = answer((path) => {
    if (path === "/robots.txt") return robotsTxt(["/a/"]);
    if (path !== "/a/") return undefined;
    const broken = Object.assign(new Error("broken"), { code: "ECONNRESET" });
    return ++times === 1 ? [childrenOf(40_000), broken] : childrenOf(40_000);
  });
  const limits = { sitemaps: 10, barrenChildren: 2, heldBytes: 20_000_000 };
  const { sitemaps, issues } = await walk({ client, limits });
  expect(times).toBe(2);
  expect(childCounts(sitemaps)).toEqual({ "/a/": [40_000, false] });
  expect(issues.filter((issue) => issue.startsWith("limit.held"))).toEqual([]);
});

it.each<[string, WalkOptions]>([
  ["dead", {}],
  ["too many", { limits: { sitemaps: 5 } }],
  ["of too many hosts", { limits: { foreignHosts: 0 } }],
  ["left out", { recurseListCallback: (urls, level) => (level === 0 ? urls : []) }],
])(
  "other tasks run while 50,000 children are refused: %s (sec-S05, sec-S08, sec-S10)",
  async (name, options) => {
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
  },
);

const wildcards = Array.from({ length: 20_000 }, (_, index) => `Disallow: /*aaaaaaa${index}b`).join("\n");
const longPaths = Array.from({ length: 100 }, (_, index) => `/${"a".repeat(8000)}${index}`);

/** Runs the walk and counts the characters of long paths that rules of robots.txt are searched in. */
async function countSearched(walk: () => Promise<unknown>): Promise<number> {
  let searched = 0;
  const { indexOf } = String.prototype;
  const spy = vi.spyOn(String.prototype, "indexOf").mockImplementation(function (
    this: string,
    text: string,
    from?: number,
  ) {
    if (text.startsWith("aaaaaaa")) searched += this.length;
    return indexOf.call(this, text, from);
  });
  try {
    await walk();
  } finally {
    spy.mockRestore();
  }
  return searched;
}

it("the check of 100 long Sitemap lines against 20,000 wildcards ends early and reports no guess", async () => {
  const robots = robotsTxt([`${HOME}secret/a.xml`, ...longPaths], `Disallow: /secret/\n${wildcards}`);
  const { client } = answer((path) => (path === "/robots.txt" ? robots : undefined));
  let values: unknown[] = [];
  const searched = await countSearched(async () => {
    const { subSitemaps } = await sitemapTreeForHomepage(HOME, { ...OPTIONS, client });
    values = subSitemaps[0]!.issues.filter(({ code }) => code === "robots.sitemap-disallowed");
  });
  expect(searched).toBeGreaterThan(0);
  expect(searched).toBeLessThan(4 * 1024 * 1024);
  expect(values).toMatchObject([{ value: `${HOME}secret/a.xml` }]);
});

it("respectRobots: a URL that is too long for the wildcards is not requested, and each search is bounded", async () => {
  const { client, paths } = answer((path) =>
    path === "/robots.txt"
      ? robotsTxt([`${HOME}index.xml`], wildcards)
      : path === "/index.xml"
        ? sitemapIndex([...longPaths.slice(0, 5), `${HOME}short.xml`])
        : undefined,
  );
  const searched = await countSearched(() =>
    sitemapTreeForHomepage(HOME, { ...OPTIONS, client, respectRobots: true }),
  );
  expect(paths).toEqual(["/robots.txt", "/index.xml", "/short.xml"]);
  expect(searched).toBeLessThan(8 * 2 * 1024 * 1024);
});
