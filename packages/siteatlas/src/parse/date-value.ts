import type { DatePrecision, DateValue } from "../model.ts";

/** A `DateValue` from its parts; NaN as `epochMs` for a text that names no instant. */
export function dateValue(
  text: string,
  epochMs: number,
  precision: DatePrecision,
  zoneAssumed = false,
): DateValue {
  if (Number.isNaN(epochMs)) return { text };
  return { text, value: new Date(epochMs), precision, ...(zoneAssumed && { zoneAssumed }) };
}
