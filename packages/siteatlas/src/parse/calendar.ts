/** Days of the calendar, and which instants no page can mean. Nothing depends on the machine's time zone. */

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/**
 * A date counts as future when it is more than a day ahead: a local time that is passed off as UTC can
 * be 14 hours ahead without anyone having meant tomorrow.
 */
const FUTURE_MARGIN_MS: number = DAY_MS;

/**
 * A zero timestamp, written in whatever zone, lies at most this far from 1970-01-01T00:00:00Z: zones
 * reach to UTC+14.
 */
const ZERO_MARGIN_MS: number = 14 * 60 * MINUTE_MS;

/** Years 0 and 1 are how MySQL, PHP and .NET write "no date" (D42–D45); no page is that old. */
export const LAST_PLACEHOLDER_YEAR = 1;

/**
 * Days from 1970-01-01 to a day of the Gregorian calendar; NaN for a day that does not exist. Not `Date.UTC`:
 * that one moves years below 100 into the twentieth century.
 */
export function dayNumber(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // 30 February has become a day of March.
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / DAY_MS : NaN;
}

/** True for what a zero timestamp looks like in some zone (D46). */
export function isZeroTimestamp(epochMs: number): boolean {
  return Math.abs(epochMs) <= ZERO_MARGIN_MS;
}

/** The last instant that is not in the future. */
export function lastPresent(nowMs: number): number {
  return nowMs + FUTURE_MARGIN_MS;
}
