/** The sitemaps of a site as a tree, with sizes, times and status. */
import { readableUrl } from "../readable-text.ts";
import type { ReportSitemap, SiteReport } from "../report-model.ts";
import { bytes, count, duration, number } from "../report-text.ts";
import { barOf } from "./calendar.ts";
import { card, foreign, type Html, html, scrollable } from "./html.ts";

const MAX_ROWS = 60;
const MAX_LEVEL = 6;

interface Row {
  readonly sitemap: ReportSitemap;
  readonly level: number;
}

/** Rows in the order of a tree. Sitemaps whose parent is not in the list are at the top. */
function treeRows(list: readonly ReportSitemap[]): Row[] {
  const known = new Set(list.map(({ url }) => url));
  const children = new Map<string, ReportSitemap[]>();
  for (const sitemap of list) {
    const { parentUrl = "", url } = sitemap;
    const parent = known.has(parentUrl) && parentUrl !== url ? parentUrl : "";
    const siblings = children.get(parent) ?? [];
    children.set(parent, siblings);
    siblings.push(sitemap);
  }
  const rows: Row[] = [];
  const seen = new Set<ReportSitemap>();
  const add = (parent: string, level: number): void => {
    for (const sitemap of children.get(parent) ?? []) {
      if (seen.has(sitemap)) continue;
      seen.add(sitemap);
      rows.push({ sitemap, level });
      add(sitemap.url, level + 1);
    }
  };
  add("", 0);
  // Sitemaps that list each other have no top.
  for (const sitemap of list) if (!seen.has(sitemap)) rows.push({ sitemap, level: 0 });
  return rows;
}

export function sitemapTree(report: SiteReport, detail: number): Html | undefined {
  const { sitemaps, made } = report;
  const { list, unlisted } = sitemaps;
  if (list.length === 0) return undefined;
  const shown = list.slice(0, Math.ceil(MAX_ROWS * detail));
  const rows = treeRows(shown);
  const hidden = list.length - shown.length + unlisted;
  const most = Math.max(1, ...shown.map(({ pages }) => pages));
  const hasTransfer = !made.unknown.includes("transfer");
  const sources = Object.entries(sitemaps.sources)
    .map(([name, times]) => `${number(times)} ${SOURCES[name] ?? name}`)
    .join(", ");
  const lead = [
    sources === "" ? "" : `Found: ${sources}.`,
    hidden > 0
      ? `${count(hidden, "sitemap")} more ${hidden === 1 ? "is" : "are"} not shown. Failures, indexes and large sitemaps come first.`
      : "",
  ];
  const line = ({ sitemap, level }: Row): Html => {
    const { url, format, pages, children, lastModified, ms, bytes: size } = sitemap;
    const indent = Math.min(level, MAX_LEVEL);
    const amount =
      format === "index" || format === "robots"
        ? html`<span class="soft">${count(children, "sitemap")}</span>`
        : number(pages);
    return html`<tr><th scope="row" class="l${indent}">${level > 0 && html`<span aria-hidden="true" class="soft">└ </span>`}${foreign(readableUrl(url, made.site, 64))}</th><td><span class="tag">${format ?? "unknown"}</span></td><td class="n">${amount}</td><td class="bar">${pages > 0 && barOf(pages / most, "c0")}</td><td class="d">${lastModified === undefined ? "–" : foreign(lastModified.slice(0, 10))}</td>${hasTransfer && html`<td class="n">${size === undefined ? "–" : bytes(size)}</td><td class="n">${ms === undefined ? "–" : duration(ms)}</td>`}<td>${status(sitemap)}</td></tr>`;
  };
  const transferHead =
    hasTransfer && html`<th scope="col" class="n">Size</th><th scope="col" class="n">Time</th>`;
  return card(
    "sitemaps",
    "Sitemaps",
    lead.filter((text) => text !== "").join(" "),
    scrollable(
      "Sitemaps",
      html`<table class="rows"><caption class="sr">Sitemaps</caption><thead><tr><th scope="col">Sitemap</th><th scope="col">Format</th><th scope="col" class="n">Pages</th><th scope="col"><span class="sr">Bar</span></th><th scope="col">lastmod</th>${transferHead}<th scope="col">Status</th></tr></thead><tbody>${rows.map(line)}</tbody></table>`,
    ),
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  given: "given by the user",
  robots: "robots.txt",
  known: "at known locations",
  homepage: "on the homepage",
  sitemap: "listed by robots.txt or an index",
  llms: "in llms.txt",
};

function status({ outcome, status: code, partial, code: reason }: ReportSitemap): Html {
  const because = reason === undefined ? "" : ` ${reason}`;
  if (partial) return html`<span class="warning">incomplete</span><span class="soft">${because}</span>`;
  if (outcome === "failed")
    return html`<span class="error">failed</span><span class="soft">${code !== undefined && code >= 300 ? ` ${code}` : because}</span>`;
  if (outcome === "found" || outcome === "unchanged")
    return html`<span class="good">${code ?? "read"}</span>`;
  return html`<span class="warning">${outcome === "stopped" ? "not read" : outcome}</span><span class="soft">${because}</span>`;
}
