/** What changed, in one line, and the warning that goes with too many removals. */
import type { ChangeSummary } from "../change-record.ts";
import { failureWords } from "./failures.ts";
import type { Talk } from "./talk.ts";
import { count, number } from "./words.ts";

/** `12 added, 3 changed, 1 removed; 80,356 pages in 23 sitemaps; 1 sitemap not read whole (503)` */
export function changesLine(
  summary: ChangeSummary,
  reasons: ReadonlyMap<string, number>,
  where = "",
): string {
  const { pageCount, unknownSitemaps } = summary;
  const why = reasons.size === 0 ? "" : ` (${failureWords(reasons)})`;
  const names = ["added", "changed", "removed", "relisted"] as const;
  const told = names.filter((name) => summary[name] > 0).map((name) => `${number(summary[name])} ${name}`);
  return [
    told.length === 0 ? "Nothing changed" : told.join(", "),
    `${count(pageCount, "page")}${where}`,
    ...(unknownSitemaps > 0 ? [`${count(unknownSitemaps, "sitemap")} not read whole${why}`] : []),
  ].join("; ");
}

/** `: none of their 2,617 pages is called removed`, of what could not be read whole */
export function keptText(sitemaps: number, pages: number): string {
  const whose = sitemaps === 1 ? "its" : "their";
  if (pages === 0) return "";
  return pages === 1
    ? `: ${whose} page is not called removed`
    : `: none of ${whose} ${number(pages)} pages is called removed`;
}

export function sayMassRemoval(talk: Talk, { isMassRemoval, removed }: ChangeSummary, before: number): void {
  if (!isMassRemoval) return;
  const share = before === 0 ? "" : ` (${Math.round((100 * removed) / before)}%)`;
  talk.warn(
    `${number(removed)} of ${count(before, "page")} went at once${share}: look at the site before you believe it`,
    "They are marked as suspect; --mass-removal says from which share on",
    true,
  );
}
