/**
 * Counts by name in bounded memory: the names that occur often stay, of the others only the sum.
 *
 * Stops the site that puts each of its million pages into a directory of its own. When there are twice as many
 * names as may stay, the rarer half is given up, so one that starts late and then comes often is still found.
 * Until then all counts are exact.
 */
export interface Counted {
  count: number;
}

export class BoundedCounts<T extends Counted, Name extends string | number = string> {
  readonly #limit: number;
  readonly #create: () => T;
  readonly #entries: Map<Name, T> = new Map();
  /** The sum of what was given up. */
  rest = 0;

  constructor(limit: number, create: () => T) {
    this.#limit = limit;
    this.#create = create;
  }

  /** Counts one more, and gives the entry for whatever else is kept with it. */
  add(name: Name): T {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      if (this.#entries.size >= 2 * this.#limit) this.#giveUpRare();
      entry = this.#create();
      this.#entries.set((typeof name === "string" ? ownText(name) : name) as Name, entry);
    }
    entry.count++;
    return entry;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The most frequent ones first; equal ones by their names, so that pictures are the same each time. */
  sorted(): [name: Name, entry: T][] {
    return [...this.#entries].sort(
      ([nameA, a], [nameB, b]) => b.count - a.count || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0),
    );
  }

  #giveUpRare(): void {
    for (const [name, { count }] of this.sorted().slice(this.#limit)) {
      this.rest += count;
      this.#entries.delete(name);
    }
  }
}

/** A part of a string keeps the whole of it in memory, which may be a piece of a document. */
function ownText(text: string): string {
  return Buffer.from(text).toString();
}
