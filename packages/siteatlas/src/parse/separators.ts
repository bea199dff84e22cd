/**
 * What stands between two values. Sitemaps repeat the same markup a hundred thousand times
 * (`</loc>⏎<lastmod>`): it is remembered with the tags in it, so that the scanner compares bytes instead of
 * reading tags. What is remembered is a pure function of those bytes within one scope, so the events are the
 * same with and without it (differential test). And runs of blanks are passed over many at a time.
 *
 * A separator is plain tags with white space between them and nothing else. It is learnt while the scanner
 * reads it: `begin` where a value ends, `add` for each plain tag, `end` where the next value begins.
 */
import type { ElementName } from "./names.ts";

export interface Separator {
  /** Its bytes: as many words of four (little endian) as fit, and the up to three that are left. */
  readonly words: Int32Array;
  readonly tail: Uint8Array;
  readonly length: number;
  readonly lines: number;
  readonly tags: readonly SeparatorTag[];
}

/** A start or end tag in a separator, `lines` lines from its beginning. */
export interface SeparatorTag {
  readonly element: ElementName;
  readonly opens: boolean;
  readonly lines: number;
}

/** Separators longer than this are not worth remembering. */
const MAX_SEPARATOR = 1024;
/** How many are remembered after each element: entries differ in the fields that they have. */
const MAX_SEPARATORS = 4;
/** After this many new ones, only one in as many is remembered. */
const FREE_MISSES = 16;

const FOUR_SPACES = 0x20202020;

export class Separators {
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);
  /** What is being learnt starts here; nothing is, if negative. */
  #from = -1;
  /** Up to here it is plain tags. */
  #to = 0;
  #line = 0;
  #owner: ElementName | undefined;
  readonly #tags: SeparatorTag[] = [];

  /** The scanner reads these bytes from now on. */
  use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Behind the spaces at `from`, sixteen at a time: a compression bomb is 100 MB of them (sec-E02). */
  skipSpaces(from: number, end: number): number {
    const view = this.#view;
    let at = from;
    for (; at + 16 <= end; at += 16) {
      const a = view.getInt32(at, true);
      if (a !== FOUR_SPACES || view.getInt32(at + 4, true) !== a) break;
      if (view.getInt32(at + 8, true) !== a || view.getInt32(at + 12, true) !== a) break;
    }
    return at;
  }

  /** The separator at `at`, if it was seen before after text inside `owner`. One function: called for each text. */
  find(owner: ElementName, at: number, end: number): Separator | undefined {
    const { separators } = owner;
    const view = this.#view;
    const bytes = this.#bytes;
    next: for (let i = 0; i < separators.length; i++) {
      const candidate = separators[i]!;
      if (at + candidate.length > end) continue;
      const { words, tail } = candidate;
      let to = at;
      for (let k = 0; k < words.length; k++, to += 4) {
        if (view.getInt32(to, true) !== words[k]) continue next;
      }
      for (let k = 0; k < tail.length; k++) if (bytes[to + k] !== tail[k]) continue next;
      // What fits often moves to the front.
      if (i > 0) {
        separators[i] = separators[i - 1]!;
        separators[i - 1] = candidate;
      }
      this.#from = -1;
      return candidate;
    }
    return undefined;
  }

  /** A text inside `owner` ended at `at`, and what follows was not found. */
  begin(owner: ElementName, at: number, line: number): void {
    // A separator ends where the next text begins, learnt or not.
    this.#from = -1;
    // Irregular documents miss again and again, and learning costs more than it gives: then it is rare.
    if (owner.misses > FREE_MISSES && owner.misses % FREE_MISSES !== 0) {
      owner.misses++;
      return;
    }
    this.#from = at;
    this.#to = at;
    this.#line = line;
    this.#owner = owner;
    this.#tags.length = 0;
  }

  /** Nothing can be learnt here. */
  stop(): void {
    this.#from = -1;
  }

  /** A tag without attributes was read, from `start` to before `end`. */
  add(element: ElementName, opens: boolean, start: number, end: number, line: number): void {
    if (this.#from < 0) return;
    // Anything but white space before it, a tag of another kind among it, is no part of a separator.
    if (end - this.#from > MAX_SEPARATOR) return this.stop();
    for (let at = this.#to; at < start; at++) if (!isBlank(this.#bytes[at]!)) return this.stop();
    this.#to = end;
    this.#tags.push({ element, opens, lines: line - this.#line });
  }

  /** The next text begins at `at`. */
  end(at: number, line: number): void {
    const from = this.#from;
    if (from < 0) return;
    this.#from = -1;
    const length = at - from;
    if (at !== this.#to || length > MAX_SEPARATOR) return;
    const { separators } = this.#owner!;
    this.#owner!.misses++;
    if (separators.length === MAX_SEPARATORS) separators.pop();
    const words = new Int32Array(length >> 2);
    for (let i = 0; i < words.length; i++) words[i] = this.#view.getInt32(from + 4 * i, true);
    separators.push({
      words,
      tail: this.#bytes.slice(at - (length & 3), at),
      length,
      lines: line - this.#line,
      tags: this.#tags.slice(),
    });
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
