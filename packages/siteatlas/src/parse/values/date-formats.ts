/**
 * All date formats of sitemaps and feeds: W3C Datetime with common mistakes, RFC 822, output of programming
 * languages, numeric dates in either order, timestamps. The cases are group D of fixtures/dates.json.
 *
 * Parsing has two steps: a form of `dayForms` finds the day, then the rest is parsed as time and zone. Nothing is
 * guessed: an ambiguous day, an unknown month name or an unknown zone name yields no instant, or only the day. Node
 * also knows month names in 20 other languages. Whether an instant is plausible (future, zero timestamp) is checked in
 * parse-date.ts.
 */

import { FAST, foreignMonth, isForeignWeekday } from "#shortcuts";
import { DAY_MS, dayNumber, LAST_PLACEHOLDER_YEAR, MINUTE_MS } from "../../model/calendar.ts";
import type { DateReading } from "../../model/date-value.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { DatePrecision } from "../../model/model.ts";

/** Sitemaps use W3C Datetime, feeds also use RFC 822. */
export type DateContext = "sitemap" | "feed";

/**
 * Maximum length of a date. The longest known date is a JavaScript date with the full name of its zone (D37). Stops
 * megabytes of digits or spaces in a date field, and keeps every regex below cheap.
 *
 * @internal exported for tests
 */
export const MAX_DATE_LENGTH = 100;

/**
 * The two formats for which `date.format` is not reported. The zone may be missing, because a missing zone has its own
 * issue code.
 */
const W3C_SHAPE =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d|[+-]0000)?)?)?)?$/i;
const RFC822_SHAPE =
  /^(?:[a-z]{3},\s*)?\d{1,2}\s+[a-z]{3}\s+(?:\d\d){1,2}\s+\d\d:\d\d(?::\d\d)?(?:\s+(?:utc?|gmt|z|[ecmp][sd]t|[+-]\d{4}))?$/i;

const ENGLISH_MONTH = /\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s/i;

/**
 * Matches two placeholders: the zero date of PHP, `-0001-11-30…` (D45), and zeros alone, which are a zero timestamp.
 */
const PLACEHOLDER_SHAPE = /^(?:-\d{4}-|0+$)/;

/** Matches seconds or milliseconds since 1970 (D38, D39). Twelve and fourteen digits are `YYYYMMDDhhmm[ss]`. */
const TIMESTAMP_SHAPE = /^(?:\d{9,10}|\d{13})$/;

/** Parses a date of any form. `text` must be trimmed. */
export function readDateForm(text: string, context: DateContext): DateReading {
  if (text.length > MAX_DATE_LENGTH) return noInstant("date.invalid");
  if (PLACEHOLDER_SHAPE.test(text)) return noInstant("date.placeholder");
  if (TIMESTAMP_SHAPE.test(text)) {
    return instant(Number(text) * (text.length === 13 ? 1 : 1000), "time", ["date.epoch"]);
  }
  const found = findDay(text);
  if (typeof found === "string") return noInstant(found);
  const { days, precision, rest, weekday } = found;
  if (Number.isNaN(days)) return noInstant("date.invalid");

  const codes: IssueCode[] = [];
  // RFC 822 allows only English names of months and weekdays.
  const isEnglish = !FAST || ENGLISH_MONTH.test(text);
  const isRfc822 = RFC822_SHAPE.test(text) && isEnglish && (weekday !== undefined || /^\d/.test(text));
  if (!W3C_SHAPE.test(text) && !(context === "feed" && isRfc822)) codes.push("date.format");
  const midnight = days * DAY_MS;
  const time = rest === "" || DAY_ZONE.test(rest) ? undefined : readTime(rest);
  if (time !== undefined && Number.isNaN(time.ms)) {
    // Lenient: with an impossible time, the day is kept (D50, D53, D59).
    return RUNS_ON.test(rest) ? noInstant("date.invalid") : instant(midnight, "day", ["date.invalid-time"]);
  }
  if (time?.zoneAssumed) codes.push("date.no-timezone");
  if (weekday !== undefined && weekday !== weekdayOf(days)) codes.push("date.weekday-mismatch");
  if (time === undefined) return instant(midnight, precision, codes);
  return instant(midnight + time.ms, "time", codes, time.zoneAssumed);
}

