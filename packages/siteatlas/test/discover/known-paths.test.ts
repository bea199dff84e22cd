import { expect, test } from "vitest";
import { knownUrl } from "../../src/discover/homepage-url.ts";
import { knownPaths, knownPathTable } from "../../src/discover/known-paths.ts";

test("the usual paths, in order", () => {
  expect(knownPaths("usual")).toEqual([
    "sitemap.xml",
    "sitemap_index.xml",
    "sitemap-index.xml",
    "wp-sitemap.xml",
    "sitemap.txt",
    "sitemap.xml.gz",
    "sitemap_index.xml.gz",
    "sitemap-index.xml.gz",
    ".sitemap.xml",
    "sitemap",
    "sitemap/sitemap-index.xml",
    "sitemapindex.xml",
    "sitemap/sitemap.xml",
    "sitemap_news.xml",
    "sitemap-news.xml",
    "news-sitemap.xml",
    "sitemap_news.xml.gz",
    "sitemap-news.xml.gz",
  ]);
});

test("the thorough paths: the usual ones, then systems, news and feeds", () => {
  const thorough = knownPaths("thorough");
  const usual = knownPaths("usual");
  expect(thorough.slice(0, usual.length)).toEqual(usual);
  const places = ["sitemaps.xml", "?type=1533906435", "sitemap/news.xml", "feed/", "feed.json"].map((path) =>
    thorough.indexOf(path),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places[0]).toBe(usual.length);
  expect(places.at(-1)).toBe(thorough.length - 1);
});

test("each path is listed once, with its source, and is not a template", () => {
  const paths = knownPathTable.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toEqual(knownPaths("thorough"));
  for (const { path, source, set } of knownPathTable) {
    expect(source).not.toBe("");
    expect(path).toMatch(/^[^/{}][^{}]*$/);
    expect(set).toBe(knownPaths("usual").includes(path) ? "usual" : "thorough");
  }
});

test("the thorough paths have those that robots.txt files name", () => {
  const named = "sitemap_index.xml/ sitemap.php sitemaps sitemaps/index.xml sitemaps/sitemap-index.xml";
  expect(knownPaths("thorough")).toEqual(
    expect.arrayContaining([...named.split(" "), "blog/sitemap_index.xml"]),
  );
});

test("each path has the share of hosts that it would find", () => {
  const shares = new Map(knownPathTable.map(({ path, share }) => [path, share]));
  expect(shares.get("sitemap.xml")).toBeCloseTo(0.498, 3);
  expect(shares.get("sitemapindex.xml")).toBeCloseTo(40 / 2173, 6);
  // ultimate-sitemap-parser tries these two, and no host names them.
  expect([shares.get("sitemap_news.xml.gz"), shares.get("sitemap-news.xml.gz")]).toEqual([0, 0]);
  for (const share of shares.values()) expect(share >= 0 && share < 1).toBe(true);
});

test("Drupal's administration page and .well-known are not listed", () => {
  for (const path of knownPaths("thorough")) expect(path).not.toMatch(/admin|well-known/);
});

test("each path gives a different, normalized URL", () => {
  const urls = knownPaths("thorough").map((path) => knownUrl(new URL("https://example.com/"), path));
  expect(new Set(urls).size).toBe(urls.length);
  expect(urls).toEqual(knownPaths("thorough").map((path) => `https://example.com/${path}`));
});
