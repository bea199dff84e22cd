/**
 * Each place has its own filters, level, recursion check, declared date and requested URL. A comparison with USP on
 * 4,500 random sites found these faults. Each test has the site of its fault.
 */
import { describe, expect, it } from "vitest";
import { allPages, allSitemaps, sitemapTreeForHomepage, type TreeOptions } from "../../src/tree/tree.ts";
import {
  openSite,
  outline,
  redirectTo,
  robotsTxt,
  type SiteRoutes,
  sitemapIndex,
  urlset,
} from "../support/test-site.ts";

const DECLARED: TreeOptions = { useKnownPaths: false, useHomepageLinks: false };

/** The outline of the tree with each of these paths slow in turn: it must be the same each time. */
async function outlineOf(
  routes: (base: string) => SiteRoutes,
  slow: readonly string[],
  options: TreeOptions = DECLARED,
): Promise<string[]> {
  let late = "";
  const site = await openSite(routes, { delayMs: (path) => (path === late ? 60 : 0) });
  const outlines = new Set<string>();
  for (late of ["", ...slow]) {
    site.reset();
    const tree = await sitemapTreeForHomepage(site.url, { ...options, concurrency: 8 });
    outlines.add(outline(tree, site.url).join("\n"));
    expect(site.paths().sort()).toEqual([...new Set(site.paths())].sort());
  }
  expect([...outlines]).toHaveLength(1);
  return [...outlines][0]!.split("\n").slice(1);
}

it("fault A: filters are called for each place of a shared index", async () => {
  const routes = (base: string): SiteRoutes => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": sitemapIndex([`${base}/x.xml`]),
    "/b.xml": sitemapIndex([`${base}/x.xml`]),
    "/x.xml": sitemapIndex([`${base}/p.xml`, `${base}/q.xml`]),
    "/p.xml": urlset([`${base}/p`]),
    "/q.xml": urlset([`${base}/q`]),
  });
  const recurseCallback = (url: string, _: number, parents: ReadonlySet<string>): boolean =>
    !(url.endsWith("/p.xml") && [...parents].some((parent) => parent.endsWith("/a.xml")));
  expect(await outlineOf(routes, ["/a.xml", "/b.xml"], { ...DECLARED, recurseCallback })).toEqual([
    "  index robots /robots.txt",
    "    index xml /a.xml",
    "      index xml /x.xml",
    "        pages xml /q.xml: /q",
    "    index xml /b.xml",
    "      index xml /x.xml",
    "        pages xml /p.xml: /p",
    "        pages xml /q.xml: /q",
  ]);
});

describe("fault B: a known location that redirects into the tree of robots.txt changes nothing there", () => {
  const chain = (base: string): SiteRoutes => ({
    "/robots.txt": robotsTxt([`${base}/c0.xml`]),
    "/c0.xml": sitemapIndex([`${base}/c1.xml`]),
    "/c1.xml": sitemapIndex([`${base}/c2.xml`]),
    "/c2.xml": sitemapIndex([`${base}/c3.xml`]),
    "/c3.xml": urlset([`${base}/1`]),
    "/sitemap.xml": redirectTo("/c0.xml"),
  });
  const guess = { useHomepageLinks: false } as const;

  it("no level is lowered for the filters", async () => {
    const recurseCallback = (_: string, level: number): boolean => level <= 1;
    const options = { ...guess, recurseCallback };
    expect(await outlineOf(chain, ["/c0.xml", "/c1.xml", "/robots.txt"], options)).toEqual([
      "  index robots /robots.txt",
      "    index xml /c0.xml",
      "      index xml /c1.xml",
    ]);
  });

  it("the depth counts from robots.txt", async () => {
    expect(await outlineOf(chain, ["/c0.xml", "/c1.xml"], { ...guess, limits: { depth: 3 } })).toEqual([
      "  index robots /robots.txt",
      "    index xml /c0.xml",
      "      index xml /c1.xml",
      "        index xml /c2.xml",
      "          invalid limit.depth /c3.xml",
    ]);
  });
});

