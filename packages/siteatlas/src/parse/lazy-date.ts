/**
 * Dates that are made when somebody looks at them. A sitemap holds 50,000 that are mostly written out again
 * or never looked at, and a Date object for each costs more than reading it did: so this is a class, though
 * it is data. To the outside it is a `DateValue`; `JSON.stringify` sees it as one.
 */
import type { DatePrecision, DateValue } from "../model.ts";
import { canonicalPrecision, parseCanonicalBytes } from "./date-canonical.ts";
import { dateValue } from "./date-value.ts";
import type { TextValue } from "./text-value.ts";

/** `dateValue`, with the Date left for later. */
export function createDateValue(
  text: string,
  epochMs: number,
  precision: DatePrecision,
  zoneAssumed = false,
): DateValue {
  return Number.isNaN(epochMs) ? { text } : new LazyDate(text, epochMs, precision, zoneAssumed);
}

/** The date of a trimmed text if it is one of the plain ones. */
export function readPlainDate(text: TextValue): DateValue | undefined {
  const { bytes, start, end } = text;
  const epochMs = parseCanonicalBytes(bytes, start, end);
  if (Number.isNaN(epochMs)) return undefined;
  return new LazyDate(text.toString(), epochMs, canonicalPrecision(end - start), false);
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
    return dateValue(this.text, this.value.getTime(), this.precision, this.zoneAssumed);
  }
}
