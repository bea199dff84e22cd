/** The text just captured, as a title or as a date. */
import type { Report } from "../issue-log.ts";
import type { DateValue } from "../model.ts";
import { canonicalPrecision, createDateValue, parseCanonicalBytes, readDate } from "./date.ts";
import { unescapeOnce } from "./fields.ts";
import type { XmlScanner } from "./scanner.ts";

/** Text that holds markup is HTML and stays as it is (M05). */
const MARKUP = /<[a-z/!]/i;

/** Trimmed, and unescaped once more where it was escaped twice; undefined if it is blank. */
export function readText(scanner: XmlScanner, report: Report): string | undefined {
  const text = scanner.text.toString().trim();
  if (text === "") return undefined;
  if (!text.includes("&") || MARKUP.test(text)) return text;
  const plain = unescapeOnce(text);
  if (plain !== text) report("text.double-escaped", text, scanner.line);
  return plain;
}

/** The date of a sitemap; undefined if the text is blank. `announced`: it may well be in the future. */
export function readDateText(scanner: XmlScanner, report: Report, announced = false): DateValue | undefined {
  const { text } = scanner;
  text.trim();
  const length = text.end - text.start;
  if (length === 0) return undefined;
  const epochMs = parseCanonicalBytes(text.bytes, text.start, text.end);
  const written = text.toString();
  if (!Number.isNaN(epochMs)) return createDateValue(written, epochMs, canonicalPrecision(length));
  const trimmed = written.trim();
  return trimmed === "" ? undefined : readDate(trimmed, "sitemap", report, scanner.line, announced);
}
