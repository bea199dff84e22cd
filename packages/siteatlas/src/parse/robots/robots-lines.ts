/**
 * Splits a robots.txt into lines with their number and byte position. Also handles a robots.txt that was saved as an
 * HTML page. robots.ts interprets the lines.
 */
import { FAST, lineEnd, mayBeRecord, utf8Length } from "#shortcuts";
import type { FilledLimits, ParseLimits } from "../../model/generated/limits.ts";

/** Sitemap lines are read up to this size, or up to `robotsBytes` if that is larger. Stops an endless file. */
const MAX_ROBOTS_BYTES: number = 5 * 1024 * 1024;

/** Maximum number of bytes that are read of a robots.txt. */
export function robotsSize({ robotsBytes }: FilledLimits<ParseLimits>): number {
  return Math.max(MAX_ROBOTS_BYTES, robotsBytes);
}

export interface RobotsLine {
  readonly text: string;
  /** Line number, from 1. */
  readonly number: number;
  /** Length in bytes of UTF-8, without the line end. */
  readonly bytes: number;
  /** Byte position of the end of the line. A line that ends after `robotsSize` is incomplete. */
  readonly end: number;
}

/** Which lines are not skipped. */
export interface WantedLines {
  /** Lines longer than this number of bytes are never skipped. */
  readonly longest: number;
  /** Lines that end before this byte position are never skipped. */
  readonly allUpTo: number;
  /** Whether a line that ends at this byte position is skipped unless it may be a Sitemap line. */
  onlySitemaps(end: number): boolean;
}

/**
 * Splits a robots.txt into lines. Lines end with CR, LF or CRLF (RFC 9309, section 2.2). Lenient: except in strict
 * mode, they also end with U+0085, U+2028 or U+2029, which some editors write (R25). Skips empty lines. Drops NULs,
 * because a UTF-16 file that is read as UTF-8 is full of them (R39).
 *
 * @param wanted the lines that must not be skipped. In Node, most other lines are skipped before they become strings
 * and objects
 */
export function* robotsLines(
  document: string,
  strict: boolean,
  most: number,
  wanted: WantedLines | undefined,
): Generator<RobotsLine> {
  // A character has at least one byte, so the text after this slice is beyond the limit.
  const text = document.slice(0, most + 1).replaceAll("\0", "");
  let number = 1;
  let byte = 0;
  for (let start = 0; start < text.length && byte <= most; number++) {
    const stop = lineEnd(text, start, !strict);
    const bytes = utf8Length(text, start, stop);
    byte += bytes;
    const isWanted =
      !FAST ||
      wanted === undefined ||
      bytes > wanted.longest ||
      byte <= wanted.allUpTo ||
      mayBeRecord(text, start, stop, wanted.onlySitemaps(byte));
    if (isWanted && stop > start) yield { text: text.slice(start, stop), number, bytes, end: byte };
    start = text.startsWith("\r\n", stop) ? stop + 2 : stop + 1;
    byte += utf8Length(text, stop, Math.min(start, text.length));
  }
  if (byte > most || document.length > most + 1) yield { text: "", number, bytes: 0, end: most + 1 };
}

/**
 * The text that ends the markup that is being skipped. The markup is a tag, a comment, or a script or style element.
 */
type SkipEnd = ">" | "-->" | "</script" | "</style";

/**
 * Removes tags from lines. `<br>` ends a line, but a line break inside a tag does not: text in the middle of a line
 * must not move to its start and become a record (R29).
 */
export function* linesWithoutTags(lines: Iterable<RobotsLine>): Generator<RobotsLine> {
  let skipping: SkipEnd | undefined;
  let kept = "";
  let unfinished: RobotsLine | undefined;
  for (const line of lines) {
    let position = 0;
    while (position < line.text.length) {
      if (skipping) {
        position = skipTo(skipping, line.text, position);
        if (position < 0) break;
        // The end tag is complete only at its `>`, which follows after `</script`.
        skipping = skipping.startsWith("</") ? ">" : undefined;
        continue;
      }
      const open = line.text.indexOf("<", position);
      kept += line.text.slice(position, open < 0 ? undefined : open);
      if (open < 0) break;
      if (isTag(line.text, open, "br")) {
        yield { ...line, text: kept };
        kept = "";
      }
      skipping = whatEnds(line.text, open);
      if (!skipping) kept += "<";
      position = open + (skipping === "-->" ? 4 : 1);
    }
    unfinished = skipping ? line : undefined;
    if (skipping) continue;
    yield { ...line, text: kept };
    kept = "";
  }
  if (unfinished) yield { ...unfinished, text: kept };
}

/** Finds the text that ends the markup at `open`. Undefined if the `<` does not start markup. */
function whatEnds(text: string, open: number): SkipEnd | undefined {
  if (!/[a-z/!?]/i.test(text.charAt(open + 1))) return undefined;
  if (text.startsWith("<!--", open)) return "-->";
  if (isTag(text, open, "script")) return "</script";
  return isTag(text, open, "style") ? "</style" : ">";
}

function isTag(text: string, open: number, name: string): boolean {
  const end = open + 1 + name.length;
  if (text.slice(open + 1, end).toLowerCase() !== name) return false;
  return end === text.length || /[\s/>]/.test(text.charAt(end));
}

/** The position after the text `end`, -1 if this line does not contain it. */
function skipTo(end: SkipEnd, text: string, from: number): number {
  if (!end.startsWith("</")) {
    const found = text.indexOf(end, from);
    return found < 0 ? -1 : found + end.length;
  }
  for (let at = text.indexOf("</", from); at >= 0; at = text.indexOf("</", at + 2)) {
    if (text.slice(at, at + end.length).toLowerCase() === end) return at + end.length;
  }
  return -1;
}