function instant(
  epochMs: number,
  precision: DatePrecision,
  codes: readonly IssueCode[],
  zoneAssumed = false,
): DateReading {
  return { epochMs, precision, zoneAssumed, codes };
}

function noInstant(code: IssueCode): DateReading {
  return instant(NaN, "day", [code]);
}

// The day

interface FoundDay {
  /** Days since 1970-01-01. NaN for a day that does not exist. */
  readonly days: number;
  readonly precision: DatePrecision;
  /** Text after the day: time and zone, or empty. */
  readonly rest: string;
  /**
   * The weekday in the text, 0 for Sunday. Undefined if the text has no weekday, or if the weekday is not in English.
   */
  readonly weekday?: number | undefined;
}

const YEAR = String.raw`(?<year>\d{4})`;
const MONTH = String.raw`(?<month>\d{1,2})`;
const DAY = String.raw`(?<day>\d{1,2})`;
const REST = String.raw`(?!\d)(?<rest>.*)`;
const WEEKDAY_NAME = String.raw`(?:(?<weekdayName>\p{L}{2,12})(?:(?<mark>\.?,|\.)\s*|\s+|(?=\d)))?`;
const MONTH_NAME = String.raw`(?:de )?(?<monthName>\p{L}[\p{L}\p{M}]{2,13})\.?`;
const NTH = String.raw`(?:st|nd|rd|th|er|º|\.)?`;

/** The named groups of a match. Each form has only some of them. */
type DayParts = Readonly<Record<string, string | undefined>>;

/** The forms of a day. The first form that matches counts. */
const dayForms: readonly RegExp[] = [
  // 2024, 2024-01
  `${YEAR}(?:[-/.]${MONTH})?`,
  // 2024-01-02, 2024-1-2, 2024/01/02, 2024.01.02 (D21–D24)
  String.raw`${YEAR}([-/.])${MONTH}\2${DAY}${REST}`,
  // 20240102, 20240102T030405Z, 20240102030405 (D25, D26)
  String.raw`${YEAR}(?<month>\d\d)(?<day>\d\d)(?<rest>(?:\d{4}|\d{6})?(?!\d).*)`,
  // 2024-W01-2 (D40)
  String.raw`${YEAR}-?W(?<week>\d\d)-?(?<day>\d)${REST}`,
  // 2024-002 (D41)
  String.raw`${YEAR}-?(?<ordinal>\d{3})${REST}`,
  // 02/01/2024, 13/02/2024, 02.01.2024 (D27–D31)
  String.raw`(?<first>\d{1,2})(?<separator>[-/.])(?<second>\d{1,2})\2${YEAR}${REST}`,
  // 24-01-02 (D60), and 240102
  String.raw`\d{1,2}([-/.])\d{1,2}\1\d\d${REST}|\d{6}`,
  // 2024年1月2日, 2024년 1월 2일 (D64, D74)
  String.raw`${YEAR}\s*[年년]\s*${MONTH}\s*[月월]\s*${DAY}\s*[日일](?<rest>.*)`,
  // Tue, 02 Jan 2024 03:04:05 GMT; 2 January 2024; Tuesday, 02-Jan-24 03:04:05 GMT (D33–D35, D65–D70)
  String.raw`${WEEKDAY_NAME}${DAY}${NTH}[\s-]+${MONTH_NAME},?[\s-]+(?:de )?(?<year>\d{4}|\d\d)${REST}`,
  // Jan 2, 2024; Tue Jan 02 2024 03:04:05 GMT+0100 (CET) (D32, D37)
  String.raw`${WEEKDAY_NAME}${MONTH_NAME}\s*${DAY}${NTH},?\s+${YEAR}(?!:)${REST}`,
  // Tue Jan 02 03:04:05 UTC 2024 (D36)
  String.raw`${WEEKDAY_NAME}${MONTH_NAME}\s+${DAY}${NTH}(?<rest>\s+\d{1,2}:.*?)\s+${YEAR}`,
].map((form) => new RegExp(`^(?:${form})$`, "isu"));

