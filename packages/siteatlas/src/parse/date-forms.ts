/**
 * Every way of writing a date that is met in sitemaps and feeds, beyond the plain ones of
 * date-canonical.ts: W3C Datetime with its slips, RFC 822, what programming languages print, numeric
 * dates of either order, timestamps. The cases are group D of fixtures/dates.json.
 *
 * Reading has two steps: a form of `dayForms` finds the day and leaves the rest, which is then read as
 * time and zone. What cannot be known is not guessed: a day with two readings, month names of other
 * languages and unknown zone names give no instant or only the day. Whether an instant is plausible
 * (future, zero timestamp) is decided in date.ts.
 */
import type { IssueCode } from "../issues.ts";
import type { DatePrecision } from "../model.ts";
import { DAY_MS, dayNumber, isLeapYear, LAST_PLACEHOLDER_YEAR, MINUTE_MS } from "./date-canonical.ts";

/** Sitemaps write W3C Datetime; in feeds RFC 822 is at home as well. */
export type DateContext = "sitemap" | "feed";

export interface DateReading {
  /** Milliseconds since 1970; NaN when the text names no instant. */
  readonly epochMs: number;
  readonly precision: DatePrecision;
  readonly zoneAssumed: boolean;
  readonly codes: readonly IssueCode[];
}

/**
 * Longer text is no date; the longest known form is a JavaScript date with the zone's name spelt out
 * (D37). Stops megabytes of digits or spaces in a date field, and keeps every regex below cheap.
 */
export const MAX_DATE_LENGTH = 100;

/** The two spellings that deserve no `date.format`, the zone left out (its own issue) or not. */
const W3C_SHAPE = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?$/i;
const RFC822_SHAPE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun),\s*)?\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s+(?:\d{4}|\d\d)\s+\d\d:\d\d(?::\d\d)?(?:\s+(?:ut|gmt|z|[ecmp][sd]t|[+-]\d{4}))?$/i;

/** `-0001-11-30…` is PHP's zero date (D45); a bare zero is a zero timestamp. */
const PLACEHOLDER_SHAPE = /^(?:-\d{4}-|0+$)/;

/** Seconds or milliseconds since 1970 (D38, D39). Twelve and fourteen digits are `YYYYMMDDhhmm[ss]`. */
const TIMESTAMP_SHAPE = /^(?:\d{9,10}|\d{13})$/;

/** Reads a trimmed text. */
export function readDateForm(text: string, context: DateContext): DateReading {
  if (text.length > MAX_DATE_LENGTH) return noInstant("date.invalid");
  if (PLACEHOLDER_SHAPE.test(text)) return noInstant("date.placeholder");
  if (TIMESTAMP_SHAPE.test(text)) {
    const epochMs = Number(text) * (text.length === 13 ? 1 : 1000);
    return { epochMs, precision: "time", zoneAssumed: false, codes: ["date.epoch"] };
  }
  const found = findDay(text);
  if (typeof found === "string") return noInstant(found);
  const days = dayNumber(found.year, found.month, found.day);
  if (Number.isNaN(days)) return noInstant("date.invalid");

  const codes: IssueCode[] = [];
  if (!W3C_SHAPE.test(text) && !(context === "feed" && RFC822_SHAPE.test(text))) codes.push("date.format");
  const midnight = days * DAY_MS;
  if (found.rest === "" || DAY_ZONE.test(found.rest)) {
    checkWeekday(found.weekday, days, codes);
    return { epochMs: midnight, precision: found.precision, zoneAssumed: false, codes };
  }
  const time = readTime(found.rest);
  const epochMs = time === undefined ? NaN : instantOf(midnight, time);
  if (time === undefined || Number.isNaN(epochMs)) {
    if (RUNS_ON.test(found.rest)) return noInstant("date.invalid");
    // Lenient: an impossible time of day does not cost the day (D50, D53, D59).
    return { epochMs: midnight, precision: "day", zoneAssumed: false, codes: ["date.invalid-time"] };
  }
  const zoneAssumed = time.offsetMinutes === undefined;
  if (zoneAssumed) codes.push("date.no-timezone");
  checkWeekday(found.weekday, days, codes);
  return { epochMs, precision: "time", zoneAssumed, codes };
}

