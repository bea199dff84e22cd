/**
 * Parses the common dates of sitemaps from bytes, without a string, a regex or a Date. These are the six levels of W3C
 * Datetime (https://www.w3.org/TR/NOTE-datetime). There may be any number of fraction digits, and `t` and `z` in either
 * case (RFC 3339, D20). This is a shortcut: date-formats.ts gives the same results, but slower.
 *
 * Dates with an issue, and rare valid dates (24:00:00, a leap second), are left to date-formats.ts. NaN means "not a
 * common date", not "invalid".
 */

import {
  DAY_MS,
  isZeroTimestamp,
  LAST_PLACEHOLDER_YEAR,
  lastPresent,
  MINUTE_MS,
} from "../../model/calendar.ts";
import { type DateReading, dateValue } from "../../model/date-value.ts";
import type { DatePrecision, DateValue } from "../../model/model.ts";
import type { TextSlice } from "./text-slice.ts";

const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const PLUS = 0x2b;
const ZERO = 0x30;
const LOWER_T = 0x74;
const LOWER_Z = 0x7a;
const TO_LOWER = 0x20;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function dayExists(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  if (month === 2) return day <= (isLeapYear(year) ? 29 : 28);
  // Odd months up to July have 31 days, and so do even months from August.
  return day <= 30 + ((month + (month >> 3)) & 1);
}

/**
 * Counts the days since 1970. In this calculation, years begin in March, so that the leap day is the last day of a
 * year. Five months together have 153 days. `| 0` truncates, and shows the engine that this is integer arithmetic.
 */
function countDays(year: number, month: number, day: number): number {
  const isNext = month > 2;
  const past = isNext ? year : year - 1;
  const monthsPast = isNext ? month - 3 : month + 9;
  const leapDays = ((past / 4) | 0) - ((past / 100) | 0) + ((past / 400) | 0);
  // 719,469 is the sum of the other terms for 1970-01-01.
  return (past * 365 + leapDays + (((153 * monthsPast + 2) / 5) | 0) + day - 719_469) | 0;
}

// Dates up to this time are not in the future. The clock is read again only for a later date, because reading it takes
// as long as parsing a date.
let knownPresent = 0;

function isFuture(epochMs: number): boolean {
  if (epochMs <= knownPresent) return false;
  knownPresent = lastPresent(Date.now());
  return epochMs > knownPresent;
}

/**
 * Parses a common date from `bytes[start]` to before `bytes[end]`. The text must be trimmed.
 *
 * Returns milliseconds since 1970. Returns NaN for a date in another format, and for a date that may have an issue
 * (future, near the zero timestamp, years 0 and 1). Use `readDate` for such dates. `canonicalPrecision` returns the
 * precision.
 *
 * Before you change this: it runs for the 50,000 dates of a sitemap. All values stay integers until the end.
 * `twoDigits` returns -1 if a character is not a digit, so that one comparison of combined bits checks all values. A
 * check per digit takes twice as long.
 */
export function parseCanonicalBytes(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length < 4 || end > bytes.length) return NaN;
  const century = twoDigits(bytes, start);
  const yearOfCentury = twoDigits(bytes, start + 2);
  let month = 1;
  let day = 1;
  if (length !== 4) {
    if (length < 7 || bytes[start + 4] !== DASH) return NaN;
    month = twoDigits(bytes, start + 5);
    if (length !== 7) {
      if (length < 10 || bytes[start + 7] !== DASH) return NaN;
      day = twoDigits(bytes, start + 8);
    }
  }
  if ((century | yearOfCentury | month | day) < 0) return NaN;
  const year = century * 100 + yearOfCentury;
  if (year <= LAST_PLACEHOLDER_YEAR || !dayExists(year, month, day)) return NaN;
  let epochMs = countDays(year, month, day) * DAY_MS;
  if (length > 10) {
    const timeMs = canonicalTime(bytes, start + 10, end);
    if (timeMs === NOT_PLAIN) return NaN;
    epochMs += timeMs;
  }
  return isZeroTimestamp(epochMs) || isFuture(epochMs) ? NaN : epochMs;
}