/**
 * Finds the day, or returns the code of an issue. For a day that does not exist, such as 30 February, `days` is NaN.
 */
function findDay(text: string): FoundDay | IssueCode {
  const parts: DayParts | undefined = dayForms.find((form) => form.test(text))?.exec(text)?.groups;
  if (parts === undefined) return "date.invalid";
  const { year: written, month, weekdayName, mark, rest } = parts;
  if (written === undefined) return "date.ambiguous";
  const year = fullYear(written);
  if (year <= LAST_PLACEHOLDER_YEAR) return "date.placeholder";
  const days = daysOf(year, parts);
  if (typeof days === "string") return days;
  const weekday = weekdayName === undefined ? undefined : findName(WEEKDAYS, weekdayName);
  // Reject an unknown weekday name. Lenient: skip the name if a comma or a dot follows it, or if it is a weekday in
  // another language (D67).
  if (weekday === -1 && mark === undefined && !isForeignWeekday(weekdayName!)) return "date.invalid";
  return {
    days,
    // `rest` is undefined only if the text is a year or a month, without a day.
    precision: rest !== undefined ? "day" : month === undefined ? "year" : "month",
    rest: rest ?? "",
    weekday: weekday === -1 ? undefined : weekday,
  };
}

/** Returns the full year. A year of two digits is read as in RFC 5322 section 4.3. */
function fullYear(year: string): number {
  if (year.length > 2) return Number(year);
  return Number(year) + (Number(year) < 50 ? 2000 : 1900);
}

/** Days since 1970-01-01. NaN for a day that does not exist. */
function daysOf(year: number, parts: DayParts): number | IssueCode {
  const { month = 1, day = 1, week, ordinal, monthName, first, second, separator } = parts;
  if (week !== undefined) return weekDay(year, Number(week), Number(day));
  if (ordinal !== undefined) return ordinalDay(year, Number(ordinal));
  if (monthName !== undefined) return dayNumber(year, monthOf(monthName) + 1, Number(day));
  if (first !== undefined) return eitherOrder(year, Number(first), Number(second), separator);
  return dayNumber(year, Number(month), Number(day));
}

function ordinalDay(year: number, ordinal: number): number {
  const days = dayNumber(year, 1, 1) + ordinal - 1;
  return ordinal > 0 && days < dayNumber(year + 1, 1, 1) ? days : NaN;
}

/**
 * Returns the number of a day that is given by its ISO 8601 week and weekday (1 is Monday). Returns NaN if the year has
 * no such week: it has 52 or 53.
 */
function weekDay(year: number, week: number, weekday: number): number {
  const monday = firstMonday(year) + 7 * (week - 1);
  const exists = week > 0 && weekday > 0 && weekday < 8 && monday < firstMonday(year + 1);
  return exists ? monday + weekday - 1 : NaN;
}

/** Returns the Monday of week 1, which is the week with 4 January. */
function firstMonday(year: number): number {
  const fourth = dayNumber(year, 1, 4);
  return fourth - ((weekdayOf(fourth) + 6) % 7);
}

/**
 * With dots, the day is first (D31). With slashes or dashes, a date that can be read in two ways is rejected (D27–D30).
 */
function eitherOrder(
  year: number,
  first: number,
  second: number,
  separator: string | undefined,
): number | IssueCode {
  if (separator === "." || first > 12 || first === second) return dayNumber(year, second, first);
  if (second > 12) return dayNumber(year, first, second);
  return first < 1 || second < 1 ? "date.invalid" : "date.ambiguous";
}

const MONTHS = "january february march april may june july august september october november december";
const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday";

/**
 * Returns 0 for January, and -1 for an unknown name. If a name is English and also of another language, the English
 * meaning counts: `mar` is March.
 */
function monthOf(name: string): number {
  const month = findName(MONTHS, name);
  return FAST && month < 0 ? foreignMonth(name) : month;
}

/** Index of a full or short name (`Jan`, `Sept`, `Tues`) in a list of names, -1 if unknown. */
function findName(names: string, name: string): number {
  const written = name.toLowerCase();
  const short = written.replace(/s$/, "");
  const isShort = short.length === 3 || short.length === 4;
  return names.split(" ").findIndex((full) => full === written || (isShort && full.startsWith(short)));
}

