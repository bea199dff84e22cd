/** Recursion and dedup: cases C01 to C16, each on a real server. The ids are those of the catalogue of edge cases. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { Sitemap } from "../../src/model.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage, type TreeOptions } from "../../src/tree.ts";
import type { WalkedSitemap } from "../../src/walk/events.ts";
import { streamPages, walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import {
  openSite,
  outline,
  pageUrls,
  redirectTo,
  robotsTxt,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

const DECLARED: TreeOptions = { useKnownPaths: false, useHomepageLinks: false };

const countPages = (tree: Sitemap, unique: boolean): number => [...allPages(tree, { unique })].length;

/** Each URL was requested once. */
function expectOnce(site: TestSite): void {
  expect(site.paths().sort()).toEqual([...new Set(site.paths())].sort());
}

it("C01: an index that lists itself", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([`${base}/i.xml`, `${base}/a.xml`]),
    "/a.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(outline(tree, site.url).slice(3)).toEqual([
    "      invalid index.self-reference /i.xml",
    "      pages xml /a.xml: /1",
  ]);
  expectOnce(site);
});

it("C02: A lists B, B lists A", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": sitemapIndex([`${base}/b.xml`]),
    "/b.xml": sitemapIndex([`${base}/a.xml`, `${base}/leaf.xml`]),
    "/leaf.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(outline(tree, site.url).slice(2)).toEqual([
    "    index xml /a.xml",
    "      index xml /b.xml",
    "        invalid index.cycle /a.xml",
    "        pages xml /leaf.xml: /1",
    "    index xml /b.xml",
    "      invalid index.cycle /a.xml",
    "      pages xml /leaf.xml: /1",
  ]);
  expectOnce(site);
});

it("C03: two indexes share three children", async () => {
  const site = await openSite((base) => {
    const children = pageUrls(`${base}/c`, 3);
    return {
      "/robots.txt": robotsTxt([`${base}/x.xml`, `${base}/y.xml`]),
      "/x.xml": sitemapIndex(children),
      "/y.xml": sitemapIndex(children),
      ...Object.fromEntries([1, 2, 3].map((n) => [`/c/${n}`, urlset(pageUrls(`${base}/p${n}`, 2))])),
    };
  });
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([12, 6]);
  expect(site.requests).toHaveLength(6);
  let streamed = 0;
  for await (const _ of streamPages(site.url, DECLARED)) streamed++;
  expect(streamed).toBe(6);
});

it("C04: /sitemap.xml redirects to /sitemap_index.xml, as Yoast SEO does: fetched once", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([]),
    "/sitemap.xml": redirectTo("/sitemap_index.xml", 301),
    "/sitemap_index.xml": sitemapIndex([`${base}/post-sitemap.xml`, `${base}/page-sitemap.xml`]),
    "/post-sitemap.xml": urlset(pageUrls(`${base}/post`, 4)),
    "/page-sitemap.xml": urlset(pageUrls(`${base}/page`, 2)),
  }));
  const tree = await sitemapTreeForHomepage(site.url);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([6, 6]);
  expectOnce(site);
  // robots.txt, the 16 known locations, the two children.
  expect(site.requests).toHaveLength(19);
});

it("C05: a child in robots.txt and in an index", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`, `${base}/a.xml`]),
    "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset([`${base}/1`, `${base}/2`]),
    "/b.xml": urlset([`${base}/3`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([5, 3]);
  expectOnce(site);
});

it("C06: six indexes that all list each other cost exactly six requests", async () => {
  const names = ["/1.xml", "/2.xml", "/3.xml", "/4.xml", "/5.xml", "/6.xml"];
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/1.xml`]),
    ...Object.fromEntries(names.map((name) => [name, sitemapIndex(names.map((other) => base + other))])),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.paths().filter((path) => path !== "/robots.txt")).toHaveLength(6);
  expectOnce(site);
  expect([...allSitemaps(tree)].length).toBeLessThan(300);
});

