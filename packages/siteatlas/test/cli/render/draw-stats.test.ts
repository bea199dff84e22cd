/** The numbers of a site and their picture. Read changed golden files with your eyes. */
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { SiteStats } from "../../../src/cli/render/collect-stats.ts";
import { drawStats } from "../../../src/cli/render/draw-stats.ts";
import { cellWidth, fit, fitMiddle, padEnd } from "../../../src/cli/terminal/cell-width.ts";
import { bar, glyphsFor, isAsciiTerminal } from "../../../src/cli/terminal/glyphs.ts";
import type { IssueCode } from "../../../src/model/issue-severity.ts";
import { BoundedCounts } from "../../../src/report/bounded-counts.ts";
import { sectionsOf } from "../../../src/report/url-sections.ts";
import { exampleSite, walked } from "../support/example-site.ts";

const options = { homepage: "https://www.example.com/", ms: 11_200, width: 100, color: false };
const site = exampleSite();

describe("the picture", () => {
  it.each([
    ["stats-100.txt", { width: 100 }],
    ["stats-100-color.txt", { width: 100, color: true }],
    ["stats-60-ascii.txt", { width: 60, ascii: true }],
  ])("looks like %s", async (name, given) => {
    await expect(drawStats(site, { ...options, ...given })).toMatchFileSnapshot(`../golden/${name}`);
  });

  it("fits into every width", () => {
    for (let width = 40; width <= 130; width++) {
      const lines = drawStats(site, { ...options, width }).split("\n");
      for (const line of lines) expect(cellWidth(line), line).toBeLessThanOrEqual(width);
    }
  });

  it("is the same with and without colors", () => {
    const colored = drawStats(site, { ...options, color: true });
    expect(colored).toContain("\u001b[34m");
    const lines = stripVTControlCharacters(colored).split("\n");
    expect(lines.map((line) => line.trimEnd()).join("\n")).toBe(drawStats(site, options));
  });

  it("is ASCII if the terminal has nothing else", () => {
    expect(drawStats(site, { ...options, ascii: true })).toMatch(/^[\x0a\x20-\x7e]+$/);
  });

  it("of an empty site is one line", () => {
    expect(drawStats(new SiteStats(), options)).toBe("www.example.com  0 sitemaps · 0 pages · 11.2 s\n");
  });

  it("shows untrusted text without its escape sequences (sec-O01)", () => {
    const stats = new SiteStats();
    const evil = "\u001b]8;;https://evil.example\u0007\u009b2J\u202e";
    const page = {
      url: `https://www.example.com/${evil}/%1b%5b2J%E2%80%AE/x`,
      alternates: [{ url: `https://www.example.com/${evil}/%1b%5b2J%E2%80%AE/x`, language: evil }],
    };
    stats.add(page);
    stats.add({ ...page, alternates: [{ url: page.url, language: "b" }] });
    for (let i = 0; i < 2; i++)
      stats.addSitemap(walked(`/${evil}`, { http: { status: 200, bytes: 1, ms: 1 } }));
    const picture = drawStats(stats, { ...options, homepage: `https://${evil}/` });
    expect(picture).not.toMatch(/[^\P{C}\n]/u);
    expect(picture).toContain("\\u001b]8;;");
  });

  it("shows the parts of a section that contains nearly all pages", () => {
    const stats = new SiteStats();
    for (let i = 0; i < 100; i++)
      stats.add({ url: `https://www.example.com/en/${["a", "b", "c"][i % 3]}/${i}` });
    stats.add({ url: "https://www.example.com/de/a/1" });
    const names = [...drawStats(stats, options).matchAll(/^ {2}(\/\S*)/gm)].map(([, name]) => name);
    expect(names).toEqual(["/en/a", "/en/b", "/en/c", "/de"]);
  });

  it("sums up the smaller sections", () => {
    const stats = new SiteStats();
    for (let i = 0; i < 30; i++) {
      for (let j = 0; j <= 30 - i; j++) stats.add({ url: `https://www.example.com/s${i}/${j}` });
    }
    const picture = drawStats(stats, options);
    expect(picture).toMatch(/\n {2}\/s9 .* 22 .*\n {2}\(20 others\) .* 230 /);
    expect(picture).not.toContain("/s10");
  });
});

