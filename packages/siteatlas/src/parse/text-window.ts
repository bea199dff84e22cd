/**
 * Makes strings of ASCII bytes by cutting them out of one string for a stretch of the buffer: a call into
 * the runtime for each value costs more than reading it.
 */
import { asciiText } from "#platform";

/** A value that somebody keeps holds no more than this in memory. */
const SIZE = 1024;

// Parsing is synchronous, so one stretch serves all scanners: whoever comes with other bytes makes it anew.
let text = "";
let source: Uint8Array | undefined;
let from = 0;
let to = 0;

/** The bytes of the buffer are about to change. */
export function forgetWindow(): void {
  source = undefined;
}

/** The string of bytes that are all ASCII; what is around them need not be. */
export function windowText(bytes: Uint8Array, start: number, end: number): string {
  if (bytes !== source || start < from || end > to) {
    if (end - start > SIZE) return asciiText(bytes, start, end);
    source = bytes;
    from = start;
    to = Math.min(start + SIZE, bytes.length);
    text = asciiText(bytes, start, to);
  }
  return text.slice(start - from, end - from);
}
