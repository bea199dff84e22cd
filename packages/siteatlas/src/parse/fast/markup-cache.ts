/**
 * Caches the markup between two values, such as `</loc>⏎<lastmod>`. This file calls such markup a separator: tags
 * without attributes, with white space between them. A sitemap repeats the same few separators a hundred thousand
 * times. If the next bytes are a cached separator, the scanner does not have to parse its tags.
 *
 * Within one scope of namespaces, the same bytes always mean the same tags. So the scanner emits the same events with
 * and without the cache (a differential test checks this). This file also skips long runs of spaces, 16 at a time.
 *
 * A separator is recorded while the scanner parses it: `begin` at the end of a value, `add` for each tag, `end` at the
 * next value.
 */
import { isXmlSpace } from "../../decode/xml-space.ts";

/**
 * The separators that were found after the text of an element, the most frequent first. `misses` counts how often a new
 * separator was found.
 */
export interface SeparatorOwner<Element> {
  readonly separators: Separator<Element>[];
  misses: number;
}

export interface Separator<Element> {
  /** The bytes of the separator: four bytes per word (little endian), then up to three bytes in `tail`. */
  readonly words: Int32Array;
  readonly tail: Uint8Array;
  readonly length: number;
  readonly lines: number;
  readonly tags: readonly SeparatorTag<Element>[];
  /** For entry-run.ts: the kind of the value that follows. 0 until it is needed. */
  leadsTo: number;
}

/** A start or end tag in a separator. `lines` is the number of lines between the start of the separator and the tag. */
export interface SeparatorTag<Element> {
  readonly element: Element;
  readonly opens: boolean;
  readonly lines: number;
}

/** Maximum length of a cached separator, in bytes. */
const MAX_SEPARATOR = 1024;
/** Maximum number of cached separators per element. There are several, because not all entries have the same fields. */
const MAX_SEPARATORS = 4;
/** After this many misses in an element, only every 16th new separator is recorded. */
const FREE_MISSES = 16;

const FOUR_SPACES = 0x20202020;

export class Separators<Element extends SeparatorOwner<Element>> {
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);
  /** Start of the separator that is being recorded. -1 if no recording is in progress. */
  #from = -1;
  /** End of the tags that were recorded. */
  #to = 0;
  #line = 0;
  #owner: Element | undefined;
  readonly #tags: SeparatorTag<Element>[] = [];

  /** Sets the scanner's current buffer. Positions in other calls refer to it. */
  use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Skips spaces from `from` on, in groups of 16. Returns the index after the last complete group. A compression bomb
   * may have 100 MB of spaces (sec-E02).
   */
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

  /**
   * Finds the cached separator at the position `at`, after a text in `owner`. This is one long function for speed,
   * because it runs for each text.
   */
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
      // Move frequent separators to the front of the list.
      if (i > 0) {
        separators[i] = separators[i - 1]!;
        separators[i - 1] = candidate;
      }
      this.#from = -1;
      return candidate;
    }
    return undefined;
  }

  /** Starts to record a separator: the text in `owner` ended at `at`, and no cached separator follows. */
  begin(owner: Element, at: number, line: number): void {
    // Forget a separator that was not completed.
    this.#from = -1;
    // In irregular documents, recording costs more time than it saves. So record only every 16th separator.
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

  /** Stops recording. The incomplete separator is not cached. */
  stop(): void {
    this.#from = -1;
  }

  /** Adds a tag without attributes to the separator. The tag is from `start` to before `end`. */
  add(element: Element, opens: boolean, start: number, end: number, line: number): void {
    if (this.#from < 0) return;
    // Stop if the separator is too long, or if other content is before the tag, such as a tag with attributes.
    if (end - this.#from > MAX_SEPARATOR) return this.stop();
    for (let at = this.#to; at < start; at++) if (!isXmlSpace(this.#bytes[at]!)) return this.stop();
    this.#to = end;
    this.#tags.push({ element, opens, lines: line - this.#line });
  }

  /** Completes the separator that is being recorded, and caches it. The next text begins at `at`. */
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
      leadsTo: 0,
    });
  }
}
