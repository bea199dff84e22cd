/** A site of 80,356 pages for pictures, computed without chance. */

import { SiteStats } from "../../../src/cli/render/collect-stats.ts";
import type { TreeNode } from "../../../src/cli/render/draw-tree.ts";
import { type IssueCode, severityOf } from "../../../src/model/issue-severity.ts";
import type { Page } from "../../../src/model/model.ts";
import type { WalkedSitemap } from "../../../src/walk/events/events.ts";

const ORIGIN = "https://www.example.com";
const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pl"];
const DAY_MS = 86_400_000;
const START = Date.UTC(2021, 0, 1);
const DAYS = 2140;

/** Pages per section, and the distribution of their dates: 1 is even, more is later. */
const SECTIONS: readonly [path: string, pages: number, late: number][] = [
  ["/news", 41_174, 1],
  ["/products", 25_333, 6],
  ["/docs", 8523, 0],
  ["/events", 2617, 1],
  ["/blog", 1327, 1.3],
  ["/help", 1106, 2],
  ["/über/uns", 260, 1],
  ["", 16, 1],
];

function* examplePages(): Generator<Page> {
  for (const [path, count, late] of SECTIONS) {
    for (let i = 0; i < count; i++) yield examplePage(path, i, (i + 0.5) / count, late);
  }
}

function examplePage(path: string, i: number, share: number, late: number): Page {
  const url = `${ORIGIN}${encodeURI(path)}/page-${i}`;
  // `late` 0: all have the date of one build.
  const day = late === 0 ? 1900 : Math.floor(DAYS * share ** (1 / late));
  const value = new Date(START + day * DAY_MS);
  return {
    url,
    ...(i % 25 !== 0 && {
      lastModified: { text: value.toISOString().slice(0, 10), value, precision: "day" as const },
    }),
    ...(i % 3 === 0 && { alternates: [{ url, language: LANGUAGES[Math.floor(i / 3) % LANGUAGES.length]! }] }),
    ...(path === "/products" && { images: [{ url: `${url}.jpg` }] }),
    ...(path === "/news" && i < 412 && { news: { genres: [], keywords: [], stockTickers: [] } }),
  };
}

export function walked(path: string, facts: Partial<WalkedSitemap> = {}): WalkedSitemap {
  return {
    url: path.startsWith("http") ? path : ORIGIN + path,
    outcome: "found",
    source: "sitemap",
    level: 1,
    kind: "pages",
    format: "xml",
    pageCount: 0,
    childCount: 0,
    issueCount: 0,
    duplicateCount: 0,
    ...facts,
  };
}

function node(
  sitemap: WalkedSitemap,
  issues: readonly [IssueCode, number][] = [],
  children: readonly TreeNode[] = [],
): TreeNode {
  return { sitemap, issues: new Map(issues), children };
}

const http = (bytes: number, ms: number, status = 200) => ({ status, bytes, ms });
const modified = (text: string) => ({
  lastModified: { text, value: new Date(`${text}T00:00:00Z`), precision: "day" as const },
});

export function exampleTree(): readonly TreeNode[] {
  const children = [
    node(
      walked("/sitemaps/news-1.xml", {
        pageCount: 41_174,
        http: http(8_123_456, 2310),
        ...modified("2026-11-01"),
      }),
      [["date.future", 2]],
    ),
    node(
      walked("/sitemaps/products.xml.gz", {
        pageCount: 25_333,
        http: http(1_234_567, 940),
        ...modified("2026-10-30"),
      }),
      [
        ["xml.bare-ampersand", 3],
        ["url.invalid", 1],
      ],
    ),
    node(
      walked("/sitemaps/docs.xml", {
        pageCount: 8523,
        partial: true,
        http: http(912_345, 1630),
        ...modified("2026-03-16"),
      }),
      [["xml.truncated", 1]],
    ),
    node(
      walked("https://blog.example.com/feed", { format: "rss", pageCount: 1327, http: http(88_000, 410) }),
    ),
    node(
      walked("/sitemaps/old.xml", {
        outcome: "failed",
        kind: "invalid",
        code: "http.status",
        reason: "The server answered with status 404",
        http: http(0, 80, 404),
      }),
    ),
    node(walked("/sitemaps/news-1.xml", { outcome: "shared", kind: "invalid" })),
    node(
      walked("/sitemaps/archive.xml", {
        outcome: "skipped",
        kind: "invalid",
        code: "filtered",
        reason: "a filter skipped the sitemap",
      }),
    ),
  ];
  const index = walked("/sitemap_index.xml", { kind: "index", childCount: 7, http: http(2100, 120) });
  const robots = walked("/robots.txt", {
    kind: "index",
    format: "robots",
    source: "robots",
    childCount: 1,
    http: http(310, 35),
  });
  const known = walked("/sitemap_news.xml", {
    source: "known",
    pageCount: 1,
    http: http(3400, 60),
    requestedUrl: `${ORIGIN}/sitemap-news.xml`,
  });
  return [node(robots, [], [node(index, [], children)]), node(known)];
}

export function exampleSite(): SiteStats {
  const stats = new SiteStats(new Date("2026-11-16"));
  for (const page of examplePages()) stats.add(page);
  const nodes = [...exampleTree()];
  for (const { sitemap, issues, children } of nodes) {
    nodes.push(...children);
    stats.addSitemap(sitemap);
    for (const [code, times] of issues) {
      for (let i = 0; i < times; i++) stats.addIssue({ code, severity: severityOf(code), url: sitemap.url });
    }
  }
  return stats;
}
