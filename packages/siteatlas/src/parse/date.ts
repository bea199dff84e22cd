/**
 * Dates: `parseDate` for callers, `readDate` for the readers of this layer. A date keeps its text as
 * written; its instant never depends on the time zone of the machine, so neither `Date.parse` nor a
 * local-time constructor is used anywhere below.
 *
 * `LazyDate` is a class, though it is data: a sitemap holds 50,000 dates that are mostly written out
 * again or never looked at, and a Date object for each costs more than reading it did. The Date is made
 * when `value` is first read. To the outside it is a `DateValue`; `JSON.stringify` sees it as one.
 */
import type { Report } from "../issue-log.ts";
import type { IssueCode } from "../issues.ts";
import type { DatePrecision, DateValue } from "../model.ts";
import { canonicalPrecision, isZeroTimestamp, lastPresent, parseCanonical } from "./date-canonical.ts";
import { type DateContext, type DateReading, readDateForm } from "./date-forms.ts";

export { canonicalPrecision, parseCanonicalBytes } from "./date-canonical.ts";
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
  if (Number.isNaN(epochMs)) return { text: trimmed, codes };
  const value = new Date(epochMs);
  return { text: trimmed, value, precision, ...(zoneAssumed && { zoneAssumed }), codes };
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

/** A `DateValue` from its parts; NaN as `epochMs` for a text that names no instant. */
export function createDateValue(
  text: string,
  epochMs: number,
  precision: DatePrecision,
  zoneAssumed = false,
): DateValue {
  return Number.isNaN(epochMs) ? { text } : new LazyDate(text, epochMs, precision, zoneAssumed);
}

/** What a text says, and whether that is plausible at `nowMs`, or now. */
function interpret(text: string, context: DateContext, nowMs: number | undefined): DateReading {
  const canonical = nowMs === undefined ? parseCanonical(text) : NaN;
  if (!Number.isNaN(canonical)) {
    const precision = canonicalPrecision(text.length);
    return { epochMs: canonical, precision, zoneAssumed: false, codes: [] };
  }
  const reading = readDateForm(text, context);
  const { epochMs, precision } = reading;
  const codes = [...reading.codes];
  const isCoarse = precision === "year" || precision === "month";
  if (isZeroTimestamp(epochMs) && !isCoarse) codes.push("date.placeholder");
  if (epochMs > lastPresent(nowMs ?? Date.now())) codes.push("date.future");
  return { ...reading, codes };
}

class LazyDate implements DateValue {
  readonly text: string;
  readonly precision: DatePrecision;
  // Declared, not defined: most dates do not have it, and absent is absent.
  declare readonly zoneAssumed?: true;
  /** Milliseconds since 1970 until somebody asks, then the Date. */
  #instant: number | Date;

  constructor(text: string, epochMs: number, precision: DatePrecision, zoneAssumed: boolean) {
    this.text = text;
    this.precision = precision;
    this.#instant = epochMs;
    if (zoneAssumed) this.zoneAssumed = true;
  }

  get value(): Date {
    if (typeof this.#instant === "number") this.#instant = new Date(this.#instant);
    return this.#instant;
  }

  toJSON(): DateValue {
    const { text, value, precision, zoneAssumed } = this;
    return { text, value, precision, ...(zoneAssumed && { zoneAssumed }) };
  }
}