it("C06: fifty of them do not blow up what goes through the tree", async () => {
  const names = Array.from({ length: 50 }, (_, at) => `/${at}.xml`);
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/0.xml`]),
    ...Object.fromEntries(
      names.map((name, at) => [
        name,
        sitemapIndex(names.map((other) => base + other)).replace(
          "</sitemapindex>",
          `<url><loc>${base}/page/${at}</loc></url></sitemapindex>`,
        ),
      ]),
    ),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.requests).toHaveLength(51);
  const from = performance.now();
  expect(countPages(tree, true)).toBe(50);
  expect(performance.now() - from).toBeLessThan(10_000);
  const repeated = [...allSitemaps(tree)].filter(
    (node) => node.kind === "invalid" && node.code === "limit.sitemaps",
  );
  expect(repeated[0]).toMatchObject({
    reason: expect.stringContaining("is shown where it is declared first"),
  });
});

it("C07: a chain of 30 indexes stops at level 11, and says so", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/1.xml`]),
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`/${at + 1}.xml`, sitemapIndex([`${base}/${at + 2}.xml`])]),
    ),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.requests).toHaveLength(12);
  expect([...allSitemaps(tree)].at(-1)).toMatchObject({
    kind: "invalid",
    code: "limit.depth",
    url: `${site.url}/12.xml`,
  });
  expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.depth" }] });
});

it("C08: a ?page=n trap is bounded by depth, its child is fetched once", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/trap?page=1`]),
    "/trap": ({ url }) => {
      const page = Number(new URL(url ?? "", base).searchParams.get("page"));
      return { body: sitemapIndex([`${base}/leaf.xml`, `${base}/trap?page=${page + 1}`]) };
    },
    "/leaf.xml": urlset([`${base}/1`, `${base}/2`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.count("/leaf.xml")).toBe(1);
  expect(site.requests).toHaveLength(1 + 11 + 1);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([22, 2]);
});

it("C08: a trap that grows in width is bounded by the number of indexes", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/trap`]),
    "/trap": ({ url = "" }) => ({
      body: sitemapIndex(
        [0, 1, 2].map((n) => `${base}${url.replace("?", "")}?${n}`.replace("/trap", "/trap?")),
      ),
    }),
  }));
  // Each request grows the query, so that no two are equal.
  const limited = await sitemapTreeForHomepage(site.url, { ...DECLARED, limits: { indexes: 20 } });
  expect(limited).toMatchObject({ partial: true });
  expect(limited.issues.map(({ code }) => code)).toContain("limit.indexes");
  expect(site.requests.length).toBeLessThanOrEqual(1 + 1 + 20 * 3);
});

it("C09: spellings of one URL are one URL", async () => {
  const site = await openSite((base, { port }) => ({
    "/robots.txt": robotsTxt([
      `${base}/a.xml`,
      `HTTP://127.0.0.1:${port}/a.xml#part`,
      `http://127.1:${port}/a.xml`,
      `http://0x7f.0.0.1:0${port}/x/../a.xml`,
    ]),
    "/a.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.requests).toHaveLength(2);
  expect(tree.subSitemaps[0]).toMatchObject({ duplicateCount: 3 });
});

it.each([0, 100])(
  "C10: a child that redirects to its sibling (which takes %i ms) shares it",
  async (delayMs) => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": { ...redirectTo("/b.xml"), delayMs: 50 },
      "/b.xml": { body: urlset([`${base}/1`]), delayMs },
    }));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    const [a, b] = tree.subSitemaps[0]!.subSitemaps;
    expect(a).toBe(b);
    expect(a).toMatchObject({ url: `${site.url}/b.xml`, requestedUrl: `${site.url}/a.xml` });
    expectOnce(site);
  },
);

