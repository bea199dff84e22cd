/** Reads a date in a common format directly from its bytes. This is a shortcut: parse-date.ts reads all formats. */
import { dateValue } from "../../model/date-value.ts";
import type { DateValue } from "../../model/model.ts";
import { canonicalPrecision, parseCanonicalBytes } from "./iso-date.ts";
import type { TextSlice } from "./text-slice.ts";

/** Reads the date in a trimmed text. Undefined if it is not in a common format. */
export function readPlainDate(text: TextSlice): DateValue | undefined {
  const { bytes, start, end } = text;
  const epochMs = parseCanonicalBytes(bytes, start, end);
  if (Number.isNaN(epochMs)) return undefined;
  return dateValue(text.toString(), epochMs, canonicalPrecision(end - start));
}
