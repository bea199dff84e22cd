/**
 * A sample of pages that is the same each time: those whose URLs have the smallest hashes. It does not
 * depend on the order in which sitemaps come, and a page that stays stays in it while the site grows.
 */

/** Sections or sitemaps that are told apart; a site with more of them has the rest in one. Stops endless ones. */
const MAX_STRATA = 10_000;

interface Ranked<T> {
  readonly rank: number;
  readonly key: string;
  readonly item: T;
}

/** Holds at most twice as many as are wanted, for each stratum. */
class Smallest<T> {
  readonly #size: number;
  #items: Ranked<T>[] = [];
  /** What is beyond it cannot be among the smallest any more. */
  #bound = Number.POSITIVE_INFINITY;

  constructor(size: number) {
    this.#size = size;
  }

  add(ranked: Ranked<T>): void {
    if (ranked.rank > this.#bound) return;
    this.#items.push(ranked);
    if (this.#items.length >= 2 * this.#size) this.#cut();
  }

  /** In order of rank. */
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

  /** Without strata, all are in one. */
  add(item: T, key: string, stratum = ""): void {
    const name = this.#strata.has(stratum) || this.#strata.size < MAX_STRATA ? stratum : "";
    let smallest = this.#strata.get(name);
    if (smallest === undefined) {
      smallest = new Smallest(this.#size);
      this.#strata.set(name, smallest);
    }
    smallest.add({ rank: hash(key), key, item });
  }

  /** One of each stratum, then a second of each, until there are enough; in the order of their keys. */
  end(): T[] {
    const names = [...this.#strata.keys()].sort(compare);
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

/** FNV-1a, and a mix at the end: similar URLs are to have very different ranks. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