function noInstant(code: IssueCode): DateReading {
  return { epochMs: NaN, precision: "day", zoneAssumed: false, codes: [code] };
}

// The day

interface FoundDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly precision: DatePrecision;
  /** What follows the day: time and zone, or nothing. */
  readonly rest: string;
  /** The weekday's number from Sunday = 0; undefined when none was written or it is not English. */
  readonly weekday?: number | undefined;
}

interface DayForm {
  readonly shape: RegExp;
  /** The day, which may not exist, or the reason why there is none. */
  readonly read: (match: RegExpExecArray) => FoundDay | IssueCode;
}

const WEEKDAY = String.raw`(?:(?<weekday>\p{L}{2,12})(?<mark>\.?,|\.)?\s*)?`;
const MONTH = String.raw`(?<month>[a-z]{3,9})\.?`;
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;

/** The first shape that fits decides. */
const dayForms: readonly DayForm[] = [
  // 2024, 2024-01
  {
    shape: /^(\d{4})(?:[-/.](\d{1,2}))?$/,
    read: ([, year, month]) => ({
      ...civil(year, month ?? "1", "1", ""),
      precision: month === undefined ? "year" : "month",
    }),
  },
  // 2024-01-02, 2024-1-2, 2024/01/02, 2024.01.02 (D21–D24)
  {
    shape: /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(.*)$/s,
    read: ([, year, , month, day, rest]) => civil(year, month, day, rest),
  },
  // 20240102, 20240102T030405Z, 20240102030405 (D25, D26)
  {
    shape: /^(\d{4})(\d\d)(\d\d)((?:\d{4}|\d{6})?(?!\d).*)$/s,
    read: ([, year, month, day, rest]) => civil(year, month, day, rest),
  },
  // 2024-W01-2 (D40)
  {
    shape: /^(\d{4})-?W(\d\d)-?(\d)(?!\d)(.*)$/is,
    read: ([, year, week, weekday, rest]) => weekDay(Number(year), Number(week), Number(weekday), rest),
  },
  // 2024-002 (D41)
  {
    shape: /^(\d{4})-?(\d{3})(?!\d)(.*)$/s,
    read: ([, year, ordinal, rest]) => ordinalDay(Number(year), Number(ordinal), rest),
  },
  // 02/01/2024, 13/02/2024, 02.01.2024 (D27–D31)
  {
    shape: /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)(.*)$/s,
    read: ([, first, separator, second, year, rest]) =>
      eitherOrder(Number(first), separator, Number(second), year, rest),
  },
  // 24-01-02 (D60), and 240102
  {
    shape: /^(?:\d{1,2}([-/.])\d{1,2}\1\d{2}(?!\d).*|\d{6})$/s,
    read: () => "date.ambiguous",
  },
  // 2024年1月2日 (D64)
  {
    shape: /^(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日(.*)$/s,
    read: ([, year, month, day, rest]) => civil(year, month, day, rest),
  },
  // Tue, 02 Jan 2024 03:04:05 GMT; 2 January 2024; Tuesday, 02-Jan-24 03:04:05 GMT (D33–D35, D65–D70)
  {
    shape: new RegExp(
      String.raw`^${WEEKDAY}${DAY}[\s-]+${MONTH},?[\s-]+(?<year>\d{4}|\d\d)(?!\d)(?<rest>.*)$`,
      "isu",
    ),
    read: namedDay,
  },
  // Jan 2, 2024; Tue Jan 02 2024 03:04:05 GMT+0100 (CET) (D32, D37)
  {
    shape: new RegExp(
      String.raw`^${WEEKDAY}${MONTH}\s*${DAY},?\s+(?<year>\d{4})(?![\d:])(?<rest>.*)$`,
      "isu",
    ),
    read: namedDay,
  },
  // Tue Jan 02 03:04:05 UTC 2024 (D36)
  {
    shape: new RegExp(
      String.raw`^${WEEKDAY}${MONTH}\s+${DAY}(?<rest>\s+\d{1,2}:.*?)\s+(?<year>\d{4})$`,
      "isu",
    ),
    read: namedDay,
  },
];

