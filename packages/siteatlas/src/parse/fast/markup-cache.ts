/**
 * Cache of the markup between two values. Sitemaps repeat the same markup a hundred thousand times
 * (`</loc>⏎<lastmod>`): it is cached with its tags, so that the scanner compares bytes instead of parsing
 * tags. An entry is a pure function of those bytes within one scope, so the events are the same without the
 * cache (differential test). Also skips runs of spaces, 16 at a time.
 *
 * A separator consists of plain tags with white space between them. It is learned while the scanner parses
 * it: `begin` at the end of a value, `add` for each plain tag, `end` at the next value.
 */
import { isXmlSpace } from "../../decode/xml-space.ts";

/** The separators seen after text in an element, most likely first, and the number of misses. */
export interface SeparatorOwner<Element> {
  readonly separators: Separator<Element>[];
  misses: number;
}

export interface Separator<Element> {
  /** The bytes of the separator: words of four (little endian), and up to three remaining bytes. */
  readonly words: Int32Array;
  readonly tail: Uint8Array;
  readonly length: number;
  readonly lines: number;
  readonly tags: readonly SeparatorTag<Element>[];
}

/** A start or end tag in a separator, with its line relative to the start of the separator. */
export interface SeparatorTag<Element> {
  readonly element: Element;
  readonly opens: boolean;
  readonly lines: number;
}

/** Longer separators are not cached. */
const MAX_SEPARATOR = 1024;
/** Separators cached per element: entries differ in their fields. */
const MAX_SEPARATORS = 4;
/** After this many misses in an element, only one miss in this many is cached. */
const FREE_MISSES = 16;

const FOUR_SPACES = 0x20202020;

export class Separators<Element extends SeparatorOwner<Element>> {
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);
  /** Start of the separator that is being recorded; negative if none is. */
  #from = -1;
  /** End of its tags without attributes. */
  #to = 0;
  #line = 0;
  #owner: Element | undefined;
  readonly #tags: SeparatorTag<Element>[] = [];

  /** Sets the scanner's current buffer. */
  use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Index after the spaces at `from`, 16 at a time: a compression bomb is 100 MB of them (sec-E02). */
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

  /** Finds the cached separator at `at` after text in `owner`. One long function, because it runs for each text. */
  find(owner: Element, at: number, end: number): Separator<Element> | undefined {
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
      // Frequent separators move to the front.
      if (i > 0) {
        separators[i] = separators[i - 1]!;
        separators[i - 1] = candidate;
      }
      this.#from = -1;
      return candidate;
    }
    return undefined;
  }

  /** Starts to learn a separator: text in `owner` ended at `at`, and no cached separator follows. */
  begin(owner: Element, at: number, line: number): void {
    // A separator that is still being learned ends here.
    this.#from = -1;
    // In irregular documents learning costs more than it saves: learn rarely.
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

  /** Stops learning. */
  stop(): void {
    this.#from = -1;
  }

  /** Adds a parsed tag without attributes, from `start` to before `end`, to the separator. */
  add(element: Element, opens: boolean, start: number, end: number, line: number): void {
    if (this.#from < 0) return;
    // Other content before the tag, such as a tag with attributes, ends the separator.
    if (end - this.#from > MAX_SEPARATOR) return this.stop();
    for (let at = this.#to; at < start; at++) if (!isXmlSpace(this.#bytes[at]!)) return this.stop();
    this.#to = end;
    this.#tags.push({ element, opens, lines: line - this.#line });
  }

  /** Ends the separator that is being learned: the next text begins at `at`. */
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
