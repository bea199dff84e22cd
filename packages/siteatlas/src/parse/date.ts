/**
 * Dates: `parseDate` for callers, `readDate` for the readers of this layer. A date keeps its text as
 * written; its instant never depends on the time zone of the machine, so neither `Date.parse` nor a
 * local-time constructor is used anywhere below.
 */
import { createDateValue, readCanonical } from "#shortcuts";
import type { Report } from "../issue-log.ts";
import type { IssueCode } from "../issues.ts";
import type { DateValue } from "../model.ts";
import { isZeroTimestamp, lastPresent } from "./calendar.ts";
import { type DateContext, type DateReading, readDateForm } from "./date-forms.ts";
import { dateValue } from "./date-value.ts";

export { createDateValue } from "#shortcuts";
export type { DateContext } from "./date-forms.ts";

export interface ParseDateOptions {
  /**
   * Where the date stands. In a feed the RFC 822 form is at home and earns no `date.format`.
   *
   * @default "sitemap"
   */
  readonly context?: DateContext;
  /**
   * What `date.future` is measured against: dates more than a day later have it.
   *
   * @default the current time
   */
  readonly now?: Date;
}

/** A date and what was wrong with it. */
export interface ParsedDate extends DateValue {
  /** Empty for a date in the form that its context asks for. */
  readonly codes: readonly IssueCode[];
}

/**
 * Reads one date, in whatever form it is written.
 *
 * @example
 * parseDate("2024-01-02 03:04:05");
 * // { text: "2024-01-02 03:04:05", value: 2024-01-02T03:04:05.000Z, precision: "time",
 * //   zoneAssumed: true, codes: ["date.format", "date.no-timezone"] }
 */
export function parseDate(text: string, options: ParseDateOptions = {}): ParsedDate {
  const { context = "sitemap", now } = options;
  const trimmed = text.trim();
  const { epochMs, precision, zoneAssumed, codes } = interpret(trimmed, context, now?.getTime());
  return { ...dateValue(trimmed, epochMs, precision, zoneAssumed), codes };
}

/**
 * Reads one date of a document and reports what is wrong with it. Set `futureExpected` for dates that
 * announce something, such as an expiry: these earn no `date.future`.
 */
export function readDate(
  text: string,
  context: DateContext,
  report: Report,
  line?: number,
  futureExpected = false,
): DateValue {
  const trimmed = text.trim();
  const now = futureExpected ? END_OF_TIME : undefined;
  const { epochMs, precision, zoneAssumed, codes } = interpret(trimmed, context, now);
  for (const code of codes) report(code, trimmed, line);
  return createDateValue(trimmed, epochMs, precision, zoneAssumed);
}

/** The last instant of a Date. */
const END_OF_TIME = 8.64e15;

/** What a text says, and whether that is plausible at `nowMs`, or now. */
function interpret(text: string, context: DateContext, nowMs: number | undefined): DateReading {
  const plain = nowMs === undefined ? readCanonical(text) : undefined;
  if (plain !== undefined) return plain;
  const reading = readDateForm(text, context);
  const { epochMs, precision } = reading;
  const codes = [...reading.codes];
  const isCoarse = precision === "year" || precision === "month";
  if (isZeroTimestamp(epochMs) && !isCoarse) codes.push("date.placeholder");
  if (epochMs > lastPresent(nowMs ?? Date.now())) codes.push("date.future");
  return { ...reading, codes };
}