/** Returns 0 for Sunday. 1970-01-01 was a Thursday. */
function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

// Time and zone

/**
 * Matches text after the digits of a day that is neither a time nor a zone. Such text shows that the digits are not a
 * day (`2024-01-02-03`, `20240102abc`).
 */
const RUNS_ON = /^(?!T)[\p{L}\p{N}_./-]/iu;

/** Matches a zone after a day without a time. XML Schema allows such a zone. The zone is ignored. */
const DAY_ZONE = /^(?:Z|[+-]\d\d:\d\d)$/i;

/** Matches `T03:04:05.123`, ` 3:04 pm` and `T030405`, also with a comma before the fraction (D58). */
const CLOCK =
  /^(?:T|,?\s+|,)?\s*(\d\d|\d(?=:))(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?(?![\d:])(?:\s*([ap])\.?m\b\.?)?(.*)$/is;

interface FoundTime {
  /** Milliseconds after midnight UTC. NaN for a time that does not exist. */
  readonly ms: number;
  readonly zoneAssumed: boolean;
}

function readTime(text: string): FoundTime {
  const [, hours, , minutes, seconds = 0, fraction = "", half = "", zone = ""] = CLOCK.exec(text) ?? [];
  const offset = readZone(zone.trim());
  const hour = hourOf(Number(hours), half.toLowerCase());
  const minute = Number(minutes);
  const second = Number(seconds);
  // Digits beyond the millisecond are dropped, not rounded, because a `Date` has only milliseconds (D08).
  const fractionMs = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const ms = (hour * 60 + minute - (offset ?? 0)) * MINUTE_MS + second * 1000;
  // ISO 8601: 24:00:00 is the end of the day (D51).
  const isEndOfDay = hour === 24 && minute + second + fractionMs === 0;
  // RFC 3339 section 5.7: a leap second is the last second of a UTC day, in any zone (D52).
  const isLeapSecond = second === 60 && ms % DAY_MS === 0;
  const exists = isEndOfDay || (hour < 24 && minute < 60 && (second < 60 || isLeapSecond));
  return { ms: exists ? ms + fractionMs : NaN, zoneAssumed: offset === undefined };
}

/** Returns the hour of a 24-hour clock. `half`: `a` or `p` if the hour is of a 12-hour clock. */
function hourOf(hour: number, half: string): number {
  if (half === "a") return hour > 12 ? NaN : hour % 12;
  return half === "p" && hour < 12 ? hour + 12 : hour;
}

/**
 * UTC offsets in hours: the zones of RFC 822 section 5.1, and other common names that have only one offset worldwide.
 */
const zoneHours: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ z: 0, ut: 0, utc: 0, gmt: 0 },
    ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
    ...{ wet: 0, west: 1, cet: 1, cest: 2, eet: 2, eest: 3, msk: 3, jst: 9, kst: 9 },
  }),
);

/** Matches `(CET)` and `[Europe/Paris]`, which repeat the offset before them (D37, D56). */
const ZONE_COMMENT = /\s*(?:\([^()]*\)|\[[^[\]]*\])$/;
/**
 * Matches `+01:00`, `+0100`, `+01` and `GMT+0100`, also with U+2212 as the minus sign (D54), or with a `Z` at the end
 * (D57).
 */
const OFFSET = /^(?:UTC|GMT|UT)?\s*([+\-\u2212])(\d{1,2})(?::?(\d\d))?(Z)?$/i;

/**
 * Parses a zone. Returns minutes east of Greenwich, undefined if the text is empty, NaN if the zone is unknown or
 * impossible.
 */
function readZone(text: string): number | undefined {
  const zone = text.replace(ZONE_COMMENT, "");
  if (zone === "") return undefined;
  const match = OFFSET.exec(zone);
  if (match === null) return (zoneHours.get(zone.toLowerCase()) ?? NaN) * 60;
  const hours = Number(match[2]);
  const minutes = Number(match[3] ?? 0);
  const offset = hours * 60 + minutes;
  if (hours > 23 || minutes > 59 || (match[4] !== undefined && offset !== 0)) return NaN;
  return match[1] === "+" ? offset : -offset;
}
