/**
 * The text of one element, as bytes: in place where it lies in one clean piece in the scanner's buffer,
 * in memory of our own where it had to be put together (references, CDATA, comments in between) or has
 * to outlive the buffer. Keeping bytes lets a reader check a URL or a date without making a string first.
 */
import { asciiText, utf8Text } from "#platform";
import type { TextWindow } from "./text-window.ts";

const encoder = new TextEncoder();

const SPACE = 0x20;
const AMP = 0x26;
const LESS_THAN = 0x3c;

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
  readonly #window: TextWindow;

  constructor(window: TextWindow) {
    this.#window = window;
  }

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
   * Appends what stands before the next `<`, if all references in it are `&amp;` and its four like or stand
   * for an ASCII character, and there is no line break or control character. Gives where the `<` is; else
   * -1, and nothing was appended.
   */
  addEscaped(bytes: Uint8Array, start: number, end: number): number {
    if (this.spoilt) return -1;
    const limit = Math.min(end, start + MAX_ESCAPED);
    this.#reserve(limit - start);
    const own = this.#own;
    let to = this.end;
    let high = 0;
    for (let at = start; at < limit; ) {
      const byte = bytes[at]!;
      if (byte === LESS_THAN) {
        this.probed = false;
        this.end = to;
        if (high >= 0x80) this.high = true;
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
    return bytes === this.#own ? asciiText(bytes, start, end) : this.#window.cut(bytes, start, end);
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

/** The length of `&amp;`, `&lt;`, `&gt;`, `&quot;` or `&apos;` at this place, else 0; 5 is `&amp;` alone. */
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

/** Where the semicolon of `&#38;` or `&#x26;` is, if that is a printable ASCII character; else 0. */
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

/** The number between `&#` and the semicolon, -1 if it is none. */
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
