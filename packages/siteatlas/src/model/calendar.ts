/**
 * Computes days of the calendar, and recognizes times that cannot be real dates. The results do not depend on the time
 * zone of the machine.
 */

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/**
 * A date counts as future if it is later than now by more than this. A local time that a site declares as UTC by
 * mistake can be 14 hours ahead.
 */
const FUTURE_MARGIN_MS: number = DAY_MS;

/** Maximum distance between the timestamp 0 and midnight of 1970-01-01 in any time zone: time zones reach UTC+14. */
const ZERO_MARGIN_MS: number = 14 * 60 * MINUTE_MS;

/** Dates up to this year mean "no date": MySQL, PHP and .NET write a missing date as year 0 or 1 (D42–D45). */
export const LAST_PLACEHOLDER_YEAR = 1;

/**
 * Number of days from 1970-01-01 to a day of the Gregorian calendar. NaN for a day that does not exist. `Date.UTC` is
 * not used, because it moves years below 100 into the twentieth century.
 */
export function dayNumber(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // For a day that does not exist, such as 30 February, `setUTCFullYear` returns a day of the next month.
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / DAY_MS : NaN;
}

/** Whether the date is probably the timestamp 0 in some time zone. Sites write it if they have no date (D46). */
export function isZeroTimestamp(epochMs: number): boolean {
  return Math.abs(epochMs) <= ZERO_MARGIN_MS;
}

/** The latest time that does not count as future: `nowMs` plus a tolerance for wrong time zones. */
export function lastPresent(nowMs: number): number {
  return nowMs + FUTURE_MARGIN_MS;
}
