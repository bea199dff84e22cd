/** Renders the numbers of a report as one HTML file, which needs no network and no script. */
import { createHash } from "node:crypto";
import { htmlHref } from "../../escape/html.ts";
import { logLine } from "../../escape/log-line.ts";
import { readableUrl } from "../readable-text.ts";
import type { SiteReport } from "../report-model.ts";
import { bytes, caveats, duration, headline, number, timeText } from "../report-text.ts";
import { calendar } from "./calendar.ts";
import { comparison, syncChanges } from "./changes.ts";
import { checkedPages, findings } from "./findings.ts";
import { card, foreign, Html, html } from "./html.ts";
import { languageMatrix } from "./language-matrix.ts";
import { logoUrl } from "./logo.ts";
import { monthChart } from "./month-chart.ts";
import { pageStyle } from "./page-style.ts";
import { sectionMap } from "./section-map.ts";
import { sitemapTree } from "./sitemap-tree.ts";
import { summaryTiles } from "./summary-tiles.ts";

/** Maximum size of the file in bytes. */
const MAX_BYTES = 250_000;
/** A longer URL of a site is shown, but not linked. */
const MAX_LINK_LENGTH = 2048;
/** Shares of the rows of long tables. A smaller one is used if the file would be too large. */
const DETAILS = [1, 0.5, 0.2, 0.05] as const;

/** Options of `renderReport`. */
export interface RenderReportOptions {
  /** Title of the page. @default the host of the site */
  readonly title?: string | undefined;
  /** A logo above the title: the bytes of a PNG, JPEG or SVG image, at most 32 KB. @default no logo */
  readonly logo?: Uint8Array | undefined;
  /** The numbers of an earlier report. The page shows the differences. @default no comparison */
  readonly before?: SiteReport | undefined;
}

/**
 * Renders a report as a complete HTML file of at most 250 KB. It loads nothing and contains no script, and its
 * Content-Security-Policy forbids both. Text of the site is escaped.
 *
 * @param report the numbers, from `siteReport`
 * @throws {TypeError} if the logo is not a PNG, JPEG or SVG image, or has more than 32 KB
 * @example
 * await writeFile("report.html", renderReport(numbers));
 */
export function renderReport(report: SiteReport, options: RenderReportOptions = {}): string {
  let page = "";
  for (const detail of DETAILS) {
    page = renderPage(report, options, detail);
    if (Buffer.byteLength(page) <= MAX_BYTES) break;
  }
  return page;
}

function renderPage(report: SiteReport, options: RenderReportOptions, detail: number): string {
  const { title, before, logo } = options;
  const { made } = report;
  const style = pageStyle();
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'${logo === undefined ? "" : "; img-src data:"}`;
  const name = title ?? (URL.canParse(made.site) ? new URL(made.site).host : made.site);
  const heading = logLine(name, { maxLength: 200 }) || "Site report";
  const parts = [
    summaryTiles(report, before),
    notes(report),
    before !== undefined && comparison(report, before),
    syncChanges(report),
    sectionMap(report, detail),
    monthChart(report, detail),
    pair(calendar(report, detail), languageMatrix(report, detail)),
    findings(report, detail),
    checkedPages(report, detail),
    sitemapTree(report, detail),
    origin(report),
  ];
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="robots" content="noindex"><meta name="generator" content="siteatlas"><title>${heading}: sitemap report</title><style>${new Html(style)}</style></head>
<body><header>${logo && html`<img class="logo" src="${logoUrl(logo)}" alt="">`}<h1>${foreign(heading)}</h1><p class="sub">${subtitle(report)}</p><p class="headline">${headline(report, isolated).join(" ")}</p></header>
<main>${parts}</main>
<footer>Made with siteatlas. The file contains no script and loads nothing.</footer></body></html>
`;
  return page.text;
}

/** A name whose direction does not change the text around it (Unicode isolate). The template escapes markup. */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}

function pair(left: Html | undefined, right: Html | undefined): Html | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return html`<div class="pair">${left}${right}</div>`;
}

function subtitle({ made, sitemaps }: SiteReport): Html {
  const facts = [
    made.requests === undefined ? "" : `${number(made.requests)} requests`,
    sitemaps.bytes > 0 ? bytes(sitemaps.bytes) : "",
    made.ms === undefined ? "" : duration(made.ms),
  ].filter((fact) => fact !== "");
  const href = made.site.length > MAX_LINK_LENGTH ? "" : htmlHref(made.site);
  const shown = readableUrl(made.site, "", 120);
  const site =
    href === ""
      ? foreign(shown)
      : html`<a href="${new Html(href)}" rel="noopener noreferrer nofollow"><bdi>${shown}</bdi></a>`;
  return html`Sitemap report of ${site}, ${timeText(made.at)}${facts.map((fact) => ` · ${fact}`)}`;
}

/** What is missing. This is above the charts, so that readers know it before they see numbers. */
function notes(report: SiteReport): Html | undefined {
  const texts = caveats(report);
  if (texts.length === 0) return undefined;
  return html`<section class="card caveat" aria-labelledby="caveat-h"><h2 id="caveat-h">What these numbers do not contain</h2><ul>${texts.map((text) => html`<li>${text}</li>`)}</ul></section>`;
}

const READ = {
  walk: "robots.txt, sitemaps and feeds of the site. The pages themselves were not requested.",
  files: "files, without the network.",
  snapshot: "a snapshot that siteatlas sync wrote, without the network.",
} as const;

function origin({ made, sitemaps, pages }: SiteReport): Html {
  const rows: (readonly [string, string | Html])[] = [
    ["Read", READ[made.from]],
    ["State of", timeText(made.at)],
    ...(made.command === undefined
      ? []
      : [["Command", html`<code><bdi>${logLine(made.command, { maxLength: 300 })}</bdi></code>`] as const]),
    ...(made.requests === undefined ? [] : [["Requests", number(made.requests)] as const]),
    ...(sitemaps.bytes === 0
      ? []
      : [["Received", `${bytes(sitemaps.bytes)}, before decompression`] as const]),
    ...(made.ms === undefined ? [] : [["Duration", duration(made.ms)] as const]),
    ["Limits reached", made.stops.length === 0 ? "none" : made.stops.join(", ")],
    [
      "Duplicates",
      `${number(pages.total - pages.unique)} entries list a URL that another sitemap also lists${pages.isUniqueExact ? "" : " (at most)"}. ${number(pages.repeatedInSitemap)} entries repeat a URL of the same sitemap and are not counted as pages.`,
    ],
    [
      "Dates",
      "Days and months are in UTC. All dates are those that the site declares (lastmod). siteatlas did not check them.",
    ],
    ...(made.siteatlas === undefined ? [] : [["siteatlas", made.siteatlas] as const]),
  ];
  return card(
    "made",
    "How this report was made",
    "",
    html`<dl class="made">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`,
  );
}
