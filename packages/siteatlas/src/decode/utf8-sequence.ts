/** Recognizes well-formed UTF-8 byte sequences, by table 3-7 of the Unicode Standard. */
import { isUtf8 } from "#platform";

/** Length of a sequence that starts with this byte, 0 if no sequence can start with it. */
function lengthFromLead(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

/** Whether `byte` may follow `lead`. Rejects overlong forms, surrogates and code points beyond U+10FFFF. */
function isSecond(lead: number, byte: number): boolean {
  if (lead === 0xe0) return byte >= 0xa0 && byte <= 0xbf;
  if (lead === 0xed) return byte >= 0x80 && byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90 && byte <= 0xbf;
  if (lead === 0xf4) return byte >= 0x80 && byte <= 0x8f;
  return (byte & 0xc0) === 0x80;
}

/** Number of bytes from `at` on that fit into one sequence, less than `length` if it is broken or incomplete. */
function fittingBytes(bytes: Uint8Array, at: number, end: number, length: number): number {
  let fit = 1;
  while (fit < length && at + fit < end) {
    const byte = bytes[at + fit]!;
    if (fit === 1 ? !isSecond(bytes[at]!, byte) : (byte & 0xc0) !== 0x80) break;
    fit++;
  }
  return fit;
}

/** Length of the well-formed sequence that starts at `at`, 0 if there is none. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const length = lengthFromLead(bytes[at]!);
  return length > 0 && fittingBytes(bytes, at, bytes.length, length) === length ? length : 0;
}

/** Length of the incomplete sequence at the end of the bytes: 0 to 3. */
export function unfinishedLength(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = lengthFromLead(byte);
    return length > back && fittingBytes(bytes, end - back, end, length) === back ? back : 0;
  }
  return 0;
}

/** Whether the bytes are well-formed UTF-8. The last sequence may be incomplete. */
export function isWellFormedUtf8Start(bytes: Uint8Array): boolean {
  return isUtf8(bytes.subarray(0, bytes.length - unfinishedLength(bytes)));
}
