/**
 * The URLs of all pages of a site, to find pages that several sitemaps list, and pages that differ only in spelling.
 *
 * The strings of 10 million URLs would take a gigabyte, and sorted runs on disk would double the time of a walk. So the
 * table keeps hashes, 12 bytes per slot, 192 MiB at most. Two URLs meet in a slot if they are variants of each other:
 * equal without regard to case, a final slash, `index.html`, and the order of parameters. The slot has 64 bits of the
 * variant's hash. With 10 million URLs, the probability of one false match is 10⁻⁵. 16 more bits of the exact URL's hash
 * distinguish a repeated URL from a variant. The seeds are random, so that no site can be written to cause matches.
 *
 * The table holds 13.6 million URLs. Later URLs are not added, and `isFull` says so: lint then reports that it did not
 * look for all duplicates.
 */
const FIRST_SLOTS = 1 << 12;
const MAX_SLOTS = 1 << 24;
/** At most this share of the slots is filled. */
const MAX_FILL = 13 / 16;

/** Whether a URL is new, was listed before, or is a variant of a URL that was listed before. */
export type Listing = "new" | "same" | "variant";

const INDEX_PAGE = /\/(?:index|default)\.(?:html?|php|aspx?)$/i;

/** A set of URLs that also finds variants of a URL. */
export class UrlTable {
  /** Number of URLs in the table. */
  size = 0;
  /** Whether URLs were not added, because the table is full. */
  isFull = false;
  /** Number of the document that listed the URL of the last match. */
  lastDocument = 0;
  readonly #maxSlots: number;
  #mask = FIRST_SLOTS - 1;
  /**
   * Three numbers per slot: two with the hash of the variant, then 16 bits of the exact hash and 16 bits for the
   * document. The second number of a free slot is 0.
   */
  #slots: Uint32Array = new Uint32Array(3 * FIRST_SLOTS);
  readonly #seedA: number = randomSeed();
  readonly #seedB: number = randomSeed();
  readonly #foreignSeed: number = randomSeed();
  /** The common start of most URLs. It is not hashed. */
  readonly #prefix: string;
  // The hashes of the URL that is being looked up.
  #low = 0;
  #high = 0;
  #exact = 0;

  /**
   * @param prefix the common start of most URLs, such as `https://example.com`. No slash at its end
   * @param maxSlots a power of two. Smaller in tests
   */
  constructor(prefix = "", maxSlots: number = MAX_SLOTS) {
    this.#prefix = prefix;
    this.#maxSlots = maxSlots;
  }

  /** Adds a URL. `document`: the number of the document that lists it, of which 16 bits are kept. */
  add(url: string, document: number): Listing {
    this.#hash(url);
    const at = this.#find(this.#low, this.#high);
    const listing = this.#listingAt(at);
    if (listing !== "new") return listing;
    if (this.size >= MAX_FILL * (this.#mask + 1)) {
      if (this.#mask + 1 >= this.#maxSlots) {
        this.isFull = true;
        return "new";
      }
      this.#grow();
      return this.#put(this.#find(this.#low, this.#high), document);
    }
    return this.#put(at, document);
  }

  /** Whether the URL, or a variant of it, was listed. */
  look(url: string): Listing {
    this.#hash(url);
    return this.#listingAt(this.#find(this.#low, this.#high));
  }

  #listingAt(at: number): Listing {
    if (this.#slots[at + 1] === 0) return "new";
    const facts = this.#slots[at + 2]!;
    this.lastDocument = facts & 0xffff;
    return facts >>> 16 === this.#exact >>> 16 ? "same" : "variant";
  }

  #put(at: number, document: number): Listing {
    this.#slots[at] = this.#low;
    this.#slots[at + 1] = this.#high;
    this.#slots[at + 2] = (this.#exact & 0xffff0000) | (document & 0xffff);
    this.size++;
    return "new";
  }

  /** The index of the slot that has these hashes, or of the free slot for them. */
  #find(low: number, high: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = low & mask;
    for (;;) {
      const at = 3 * slot;
      const found = slots[at + 1]!;
      if (found === 0 || (found === high && slots[at] === low)) return at;
      slot = (slot + 1) & mask;
    }
  }

  /**
   * Computes the hash of the URL and of its variant, in one pass with four characters per step. URLs are ASCII. Setting
   * the bit 0x20 makes letters lower case, and otherwise changes only characters that URLs do not contain unescaped.
   */
  #hash(url: string): void {
    const key = url.includes("&") ? withSortedQuery(url) : url;
    const { length } = key;
    const end = variantEnd(key);
    const isOwn = key.startsWith(this.#prefix);
    let a = isOwn ? this.#seedA : this.#foreignSeed;
    let b = this.#seedB;
    let exact = a ^ length;
    let i = isOwn ? this.#prefix.length : 0;
    for (; i + 4 <= end; i += 4) {
      const word =
        key.charCodeAt(i) |
        (key.charCodeAt(i + 1) << 8) |
        (key.charCodeAt(i + 2) << 16) |
        (key.charCodeAt(i + 3) << 24);
      const folded = word | 0x20202020;
      exact = Math.imul(exact ^ word, MULTIPLIER_A);
      exact ^= exact >>> 15;
      a = Math.imul(a ^ folded, MULTIPLIER_A);
      a ^= a >>> 15;
      b = Math.imul(b ^ folded, MULTIPLIER_B);
      b ^= b >>> 13;
    }
    for (; i < length; i++) {
      const code = key.charCodeAt(i);
      exact = Math.imul(exact ^ code, MULTIPLIER_A);
      exact ^= exact >>> 15;
      if (i >= end) continue;
      a = Math.imul(a ^ (code | 0x20), MULTIPLIER_A);
      b = Math.imul(b ^ (code | 0x20), MULTIPLIER_B);
      b ^= b >>> 13;
    }
    // The order of parameters is a part of the exact URL.
    if (key !== url) {
      for (let at = url.indexOf("?"); at < url.length; at++) {
        exact = Math.imul(exact ^ url.charCodeAt(at), MULTIPLIER_A);
      }
    }
    this.#exact = Math.imul(exact, MULTIPLIER_C);
    this.#low = Math.imul(a ^ (a >>> 15), MULTIPLIER_C) >>> 0;
    this.#high = b >>> 0 || 1;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = 2 * (this.#mask + 1) - 1;
    this.#slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += 3) {
      if (old[from + 1] === 0) continue;
      const to = this.#find(old[from]!, old[from + 1]!);
      this.#slots[to] = old[from]!;
      this.#slots[to + 1] = old[from + 1]!;
      this.#slots[to + 2] = old[from + 2]!;
    }
  }
}

const MULTIPLIER_A = 0x01000193;
const MULTIPLIER_B = 0x5bd1e995;
const MULTIPLIER_C = 0x85ebca6b;

function randomSeed(): number {
  return Math.trunc(Math.random() * 0x7fffffff) | 1;
}

/** Where the variant of a URL ends: before a final slash or `/index.html`. */
function variantEnd(url: string): number {
  const { length } = url;
  const last = url.charCodeAt(length - 1);
  if (last === 0x2f) return length - 1;
  // Only URLs that end with `l`, `m`, `p` or `x` can end with the name of an index page.
  const mayBeIndex = last === 0x6c || last === 0x6d || last === 0x70 || last === 0x78;
  return mayBeIndex ? (INDEX_PAGE.exec(url)?.index ?? length) : length;
}

function withSortedQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0
    ? url
    : `${url.slice(0, at)}?${url
        .slice(at + 1)
        .split("&")
        .sort()
        .join("&")}`;
}