/** The precision of a common date, from the length of its text. */
export function canonicalPrecision(length: number): DatePrecision {
  if (length > 10) return "time";
  if (length === 10) return "day";
  return length === 7 ? "month" : "year";
}

/** Reads the date in a trimmed text. Undefined if it is not in a common format. */
export function readPlainDate(text: TextSlice): DateValue | undefined {
  const { bytes, start, end } = text;
  const epochMs = parseCanonicalBytes(bytes, start, end);
  if (Number.isNaN(epochMs)) return undefined;
  return dateValue(text.toString(), epochMs, canonicalPrecision(end - start));
}

const encoder = new TextEncoder();
// Parsing is synchronous, so all calls can share one buffer.
const scratch: Uint8Array = new Uint8Array(40);

/** Like `parseCanonicalBytes`, for a string. Returns NaN if the string is longer than the buffer. */
export function parseCanonical(text: string): number {
  const { read, written } = encoder.encodeInto(text, scratch);
  return read === text.length ? parseCanonicalBytes(scratch, 0, written) : NaN;
}

export function readCanonical(text: string): DateReading | undefined {
  const epochMs = parseCanonical(text);
  if (Number.isNaN(epochMs)) return undefined;
  return { epochMs, precision: canonicalPrecision(text.length), zoneAssumed: false, codes: [] };
}

/** The result for a text that is not a common time or offset. No time or offset has this value. */
const NOT_PLAIN = 0x7fff_ffff;

/** Parses a time such as `T03:04:05.123+01:00`. Returns milliseconds after midnight UTC, or `NOT_PLAIN`. */
function canonicalTime(bytes: Uint8Array, start: number, end: number): number {
  // The shortest common time is `T03:04Z`.
  if (end - start < 7 || (bytes[start]! | TO_LOWER) !== LOWER_T || bytes[start + 3] !== COLON)
    return NOT_PLAIN;
  const hour = twoDigits(bytes, start + 1);
  const minute = twoDigits(bytes, start + 4);
  let second = 0;
  let fractionMs = 0;
  let at = start + 6;
  if (bytes[at] === COLON) {
    if (end - at < 4) return NOT_PLAIN;
    second = twoDigits(bytes, at + 1);
    at += 3;
    if (bytes[at] === DOT) {
      const dot = at++;
      // Digits beyond the millisecond are dropped, not rounded, because a `Date` has only milliseconds (D08).
      for (let unit = 100; at < end && (bytes[at]! - ZERO) >>> 0 <= 9; at++, unit = (unit / 10) | 0) {
        fractionMs += (bytes[at]! - ZERO) * unit;
      }
      if (at === dot + 1) return NOT_PLAIN;
    }
  }
  if ((hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 59) return NOT_PLAIN;
  const offset = canonicalOffset(bytes, at, end);
  if (offset === NOT_PLAIN) return NOT_PLAIN;
  return (hour * 60 + minute - offset) * MINUTE_MS + second * 1000 + fractionMs;
}

/** Parses the offset of a time zone, `Z` or `+01:00`. Returns minutes, or `NOT_PLAIN`. */
function canonicalOffset(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length === 1) return (bytes[start]! | TO_LOWER) === LOWER_Z ? 0 : NOT_PLAIN;
  if (length !== 6 || bytes[start + 3] !== COLON) return NOT_PLAIN;
  const hours = twoDigits(bytes, start + 1);
  const minutes = twoDigits(bytes, start + 4);
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return NOT_PLAIN;
  const sign = bytes[start];
  if (sign === PLUS) return hours * 60 + minutes;
  return sign === DASH ? -(hours * 60 + minutes) : NOT_PLAIN;
}

/**
 * Parses two digits. Returns -1 for anything else. `>>> 0` makes negative values large, so that one comparison is
 * enough.
 */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO;
  const ones = bytes[at + 1]! - ZERO;
  return tens >>> 0 > 9 || ones >>> 0 > 9 ? -1 : tens * 10 + ones;
}
