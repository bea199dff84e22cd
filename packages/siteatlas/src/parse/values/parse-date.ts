/**
 * Parses dates: `parseDate` is for callers, `readDate` for the format readers. A date keeps its text as written. Its
 * point in time never depends on the time zone of the machine: neither `Date.parse` nor a local-time constructor is
 * used.
 */
import { FAST, readCanonical } from "#shortcuts";
import { checkOptions, type OptionRules } from "../../check/check-options.ts";
import { DATE, oneOf } from "../../check/rules.ts";
import { isZeroTimestamp, lastPresent } from "../../model/calendar.ts";
import type { DateReading } from "../../model/date-value.ts";
import { dateValue } from "../../model/date-value.ts";
import type { Report } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { DateValue } from "../../model/model.ts";
import { type DateContext, readDateForm } from "./date-formats.ts";
import { checkText } from "./option-rules.ts";

export type { DateContext } from "./date-formats.ts";

/** Options of `parseDate`, all optional. */
export interface ParseDateOptions {
  /**
   * The kind of document that contains the date. In a feed, the RFC 822 format is not reported as `date.format`.
   *
   * @default "sitemap"
   */
  readonly context?: DateContext | undefined;
  /**
   * Dates more than one day after this are reported as `date.future`.
   *
   * @default the current time
   */
  readonly now?: Date | undefined;
}

/** The result of `parseDate`. */
export interface ParsedDate extends DateValue {
  /**
   * The issues of the date. Empty if the date has the right format for a sitemap, or for a feed (see the option
   * `context`).
   */
  readonly codes: readonly IssueCode[];
}

function dateRules(): OptionRules<ParseDateOptions> {
  return { context: oneOf("sitemap", "feed"), now: DATE };
}

/**
 * Parses a date in any known format.
 *
 * @example
 * parseDate("2024-01-02 03:04:05");
 * // { text: "2024-01-02 03:04:05", value: 2024-01-02T03:04:05.000Z, precision: "time",
 * //   zoneAssumed: true, codes: ["date.format", "date.no-timezone"] }
 */
export function parseDate(text: string, options: ParseDateOptions = {}): ParsedDate {
  if (FAST) {
    checkText("parseDate", "text", text);
    checkOptions("parseDate", dateRules(), options);
  }
  const { context = "sitemap", now } = options;
  const trimmed = text.trim();
  const { epochMs, precision, zoneAssumed, codes } = interpret(trimmed, context, now?.getTime());
  return { ...dateValue(trimmed, epochMs, precision, zoneAssumed), codes };
}

/**
 * Parses a date of a document and reports its issues. With `futureExpected`, `date.future` is not reported: for dates
 * such as an expiry.
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
  return dateValue(trimmed, epochMs, precision, zoneAssumed);
}

/** The last instant that a Date can hold. */
const END_OF_TIME = 8.64e15;

/** Parses the text, and checks whether the date is plausible at the time `nowMs` (default: now). */
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
