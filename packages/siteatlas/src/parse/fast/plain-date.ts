/** Reads a date in the most common form directly from its bytes. A shortcut: parse-date.ts reads all forms. */
import { dateValue } from "../../model/date-value.ts";
import type { DateValue } from "../../model/model.ts";
import { canonicalPrecision, parseCanonicalBytes } from "./iso-date.ts";
import type { TextSlice } from "./text-slice.ts";

/** The date of a trimmed text. Undefined unless it has a common form. */
export function readPlainDate(text: TextSlice): DateValue | undefined {
  const { bytes, start, end } = text;
  const epochMs = parseCanonicalBytes(bytes, start, end);
  if (Number.isNaN(epochMs)) return undefined;
  return dateValue(text.toString(), epochMs, canonicalPrecision(end - start));
}
