/** Reads the text that the scanner has captured, as a title or as a date. */
import { utf8Text } from "#platform";
import { readPlainDate } from "#shortcuts";
import type { Report } from "../../model/issue-log.ts";
import type { DateValue } from "../../model/model.ts";
import { stripMarkup, unescapeOnce } from "../values/fields.ts";
import { readDate } from "../values/parse-date.ts";
import type { XmlScanner } from "../xml/scanner.ts";

/** Matches HTML markup. Markup in a text is kept (M05), except in titles of feeds. */
const MARKUP = /<[a-z/!]/i;

/**
 * Returns the captured text, trimmed. If the text was escaped twice, it is unescaped again. Returns undefined for a
 * blank text.
 *
 * @param htmlIn the format of the feed, if the text may be HTML. In Atom, such a text is always HTML (F28). In RSS, it
 * is HTML only if it contains markup (F29). HTML becomes plain text
 */
export function readText(
  scanner: XmlScanner,
  report: Report,
  htmlIn?: "atom" | "rss" | undefined,
): string | undefined {
  const { line, limits } = scanner;
  const text = scanner.text.toString().trim();
  const hasMarkup = MARKUP.test(text);
  const isHtml = htmlIn && (hasMarkup || htmlIn === "atom");
  const plain = isHtml ? stripMarkup(text) : hasMarkup ? text : unescapeOnce(text);
  if (!isHtml && plain !== text) report("text.double-escaped", text, line);
  return cutText(plain, limits.textLength, report, line) || undefined;
}

const encoder = new TextEncoder();

/** Shortens a text to this number of characters. Stops titles of 64 KiB, which a caller would store. */
export function cutText(text: string, limit: number, report: Report, line?: number): string {
  if (text.length <= limit) return text;
  report("text.cut", text, line);
  const isInPair = (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800;
  const bytes = encoder.encode(text.slice(0, isInPair ? limit - 1 : limit));
  // A result of `slice` would keep the whole text in memory, so make a copy.
  return utf8Text(bytes, 0, bytes.length);
}

/**
 * Parses the captured text as a date. Returns undefined for a blank text. With `announced`, a date in the future is not
 * an issue.
 */
export function readDateText(scanner: XmlScanner, report: Report, announced = false): DateValue | undefined {
  const { text } = scanner;
  text.trim();
  if (text.end === text.start) return undefined;
  const plain = readPlainDate(text);
  if (plain !== undefined) return plain;
  const trimmed = text.toString().trim();
  return trimmed === "" ? undefined : readDate(trimmed, "sitemap", report, scanner.line, announced);
}
