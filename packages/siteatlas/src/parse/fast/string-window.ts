/**
 * Creates strings of ASCII bytes as slices of one longer string: a call into the runtime per value takes longer than
 * parsing the value.
 */
import { asciiText } from "#platform";

/** A slice keeps at most this many characters in memory. */
const SIZE = 1024;

// Parsing is synchronous, so all scanners share one window. It is replaced when other bytes are needed.
let text = "";
let source: Uint8Array | undefined;
let from = 0;
let to = 0;

/** Call before the bytes of the buffer change. */
export function forgetWindow(): void {
  source = undefined;
}

/** The bytes must be ASCII, their surroundings need not be. */
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
