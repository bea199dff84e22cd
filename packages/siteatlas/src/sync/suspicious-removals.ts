/**
 * Decides whether removed pages are reported as suspect: many removals at once look like a mistake of the site, and a
 * sitemap that could not be read may list the pages now.
 */
import type { IssueCode } from "../model/issue-severity.ts";
import type { Suspicion } from "./changes.ts";
import { isThere, type SnapshotSitemap } from "./snapshot/snapshot-format.ts";

/** If at least this share of a site's pages is removed, it is a mass removal. */
export const MASS_REMOVAL = 0.2;

/** Fewer removed pages are never a mass removal. */
const MIN_MASS = 10;

/** After this many syncs in a row, an unreadable sitemap no longer makes removals suspect: it may never recover. */
const MAX_DOUBTS = 7;

/** Sitemaps that were skipped for these reasons do not make removals suspect. */
const SKIPPED: ReadonlySet<IssueCode> = new Set([
  "filtered",
  "robots.disallowed",
  "url.cross-host",
  "http.downgrade",
]);

/** Both numbers count listings: a page that two sitemaps list counts twice. */
export function suspicionOf(
  removed: number,
  total: number,
  sitemaps: readonly SnapshotSitemap[],
  massRemoval: number,
): Suspicion | undefined {
  if (removed >= MIN_MASS && removed >= total * massRemoval) return "many";
  return sitemaps.some(castsDoubt) ? "unread" : undefined;
}

function castsDoubt(sitemap: SnapshotSitemap): boolean {
  const { unknown } = sitemap;
  if (unknown === undefined || !isThere(sitemap)) return false;
  return !SKIPPED.has(unknown.code) && unknown.times <= MAX_DOUBTS;
}