function findDay(text: string): FoundDay | IssueCode {
  for (const { shape, read } of dayForms) {
    const match = shape.exec(text);
    if (match === null) continue;
    const found = read(match);
    if (typeof found !== "string" && found.year <= LAST_PLACEHOLDER_YEAR) return "date.placeholder";
    return found;
  }
  return "date.invalid";
}

function civil(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  rest = "",
): FoundDay {
  return { year: Number(year), month: Number(month), day: Number(day), precision: "day", rest };
}

/** Day `ordinal` of the year: it lies in the last month that does not start after it. */
function ordinalDay(year: number, ordinal: number, rest = ""): FoundDay | IssueCode {
  if (year > LAST_PLACEHOLDER_YEAR && (ordinal < 1 || ordinal > (isLeapYear(year) ? 366 : 365))) {
    return "date.invalid";
  }
  let month = 12;
  while (month > 1 && ordinalOf(year, month) > ordinal) month--;
  return { year, month, day: ordinal - ordinalOf(year, month) + 1, precision: "day", rest };
}

/** The ordinal of a month's first day. */
function ordinalOf(year: number, month: number): number {
  return dayNumber(year, month, 1) - dayNumber(year, 1, 1) + 1;
}

/** ISO 8601: week 1 is the week, from Monday, that holds 4 January. */
function weekDay(year: number, week: number, weekday: number, rest = ""): FoundDay | IssueCode {
  if (weekday < 1 || weekday > 7 || week < 1) return "date.invalid";
  const ordinal = firstMonday(year) + (week - 1) * 7 + weekday - 1;
  const length = isLeapYear(year) ? 366 : 365;
  // Week 53 exists only where the next year's first week leaves room for it.
  if (week > 52 && firstMonday(year) + (week - 1) * 7 >= length + firstMonday(year + 1))
    return "date.invalid";
  if (ordinal < 1) return ordinalDay(year - 1, ordinal + (isLeapYear(year - 1) ? 366 : 365), rest);
  return ordinal > length ? ordinalDay(year + 1, ordinal - length, rest) : ordinalDay(year, ordinal, rest);
}

/** The ordinal of the Monday that starts week 1; from -2, which lies in the year before, to 4. */
function firstMonday(year: number): number {
  const fourth = weekdayOf(dayNumber(year, 1, 4));
  return 4 - ((fourth + 6) % 7);
}

/** Dots mean that the day comes first (D31); otherwise only one possible reading counts (D27–D30). */
function eitherOrder(
  first: number,
  separator: string | undefined,
  second: number,
  yearText: string | undefined,
  rest = "",
): FoundDay | IssueCode {
  const year = Number(yearText);
  const dayFirst: FoundDay = { year, month: second, day: first, precision: "day", rest };
  if (separator === "." || first > 12 || first === second || year <= LAST_PLACEHOLDER_YEAR) return dayFirst;
  if (second > 12) return { year, month: first, day: second, precision: "day", rest };
  return first < 1 || second < 1 ? "date.invalid" : "date.ambiguous";
}

const MONTH_NAMES = "january february march april may june july august september october november december";
const WEEKDAY_NAMES = "sunday monday tuesday wednesday thursday friday saturday";
const monthNumbers: ReadonlyMap<string, number> = nameNumbers(MONTH_NAMES, { sept: 8 });
const weekdayNumbers: ReadonlyMap<string, number> = nameNumbers(WEEKDAY_NAMES, {
  tues: 2,
  weds: 3,
  thur: 4,
  thurs: 4,
});

/** The names of a list and their first three letters, with their places. */
function nameNumbers(names: string, more: Readonly<Record<string, number>>): Map<string, number> {
  const numbers = new Map(Object.entries(more));
  for (const [number, name] of names.split(" ").entries()) {
    numbers.set(name, number).set(name.slice(0, 3), number);
  }
  return numbers;
}

function namedDay({ groups }: RegExpExecArray): FoundDay | IssueCode {
  const { weekday: weekdayName, mark, day, month: monthName, year, rest } = groups!;
  const month = monthNumbers.get(monthName!.toLowerCase());
  if (month === undefined) return "date.invalid";
  const weekday = weekdayName === undefined ? undefined : weekdayNumbers.get(weekdayName.toLowerCase());
  // Lenient: a weekday of another language is passed over if its comma shows that it is one (D67).
  if (weekdayName !== undefined && weekday === undefined && mark === undefined) return "date.invalid";
  return { ...civil(year, String(month + 1), day, rest), year: fullYear(year!), weekday };
}

