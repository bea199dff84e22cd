/**
 * The text of one element as bytes. With bytes, a reader can check a URL or a date without creating a string. If the
 * text is one piece without references, it is used in place, in the scanner's buffer. Text with references, CDATA or
 * comments is copied to its own memory. Every text is copied before the buffer changes.
 */
import { asciiText, utf8Text } from "#platform";
import { decodeEscaped, FAST, windowText } from "#shortcuts";

const encoder = new TextEncoder();

/** Maximum length of a text with references that the shortcut decodes. */
const MAX_ESCAPED = 4096;

export class TextValue {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** Whether the text may contain bytes above 0x7f. */
  high = false;
  /** Whether the text contains an unknown entity. Such a text is not accepted as a URL (X21). */
  tainted = false;
  /** Whether the text was dropped because it is too long. */
  spoilt = false;
  /** Whether the scanner's probe (`TextProbe`) has accepted the complete text. */
  probed = false;
  #own: Uint8Array = new Uint8Array(512);
  #hasStray = false;

  clear(): void {
    this.start = 0;
    this.end = 0;
    this.high = false;
    this.tainted = false;
    this.spoilt = false;
    this.probed = false;
    this.#hasStray = false;
  }

  add(bytes: Uint8Array, start: number, end: number, high: boolean): void {
    if (this.spoilt) return;
    if (high) this.high = true;
    if (this.end === this.start) {
      this.bytes = bytes;
      this.start = start;
      this.end = end;
      return;
    }
    this.probed = false;
    this.#reserve(end - start);
    this.#own.set(bytes.subarray(start, end), this.end);
    this.end += end - start;
  }

  /** Appends a `<` that does not start a tag. `removeStray` removes it from a URL. */
  addStray(bytes: Uint8Array, at: number): void {
    this.#hasStray = true;
    this.add(bytes, at, at + 1, false);
  }

  /**
   * Removes each stray `<` and everything up to the next `>`: `/lo<---->ng` becomes `/long`. Cutting the text at the
   * `<` would give `/lo`, which is not a URL of the site.
   */
  removeStray(): void {
    if (!this.#hasStray) return;
    const clean = this.toString().replace(/<[^<>]*>?/g, "");
    const { tainted } = this;
    this.clear();
    this.addString(clean);
    this.tainted = tainted;
  }

  addString(text: string): void {
    const bytes = encoder.encode(text);
    this.add(bytes, 0, bytes.length, true);
  }

  /**
   * Appends the text before the next `<` if `decodeEscaped` can decode it. Returns the index of the `<`, or -1 if
   * nothing was appended.
   */
  addEscaped(bytes: Uint8Array, start: number, end: number): number {
    if (!FAST || this.spoilt) return -1;
    const limit = Math.min(end, start + MAX_ESCAPED);
    this.#reserve(limit - start);
    return decodeEscaped(bytes, start, limit, this.#own, this);
  }

  /** Drops a text that is too long. */
  spoil(): void {
    this.clear();
    this.spoilt = true;
  }

  /** Copies the text out of the scanner's buffer, before the buffer changes. */
  detach(): void {
    if (this.bytes !== this.#own && this.end > this.start) this.#reserve(0);
  }

  trim(): void {
    const { bytes } = this;
    while (this.start < this.end && bytes[this.start]! <= 0x20) this.start++;
    while (this.end > this.start && bytes[this.end - 1]! <= 0x20) this.end--;
  }

  /** The text, not trimmed. */
  toString(): string {
    const { bytes, start, end } = this;
    if (this.high) return utf8Text(bytes, start, end);
    return bytes === this.#own ? asciiText(bytes, start, end) : windowText(bytes, start, end);
  }

  /** Makes room for `more` bytes in the text's own memory, and moves the text there if needed. */
  #reserve(more: number): void {
    const length = this.end - this.start;
    const source = this.bytes;
    if (length + more > this.#own.length || (source === this.#own && this.end + more > this.#own.length)) {
      const larger = new Uint8Array(2 * (length + more));
      larger.set(source.subarray(this.start, this.end));
      this.#own = larger;
    } else if (source !== this.#own) {
      this.#own.set(source.subarray(this.start, this.end));
    } else {
      return;
    }
    this.bytes = this.#own;
    this.start = 0;
    this.end = length;
  }
}