describe("the numbers", () => {
  it("are available as JSON", () => {
    const json = JSON.parse(JSON.stringify(site));
    expect(json).toMatchObject({
      kinds: { page: 54_611, image: 25_333, news: 412 },
      formats: { index: { sitemaps: 1, pages: 0 }, xml: { sitemaps: 4 }, rss: { sitemaps: 1, pages: 1327 } },
      dated: 77_138,
    });
    expect(json.sections[0]).toMatchObject({ path: "/news", pages: 41_174 });
    expect(json.issues[0]).toEqual({ code: "http.status", severity: "error", count: 1 });
    expect(json.slowest[0]).toEqual({
      url: "https://www.example.com/sitemaps/news-1.xml",
      ms: 2310,
      pages: 41_174,
    });
    expect(json.languages).toMatchObject({ de: 3830 });
  });

  it("keep the five slowest and largest sitemaps", () => {
    const stats = new SiteStats();
    for (const ms of [3, 9, 1, 7, 7, 5, 8, 2]) {
      stats.addSitemap(walked(`/${ms}.xml`, { http: { status: 200, bytes: 10 - ms, ms } }));
    }
    expect(stats.slowest.map(({ value }) => value)).toEqual([9, 8, 7, 7, 5]);
    expect(stats.largest.map(({ value }) => value)).toEqual([9, 8, 7, 5, 3]);
  });

  it("do not count known locations, robots.txt and repeated sitemaps", () => {
    const stats = new SiteStats();
    stats.addSitemap(walked("/robots.txt", { kind: "index", format: "robots", source: "robots" }));
    stats.addSitemap(walked("/sitemap.xml", { source: "known", outcome: "failed", kind: "invalid" }));
    stats.addSitemap(walked("/a.xml", { outcome: "shared", kind: "invalid" }));
    expect(stats.sitemaps).toBe(0);
    expect(stats.sortedIssues()).toEqual([]);
  });

  it("have an error for each failed sitemap, but not for known locations", () => {
    const stats = new SiteStats();
    const failed = { outcome: "failed", kind: "invalid" } as const;
    const say = (path: string, code: IssueCode): void =>
      stats.addIssue({ url: `https://www.example.com${path}`, code, severity: "error" });
    say("/sitemap.xml", "content.html");
    stats.addSitemap(walked("/sitemap.xml", { ...failed, source: "known", code: "content.html" }));
    say("/page.html", "content.html");
    stats.addSitemap(walked("/page.html", { ...failed, code: "content.html", issueCount: 1 }));
    stats.addSitemap(walked("/gone.xml", { ...failed, code: "http.status" }));
    say("/", "http.connection");
    expect(stats.sortedIssues().map(([code, { count }]) => [code, count])).toEqual([
      ["content.html", 1],
      ["http.connection", 1],
      ["http.status", 1],
    ]);
  });

  it("take bounded memory for a million folders, and find the frequent one", () => {
    const stats = new SiteStats();
    for (let i = 0; i < 20_000; i++) {
      stats.add({ url: `https://www.example.com/d${i}/page` });
      if (i % 4 === 3) stats.add({ url: `https://www.example.com/often/${i}/` });
    }
    expect(stats.sections.size).toBeLessThanOrEqual(400);
    expect(stats.subsections.size).toBeLessThanOrEqual(1200);
    expect(stats.sections.sorted()[0]).toMatchObject(["/often", { count: 5000 }]);
    const known = stats.sections.sorted().reduce((sum, [, { count }]) => sum + count, 0);
    expect(known + stats.sections.rest).toBe(25_000);
  });
});

it.each([
  ["https://www.example.com", "/", "/"],
  ["https://www.example.com/", "/", "/"],
  ["https://www.example.com/about", "/", "/"],
  ["https://www.example.com/news/", "/news", "/news"],
  ["https://www.example.com/news/a", "/news", "/news"],
  ["https://www.example.com/news/2024/a", "/news", "/news/2024"],
  ["https://www.example.com/news/2024/05/a", "/news", "/news/2024"],
  ["https://www.example.com/a?b=/c/d/e", "/", "/"],
  ["https://www.example.com/a/b?c=/d", "/a", "/a"],
])("%s is in %s and %s", (url, section, subsection) => {
  expect(sectionsOf(url)).toEqual([section, subsection]);
});

it("draws bars in eighths, and never an empty one for a value above 0", () => {
  const glyphs = glyphsFor(false);
  expect(bar(1, 4, glyphs)).toBe("████");
  expect(bar(0.5, 4, glyphs)).toBe("██");
  expect(bar(0.53125, 4, glyphs)).toBe("██▏");
  expect(bar(0.000001, 4, glyphs)).toBe("▏");
  expect(bar(0, 4, glyphs)).toBe("");
  expect(bar(0.5, 4, glyphsFor(true))).toBe("##");
});

it("knows how wide text is", () => {
  expect(cellWidth("abc")).toBe(3);
  expect(cellWidth("新闻")).toBe(4);
  expect(cellWidth("e\u0301")).toBe(1);
  expect(fit("新闻页面", 5, "…")).toBe("新闻…");
  expect(fitMiddle("/sitemaps/a-long-name.xml", 13, "…")).toBe("/sitem…me.xml");
  expect(padEnd("新", 4)).toBe("新  ");
});

it.each([
  [{ LANG: "en_US.UTF-8" }, false],
  [{ LC_ALL: "C", LANG: "en_US.UTF-8" }, true],
  [{ LC_ALL: "", LANG: "de_DE.utf8" }, false],
  [{ LANG: "POSIX" }, true],
  [{}, false],
  [{ LANG: "en_US.UTF-8", TERM: "dumb" }, true],
])("detects an ASCII terminal from %j: %s", (environment, ascii) => {
  expect(isAsciiTerminal(environment)).toBe(ascii);
});

it("counts exactly while there are few names", () => {
  const counts = new BoundedCounts(2, () => ({ count: 0 }));
  for (const name of ["a", "b", "b", "c", "d", "d", "d"]) counts.add(name);
  expect(counts.sorted().map(([name, { count }]) => `${name}${count}`)).toEqual(["d3", "b2", "a1", "c1"]);
  counts.add("e");
  expect(counts.sorted().map(([name]) => name)).toEqual(["d", "b", "e"]);
  expect(counts.rest).toBe(2);
});
