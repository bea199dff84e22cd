/** Sitemaps without pages: too many in a row, in the order of declaration, end their index and no other (sec-S05). */
import { expect, it } from "vitest";
import type { Sitemap } from "../../src/model/model.ts";
import { sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import {
  openSite,
  robotsTxt,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

const OPTIONS = {
  useKnownPaths: false,
  useHomepageLinks: false,
  limits: { barrenChildren: 3, backoffMs: 1 },
};

/** An index whose children are `g`ood, `d`ead, `e`mpty, `i`ndexes, `s`hared with another index, or `l`ate and good. */
async function openChildren(children: string, more: SiteRoutes = {}): Promise<TestSite> {
  return openSite((base) => {
    const names = [...children].map((kind, at) => `/${kind}${at}.xml`);
    const bodies: Record<string, (path: string) => SiteRoutes[string]> = {
      g: (path) => urlset([base + path]),
      d: () => ({ status: 404 }),
      e: () => urlset([]),
      i: () => sitemapIndex([`${base}/good.xml`]),
      s: (path) => urlset([base + path]),
      l: (path) => ({ body: urlset([base + path]), delayMs: 100 }),
    };
    return {
      // A shared sitemap was read before.
      "/robots.txt": robotsTxt([
        ...names.filter((name) => name[1] === "s"),
        "/index.xml",
        ...Object.keys(more),
      ]),
      "/index.xml": sitemapIndex(names),
      "/good.xml": urlset([`${base}/good`]),
      ...Object.fromEntries(names.map((name) => [name, bodies[name[1]!]!(name)])),
      ...more,
    };
  });
}

const indexOf = (robots: Sitemap): Sitemap =>
  robots.subSitemaps.find(({ url }) => url.endsWith("/index.xml"))!;

it.each([
  ["ddd", 3],
  ["dddd", 3],
  ["ddgddd", 6],
  ["dddgddd", 3],
  ["ddgdddg", 6],
  ["eeee", 3],
  ["dedg", 3],
  ["ddigdd", 6],
  ["ddsddsdd", 8],
  ["lddlddldd", 9],
  ["dddllllll", 3],
  ["ggggdddlllll", 7],
])("%s: the first %i are read", async (children, count) => {
  for (const concurrency of [1, 8]) {
    const site = await openChildren(children);
    const tree = await sitemapTreeForHomepage(site.url, { ...OPTIONS, concurrency });
    const index = indexOf(tree.subSitemaps[0]!);
    const left = index.subSitemaps.filter((node) => node.kind === "invalid" && node.code === "limit.barren");
    expect(index.subSitemaps).toHaveLength(children.length);
    expect(index.subSitemaps.slice(count)).toEqual(left);
    expect(index.partial ?? false).toBe(count < children.length);
    expect(tree.issues.map(({ code, value }) => `${code} ${value}`)).toEqual(
      count < children.length ? ["limit.barren 3; limits.barrenChildren allows 3"] : [],
    );
    const asked = [...children].map((kind, at) => site.count(`/${kind}${at}.xml`));
    expect(asked).toEqual([...children].map((kind, at) => (at < count || kind === "s" ? 1 : 0)));
  }
});

it("stops that index alone", async () => {
  const site = await openChildren("ddddg", {
    "/other.xml": sitemapIndex(["/one.xml", "/two.xml"]),
    "/one.xml": urlset(["/1"]),
    "/two.xml": urlset(["/2"]),
  });
  const tree = await sitemapTreeForHomepage(site.url, OPTIONS);
  expect(indexOf(tree.subSitemaps[0]!).partial).toBe(true);
  const other = tree.subSitemaps[0]!.subSitemaps.find(({ url }) => url.endsWith("/other.xml"))!;
  expect(other.subSitemaps.map(({ kind }) => kind)).toEqual(["pages", "pages"]);
});

it("50,000 dead children cost 200 requests", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/index.xml`]),
    "/index.xml": sitemapIndex(Array.from({ length: 50_000 }, (_, at) => `/s${at}.xml`)),
  }));
  const tree = await sitemapTreeForHomepage(site.url, { useKnownPaths: false, useHomepageLinks: false });
  expect(site.requests).toHaveLength(2 + 200);
  expect(indexOf(tree.subSitemaps[0]!).subSitemaps).toHaveLength(50_000);
  expect(tree.issues).toMatchObject([
    { code: "limit.barren", value: "200; limits.barrenChildren allows 200" },
  ]);
});
