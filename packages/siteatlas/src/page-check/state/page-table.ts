/**
 * The pages of a check, to find out whether a page was already added or recorded. The strings of 10 million URLs would
 * take a gigabyte, so the table keeps hashes: 96 bits of a URL, and 31 bits of its date. 16 bytes per slot.
 */
import { createHash } from "node:crypto";
import type { PageToCheck } from "../checked-page.ts";

const FIRST_SLOTS = 1 << 12;
/** At most this share of the slots is filled. */
const MAX_FILL = 3 / 4;
const WORDS = 4;
/** The highest bit of the last word: whether the page needs no request. */
const DONE = 0x80000000;

export class PageTable {
  /** Number of pages. */
  size = 0;
  #mask = FIRST_SLOTS - 1;
  /** Three words of hash, then the date and the mark. The first word of a free slot is 0. */
  #slots: Uint32Array = new Uint32Array(WORDS * FIRST_SLOTS);
  readonly #key: Uint32Array = new Uint32Array(3);

  /** Adds a page. Returns false if it was added before. */
  add({ url, lastModified }: PageToCheck): boolean {
    if (this.size >= MAX_FILL * (this.#mask + 1)) this.#grow();
    const at = this.#find(url);
    if (this.#slots[at] !== 0) return false;
    this.#slots.set(this.#key, at);
    this.#slots[at + 3] = dateHash(lastModified);
    this.size++;
    return true;
  }

  has(url: string): boolean {
    return this.#slots[this.#find(url)] !== 0;
  }

  /** Whether the page was added with this date. */
  hasDate({ url, lastModified }: PageToCheck): boolean {
    const at = this.#find(url);
    return this.#slots[at] !== 0 && (this.#slots[at + 3]! & ~DONE) >>> 0 === dateHash(lastModified);
  }

  /** Marks a page that needs no request. Returns false if it has the mark already, or was not added. */
  finish(url: string): boolean {
    const at = this.#find(url);
    if (this.#slots[at] === 0 || this.isFinished(url)) return false;
    this.#slots[at + 3] = this.#slots[at + 3]! | DONE;
    return true;
  }

  isFinished(url: string): boolean {
    return (this.#slots[this.#find(url) + 3]! & DONE) !== 0;
  }

  /** The index of the slot of this URL, or of the free slot for it. Sets `#key`. */
  #find(url: string): number {
    const hash = createHash("sha256").update(url).digest();
    for (let word = 0; word < 3; word++) this.#key[word] = hash.readUInt32LE(4 * word);
    this.#key[0] ||= 1;
    return this.#slotOf(this.#key, 0);
  }

  #slotOf(words: Uint32Array, from: number): number {
    const slots = this.#slots;
    for (let slot = words[from]! & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = WORDS * slot;
      if (slots[at] === 0) return at;
      const isSame =
        slots[at] === words[from] && slots[at + 1] === words[from + 1] && slots[at + 2] === words[from + 2];
      if (isSame) return at;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = 2 * (this.#mask + 1) - 1;
    this.#slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += WORDS) {
      if (old[from] !== 0) this.#slots.set(old.subarray(from, from + WORDS), this.#slotOf(old, from));
    }
  }
}

/** 31 bits of a date. 0 if there is none. */
function dateHash(date: string | undefined): number {
  if (date === undefined) return 0;
  return (createHash("sha256").update(date).digest().readUInt32LE() & ~DONE) >>> 0 || 1;
}
