/** The tree depends on the content of the site, not on the timing of its responses. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allPages, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import { runs, seed } from "../support/runs.ts";
import {
  openSite,
  pageUrls,
  redirectTo,
  robotsTxt,
  type SiteRoutes,
  sitemapIndex,
  timeless,
  urlset,
} from "../support/test-site.ts";

/** Mulberry32: a number from 0 to 1 for each path, the same for the same seed. */
function randomOf(seedNumber: number, text: string): number {
  let state = seedNumber;
  for (const character of text) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

it("200 children with random delays, 20 seeds: always the same tree", async () => {
  let round = 0;
  const children = pageUrls("/child", 200);
  const site = await openSite(
    (base) => ({
      "/robots.txt": robotsTxt([`${base}/one.xml`, `${base}/two.xml`]),
      "/one.xml": sitemapIndex(children.slice(0, 120).map((path) => [base + path, "2024-01-01"])),
      "/two.xml": sitemapIndex(children.slice(80).map((path) => [base + path, "2024-02-02"])),
      // Pages, indexes that list others, redirects to others, and failures.
      ...Object.fromEntries(
        children.map((path, at) => {
          if (at % 10 === 3)
            return [path, sitemapIndex([[base + children[(at * 7) % 200]!, "2024-03-03"], base + path])];
          if (at % 10 === 5) return [path, redirectTo(children[(at * 3 + 1) % 200]!)];
          if (at % 10 === 7) return [path, { status: 404 }];
          return [path, urlset(pageUrls(`${base}/page/${at % 50}`, 3))];
        }),
      ),
      "/sitemap.xml": sitemapIndex([`${base}/child/9`]),
      "/wp-sitemap.xml": redirectTo("/sitemap.xml"),
    }),
    { delayMs: (path) => 12 * randomOf(round, path) },
  );
  const trees = new Set<string>();
  for (round = 1; round <= 20; round++) {
    const tree = await sitemapTreeForHomepage(site.url, { concurrency: 16 });
    trees.add(timeless(tree));
    expect([...allPages(tree, { unique: true })].length).toBeGreaterThan(100);
  }
  expect(trees.size).toBe(1);
  // robots.txt, two indexes, 200 children, 18 known locations.
  expect(site.requests).toHaveLength(20 * 221);
});

describe("any graph of sitemaps", () => {
  /** The kind of a document and the documents that it lists: pages, an index of them, or a redirect to the first. */
  type Document = {
    readonly kind: "pages" | "index" | "redirect" | "missing";
    readonly to: readonly number[];
  };

  const graphs = fc.integer({ min: 1, max: 9 }).chain((size) => {
    const node = fc.nat(size - 1);
    const document: fc.Arbitrary<Document> = fc.record({
      kind: fc.constantFrom("pages", "index", "index", "redirect", "missing"),
      to: fc.array(node, { minLength: 1, maxLength: 4 }),
    });
    return fc.record({
      documents: fc.array(document, { minLength: size, maxLength: size }),
      listed: fc.array(node, { minLength: 1, maxLength: 4 }),
      depth: fc.constantFrom(1, 2, 3, 11),
    });
  });

  const urlOf = (base: string, at: number): string => `${base}/d/${at}`;

  function routesOf(documents: readonly Document[], listed: readonly number[], base: string): SiteRoutes {
    const routes = documents.map(({ kind, to }, at): [string, SiteRoutes[string]] => {
      const urls = to.map((other) => urlOf(base, other));
      if (kind === "pages") return [`/d/${at}`, urlset([`${base}/page/${at}`])];
      if (kind === "index")
        return [`/d/${at}`, sitemapIndex(urls.map((url, n) => [url, `2024-01-0${n + 1}`]))];
      return [`/d/${at}`, kind === "redirect" ? redirectTo(urls[0]!) : { status: 404 }];
    });
    return {
      "/robots.txt": robotsTxt(listed.map((at) => urlOf(base, at))),
      ...Object.fromEntries(routes),
    };
  }

  /** All documents that are reachable within this depth, and those of them with a page. */
  function reach(documents: readonly Document[], listed: readonly number[], depth: number) {
    const levels = new Map<number, number>();
    const queue = listed.map((at): [number, number] => [at, 1]);
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [at, level] = next;
      if (level > depth || level >= (levels.get(at) ?? Number.POSITIVE_INFINITY)) continue;
      levels.set(at, level);
      const { kind, to } = documents[at]!;
      if (kind === "index") queue.push(...to.map((child): [number, number] => [child, level + 1]));
      if (kind === "redirect") queue.push([to[0]!, level]);
    }
    const all = [...levels.keys()];
    return { all, pages: all.filter((at) => documents[at]!.kind === "pages") };
  }

  it("ends, requests each document once, finds every page, and builds the same tree each time", async () => {
    let round = 0;
    const site = await openSite({}, { delayMs: (path) => (round === 0 ? 0 : 8 * randomOf(round, path)) });
    await fc.assert(
      fc.asyncProperty(graphs, async ({ documents, listed, depth }) => {
        site.routes = routesOf(documents, listed, site.url);
        const { all, pages } = reach(documents, listed, depth);
        const trees = new Set<string>();
        for (round = 0; round < 4; round++) {
          site.requests.length = 0;
          const tree = await sitemapTreeForHomepage(site.url, {
            useKnownPaths: false,
            useHomepageLinks: false,
            concurrency: 1 + 2 * round,
            limits: { depth },
          });
          trees.add(timeless(tree));
          expect(site.paths().sort()).toEqual(["/robots.txt", ...all.map((at) => `/d/${at}`)].sort());
          const found = [...allPages(tree, { unique: true })].map(({ url }) => url);
          expect(found.sort()).toEqual(pages.map((at) => `${site.url}/page/${at}`).sort());
        }
        expect([...trees]).toHaveLength(1);
      }),
      { numRuns: runs(80), seed },
    );
  });
});
