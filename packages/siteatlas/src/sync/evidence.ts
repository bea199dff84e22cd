/**
 * What experience says about a sitemap: whether its validators mean what they say, and, of an index, whether
 * the last-modified that it declares for its sitemaps does. Counted in every sync, kept in the snapshot.
 */

/** Of an index: how often what it declared held. */
export interface Declarations {
  /** The date stood still, and so did the sitemap. */
  readonly held: number;
  /** The date moved, and so did the sitemap. */
  readonly followed: number;
  /** The date moved alone. Costs a request, no page. */
  readonly restless: number;
  /** The date stood still, and the sitemap changed. */
  readonly broken: number;
}

/** Of a sitemap's own ETag and Last-Modified. */
export interface Validators {
  /** They stayed, or the server said "not modified", and the content was the same when it was looked at. */
  readonly held: number;
  /** They changed, and the content did not. */
  readonly restless: number;
  /** They stayed, or the server said "not modified", and the content had changed. */
  readonly broken: number;
}

export interface Evidence {
  readonly declarations?: Declarations;
  readonly validators?: Validators;
  /** Syncs in a row in which its content was not looked at: the server or the index said that it was the same. */
  readonly unread: number;
  /** It changed under a date that stood still: its date is no answer any more. */
  readonly isDateFrozen?: true;
  /** Syncs in a row in which it was not even asked for. */
  readonly unasked: number;
}

export const NO_DECLARATIONS: Declarations = { held: 0, followed: 0, restless: 0, broken: 0 };
export const NO_VALIDATORS: Validators = { held: 0, restless: 0, broken: 0 };
export const NO_EVIDENCE: Evidence = { unread: 0, unasked: 0 };

/** So often dates have to have stood still rightly. */
const ENOUGH = 10;
/** One that stood still wrongly has to be made up for by so many. */
const PRICE_OF_A_LIE = 100;

/**
 * Whether a date that stands still is as good as a request. It has to have moved with the content at least
 * once: dates that never move prove nothing.
 */
export function isTrustworthy({ held, followed, broken }: Declarations = NO_DECLARATIONS): boolean {
  return followed > 0 && held >= ENOUGH + PRICE_OF_A_LIE * broken;
}

/** Whether a date that moved makes "not modified" hard to believe. */
export function isTelling({ followed, restless }: Declarations = NO_DECLARATIONS): boolean {
  return followed > restless;
}

/** Whether asking with validators makes sense: not if they stayed over a change, nor if they never stay. */
export function areUseful({ held, restless, broken }: Validators = NO_VALIDATORS): boolean {
  return broken === 0 && restless <= held + 2;
}

/** One more of this. */
export function count<T extends Readonly<Record<keyof T, number>>>(counts: T, name: keyof T): T {
  return { ...counts, [name]: counts[name] + 1 };
}
