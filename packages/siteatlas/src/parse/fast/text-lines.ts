/** Finds line ends and pieces of patterns in a text, and counts bytes. Works character by character. */

const SHORTEST_RECORD = "Host:".length;
const SITEMAP_STARTS = "hs";
const RECORD_STARTS = "acdhsu";

/** Maximum length of the text before the colon if it ends with `Sitemap`, such as `Google News Sitemap`. */
const LONGEST_KEY = 40;

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
  if ((onlySitemaps ? SITEMAP_STARTS : RECORD_STARTS).includes(first)) return true;
  // A line that starts with `#` is a comment, not a record.
  return code !== 0x23 && endsWithSitemap(text, at, Math.min(end, at + LONGEST_KEY));
}

/** Whether the first colon follows a `p` or `s`, as in `Video Sitemap:`. */
function endsWithSitemap(text: string, start: number, end: number): boolean {
  let last = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) return last === 0x70 || last === 0x73;
    if (code > 0x20) last = code | 0x20;
  }
  return false;
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

/** Number of bytes that a part of the text has in UTF-8. Each half of a surrogate pair counts as two bytes. */
export function utf8Length(text: string, from: number, to: number): number {
  let bytes = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes++;
    else bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  return bytes;
}

/**
 * Up to this length, a piece of a robots.txt pattern is searched with `indexOf`. For such short pieces, `indexOf` is
 * faster than the algorithm of `endOf`, and its time is close to linear (sec-T04: 27,500 rules).
 */
const SHORT_PIECE = 64;

/**
 * Returns the index after the first occurrence of `piece` in `path`, at or after `from`. Returns -1 if there is none.
 * Uses the Knuth-Morris-Pratt algorithm: the time for `baaa…` in `aaaa…` is the sum of their lengths. With `indexOf` it
 * would be the product.
 */
export function endOf(piece: string, path: string, from: number): number {
  if (piece.length === 0) return from;
  if (piece.length > path.length - from) return -1;
  if (piece.length <= SHORT_PIECE) {
    const at = path.indexOf(piece, from);
    return at < 0 ? -1 : at + piece.length;
  }
  const start = path.indexOf(piece.charAt(0), from);
  if (start < 0) return -1;
  const borders = bordersOf(piece);
  for (let index = start, matched = 0; index < path.length; index++) {
    const code = path.charCodeAt(index);
    while (matched > 0 && code !== piece.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (code === piece.charCodeAt(matched)) matched++;
    if (matched === piece.length) return index + 1;
  }
  return -1;
}

/** Memory for the result of `bordersOf`. All searches share it, because a search ends before the next one starts. */
let scratch = new Int32Array(256);

/** For each index of the piece: the length of the longest proper prefix of the piece that also ends at this index. */
function bordersOf(piece: string): Int32Array {
  if (piece.length > scratch.length) scratch = new Int32Array(2 * piece.length);
  scratch[0] = 0;
  for (let index = 1, length = 0; index < piece.length; index++) {
    const code = piece.charCodeAt(index);
    while (length > 0 && code !== piece.charCodeAt(length)) length = scratch[length - 1]!;
    if (code === piece.charCodeAt(length)) length++;
    scratch[index] = length;
  }
  return scratch;
}
