/** The acceptance site: every page that it declares, no other URL, and no unnecessary request. */
import { expect, it } from "vitest";
import { knownPaths } from "../../src/discover/known-paths.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import { streamPages } from "../../src/walk/walk-sitemaps.ts";
import { openAcceptanceSite, PAGE_COUNT, TROUBLE_COUNT } from "./acceptance-site.ts";

const OPTIONS = { useHomepageLinks: true, limits: { backoffMs: 20 } } as const;

it(`finds ${PAGE_COUNT} of ${PAGE_COUNT} pages and no other URL`, async () => {
  const { site, expected, troubleOf } = await openAcceptanceSite();
  const tree = await sitemapTreeForHomepage(site.url, OPTIONS);
  const found = new Set([...allPages(tree)].map((page) => page.url));
  expect([...expected].filter((url) => !found.has(url)).map((url) => `${troubleOf(url)}: ${url}`)).toEqual(
    [],
  );
  expect([...found].filter((url) => !expected.has(url))).toEqual([]);
  expect(found.size).toBe(PAGE_COUNT);
  expect(TROUBLE_COUNT).toBeGreaterThan(70);
  expect(tree.partial).toBeUndefined();
});

it("requests no URL twice, and tries no known location that robots.txt lists", async () => {
  const { site, repeated } = await openAcceptanceSite();
  await sitemapTreeForHomepage(site.url, OPTIONS);
  const paths = site.paths();
  const often = Object.fromEntries(
    [...new Set(paths)].map((path) => [path, site.count(path)] as const).filter(([, count]) => count > 1),
  );
  expect(often).toEqual(Object.fromEntries(repeated));
  expect(site.requests.map(({ method }) => method)).not.toContain("HEAD");
  // All documents of the site, the missing known locations, and the retries above.
  const there = Object.keys(site.routes).length;
  const guessed = knownPaths("usual").filter((path) => !(`/${path}` in site.routes)).length;
  const deadLinks = 1;
  expect(paths).toHaveLength(there + guessed + deadLinks + 2 + 1 + 1);
});

it("the stream has the same pages", async () => {
  const { site, expected } = await openAcceptanceSite();
  const found = new Set<string>();
  for await (const page of streamPages(site.url, OPTIONS)) found.add(page.url);
  expect([...found].sort()).toEqual([...expected].sort());
});

it("reports why each failed sitemap failed", async () => {
  const { site } = await openAcceptanceSite();
  const tree = await sitemapTreeForHomepage(site.url, OPTIONS);
  const failed = [...allSitemaps(tree)].flatMap((node) =>
    node.kind === "invalid" ? [`${node.code} ${node.url.slice(site.url.length)}`] : [],
  );
  expect(failed.sort()).toEqual([
    "content.binary /t/picture.xml",
    "content.empty /t/empty.xml",
    "content.empty /t/no-content.xml",
    "content.html /",
    "content.html /t/html.xml",
    "content.json /t/settings.json",
    "content.zip /t/archive.zip",
    "http.redirect-loop /t/moved-to-itself.xml",
    "http.redirect-scheme /t/moved-to-a-file.xml",
    "http.status /t/forbidden.xml",
    "http.status /t/gone.xml",
    "http.status /t/missing.xml",
    "http.status /t/nested/dead.xml",
    "index.cycle /t/circle.xml",
    "index.cycle /t/homecoming/back.xml",
    "index.self-reference /t/narcissus.xml",
  ]);
});