/** Two digits as RFC 5322 section 4.3 reads them. */
function fullYear(year: string): number {
  const number = Number(year);
  if (year.length > 2) return number;
  return number < 50 ? number + 2000 : number + 1900;
}

/** The weekday of a day number, from Sunday = 0; 1970-01-01 was a Thursday. */
function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

function checkWeekday(weekday: number | undefined, days: number, codes: IssueCode[]): void {
  if (weekday !== undefined && weekday !== weekdayOf(days)) codes.push("date.weekday-mismatch");
}

// Time and zone

interface FoundTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly fractionMs: number;
  /** East of Greenwich; undefined when no zone was written. */
  readonly offsetMinutes: number | undefined;
}

/** What follows is neither time nor zone: the digits before it were no day (`2024-01-02-03`, `20240102abc`). */
const RUNS_ON = /^(?!T)[\p{L}\p{N}_./-]/iu;

/** XML Schema allows a zone on a bare day; the day stays the day. */
const DAY_ZONE = /^(?:Z|[+-]\d\d:\d\d)$/i;

/** `T03:04:05.123`, ` 3:04 pm`, `T030405`; a comma may stand before the fraction (D58). */
const CLOCK =
  /^(?:T|,?\s+|,)?\s*(?:(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?|(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?)(?![\d:])(?:\s*([ap])\.?m\b\.?)?(.*)$/is;

function readTime(text: string): FoundTime | undefined {
  const match = CLOCK.exec(text);
  if (match === null) return undefined;
  const [, hour, minute, second, fraction, hour2, minute2, second2, fraction2, half, zone = ""] = match;
  const offsetMinutes = readZone(zone.trim());
  if (Number.isNaN(offsetMinutes)) return undefined;
  return {
    hour: hourOf(Number(hour ?? hour2), half?.toLowerCase()),
    minute: Number(minute ?? minute2),
    second: Number(second ?? second2 ?? 0),
    // Digits past the millisecond are cut, not rounded (D08).
    fractionMs: Number((fraction ?? fraction2 ?? "").slice(0, 3).padEnd(3, "0")),
    offsetMinutes,
  };
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === "a") return hour > 12 ? NaN : hour % 12;
  return half === "p" && hour < 12 ? hour + 12 : hour;
}

/** The instant of a time on the day that starts at `midnight`; NaN when there is no such time. */
function instantOf(midnight: number, time: FoundTime): number {
  const { hour, minute, second, fractionMs, offsetMinutes = 0 } = time;
  const wholeMs = midnight + (hour * 60 + minute - offsetMinutes) * MINUTE_MS + second * 1000;
  // ISO 8601: 24:00:00 is the end of the day (D51).
  const endOfDay = hour === 24 && minute === 0 && second === 0 && fractionMs === 0;
  // RFC 3339 section 5.7: a leap second is the last of a UTC day, whatever the zone (D52).
  const leapSecond = second === 60 && minute < 60 && hour < 24 && wholeMs % DAY_MS === 0;
  const possible = endOfDay || leapSecond || (hour < 24 && minute < 60 && second < 60);
  return possible ? wholeMs + fractionMs : NaN;
}

/** RFC 822 section 5.1, and names in use that stand for one offset everywhere; in hours. */
const zoneHours: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ z: 0, ut: 0, utc: 0, gmt: 0 },
    ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
    ...{ wet: 0, west: 1, cet: 1, cest: 2, eet: 2, eest: 3, msk: 3, jst: 9, kst: 9 },
  }),
);

/** `(CET)` and `[Europe/Paris]` only comment on the offset before them (D37, D56). */
const ZONE_COMMENT = /\s*(?:\([^()]*\)|\[[^[\]]*\])$/;
/** `+01:00`, `+0100`, `+01`, `GMT+0100`, with U+2212 for the minus (D54), a `Z` at the end (D57). */
const OFFSET = /^(?:UTC|GMT|UT)?\s*([+\-\u2212])(\d{1,2})(?::?(\d\d))?(Z)?$/i;

/** Minutes east of Greenwich; undefined when no zone is written, NaN when it is unknown or impossible. */
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