it("fault C: a sitemap is a cycle only below itself", async () => {
  const routes = (base: string): SiteRoutes => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": sitemapIndex([`${base}/b.xml`, `${base}/pa.xml`]),
    "/b.xml": sitemapIndex([`${base}/a.xml`, `${base}/pb.xml`]),
    "/pa.xml": urlset([`${base}/pa`]),
    "/pb.xml": urlset([`${base}/pb`]),
  });
  expect(await outlineOf(routes, ["/a.xml", "/b.xml"])).toEqual([
    "  index robots /robots.txt",
    "    index xml /a.xml",
    "      index xml /b.xml",
    "        invalid index.cycle /a.xml",
    "        pages xml /pb.xml: /pb",
    "      pages xml /pa.xml: /pa",
    "    index xml /b.xml",
    "      index xml /a.xml",
    "        invalid index.cycle /b.xml",
    "        pages xml /pa.xml: /pa",
    "      pages xml /pb.xml: /pb",
  ]);
});

it("fault D: each place has its own declared lastModified and requested URL", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": sitemapIndex([[`${base}/x.xml`, "2024-01-01"]]),
    "/b.xml": sitemapIndex([
      [`${base}/x.xml`, "2023-01-01"],
      [`${base}/old.xml`, "2022-01-01"],
    ]),
    "/old.xml": redirectTo("/x.xml"),
    "/x.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  const facts = [...allSitemaps(tree)]
    .filter(({ url }) => url.endsWith("/x.xml"))
    .map(({ lastModified, requestedUrl }) => [lastModified?.text, requestedUrl?.slice(site.url.length)]);
  expect(facts).toEqual([
    ["2024-01-01", undefined],
    ["2023-01-01", undefined],
    ["2022-01-01", "/old.xml"],
  ]);
});

it("fault E: no declared URL vanishes, even if two redirect to the same missing one", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/old.xml`, `${base}/old2.xml`]),
    "/old.xml": redirectTo("/gone.xml"),
    "/old2.xml": redirectTo("/gone.xml"),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(tree.subSitemaps[0]!.subSitemaps).toMatchObject(
    ["/old.xml", "/old2.xml"].map((path) => ({
      kind: "invalid",
      code: "http.status",
      url: `${site.url}/gone.xml`,
      requestedUrl: site.url + path,
    })),
  );
  expect(site.count("/gone.xml")).toBe(1);
});

describe("indexes that all list each other", () => {
  const names = Array.from({ length: 8 }, (_, at) => `/${at}.xml`);
  const routes = (base: string): SiteRoutes => ({
    "/robots.txt": robotsTxt(names.map((name) => base + name)),
    ...Object.fromEntries(
      names.map((name) => [
        name,
        sitemapIndex([...names.map((other) => base + other), `${base}/pages${name}`]),
      ]),
    ),
    ...Object.fromEntries(names.map((name) => [`/pages${name}`, urlset([`${base}/page${name}`])])),
  });

  it("eight of them stay bounded, lose no page and name the limit", async () => {
    const site = await openSite(routes);
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(site.requests).toHaveLength(1 + 8 + 8);
    const nodes = [...allSitemaps(tree)];
    expect(nodes.length).toBeLessThanOrEqual(100_000 + 2);
    expect(nodes.length).toBeGreaterThan(90_000);
    expect([...allPages(tree, { unique: true })]).toHaveLength(8);
    expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.places" }] });
    const cut = nodes.find((node) => node.kind === "invalid" && node.code === "limit.places");
    expect(cut).toMatchObject({ subSitemaps: [] });
  });

  it.each([20, 100, 1000])("the cut at %i places does not depend on the order of answers", async (places) => {
    const lines = await outlineOf(routes, ["/0.xml", "/3.xml", "/7.xml"], {
      ...DECLARED,
      limits: { places },
    });
    expect(lines.some((line) => line.includes("invalid limit.places"))).toBe(true);
    for (const name of names) expect(lines.join("\n")).toContain(`: /page${name}`);
  });
});

it.each(["/i1.xml", "/i2.xml"])(
  "one document in two spellings, %s slow: one URL, whichever is first",
  async (slow) => {
    const site = await openSite(
      (base) => ({
        "/robots.txt": robotsTxt([`${base}/i1.xml`, `${base}/i2.xml`]),
        "/i1.xml": sitemapIndex([`${base}/p%2fx.xml`]),
        "/i2.xml": sitemapIndex([`${base}/p%2Fx.xml`]),
        "/p%2Fx.xml": urlset(["/a"]),
      }),
      { delayMs: (path) => (path === slow ? 60 : 0) },
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).filter((line) => line.includes("pages"))).toEqual(
      Array(2).fill("      pages xml /p%2Fx.xml: /a"),
    );
    expect([...allSitemaps(tree)].some(({ requestedUrl }) => requestedUrl !== undefined)).toBe(false);
  },
);
