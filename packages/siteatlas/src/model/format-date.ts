/** Formats dates as ISO 8601. All dates that siteatlas writes or compares as text have this format. */
import type { DatePrecision, DateValue } from "./model.ts";

/** Number of characters to cut from the end of `2024-05-01T10:00:00.000Z`, for each precision. */
const ISO_REST: Readonly<Record<DatePrecision, number>> = { year: 20, month: 17, day: 14, time: 0 };

const DAY_MS = 86_400_000;
/** Number of days from 1970 to 2079. Nearly all dates in sitemaps are in this range. */
const USUAL_DAYS = 40_000;
/** A cache of texts such as `2024-05-01`, by the number of days since 1970. */
const dayTexts: Map<number, string> = new Map();
const TWO_DIGITS: readonly string[] = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/**
 * Formats a date as ISO 8601 in UTC. The precision selects the format: `2024`, `2024-05`, `2024-05-01` or
 * `2024-05-01T10:00:00Z`.
 *
 * @throws {RangeError} for an invalid date
 */
export function dateText(value: Date, precision: DatePrecision = "time"): string {
  const epochMs = value.getTime();
  // A shortcut, because `toISOString` takes as long as parsing a whole page.
  if (precision === "time" && epochMs >= 0 && epochMs < USUAL_DAYS * DAY_MS && epochMs % 1000 === 0) {
    const day = Math.floor(epochMs / DAY_MS);
    const second = (epochMs - day * DAY_MS) / 1000;
    const hour = Math.floor(second / 3600);
    const minute = Math.floor(second / 60) % 60;
    return `${dayText(day, value)}T${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second % 60]}Z`;
  }
  const iso = value.toISOString();
  if (precision === "time") return iso.endsWith(".000Z") ? `${iso.slice(0, -5)}Z` : iso;
  return iso.slice(0, iso.length - ISO_REST[precision]);
}

function dayText(day: number, value: Date): string {
  const known = dayTexts.get(day);
  if (known !== undefined) return known;
  const text = value.toISOString().slice(0, 10);
  dayTexts.set(day, text);
  return text;
}

/**
 * Formats a date of a document as ISO 8601. Most documents already write dates in this format. Returns undefined if the
 * text is not a date.
 */
export function spellDate(date: DateValue): string | undefined {
  const { text, precision } = date;
  if (precision === "day" && text.length === 10 && DAY.test(text)) return text;
  if (precision === "time" && text.length === 20 && INSTANT.test(text)) return text;
  return date.value === undefined ? undefined : dateText(date.value, precision);
}

const DAY = /^\d{4}-\d\d-\d\d$/;
/** Matches `2024-05-01T10:00:00Z`. Does not match 24:00:00 and leap seconds, which `dateText` writes differently. */
const INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
