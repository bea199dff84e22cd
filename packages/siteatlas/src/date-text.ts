/** A date as text, as precise as the document gave it: one spelling wherever dates are written or compared. */
import type { DatePrecision, DateValue } from "./model.ts";

/** What `2024-05-01T10:00:00.000Z` has behind the year, the month and the day. */
const ISO_REST: Readonly<Record<DatePrecision, number>> = { year: 20, month: 17, day: 14, time: 0 };

const DAY_MS = 86_400_000;
/** From 1970 on, up to 2079: what sitemaps are about. */
const USUAL_DAYS = 40_000;
/** `2024-05-01` by its days since 1970, once it was asked for. */
const dayTexts: Map<number, string> = new Map();
const TWO_DIGITS: readonly string[] = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/**
 * `2024`, `2024-05`, `2024-05-01` or `2024-05-01T10:00:00Z`: ISO 8601 in UTC, as precise as was given.
 *
 * @throws {RangeError} for an invalid date
 */
export function dateText(value: Date, precision: DatePrecision = "time"): string {
  const epochMs = value.getTime();
  // A page has one or two dates, and `toISOString` takes as long as reading the page.
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

/** The same for a date of a document; undefined when it names no instant. Most are written so already. */
export function spellDate(date: DateValue): string | undefined {
  const { text, precision } = date;
  if (precision === "day" && text.length === 10 && DAY.test(text)) return text;
  if (precision === "time" && text.length === 20 && INSTANT.test(text)) return text;
  return date.value === undefined ? undefined : dateText(date.value, precision);
}

const DAY = /^\d{4}-\d\d-\d\d$/;
/** Without 24:00:00 and leap seconds, which are other instants in other words. */
const INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
