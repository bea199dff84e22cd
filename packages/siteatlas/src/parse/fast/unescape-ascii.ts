/**
 * Decodes `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;` and references to ASCII characters, from bytes to bytes. In some
 * sitemaps, half of the URLs contain them. This is a shortcut: entities.ts decodes all references.
 */
import type { TextSlice } from "./text-slice.ts";

const SPACE = 0x20;
const AMP = 0x26;
const LESS_THAN = 0x3c;

/**
 * Decodes the text from `start` to the next `<`, and appends it to `value`, whose bytes are in `own`. Returns the index
 * of the `<`. Returns -1 and changes nothing if the text does not end before `limit`, or contains a line break, a
 * control character or a reference that this file does not decode.
 */
export function decodeEscaped(
  bytes: Uint8Array,
  start: number,
  limit: number,
  own: Uint8Array,
  value: TextSlice,
): number {
  let to = value.end;
  let high = 0;
  for (let at = start; at < limit; ) {
    const byte = bytes[at]!;
    if (byte === LESS_THAN) {
      value.probed = false;
      value.end = to;
      if (high >= 0x80) value.high = true;
      return at;
    }
    if (byte !== AMP) {
      if (byte < SPACE) return -1;
      high |= byte;
      own[to++] = byte;
      at++;
      continue;
    }
    const length = escapeLength(bytes, at, limit);
    if (length > 0) {
      own[to++] = length === 5 ? AMP : escapedByte(bytes[at + 1]!, bytes[at + 2]!);
      at += length;
      continue;
    }
    const semicolon = asciiReferenceEnd(bytes, at, limit);
    if (semicolon === 0) return -1;
    own[to++] = referencedByte(bytes, at, semicolon);
    at = semicolon + 1;
  }
  return -1;
}

/**
 * The length of the reference at `at`, if it is `&amp;`, `&lt;`, `&gt;`, `&quot;` or `&apos;`; otherwise 0. Only
 * `&amp;` has the length 5.
 */
export function escapeLength(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at + 1];
  const second = bytes[at + 2];
  if (at + 4 > end) return 0;
  if (bytes[at + 3] === 0x3b) return second === 0x74 && (first === 0x6c || first === 0x67) ? 4 : 0;
  if (at + 5 > end) return 0;
  if (bytes[at + 4] === 0x3b) return first === 0x61 && second === 0x6d && bytes[at + 3] === 0x70 ? 5 : 0;
  if (at + 6 > end || bytes[at + 5] !== 0x3b) return 0;
  const third = bytes[at + 3];
  const fourth = bytes[at + 4];
  if (first === 0x71) return second === 0x75 && third === 0x6f && fourth === 0x74 ? 6 : 0;
  return first === 0x61 && second === 0x70 && third === 0x6f && fourth === 0x73 ? 6 : 0;
}

/** Index of the semicolon of a numeric reference such as `&#38;`. 0 if it does not name a printable ASCII character. */
function asciiReferenceEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at + 1] !== 0x23) return 0;
  const limit = Math.min(end, at + 8);
  for (let i = at + 2; i < limit; i++) {
    if (bytes[i] !== 0x3b) continue;
    const code = referencedByte(bytes, at, i);
    return code >= 0x20 && code < 0x7f ? i : 0;
  }
  return 0;
}

/** The number between `&#` and the semicolon. -1 if it is not a valid number. */
function referencedByte(bytes: Uint8Array, at: number, semicolon: number): number {
  const isHex = (bytes[at + 2]! | 0x20) === 0x78;
  let code = 0;
  const first = isHex ? at + 3 : at + 2;
  if (first === semicolon) return -1;
  for (let i = first; i < semicolon; i++) {
    const byte = bytes[i]!;
    const lower = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) code = code * (isHex ? 16 : 10) + byte - 0x30;
    else if (isHex && lower >= 0x61 && lower <= 0x66) code = code * 16 + lower - 0x57;
    else return -1;
  }
  return code;
}

function escapedByte(first: number, second: number): number {
  if (second === 0x74) return first === 0x6c ? 0x3c : 0x3e;
  return first === 0x71 ? 0x22 : 0x27;
}
