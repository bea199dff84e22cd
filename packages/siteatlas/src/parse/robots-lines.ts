/**
 * The lines of a robots.txt with their number and place in bytes, and the same for a robots.txt that
 * somebody saved as an HTML page. Knows lines and tags, not what they say: that is robots.ts.
 */
import type { ParseLimits } from "../limits.ts";

/** Sitemap lines are read up to here, or as far as rules are; stops an endless file. */
const MAX_ROBOTS_BYTES: number = 5 * 1024 * 1024;

/** How much of a robots.txt is read. */
export function robotsSize({ robotsBytes }: Required<ParseLimits>): number {
  return Math.max(MAX_ROBOTS_BYTES, robotsBytes);
}

export interface RobotsLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Length in bytes of UTF-8, without the line end. */
  readonly bytes: number;
  /** Where the line ends in the document, in bytes of UTF-8. More than is read: the line is cut. */
  readonly end: number;
}

/**
 * Lines end with CR, LF or CRLF (RFC 9309, section 2.2).
 * Lenient: and with U+0085, U+2028 or U+2029, as editors write them (R25); not in strict mode.
 * Empty lines are passed over; NULs are dropped, which a UTF-16 file read as UTF-8 is full of (R39).
 */
export function* robotsLines(document: string, strict: boolean, most: number): Generator<RobotsLine> {
  // A character has at least one byte: what is cut off here is beyond the limit in any case.
  const text = document.slice(0, most + 1).replaceAll("\0", "");
  let number = 1;
  let start = 0;
  let startByte = 0;
  let byte = 0;
  for (let index = 0; index < text.length && byte <= most; index++) {
    const code = text.charCodeAt(index);
    if (!isLineEnd(code, strict)) {
      byte += utf8Bytes(code);
      continue;
    }
    if (index > start) yield { text: text.slice(start, index), number, bytes: byte - startByte, end: byte };
    if (code === 0x0d && text.charCodeAt(index + 1) === 0x0a) {
      index++;
      byte++;
    }
    byte += utf8Bytes(code);
    number++;
    start = index + 1;
    startByte = byte;
  }
  const isCut = byte > most || document.length > most + 1;
  if (start === text.length && !isCut) return;
  const end = isCut ? most + 1 : byte;
  yield { text: text.slice(start), number, bytes: byte - startByte, end };
}

function isLineEnd(code: number, strict: boolean): boolean {
  if (code === 0x0a || code === 0x0d) return true;
  return !strict && (code === 0x85 || code === 0x2028 || code === 0x2029);
}

/** Bytes of one UTF-16 unit; the two halves of a pair have two each. */
function utf8Bytes(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800 || (code >= 0xd800 && code < 0xe000)) return 2;
  return 3;
}

/** What ends the markup that is being skipped: a tag, a comment, or an element whose content is no text. */
type SkipEnd = ">" | "-->" | "</script" | "</style";

/**
 * Lines without their tags; `<br>` ends a line, and a line break inside a tag does not: text that
 * follows other text must not come to stand at the start of a line and pass for a record (R29).
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
        // `</script` still has its own `>` to come.
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

/** What ends the markup at `open`; undefined when the `<` there starts none. */
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

/** The position after `end`; -1 when this line does not have it. */
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
