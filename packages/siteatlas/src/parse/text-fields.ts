/** The text just captured, as a title or as a date. */
import { utf8Text } from "#platform";
import { readPlainDate } from "#shortcuts";
import type { Report } from "../issue-log.ts";
import type { DateValue } from "../model.ts";
import { readDate } from "./date.ts";
import { unescapeOnce } from "./fields.ts";
import type { XmlScanner } from "./scanner.ts";

/** Text that holds markup is HTML and stays as it is (M05). */
const MARKUP = /<[a-z/!]/i;

/** Trimmed, and unescaped once more where it was escaped twice; undefined if it is blank. */
export function readText(scanner: XmlScanner, report: Report): string | undefined {
  const { line, limits } = scanner;
  const text = scanner.text.toString().trim();
  const plain = text.includes("&") && !MARKUP.test(text) ? unescapeOnce(text) : text;
  if (plain !== text) report("text.double-escaped", text, line);
  return cutText(plain, limits.textLength, report, line) || undefined;
}

const encoder = new TextEncoder();

/** The text, no longer than allowed. Stops titles of 64 KiB each, which nobody shows and somebody stores. */
export function cutText(text: string, limit: number, report: Report, line?: number): string {
  if (text.length <= limit) return text;
  report("text.cut", text, line);
  const isInPair = (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800;
  const bytes = encoder.encode(text.slice(0, isInPair ? limit - 1 : limit));
  // A string of its own: a slice would keep the whole text.
  return utf8Text(bytes, 0, bytes.length);
}

/** The date of a sitemap; undefined if the text is blank. `announced`: it may well be in the future. */
export function readDateText(scanner: XmlScanner, report: Report, announced = false): DateValue | undefined {
  const { text } = scanner;
  text.trim();
  if (text.end === text.start) return undefined;
  const plain = readPlainDate(text);
  if (plain !== undefined) return plain;
  const trimmed = text.toString().trim();
  return trimmed === "" ? undefined : readDate(trimmed, "sitemap", report, scanner.line, announced);
}
