/**
 * Remembers which URLs a document has listed, to drop the repeated ones (U43, I02).
 *
 * A set of strings costs as much as parsing the document and keeps every URL alive. This one keeps 64
 * bits of each URL, from two independent hashes with a random seed: two different URLs of a file of
 * 50,000 are taken for one with a probability of 10⁻¹⁰, and no document can be written to make it happen.
 * At most 4 MiB are used: beyond 393,216 different URLs, eight times what the protocol allows in a file,
 * new ones are no longer remembered, and their repetitions come through.
 */
const FIRST_SLOTS = 1 << 10;
const MAX_SLOTS = 1 << 19;

/** Where the two hashes start, and how they go on from four bytes to the next four. */
export const HASH_SEED_A: number = randomSeed();
export const HASH_SEED_B: number = randomSeed();
export const MULTIPLIER_A = 0x01000193;
export const MULTIPLIER_B = 0x5bd1e995;
/** URLs that do not share the prefix start elsewhere. */
const FOREIGN_SEED: number = randomSeed();

function randomSeed(): number {
  return Math.trunc(Math.random() * 0x7fffffff) | 1;
}

/** The two hashes of a URL. */
export interface UrlHash {
  readonly hashA: number;
  readonly hashB: number;
}

export class UrlSet {
  /** What most of the URLs start with; it is not hashed. */
  readonly #prefix: string;
  /** Two numbers for each slot; both zero means free. */
  #slots: Int32Array = new Int32Array(2 * FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #count = 0;
  /** How many URLs were there already. */
  duplicates = 0;

  /** `prefix`: what most of the URLs start with, `https://www.example.com/`. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** True if the URL, of ASCII characters only, is new. Percent escapes compare without regard to case (U20). */
  add(url: string): boolean {
    const text = url.includes("%") ? url.replace(/%[\da-f]{2}/gi, (hex) => hex.toUpperCase()) : url;
    const { length } = text;
    const isOwn = text.startsWith(this.#prefix);
    const start = isOwn ? this.#prefix.length : 0;
    let a = isOwn ? HASH_SEED_A : FOREIGN_SEED;
    let b = HASH_SEED_B;
    for (let i = start; i < length; i += 4) {
      let word = text.charCodeAt(i);
      if (i + 1 < length) word |= text.charCodeAt(i + 1) << 8;
      if (i + 2 < length) word |= text.charCodeAt(i + 2) << 16;
      if (i + 3 < length) word |= text.charCodeAt(i + 3) << 24;
      a = Math.imul(a ^ word, MULTIPLIER_A);
      a ^= a >>> 15;
      b = Math.imul(b ^ word, MULTIPLIER_B);
      b ^= b >>> 13;
    }
    return this.#addHash(a, b ^ (length - start));
  }

  /** `add` for a URL that was hashed already (plain-url.ts). */
  addHashed({ hashA, hashB }: UrlHash): boolean {
    return this.#addHash(hashA, hashB);
  }

  #addHash(hashA: number, b: number): boolean {
    const a = (hashA | b) === 0 ? 1 : hashA;
    const slots = this.#slots;
    let slot = (a ^ (b >>> 7)) & this.#mask;
    for (;;) {
      const x = slots[2 * slot]!;
      const y = slots[2 * slot + 1]!;
      if (x === a && y === b) {
        this.duplicates++;
        return false;
      }
      if (x === 0 && y === 0) break;
      slot = (slot + 1) & this.#mask;
    }
    if (16 * (this.#count + 1) > 13 * (this.#mask + 1)) {
      if (this.#mask + 1 >= MAX_SLOTS) return true;
      this.#grow();
      return this.#addHash(a, b);
    }
    slots[2 * slot] = a;
    slots[2 * slot + 1] = b;
    this.#count++;
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = 4 * (this.#mask + 1) - 1;
    if (this.#mask >= MAX_SLOTS) this.#mask = MAX_SLOTS - 1;
    this.#slots = new Int32Array(2 * (this.#mask + 1));
    this.#count = 0;
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] !== 0 || old[i + 1] !== 0) this.#addHash(old[i]!, old[i + 1]!);
    }
  }
}
