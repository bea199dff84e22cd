/** Filters of pages and sitemaps, and samples, without a process. */
import { describe, expect, it } from "vitest";
import type { Settings } from "../../../src/cli/config/flags.ts";
import { urlGlob } from "../../../src/cli/config/glob.ts";
import { createSelection, stripSite } from "../../../src/cli/config/page-filter.ts";
import { readSince } from "../../../src/cli/config/parse-value.ts";
import { createSitemapFilter } from "../../../src/cli/walk/sitemap-filter.ts";
import type { Page } from "../../../src/model/model.ts";
import { Sample, sectionOf } from "../../../src/page-list/sample.ts";
import { parseDate } from "../../../src/parse/values/parse-date.ts";

describe("globs", () => {
  it.each([
    ["/blog/*", "https://example.com/blog/a/b", true],
    ["/blog/*", "https://example.com/en/blog/a", false],
    ["/blog/*", "https://example.com/blog", false],
    ["/", "https://example.com/", true],
    ["/a?b=*", "https://example.com/a?b=1", true],
    ["/a?b=*", "https://example.com/axb=1", false],
    ["*.pdf", "https://example.com/a/b.pdf", true],
    ["*.pdf", "https://example.com/a.pdf?x", false],
    ["*/a*b*/c", "https://example.com/a1b2/c", true],
    ["*aa*aa*", "https://example.com/aaa", false],
    ["*ab*b", "https://example.com/ab", false],
    ["example.com/*", "http://example.com/x", true],
    ["example.com/*", "https://www.example.com/x", false],
    ["https://example.com/*", "http://example.com/x", false],
    ["*", "https://example.com/", true],
  ])("%s on %s is %s", (pattern, url, expected) => {
    expect(urlGlob(pattern, "--include")(url)).toBe(expected);
  });

  it("that cannot match are refused with a suggestion", () => {
    expect(() => urlGlob("blog", "--include")).toThrow('--include "blog" matches no URL');
  });
});

const page = (path: string, facts: Partial<Page> = {}): Page => ({
  url: `https://example.com${path}`,
  ...facts,
});
const modified = (text: string): Pick<Page, "lastModified"> => ({ lastModified: parseDate(text) });
const news = (language: string): Pick<Page, "news"> => ({
  news: { language, genres: [], keywords: [], stockTickers: [], published: parseDate("2024-11-01") },
});

const PAGES: readonly Page[] = [
  page("/a", modified("2024-01-05")),
  page("/b", modified("2024-10-20T10:00:00Z")),
  page("/c.pdf", modified("2024")),
  page("/news", news("de-AT")),
  page("/img", { images: [{ url: "https://example.com/i.jpg" }] }),
  page("/feed", { title: "Entry" }),
  page("/a"),
];

const chosen = (settings: Settings): string[] => {
  const select = createSelection(settings);
  return PAGES.flatMap((one) => (select === undefined ? one : (select(one) ?? []))).map(
    ({ url }) => new URL(url).pathname,
  );
};

describe("--since", () => {
  const isChosen = (facts: Partial<Page>): boolean =>
    createSelection({ since: readSince("2024-06-01") })!(page("/x", facts)) !== undefined;

  it.each<[string, Partial<Page>, boolean]>([
    ["lastmod decides", modified("2024-07-01"), true],
    [
      "an old lastmod decides over a new publication date",
      { ...modified("2024-01-01"), ...news("de") },
      false,
    ],
    ["without lastmod, the publication date of news decides", news("de"), true],
    [
      "without lastmod, the publication date of a feed entry decides",
      { published: parseDate("2024-01-01") },
      false,
    ],
    ["a lastmod that is not a date is none", { ...modified("soon"), ...news("de") }, true],
    ["without any date, a page is skipped", {}, false],
  ])("%s", (_, facts, expected) => {
    expect(isChosen(facts)).toBe(expected);
  });
});

