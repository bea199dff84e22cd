/** Counts the sitemaps of a report, and keeps the most important ones for its list. */
import { isCountedSitemap } from "../walk/events/counted-sitemap.ts";
import { isGuess, type WalkedSitemap } from "../walk/events/events.ts";
import { isFailure } from "../walk/events/failed-sitemap.ts";
import type { ReportSitemap, ReportSitemaps } from "./report-model.ts";
import { sortedCounts } from "./sorted-counts.ts";

const MAX_LISTED = 200;
const MAX_URL_LENGTH = 2000;

export class SitemapCounts {
  #read = 0;
  #indexes = 0;
  #failed = 0;
  #partial = 0;
  #stopped = 0;
  #skipped = 0;
  #bytes = 0;
  #unlisted = 0;
  repeated = 0;
  readonly #formats: Map<string, number> = new Map();
  readonly #formatPages: Map<string, number> = new Map();
  readonly #sources: Map<string, number> = new Map();
  #list: ReportSitemap[] = [];

  add(sitemap: WalkedSitemap): void {
    const { outcome, source, format, kind, pageCount, duplicateCount, http } = sitemap;
    this.#bytes += http?.bytes ?? 0;
    if (isFailure(sitemap)) this.#failed++;
    if (outcome === "stopped" && !isGuess(source)) this.#stopped++;
    if (outcome === "skipped") this.#skipped++;
    if (isListed(sitemap)) this.#addToList(rowOf(sitemap));
    if (!isCountedSitemap(sitemap) || format === undefined) return;
    this.#read++;
    this.repeated += duplicateCount;
    if (sitemap.partial) this.#partial++;
    if (kind === "index") this.#indexes++;
    const name = kind === "index" ? "index" : format;
    increase(this.#formats, name, 1);
    increase(this.#formatPages, name, pageCount);
    increase(this.#sources, source, 1);
  }

  numbers(): ReportSitemaps {
    return {
      read: this.#read,
      indexes: this.#indexes,
      failed: this.#failed,
      partial: this.#partial,
      stopped: this.#stopped,
      skipped: this.#skipped,
      bytes: this.#bytes,
      formats: sortedCounts(this.#formats),
      formatPages: sortedCounts(this.#formatPages),
      sources: sortedCounts(this.#sources),
      list: this.#list.sort(byImportance).slice(0, MAX_LISTED),
      unlisted: this.#unlisted + Math.max(0, this.#list.length - MAX_LISTED),
    };
  }

  #addToList(row: ReportSitemap): void {
    this.#list.push(row);
    if (this.#list.length < 2 * MAX_LISTED) return;
    this.#list.sort(byImportance);
    this.#list.length = MAX_LISTED;
    this.#unlisted += MAX_LISTED;
  }
}

function increase(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

/** Whether the list shows it. Not listed: failed known locations, and further places of the same document. */
function isListed(sitemap: WalkedSitemap): boolean {
  const { outcome, source } = sitemap;
  if (outcome === "shared" || (isGuess(source) && outcome !== "found" && outcome !== "unchanged"))
    return false;
  return outcome !== "failed" || isFailure(sitemap) || source !== "robots";
}

function rowOf(sitemap: WalkedSitemap): ReportSitemap {
  const { url, parentUrl, source, outcome, kind, format, pageCount, childCount } = sitemap;
  const { lastModified, http, partial, code, cutBy } = sitemap;
  const why = code ?? cutBy;
  return {
    url: shortened(url),
    ...(parentUrl !== undefined && { parentUrl: shortened(parentUrl) }),
    source,
    outcome,
    ...(format !== undefined && { format: kind === "index" && format !== "robots" ? "index" : format }),
    pages: pageCount,
    children: childCount,
    ...(lastModified !== undefined && { lastModified: lastModified.text }),
    ...(http !== undefined && { status: http.status, bytes: http.bytes, ms: http.ms }),
    ...(partial && { partial }),
    ...(why !== undefined && { code: why }),
  };
}

export function shortened(url: string): string {
  return url.length > MAX_URL_LENGTH ? `${url.slice(0, MAX_URL_LENGTH - 1)}…` : url;
}

function rankOf({ outcome, partial, format }: ReportSitemap): number {
  if (format === "robots") return 0;
  if (outcome === "failed" || outcome === "stopped" || partial) return 1;
  if (outcome === "skipped") return 4;
  return format === "index" ? 2 : 3;
}

function byImportance(a: ReportSitemap, b: ReportSitemap): number {
  return rankOf(a) - rankOf(b) || b.pages - a.pages || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0);
}
