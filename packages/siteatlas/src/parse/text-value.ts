/**
 * The text of one element, as bytes: in place where it lies in one clean piece in the scanner's buffer,
 * in memory of our own where it had to be put together (references, CDATA, comments in between) or has
 * to outlive the buffer. Keeping bytes lets a reader check a URL or a date without making a string first.
 */
import { asciiText, utf8Text } from "#platform";
import { decodeEscaped, FAST, windowText } from "#shortcuts";

const encoder = new TextEncoder();

/** Longer text with references goes the ordinary way. */
const MAX_ESCAPED = 4096;

export class TextValue {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** There may be bytes above 0x7f. */
  high = false;
  /** An unknown entity was left as it is: not a value to trust in a URL (X21). */
  tainted = false;
  /** The text was longer than the limit and is not here. */
  spoilt = false;
  /** The whole of it was read by the scanner's probe. */
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

  /** Appends a clean piece. */
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

  /** Appends a `<` that starts no tag; no URL holds one (`removeStray`). */
  addStray(bytes: Uint8Array, at: number): void {
    this.#hasStray = true;
    this.add(bytes, at, at + 1, false);
  }

  /**
   * Takes away each stray `<` with what follows it up to `>`: `/lo<---->ng` is `/long`, not `/lo`, which
   * nobody wrote.
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
   * Appends what stands before the next `<`, if it is of the kind that `decodeEscaped` takes. Gives where the
   * `<` is; else -1, and nothing was appended.
   */
  addEscaped(bytes: Uint8Array, start: number, end: number): number {
    if (!FAST || this.spoilt) return -1;
    const limit = Math.min(end, start + MAX_ESCAPED);
    this.#reserve(limit - start);
    return decodeEscaped(bytes, start, limit, this.#own, this);
  }

  /** Forgets the text because it was too long. */
  spoil(): void {
    this.clear();
    this.spoilt = true;
  }

  /** Makes the value independent of the buffer that it was found in. */
  detach(): void {
    if (this.bytes !== this.#own && this.end > this.start) this.#reserve(0);
  }

  /** Narrows the value to what is between white space. */
  trim(): void {
    const { bytes } = this;
    while (this.start < this.end && bytes[this.start]! <= 0x20) this.start++;
    while (this.end > this.start && bytes[this.end - 1]! <= 0x20) this.end--;
  }

  /** As a string, not trimmed. */
  toString(): string {
    const { bytes, start, end } = this;
    if (this.high) return utf8Text(bytes, start, end);
    return bytes === this.#own ? asciiText(bytes, start, end) : windowText(bytes, start, end);
  }

  /** Moves the value to our own memory, with room for more. */
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
