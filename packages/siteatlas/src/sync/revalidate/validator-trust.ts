/**
 * Counts how often a sitemap's validators (ETag, Last-Modified) changed exactly when its content changed. Counts the
 * same for the dates that an index declares for its sitemaps. The counts are stored in the snapshot.
 */
import { DAY_MS } from "../../model/calendar.ts";
import type { DatePrecision, DateValue } from "../../model/model.ts";
import { parseDate } from "../../parse/values/parse-date.ts";

/**
 * How often the dates that an index declares matched the changes of its sitemaps. Counts syncs, not sitemaps: a sync of
 * an index with 100 unchanged sitemaps counts once.
 */
export interface DeclaredDateCounts {
  /**
   * Number of syncs in which a date and its sitemap stayed the same, and no other date of the index was wrong
   * (`broken`).
   */
  readonly held: number;
  /** Number of syncs in which a date changed with its sitemap. */
  readonly followed: number;
  /**
   * Number of syncs in which a date changed but its sitemap did not. This causes a needless request, but no change is
   * missed.
   */
  readonly restless: number;
  /**
   * Number of syncs in which a sitemap changed but its date did not. A sync that skips the sitemap because of this date
   * misses the change.
   */
  readonly broken: number;
  /**
   * Time of the first sync that was counted, or of the last sync with a wrong date (`broken`), in ISO 8601. Absent in
   * old snapshots, which counted sitemaps instead of syncs. Their counts are not used.
   */
  readonly since?: string;
}

/** How a date and its sitemap changed or stayed the same in one sync. */
export type DeclaredDateOutcome = Exclude<keyof DeclaredDateCounts, "since">;

/** How often the validators (ETag, Last-Modified) of a sitemap matched the changes of its content. */
export interface ValidatorCounts {
  /** Number of times that neither the validators nor the content changed. */
  readonly held: number;
  /** Number of times that only the validators changed. */
  readonly restless: number;
  /**
   * Number of times that only the content changed, or that the server answered 304 although the content had changed.
   */
  readonly broken: number;
}

/** The validator that a conditional request depends on. Last-Modified counts only without an ETag. */
export type ValidatorKind = "etag" | "last-modified";

export function validatorKind({ etag }: { readonly etag?: string }): ValidatorKind {
  return etag === undefined ? "last-modified" : "etag";
}

/** How reliable a sitemap was in earlier syncs. */
export interface SitemapEvidence {
  /** How often the dates that this index declares matched the changes of its sitemaps. */
  readonly declarations?: DeclaredDateCounts;
  /** How often the validators (ETag, Last-Modified) of the sitemap matched the changes of its content. */
  readonly validators?: ValidatorCounts;
  /** Whether the content changed but the declared date did not: the date is no longer trusted. */
  readonly isDateFrozen?: true;
}

const NO_DECLARATIONS: DeclaredDateCounts = { held: 0, followed: 0, restless: 0, broken: 0 };
export const NO_VALIDATORS: ValidatorCounts = { held: 0, restless: 0, broken: 0 };
export const NO_EVIDENCE: SitemapEvidence = {};

/** An index is trusted after this many syncs with correct dates. */
const MIN_HELD = 10;
/** How many more syncs with correct dates an index needs for each sync with a wrong date. */
const HELD_PER_BROKEN = 30;
/** An index is not trusted before this time has passed, so that ten syncs in one hour are not enough. */
const TRUST_MS: number = 3 * DAY_MS;

/**
 * Whether a sitemap can be skipped if this index declares the same date for it as before. At least one date of the
 * index must have changed together with its sitemap, because dates that never change prove nothing.
 */
export function isTrustworthy(counts: DeclaredDateCounts | undefined, now: number): boolean {
  if (counts?.since === undefined) return false;
  const { held, followed, broken, since } = counts;
  const isEnough = followed > 0 && held >= MIN_HELD + HELD_PER_BROKEN * broken;
  return isEnough && now - Date.parse(since) >= TRUST_MS;
}

/** Adds one sync. `outcomes` has everything that happened to the dates of the index in this sync. */
export function countSync(
  counts: DeclaredDateCounts | undefined,
  outcomes: ReadonlySet<DeclaredDateOutcome>,
  at: string,
): DeclaredDateCounts {
  const { since, ...before } = counts?.since === undefined ? NO_DECLARATIONS : counts;
  let after = before;
  const isBroken = outcomes.has("broken");
  for (const outcome of outcomes) if (outcome !== "held" || !isBroken) after = count(after, outcome);
  return { ...after, since: isBroken ? at : (since ?? at) };
}

/**
 * In some time zone, a day starts up to 14 hours before the same day in UTC. In another one, it ends up to 12 hours
 * after it.
 */
const ZONES_MS = { before: 14 * 3_600_000, after: 12 * 3_600_000 } as const;
/** Length of a date as text, by precision. */
const LENGTHS: Readonly<Record<DatePrecision, number>> = { year: 4, month: 7, day: 10, time: 20 };

/**
 * Whether two dates of a snapshot may be the same, at the precision of the coarser one. Many generators use the newest
 * date of a sitemap's pages as the date of the sitemap. Such a date does not change when an older page is removed.
 */
export function mayBeSameDate(one: string, other: string): boolean {
  if (one === other) return true;
  const [coarse, fine] = [parseDate(one), parseDate(other)].sort((a, b) => lengthOf(a) - lengthOf(b));
  if (coarse?.value === undefined || fine?.value === undefined) return false;
  const distance = fine.value.getTime() - coarse.value.getTime();
  if (coarse.precision === "time") return Math.abs(distance) < 1000;
  if (coarse.precision === "day" && fine.precision === "time") {
    return distance >= -ZONES_MS.before && distance < DAY_MS + ZONES_MS.after;
  }
  const length = lengthOf(coarse);
  return fine.value.toISOString().slice(0, length) === coarse.value.toISOString().slice(0, length);
}

function lengthOf({ precision = "time" }: DateValue): number {
  return LENGTHS[precision];
}

/** Whether a new date that this index declares is a reason to doubt a 304 response. */
export function contradicts304({ followed, restless }: DeclaredDateCounts = NO_DECLARATIONS): boolean {
  return followed > restless;
}

/** Whether to send conditional requests. They are useless if the validators missed a change, or change without one. */
export function areUseful({ held, restless, broken }: ValidatorCounts = NO_VALIDATORS): boolean {
  return broken === 0 && restless <= held + 2;
}

/** Returns a copy with one count incremented. */
export function count<T extends Readonly<Record<keyof T, number>>>(counts: T, name: keyof T): T {
  return { ...counts, [name]: counts[name] + 1 };
}
