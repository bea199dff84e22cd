/**
 * Creates strings from ASCII bytes. A part of the buffer, the window, becomes one long string, and values are slices of
 * it. Otherwise each value would need a call into the runtime, which takes longer than parsing the value.
 */
import { asciiText } from "#platform";

/** Length of the window in characters. A slice keeps the whole window in memory. */
const SIZE = 1024;

// All scanners share one window, because parsing is synchronous. When bytes outside the window are needed, a new window
// replaces it.
let text = "";
let source: Uint8Array | undefined;
let from = 0;
let to = 0;

/** Call this before the bytes of the buffer change. */
export function forgetWindow(): void {
  source = undefined;
}

/** Creates a string from these bytes. They must be ASCII. The bytes around them may be anything. */
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
