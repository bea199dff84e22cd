/**
 * The set of URLs that a document has listed. It finds repeated URLs, which are dropped (U43, I02).
 *
 * A set of strings would take as long as parsing the document, and would keep every URL in memory. This set keeps 64
 * bits per URL, from two independent hashes with a random seed. In a file of 50,000 URLs, the probability that two
 * different URLs have the same hash is 10⁻¹⁰, and no document can be written to cause this. The set uses at most 4 MiB.
 * When it is full, new URLs are not added, and their repetitions are not dropped.
 */
const FIRST_SLOTS = 1 << 10;
const MAX_SLOTS = 1 << 19;
/**
 * Maximum number of URLs in the set: 13 of 16 slots are filled. These are 425,984 URLs, eight times what the protocol
 * allows in a file.
 */
export const MAX_SEEN_URLS: number = (13 / 16) * MAX_SLOTS;

/** Start values of the two hashes, and their multipliers for every four bytes. */
export const HASH_SEED_A: number = randomSeed();
export const HASH_SEED_B: number = randomSeed();
export const MULTIPLIER_A = 0x01000193;
export const MULTIPLIER_B = 0x5bd1e995;
/** Start value of the first hash for URLs that do not start with the prefix of the set. */
const FOREIGN_SEED: number = randomSeed();

function randomSeed(): number {
  return Math.trunc(Math.random() * 0x7fffffff) | 1;
}

export interface UrlHash {
  readonly hashA: number;
  readonly hashB: number;
}

export class UrlSet {
  /** The common start of most URLs. It is not hashed. */
  readonly #prefix: string;
  /** The hash table. Each slot has two numbers, the two hashes of a URL. A slot with two zeros is free. */
  #slots: Int32Array = new Int32Array(2 * FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #count = 0;
  /** Number of repeated URLs that `add` and `addHashed` found. */
  duplicates = 0;

  readonly #maxSlots: number;

  /**
   * @param prefix the common start of most URLs, such as `https://www.example.com/`
   * @param maxSlots a power of two. A slot takes 8 bytes
   */
  constructor(prefix: string, maxSlots: number = MAX_SLOTS) {
    this.#prefix = prefix;
    this.#maxSlots = maxSlots;
  }

  /** Number of different URLs in the set. */
  get size(): number {
    return this.#count;
  }

  /** Adds a URL, which must be ASCII. Returns whether it is new. `%c3` and `%C3` are the same (U20). */
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
    return this.addHash(a, b ^ (length - start));
  }

  /** Like `add`, for a URL whose hash own-origin-url.ts has already computed. */
  addHashed({ hashA, hashB }: UrlHash): boolean {
    return this.addHash(hashA, hashB);
  }

  /** Like `addHashed`, for the two numbers of a hash. */
  addHash(hashA: number, b: number): boolean {
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
      if (this.#mask + 1 >= this.#maxSlots) return true;
      this.#grow();
      return this.addHash(a, b);
    }
    slots[2 * slot] = a;
    slots[2 * slot + 1] = b;
    this.#count++;
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = 4 * (this.#mask + 1) - 1;
    if (this.#mask >= this.#maxSlots) this.#mask = this.#maxSlots - 1;
    this.#slots = new Int32Array(2 * (this.#mask + 1));
    this.#count = 0;
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] !== 0 || old[i + 1] !== 0) this.addHash(old[i]!, old[i + 1]!);
    }
  }
}