// Contents are not compared: two URLs are two documents.
it("C11: the same bytes under two URLs are read twice", async () => {
  const site = await openSite((base) => {
    const body = urlset([`${base}/1`, `${base}/2`]);
    return {
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/a.xml.gz`]),
      "/a.xml": body,
      "/a.xml.gz": { body: gzipSync(body) },
    };
  });
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([4, 2]);
});

it("C12: one page in many sitemaps comes each time, or once", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt(pageUrls(`${base}/s`, 10)),
    ...Object.fromEntries(
      pageUrls("/s", 10).map((path) => [path, urlset([`${base}/same`, `${base}/other${path}`])]),
    ),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([20, 11]);
});

it("C13: pages are streamed as they are parsed, and nobody is asked faster than the pages are taken", async () => {
  let sent = 0;
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/endless.xml`]),
    "/endless.xml": (_, response) => {
      response.write("<urlset>");
      const write = (): void => {
        while (!response.destroyed && sent < 100_000_000) {
          const rows = Array.from(
            { length: 500 },
            (__, at) => `<url><loc>${base}/${sent + at}</loc></url>`,
          ).join("");
          sent += rows.length;
          if (!response.write(rows)) {
            response.once("drain", write);
            return;
          }
        }
        response.end("</urlset>");
      };
      write();
      return undefined;
    },
  }));
  let taken = 0;
  for await (const _ of streamPages(site.url, DECLARED)) {
    if (++taken === 1) await new Promise((resolve) => setTimeout(resolve, 300));
    if (taken === 1000) break;
  }
  // The sockets on both sides hold a few megabytes, the walk a few batches.
  expect(sent).toBeLessThan(30_000_000);
});

it("C14: a budget that is reached leaves a partial result with its reason", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset(pageUrls(`${base}/a`, 10)),
    "/b.xml": { body: urlset(pageUrls(`${base}/b`, 10)), delayMs: 100 },
  }));
  const tree = await sitemapTreeForHomepage(site.url, { ...DECLARED, limits: { urls: 15 } });
  expect(countPages(tree, false)).toBe(15);
  expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.urls" }] });
  const [, b] = tree.subSitemaps[0]!.subSitemaps;
  expect(b).toMatchObject({ partial: true, issues: [{ code: "limit.urls" }, { code: "xml.truncated" }] });
});

it("C15: the lastmod that an index gives a child is on the child", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([
      [`${base}/a.xml`, "2024-02-03"],
      [`${base}/gone.xml`, "2024-02-04"],
      `${base}/b.xml`,
    ]),
    "/a.xml": urlset([`${base}/1`]),
    "/b.xml": urlset([`${base}/2`]),
  }));
  const [a, gone, b] = (await sitemapTreeForHomepage(site.url, DECLARED)).subSitemaps[0]!.subSitemaps[0]!
    .subSitemaps;
  expect(a?.lastModified).toMatchObject({ text: "2024-02-03", precision: "day" });
  expect(gone).toMatchObject({ kind: "invalid", lastModified: { text: "2024-02-04" } });
  expect(b?.lastModified).toBeUndefined();
});

it("C16: of 10,000 Sitemap lines the first 5,000 count; limits.sitemaps cuts them, and the rest is told", async () => {
  const site = await openSite((base) => ({ "/robots.txt": robotsTxt(pageUrls(`${base}/s`, 10_000)) }), {
    fallback: ({ url }) => ({ body: urlset([`http://127.0.0.1/page${url}`]) }),
  });
  const walked: WalkedSitemap[] = [];
  for await (const event of walkSitemaps(site.url, { ...DECLARED, limits: { sitemaps: 50 } })) {
    if (event.kind === "sitemap") walked.push(event.sitemap);
  }
  expect(site.requests).toHaveLength(50);
  expect(walked.filter(({ outcome }) => outcome === "found")).toHaveLength(50);
  expect(walked.filter(({ code }) => code === "limit.sitemaps")).toHaveLength(5001 - 50);
  expect(walked.find(({ source }) => source === "robots")).toMatchObject({ partial: true, childCount: 5000 });
});
