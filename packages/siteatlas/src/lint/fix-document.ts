/**
 * Repairs a sitemap where the repair is certain: there is only one thing that the author can have meant. Works line by
 * line, so that a diff shows what changes. Lines that touch a comment or a CDATA section are not changed.
 */
import { isUtf8 } from "node:buffer";
import type { Entry } from "../model/model.ts";
import { parseEntries } from "../parse/parse-sitemap.ts";
import { decodeDocument } from "./documents/document-text.ts";

/** A line before and after the repair, with its line break. `after` is undefined if the line is removed. */
export interface FixedLine {
  readonly before: string;
  readonly after: string | undefined;
}

/** `&name;` is a reference, even if XML does not define the name: HTML or the DOCTYPE may. */
const BARE_AMPERSAND = /&(?!(?:[a-z][\w.-]*|#\d+|#x[\da-f]+);)/gi;
/** A complete entry on one line. */
const ENTRY = /^\s*<(url|sitemap)>.*<\/\1>\s*$/;
const ROOT_RELATIVE = /(<loc>\s*)(\/(?![/\\])[^<\s]*)/g;
/** Text that is not read as tags and entries. An XML declaration is not a processing instruction. */
const SECTION =
  /<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?(?!xml\s).*?(?:\?>|$)|<!DOCTYPE[^[>]*(?:\[.*?(?:\]\s*>|$))?/gis;

const OTHER_ENCODING = /(<\?xml[^<>]*\sencoding\s*=\s*)(["'])(?!utf-8)[^"']*\2/i;

/**
 * Repairs the bytes of an XML sitemap. Returns undefined if nothing changes, and "unsafe" if the repair would change
 * more than the spelling: then the parser finds other pages in the repaired text than in the file.
 *
 * @param origin the origin of the site, for relative URLs
 */
export async function fixSitemap(
  bytes: Uint8Array,
  origin: string,
): Promise<readonly FixedLine[] | "unsafe" | undefined> {
  const text = await decodeDocument(bytes);
  if (!/<(?:urlset|sitemapindex)[\s>]/.test(text)) return undefined;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const lines = fixDocument(hasMark ? `\ufeff${text}` : text, origin);
  if (lines === undefined) return undefined;
  const isCertain = isTextCertain(bytes, text) && (await haveSameEntries(bytes, fixedText(lines), origin));
  return isCertain ? lines : "unsafe";
}

/**
 * Repairs the text of an XML sitemap. Returns undefined if nothing changes.
 *
 * @internal exported for tests
 */
export function fixDocument(text: string, origin: string): readonly FixedLine[] | undefined {
  const isInSection = sectionFinder(text);
  const seen = new Set<string>();
  let isStarted = false;
  let at = 0;
  const lines = linesOf(text).map((before): FixedLine => {
    const start = at;
    at += before.length;
    if (!isStarted && before.trim() === "") return { before, after: undefined };
    const line = isStarted ? before : before.replace(/^(\ufeff?)[ \t\r]+(?=<)/, "$1");
    isStarted = true;
    if (isInSection(start, at)) return { before, after: line };
    const after = fixLine(line, origin);
    if (ENTRY.test(after)) {
      const entry = after.trim();
      if (seen.has(entry)) return { before, after: undefined };
      seen.add(entry);
    }
    return { before, after };
  });
  return lines.some(({ before, after }) => before !== after) ? lines : undefined;
}

/** The text after the repair. */
export function fixedText(lines: readonly FixedLine[]): string {
  return lines.map(({ after = "" }) => after).join("");
}

function fixLine(line: string, origin: string): string {
  return line
    .replace(BARE_AMPERSAND, "&amp;")
    .replace(ROOT_RELATIVE, (_, tag: string, path: string) => `${tag}${origin}${path}`)
    .replace(OTHER_ENCODING, '$1"UTF-8"')
    .replace(
      'xmlns="https://www.sitemaps.org/schemas/sitemap/0.9"',
      'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
    );
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Returns a function for ranges in document order: whether the range touches a section. */
function sectionFinder(text: string): (start: number, end: number) => boolean {
  const sections = text.matchAll(SECTION);
  let section = sections.next().value;
  return (start, end) => {
    while (section !== undefined && section.index + section[0].length <= start)
      section = sections.next().value;
    return section !== undefined && section.index < end;
  };
}

/** Whether the text is what the bytes mean. If their encoding was guessed, or is mixed, writing the text may lose some. */
function isTextCertain(bytes: Uint8Array, text: string): boolean {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  // U+FFFD stands for bytes that could not be decoded.
  return !isGzip && !text.includes("\ufffd") && (isUtf8(bytes) || OTHER_ENCODING.test(text));
}

/** Whether the parser finds the same pages and sitemaps, with the same fields, in the same order. */
async function haveSameEntries(before: Uint8Array, after: string, origin: string): Promise<boolean> {
  const url = `${origin}/sitemap.xml`;
  const [old, fixed] = [
    entriesOf(parseEntries(before, { url })),
    entriesOf(parseEntries(Buffer.from(after), { url })),
  ];
  for (;;) {
    const [{ value: left }, { value: right }] = await Promise.all([old.next(), fixed.next()]);
    if (left !== right) return false;
    if (left === undefined) return true;
  }
}

/** Yields the pages and sitemaps as text. Spellings of URLs are left out, because a repair may change them. */
async function* entriesOf(entries: AsyncIterable<Entry>): AsyncGenerator<string, undefined> {
  for await (const entry of entries) {
    if (entry.kind === "issue") continue;
    yield JSON.stringify(entry, (name, value: unknown) => (name === "urlText" ? undefined : value));
  }
  return undefined;
}
