/** Creates the line about the changes of a sync, and the warning about a mass removal. */

import type { SyncSummary } from "../../sync/sync-summary.ts";
import { failureWords } from "../messages/failure-texts.ts";
import type { Reporter } from "../messages/reporter.ts";
import { sentences } from "../messages/summary.ts";
import { count, number } from "../terminal/format-text.ts";
import type { ChangeSummary } from "./change-record.ts";
import type { ChangeSamples } from "./change-samples.ts";

/**
 * `12 added, 3 changed. 80,356 pages in 23 sitemaps. 1 sitemap could not be read completely (503): its 40 pages
 * are kept as they were.`
 *
 * @param where text after the number of pages, such as ` in 23 sitemaps`
 */
export function changesLine(
  summary: ChangeSummary,
  reasons: ReadonlyMap<string, number>,
  where = "",
  ...more: readonly string[]
): string {
  const { pageCount, pending, unknownSitemaps, unknownPages } = summary;
  const names = ["added", "changed", "removed", "relisted"] as const;
  const counts = names
    .filter((name) => summary[name] > 0)
    .map((name) => `${number(summary[name])} ${name === "relisted" ? "moved to another sitemap" : name}`);
  return sentences(
    counts.length === 0 ? "No changes" : counts.join(", "),
    `${count(pageCount, "page")}${where}`,
    pending === 0 ? "" : pendingText(pending),
    unknownSitemaps === 0
      ? ""
      : unreadText(count(unknownSitemaps, "sitemap"), unknownSitemaps, unknownPages, reasons),
    ...more,
  );
}

/**
 * The line of a first sync, which reports every page as added: `96 pages in 49 sitemaps saved to
 * example.com.snapshot.gz. Run sync again to see what changed.`
 *
 * @param where text after the number of pages, such as ` in 49 sitemaps saved to example.com.snapshot.gz`
 */
export function savedLine(
  { pageCount, added, unknownSitemaps }: ChangeSummary,
  reasons: ReadonlyMap<string, number>,
  where: string,
  ...more: readonly string[]
): string {
  const unread =
    unknownSitemaps === 0 ? "" : unreadText(count(unknownSitemaps, "sitemap"), unknownSitemaps, 0, reasons);
  // A page that several sitemaps list is added once.
  const repeated = Math.max(0, pageCount - added);
  return sentences(
    `${count(pageCount, "page")}${where}`,
    repeated === 0
      ? ""
      : `${number(repeated)} of them ${repeated === 1 ? "repeats a page" : "repeat pages"} of another sitemap`,
    unread,
    ...more,
    "Run sync again to see what changed",
  );
}

/** `3 pages disappeared, but their removal is not certain yet` */
function pendingText(pages: number): string {
  const whose = pages === 1 ? "its" : "their";
  return `${count(pages, "page")} disappeared, but ${whose} removal is not certain yet`;
}

/** `2 sitemaps could not be read completely (503): their 2,617 pages are kept as they were` */
export function unreadText(
  what: string,
  sitemaps: number,
  pages: number,
  reasons: ReadonlyMap<string, number> = new Map(),
): string {
  const why = reasons.size === 0 ? "" : ` (${failureWords(reasons)})`;
  const whose = sitemaps === 1 ? "its" : "their";
  const kept = pages === 1 ? "page is kept as it was" : `${number(pages)} pages are kept as they were`;
  return `${what} could not be read completely${why}${pages === 0 ? "" : `: ${whose} ${kept}`}`;
}

/**
 * `2 sitemaps failed (404)`: listed sitemaps that do not exist.
 *
 * @param failed number of failed sitemaps by reason
 * @param reasons number of failed sitemaps that existed in an earlier sync, by reason. They are subtracted, because
 *   another sentence reports them.
 */
export function missingText(
  failed: ReadonlyMap<string, number>,
  reasons: ReadonlyMap<string, number>,
): string {
  const missing = new Map(
    ["404", "410"]
      .map((word) => [word, (failed.get(word) ?? 0) - (reasons.get(word) ?? 0)] as const)
      .filter(([, times]) => times > 0),
  );
  const sum = [...missing.values()].reduce((total, times) => total + times, 0);
  return sum === 0 ? "" : `${count(sum, "sitemap")} failed (${failureWords(missing)})`;
}

export function sayMassRemoval(
  reporter: Reporter,
  { isMassRemoval }: SyncSummary,
  { counts }: ChangeSamples,
  before: number,
): void {
  if (!isMassRemoval) return;
  const share = before === 0 ? "" : ` (${Math.round((100 * counts.pending) / before)}%)`;
  reporter.warn(
    `${number(counts.pending)} of ${count(before, "page")}${share} disappeared at once`,
    "If they stay away for a day and three syncs, they are reported as removed. Change the threshold with --mass-removal.",
    true,
  );
}
