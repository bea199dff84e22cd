/**
 * Counts how often a sitemap's validators (ETag, Last-Modified) were right in earlier syncs, and how often the dates
 * were right that an index declares for its sitemaps. The counts are stored in the snapshot.
 */

/** How often the dates that an index declares were right. */
export interface DeclaredDateCounts {
  /** Number of times that neither the date nor the sitemap changed. */
  readonly held: number;
  /** How often the date and the sitemap changed. */
  readonly followed: number;
  /** Number of times that only the date changed. This causes a needless request, but no change is missed. */
  readonly restless: number;
  /** Number of times that only the sitemap changed: skipping it because of its date would miss this change. */
  readonly broken: number;
}

/** How often the ETag and Last-Modified of a sitemap were right. */
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

/** How reliable a sitemap was in earlier syncs. */
export interface SitemapEvidence {
  /** How often the dates that this index declares were right. */
  readonly declarations?: DeclaredDateCounts;
  /** How often the ETag and Last-Modified of the sitemap were right. */
  readonly validators?: ValidatorCounts;
  /**
   * Number of syncs in a row without the content of the sitemap, because the server or the index reported no change.
   */
  readonly unread: number;
  /** Whether the content changed but the declared date did not: the date is no longer trusted. */
  readonly isDateFrozen?: true;
  /** Number of syncs in a row in which the sitemap was not requested. */
  readonly unasked: number;
}

export const NO_DECLARATIONS: DeclaredDateCounts = { held: 0, followed: 0, restless: 0, broken: 0 };
export const NO_VALIDATORS: ValidatorCounts = { held: 0, restless: 0, broken: 0 };
export const NO_EVIDENCE: SitemapEvidence = { unread: 0, unasked: 0 };

/** An index is trusted after this many unchanged dates whose sitemaps were unchanged as well. */
const MIN_HELD = 10;
/** How many more correct dates an index needs for each wrong one before it is trusted. */
const HELD_PER_BROKEN = 100;

/**
 * Whether an unchanged date is enough to skip the request. At least one date must have changed together with its
 * sitemap, because dates that never change prove nothing.
 */
export function isTrustworthy({ held, followed, broken }: DeclaredDateCounts = NO_DECLARATIONS): boolean {
  return followed > 0 && held >= MIN_HELD + HELD_PER_BROKEN * broken;
}

/** Whether a changed date is a reason to doubt a 304 response. */
export function contradicts304({ followed, restless }: DeclaredDateCounts = NO_DECLARATIONS): boolean {
  return followed > restless;
}

/** Whether to send conditional requests: not if the validators missed a change, nor if they always change. */
export function areUseful({ held, restless, broken }: ValidatorCounts = NO_VALIDATORS): boolean {
  return broken === 0 && restless <= held + 2;
}

/** Returns a copy with one count incremented. */
export function count<T extends Readonly<Record<keyof T, number>>>(counts: T, name: keyof T): T {
  return { ...counts, [name]: counts[name] + 1 };
}
