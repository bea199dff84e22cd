/** Recognizes valid UTF-8, by table 3-7 of the Unicode Standard. A sequence is the bytes of one character. */
import { isUtf8 } from "#platform";

/** Length of a UTF-8 sequence that starts with this byte. 0 if no sequence can start with it. */
function lengthFromLead(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

/**
 * Whether `byte` may be the second byte of a sequence after `lead`. Rejects overlong forms, surrogates and code points
 * beyond U+10FFFF.
 */
function isSecond(lead: number, byte: number): boolean {
  if (lead === 0xe0) return byte >= 0xa0 && byte <= 0xbf;
  if (lead === 0xed) return byte >= 0x80 && byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90 && byte <= 0xbf;
  if (lead === 0xf4) return byte >= 0x80 && byte <= 0x8f;
  return (byte & 0xc0) === 0x80;
}

/** Number of valid bytes of the sequence at `at`. Less than `length` if the sequence is invalid or incomplete. */
function fittingBytes(bytes: Uint8Array, at: number, end: number, length: number): number {
  let fit = 1;
  while (fit < length && at + fit < end) {
    const byte = bytes[at + fit]!;
    if (fit === 1 ? !isSecond(bytes[at]!, byte) : (byte & 0xc0) !== 0x80) break;
    fit++;
  }
  return fit;
}

/** Length of the valid UTF-8 sequence at position `at`. 0 if the bytes there are not valid. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const length = lengthFromLead(bytes[at]!);
  return length > 0 && fittingBytes(bytes, at, bytes.length, length) === length ? length : 0;
}

/** Length of the incomplete UTF-8 sequence at the end of the bytes: 0 to 3. */
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

/** Whether the bytes are valid UTF-8. The last character may be incomplete. */
export function isWellFormedUtf8Start(bytes: Uint8Array): boolean {
  return isUtf8(bytes.subarray(0, bytes.length - unfinishedLength(bytes)));
}
