/**
 * Chooses a stable sample of pages: those whose URLs have the smallest hashes. The sample does not depend on the order
 * of sitemaps, and changes little while the site grows.
 */

/**
 * Maximum number of strata, so that a site with endless sections does not fill the memory. A stratum is a group of
 * pages, such as a section or a sitemap. All further groups share one stratum.
 */
const MAX_STRATA = 10_000;

interface Ranked<T> {
  readonly rank: number;
  readonly key: string;
  readonly item: T;
}

/**
 * Keeps the items with the smallest ranks, and of several items with the same key the first one. It holds at most twice
 * as many items as are needed.
 */
class Smallest<T> {
  readonly #size: number;
  #items: Ranked<T>[] = [];
  /** The largest rank that can still be in the sample. */
  #bound = Number.POSITIVE_INFINITY;

  constructor(size: number) {
    this.#size = size;
  }

  add(ranked: Ranked<T>): void {
    if (ranked.rank > this.#bound) return;
    this.#items.push(ranked);
    if (this.#items.length >= 2 * this.#size) this.#cut();
  }

  /** Returns the items in order of rank. */
  end(): readonly Ranked<T>[] {
    this.#cut();
    return this.#items;
  }

  #cut(): void {
    this.#items.sort((a, b) => a.rank - b.rank || compare(a.key, b.key));
    this.#items = this.#items.filter(({ key }, at) => key !== this.#items[at - 1]?.key).slice(0, this.#size);
    if (this.#items.length === this.#size) this.#bound = this.#items.at(-1)!.rank;
  }
}

export class Sample<T> {
  readonly #size: number;
  readonly #strata: Map<string, Smallest<T>> = new Map();

  constructor(size: number) {
    this.#size = size;
  }

  /** Adds an item. An item with the same key as an earlier one is not chosen again. */
  add(item: T, key: string, stratum = ""): void {
    const name = this.#strata.has(stratum) || this.#strata.size < MAX_STRATA ? stratum : "";
    let smallest = this.#strata.get(name);
    if (smallest === undefined) {
      smallest = new Smallest(this.#size);
      this.#strata.set(name, smallest);
    }
    smallest.add({ rank: hash(key), key, item });
  }

  /**
   * Chooses the sample: one item of each stratum, then a second one of each, until there are enough. Sorts it by key.
   */
  end(): T[] {
    // Sort the strata by hash, like the items. If there are more strata than wanted items, an alphabetical order would
    // always choose the first ones.
    const names = [...this.#strata.keys()].sort((a, b) => hash(a) - hash(b) || compare(a, b));
    const lists = names.map((name) => this.#strata.get(name)!.end());
    const chosen = new Map<string, T>();
    for (let round = 0; chosen.size < this.#size; round++) {
      const next = lists.flatMap((items) => items[round] ?? []);
      if (next.length === 0) break;
      for (const { key, item } of next) {
        if (chosen.size < this.#size && !chosen.has(key)) chosen.set(key, item);
      }
    }
    return [...chosen].sort(([a], [b]) => compare(a, b)).map(([, item]) => item);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Hashes a text with FNV-1a and a final mix, so that similar URLs get very different hashes. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** The first folder of the URL's path, such as `/news`, a group of pages for a sample. */
export function sectionOf(url: string): string {
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: url };
  const end = pathname.indexOf("/", 1);
  return end === -1 ? "/" : pathname.slice(0, end);
}
