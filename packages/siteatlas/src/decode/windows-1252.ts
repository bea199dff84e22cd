/**
 * windows-1252 straight to UTF-8, by the WHATWG index. Not left to TextDecoder: Node 20 reads 0x80 to
 * 0x9F as ISO-8859-1 there when it does not stream, and single bytes inside UTF-8 are repaired with this too.
 */

/** Code points of 0x80 to 0x9F; the rest is equal to its byte. */
const HIGH_CONTROLS: readonly number[] = [
  0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,
  0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
  0x0153, 0x9d, 0x017e, 0x0178,
];

/** The most UTF-8 bytes that one byte becomes. */
export const MAX_EXPANSION = 3;

export function windows1252CodePoint(byte: number): number {
  return byte >= 0x80 && byte < 0xa0 ? HIGH_CONTROLS[byte - 0x80]! : byte;
}

/** Writes one byte as UTF-8 and gives the position after it. */
export function writeWindows1252(byte: number, into: Uint8Array, at: number): number {
  const point = windows1252CodePoint(byte);
  if (point < 0x80) {
    into[at] = point;
    return at + 1;
  }
  if (point < 0x800) {
    into[at] = 0xc0 | (point >> 6);
    into[at + 1] = 0x80 | (point & 0x3f);
    return at + 2;
  }
  into[at] = 0xe0 | (point >> 12);
  into[at + 1] = 0x80 | ((point >> 6) & 0x3f);
  into[at + 2] = 0x80 | (point & 0x3f);
  return at + 3;
}
