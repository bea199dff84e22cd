/**
 * Decides which removals are certain. A page that no sitemap lists any more is not always gone: a sitemap may be empty,
 * or missing from its index, because of a fault of the site. The removal of such a page is pending. It is reported when
 * time has confirmed it, or never if a sitemap lists the page again.
 */
import type { IssueCode } from "../../model/issue-severity.ts";
import {
  GRACE_MS,
  GRACE_SYNCS,
  isThere,
  type PendingFacts,
  type PendingReason,
  type Sections,
  type SnapshotSitemap,
  UNREAD_MS,
} from "../snapshot/snapshot-format.ts";

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

/** The pages that disappeared. */
export interface Losses {
  /** Number of pages that disappeared in this sync. A page that two sitemaps listed counts twice. */
  readonly total: number;
  /** URLs of the sitemaps that listed these pages. */
  readonly sitemaps: ReadonlySet<string>;
  /**
   * Number of pages that each sitemap no longer lists, by its URL. Pages that moved to another sitemap or another scheme
   * do not count, but pages that other sitemaps listed before do.
   */
  readonly unlisted: ReadonlyMap<string, number>;
  /** Pages whose removal was pending before, and that no sitemap lists. `times` includes this sync. */
  readonly pending: readonly PendingFacts[];
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
  /** Whether a sitemap may have lost pages because of a fault. Pages may have moved there. */
  readonly #hasFault: boolean;

  constructor(before: Sections, after: Sections, losses: Losses, options: DoubtOptions) {
    this.#losses = losses;
    this.#options = options;
    this.#before = new Map(before.sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    this.#after = new Map(after.sitemaps.filter(isThere).map((sitemap) => [sitemap.url, sitemap]));
    const { total } = losses;
    this.#isMass = total >= MIN_MASS && total >= before.pageCount * options.massRemoval;
    this.#hasUnread = after.sitemaps.some((sitemap) => isUnread(sitemap, options.now));
    this.#hasFault =
      this.#isMass ||
      [...losses.sitemaps].some((url) => this.#reasonOf(url) !== undefined) ||
      losses.pending.some((facts) => isFault(facts.reason) && !this.#isOver(facts));
  }

  /** Returns why the removal of a page from these sitemaps is not certain. Undefined if it is certain. */
  reasonFor(sitemaps: readonly string[]): PendingReason | undefined {
    if (this.#isMass) return "many";
    for (const url of sitemaps) {
      const reason = this.#reasonOf(url);
      if (reason !== undefined) return reason;
    }
    return this.#hasUnread || this.#hasFault ? "unread" : undefined;
  }

  /**
   * Whether the removal of pages that were pending before is certain now. `times` includes this sync.
   *
   * @param isAlive whether the server still has the page
   */
  isSettled(facts: PendingFacts, isAlive: boolean): boolean {
    // All sitemaps were read and are complete, and none lists the page.
    const isAllRead = !this.#hasUnread && !this.#hasFault;
    return (facts.reason === "unread" && isAllRead && !isAlive) || this.#isOver(facts);
  }

  /** Whether the time of grace is over. */
  #isOver({ since, times }: PendingFacts): boolean {
    const age = this.#options.now - Date.parse(since);
    if (this.#hasUnread && age < UNREAD_MS) return false;
    return age >= GRACE_MS && times >= GRACE_SYNCS;
  }

  #reasonOf(url: string): PendingReason | undefined {
    const after = this.#after.get(url);
    if (after === undefined) return this.#options.gone.has(url) ? undefined : "unlisted";
    const lost = this.#losses.unlisted.get(url) ?? 0;
    if (lost <= 0 || 2 * lost < (this.#before.get(url)?.pageCount ?? 0)) return undefined;
    return after.pageCount === 0 ? "emptied" : "shrunk";
  }
}

/** Whether the sitemap could not be read and may list any page. False after seven days: it may never recover. */
export function isUnread(sitemap: SnapshotSitemap, now: number): boolean {
  const { unknown } = sitemap;
  if (unknown === undefined || SKIPPED.has(unknown.code)) return false;
  const age = now - Date.parse(unknown.since);
  if (isThere(sitemap)) return age < UNREAD_MS;
  // A new sitemap that is missing may be late: pages may have moved there.
  return age < GRACE_MS || unknown.absences < GRACE_SYNCS;
}

/** Whether a sitemap may have lost pages because of a fault of the site. */
function isFault(reason: PendingReason): boolean {
  return reason !== "unread" && reason !== "alive";
}
