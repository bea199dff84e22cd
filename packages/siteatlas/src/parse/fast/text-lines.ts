/** Finds line ends in a text, and counts bytes. Works character by character, without creating strings. */

const SHORTEST_RECORD = "Host:".length;
const SITEMAP_STARTS = "hs";
const RECORD_STARTS = "acdhsu";

/**
 * Whether a line of robots.txt may be a record, which is a rule, a `Sitemap` line or a URL alone. A robots.txt may have
 * millions of other lines. They are skipped before they become strings and objects (sec-T01).
 */
export function mayBeRecord(text: string, start: number, end: number, onlySitemaps: boolean): boolean {
  let at = start;
  while (at < end && text.charCodeAt(at) <= 0x20) at++;
  if (end - at < SHORTEST_RECORD) return false;
  const code = text.charCodeAt(at);
  // This character may be white space that is not ASCII, so the first letter is unknown.
  if (code >= 0x7f) return true;
  const first = String.fromCharCode(code | 0x20);
  return (onlySitemaps ? SITEMAP_STARTS : RECORD_STARTS).includes(first);
}

/**
 * Index of the next line end (CR or LF) from `from` on, or the length of the text. With `isLenient`, the characters
 * U+0085, U+2028 and U+2029, which some editors write, are also line ends (R25).
 */
export function lineEnd(text: string, from: number, isLenient: boolean): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) break;
    if (isLenient && code >= 0x85 && (code === 0x85 || code === 0x2028 || code === 0x2029)) break;
  }
  return at;
}

/** Number of bytes that a part of the text has in UTF-8. Each half of a surrogate pair counts as two. */
export function utf8Length(text: string, from: number, to: number): number {
  let bytes = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes++;
    else bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  return bytes;
}
