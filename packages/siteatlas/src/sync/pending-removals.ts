/**
 * Decides which removals are certain. A page that no sitemap lists any more is not always gone: a sitemap may be empty,
 * or missing from its index, because of a fault of the site. The removal of such a page is pending. It is reported when
 * time has confirmed it, or never if a sitemap lists the page again.
 */
import type { IssueCode } from "../model/issue-severity.ts";
import {
  GRACE_MS,
  GRACE_SYNCS,
  isThere,
  type PendingFacts,
  type PendingReason,
  type Sections,
  type SnapshotSitemap,
  UNREAD_MS,
} from "./snapshot/snapshot-format.ts";

/** If at least this share of a site's pages disappears in one sync, all these removals are pending. */
export const MASS_REMOVAL = 0.2;

/** Fewer removed pages are never a mass removal. */
const MIN_MASS = 10;

/** Sitemaps that were skipped for these reasons do not delay removals. */
const SKIPPED: ReadonlySet<IssueCode> = new Set([
  "filtered",
  "robots.disallowed",
  "url.cross-host",
  "http.downgrade",
]);

/** The pages that disappeared in this sync. A page that two sitemaps listed counts twice. */
export interface Losses {
  readonly total: number;
  /** Number of pages by the URL of the sitemap that listed them. */
  readonly bySitemap: ReadonlyMap<string, number>;
}

export interface DoubtOptions {
  readonly massRemoval: number;
  /** Time of this sync in milliseconds. */
  readonly now: number;
  /** URLs of sitemaps that are gone, after three syncs and a day of absence. */
  readonly gone: ReadonlySet<string>;
}

export class RemovalDoubts {
  readonly #losses: Losses;
  readonly #options: DoubtOptions;
  readonly #before: ReadonlyMap<string, SnapshotSitemap>;
  readonly #after: ReadonlyMap<string, SnapshotSitemap>;
  readonly #isMass: boolean;
  readonly #hasUnread: boolean;

  constructor(before: Sections, after: Sections, losses: Losses, options: DoubtOptions) {
    this.#losses = losses;
    this.#options = options;
    this.#before = new Map(before.sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    this.#after = new Map(after.sitemaps.filter(isThere).map((sitemap) => [sitemap.url, sitemap]));
    const { total } = losses;
    this.#isMass = total >= MIN_MASS && total >= before.pageCount * options.massRemoval;
    this.#hasUnread = after.sitemaps.some((sitemap) => this.#isUnread(sitemap));
  }

  /** Returns why the removal of a page from these sitemaps is not certain. Undefined if it is certain. */
  reasonFor(sitemaps: readonly string[]): PendingReason | undefined {
    if (this.#isMass) return "many";
    for (const url of sitemaps) {
      const reason = this.#reasonOf(url);
      if (reason !== undefined) return reason;
    }
    return this.#hasUnread ? "unread" : undefined;
  }

  /**
   * Whether the removal of pages that were pending before is certain now. `times` includes this sync.
   *
   * @param isAlive whether the server still has the page
   */
  isSettled({ reason, since, times }: PendingFacts, isAlive: boolean): boolean {
    const age = this.#options.now - Date.parse(since);
    if (this.#hasUnread && age < UNREAD_MS) return false;
    // All sitemaps were read, and none lists the page.
    if (reason === "unread" && !this.#hasUnread && !isAlive) return true;
    return age >= GRACE_MS && times >= GRACE_SYNCS;
  }

  #reasonOf(url: string): PendingReason | undefined {
    const after = this.#after.get(url);
    if (after === undefined) return this.#options.gone.has(url) ? undefined : "unlisted";
    const lost = this.#losses.bySitemap.get(url) ?? 0;
    if (2 * lost <= (this.#before.get(url)?.pageCount ?? 0)) return undefined;
    return after.pageCount === 0 ? "emptied" : "shrunk";
  }

  #isUnread(sitemap: SnapshotSitemap): boolean {
    const { unknown } = sitemap;
    if (unknown === undefined || !isThere(sitemap) || SKIPPED.has(unknown.code)) return false;
    return this.#options.now - Date.parse(unknown.since) < UNREAD_MS;
  }
}
