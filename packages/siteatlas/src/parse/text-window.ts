/**
 * Makes strings of ASCII bytes by cutting them out of one string for a stretch of the buffer: a call into
 * the runtime for each value costs more than reading it.
 */
import { asciiText } from "#platform";

/** A value that somebody keeps holds no more than this in memory. */
const SIZE = 1024;

export class TextWindow {
  #text = "";
  #bytes: Uint8Array | undefined;
  #start = 0;
  #end = 0;

  /** The bytes of the buffer are about to change. */
  forget(): void {
    this.#bytes = undefined;
  }

  /** The string of bytes that are all ASCII; what is around them need not be. */
  cut(bytes: Uint8Array, start: number, end: number): string {
    if (bytes !== this.#bytes || start < this.#start || end > this.#end) {
      if (end - start > SIZE) return asciiText(bytes, start, end);
      this.#bytes = bytes;
      this.#start = start;
      this.#end = Math.min(start + SIZE, bytes.length);
      this.#text = asciiText(bytes, start, this.#end);
    }
    return this.#text.slice(start - this.#start, end - this.#start);
  }
}
