/** Splits text into lines, and counts their bytes, character by character. */

const SHORTEST_RECORD = "Host:".length;
const SITEMAP_STARTS = "hs";
const RECORD_STARTS = "acdhsu";

/**
 * Whether a line of robots.txt may be a record: a directive, `Sitemap` or a bare URL. A robots.txt may have millions
 * of other lines, which are skipped before they become strings and objects (sec-T01).
 */
export function mayBeRecord(text: string, start: number, end: number, onlySitemaps: boolean): boolean {
  let at = start;
  while (at < end && text.charCodeAt(at) <= 0x20) at++;
  if (end - at < SHORTEST_RECORD) return false;
  const code = text.charCodeAt(at);
  // May be a space that is not ASCII.
  if (code >= 0x7f) return true;
  const first = String.fromCharCode(code | 0x20);
  return (onlySitemaps ? SITEMAP_STARTS : RECORD_STARTS).includes(first);
}

/**
 * Index of the next line end (CR or LF) from `from`, or the length of the text. `isLenient`: also U+0085, U+2028 and
 * U+2029, as some editors write them (R25).
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

/** Bytes of a part of the text in UTF-8. Each half of a surrogate pair counts as two. */
export function utf8Length(text: string, from: number, to: number): number {
  let bytes = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes++;
    else bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  return bytes;
}