describe("selection", () => {
  it.each<[Settings, string[]]>([
    [{ include: ["/a", "/b"] }, ["/a", "/b", "/a"]],
    [{ exclude: ["*.pdf", "/n*"], unique: true }, ["/a", "/b", "/img", "/feed"]],
    [{ since: readSince("2024-10-20T10:00:00Z") }, ["/b", "/c.pdf", "/news"]],
    [{ since: readSince("2025") }, []],
    [{ since: readSince("2024-01-05T23:00:00Z"), exclude: ["*.pdf"] }, ["/a", "/b", "/news"]],
    [{ kind: ["news"] }, ["/news"]],
    [{ kind: ["image", "feed"] }, ["/img", "/feed"]],
    [{ kind: ["video"] }, []],
    [{ kind: ["page", "feed"] }, ["/a", "/b", "/c.pdf", "/feed", "/a"]],
    [{ lang: ["de"] }, ["/news"]],
    [{ lang: ["de-at", "fr"] }, ["/news"]],
    [{ lang: ["de-CH"] }, []],
  ])("%j", (settings, expected) => {
    expect(chosen(settings)).toEqual(expected);
  });

  it("passes every page without settings", () => {
    expect(createSelection({})).toBeUndefined();
  });

  it("rewrites the origin and strips the site's URL", () => {
    const rewritten = createSelection({ rewriteOrigin: "http://localhost:3000" })!(page("/a?b"));
    expect(rewritten?.url).toBe("http://localhost:3000/a?b");
    const strip = (url: string): string => stripSite(url, "https://example.com/");
    expect(["https://example.com/a", "https://example.com/", "https://other.example/a"].map(strip)).toEqual([
      "/a",
      "/",
      "https://other.example/a",
    ]);
  });

  it("reads a time as a time before now", () => {
    const since = readSince("7d").getTime();
    expect(Date.now() - since).toBeGreaterThanOrEqual(7 * 86_400_000);
    expect(() => readSince("soon")).toThrow("must be a date such as 2026-11-01 or a time such as 7d");
  });
});

describe("samples", () => {
  const keys = Array.from(
    { length: 1000 },
    (_, i) => `https://example.com/${i % 4 === 0 ? "rare" : `s${i % 10}`}/${i}`,
  );
  const sampleOf = (list: readonly string[], size: number, stratify = false): string[] => {
    const sample = new Sample<string>(size);
    for (const key of list) sample.add(key, key, stratify ? sectionOf(key) : undefined);
    return sample.end();
  };

  it("are the same in any order, and sorted", () => {
    const forward = sampleOf(keys, 20);
    expect(forward).toHaveLength(20);
    expect(sampleOf([...keys].reverse(), 20)).toEqual(forward);
    expect(forward).toEqual([...forward].sort());
  });

  it("keep their pages while the site grows", () => {
    const before = new Set(sampleOf(keys.slice(0, 500), 50));
    const after = sampleOf(keys.slice(0, 550), 50);
    expect(after.filter((key) => before.has(key)).length).toBeGreaterThan(35);
  });

  it("are spread over all sections", () => {
    const sections = sampleOf(keys, 22, true).map(sectionOf);
    const counts = new Map(sections.map((name) => [name, sections.filter((other) => other === name).length]));
    expect(counts.size).toBe(new Set(keys.map(sectionOf)).size);
    expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(1);
  });

  it("take sections by hash, not by name, if there are more sections than pages", () => {
    const many = Array.from({ length: 47 }, (_, i) => `https://example.com/section-${100 + i}/page`);
    const sections = sampleOf(many, 12, true);
    expect(sections).toHaveLength(12);
    expect(sampleOf([...many].reverse(), 12, true)).toEqual(sections);
    expect(many.indexOf(sections.at(-1)!)).toBeGreaterThan(23);
  });

  it("contain all pages if there are fewer", () => {
    expect(sampleOf(keys.slice(0, 3), 10)).toEqual(keys.slice(0, 3).sort());
  });
});

describe("sitemap filters", () => {
  const base = "https://example.com";
  const keep = (settings: Settings, urls: readonly string[], parent = `${base}/robots.txt`) =>
    createSitemapFilter(settings)!.recurseListCallback(
      urls.map((path) => base + path),
      0,
      new Set([parent]),
    );

  it("follow matching sitemaps, and possible indexes above them", () => {
    const urls = ["/sitemap_index.xml", "/news.xml", "/shop.xml"];
    expect(keep({ includeSitemap: ["*news*"] }, urls)).toEqual([
      `${base}/sitemap_index.xml`,
      `${base}/news.xml`,
    ]);
  });

  it("follow everything below a matching sitemap", () => {
    const urls = ["/1.xml", "/2.xml"];
    expect(keep({ includeSitemap: ["*news*"] }, urls, `${base}/news-index.xml`)).toHaveLength(2);
  });

  it("drop the pages of indexes that were fetched only for their lists", () => {
    const filter = createSitemapFilter({ includeSitemap: ["*news*"] })!;
    filter.recurseListCallback(
      [`${base}/index.xml`, `${base}/news/sitemap.xml`],
      0,
      new Set([`${base}/robots.txt`]),
    );
    expect(filter.givesPages(`${base}/index.xml`)).toBe(false);
    expect(filter.givesPages(`${base}/sitemap.xml`)).toBe(false);
    expect(filter.givesPages(`${base}/news/sitemap.xml`)).toBe(true);
    // After a redirect: the callback got the URL before it.
    expect(filter.givesPages("https://cdn.example.com/x1.xml")).toBe(true);
  });
});
