/**
 * A stable sample of pages: the URLs with the smallest hashes. It does not depend on the order of sitemaps, and
 * changes little while the site grows.
 */

/** Beyond this number, sections or sitemaps share one stratum. Stops a site with endless sections. */
const MAX_STRATA = 10_000;

interface Ranked<T> {
  readonly rank: number;
  readonly key: string;
  readonly item: T;
}

/** Keeps the items with the smallest ranks. Holds at most twice as many as are needed. */
class Smallest<T> {
  readonly #size: number;
  #items: Ranked<T>[] = [];
  /** Items with a larger rank cannot be in the sample. */
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
    this.#items = this.#items.slice(0, this.#size);
    if (this.#items.length === this.#size) this.#bound = this.#items.at(-1)!.rank;
  }
}

export class Sample<T> {
  readonly #size: number;
  readonly #strata: Map<string, Smallest<T>> = new Map();

  constructor(size: number) {
    this.#size = size;
  }

  add(item: T, key: string, stratum = ""): void {
    const name = this.#strata.has(stratum) || this.#strata.size < MAX_STRATA ? stratum : "";
    let smallest = this.#strata.get(name);
    if (smallest === undefined) {
      smallest = new Smallest(this.#size);
      this.#strata.set(name, smallest);
    }
    smallest.add({ rank: hash(key), key, item });
  }

  /** Takes one item of each stratum, then a second one, until there are enough. Sorts the result by key. */
  end(): T[] {
    // Strata are sorted by hash, like the items. If there are more strata than items, the choice is then not
    // alphabetical.
    const names = [...this.#strata.keys()].sort((a, b) => hash(a) - hash(b) || compare(a, b));
    const lists = names.map((name) => this.#strata.get(name)!.end());
    const chosen: Ranked<T>[] = [];
    for (let round = 0; chosen.length < this.#size; round++) {
      const next = lists.flatMap((items) => items[round] ?? []);
      if (next.length === 0) break;
      chosen.push(...next.slice(0, this.#size - chosen.length));
    }
    return chosen.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** FNV-1a with a final mix, so that similar URLs have very different ranks. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
