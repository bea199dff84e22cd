/**
 * Counts by name, in limited memory: a site may put each of a million pages into its own folder. Keeps the frequent
 * names with their counts, and the sum of all other counts.
 *
 * When there are twice as many names as the limit, the rarer half is dropped. Until then all counts are exact.
 */
export interface Counted {
  count: number;
}

export class BoundedCounts<T extends Counted, Name extends string | number = string> {
  readonly #limit: number;
  readonly #create: () => T;
  readonly #entries: Map<Name, T> = new Map();
  /** The sum of the counts of dropped names. */
  rest = 0;

  constructor(limit: number, create: () => T) {
    this.#limit = limit;
    this.#create = create;
  }

  /** Adds 1 to the count of a name. Returns its entry. */
  add(name: Name): T {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      if (this.#entries.size >= 2 * this.#limit) this.#dropRare();
      entry = this.#create();
      this.#entries.set((typeof name === "string" ? ownText(name) : name) as Name, entry);
    }
    entry.count++;
    return entry;
  }

  /** Adds 1 to the count of a name that is kept already. Another name counts only in `rest`, which is faster. */
  addKnown(name: Name): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) this.rest++;
    else entry.count++;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Entries sorted by frequency, then by name, so that the order is stable. */
  sorted(): [name: Name, entry: T][] {
    return [...this.#entries].sort(
      ([nameA, a], [nameB, b]) => b.count - a.count || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0),
    );
  }

  #dropRare(): void {
    for (const [name, { count }] of this.sorted().slice(this.#limit)) {
      this.rest += count;
      this.#entries.delete(name);
    }
  }
}

/** Copies a text. A substring would keep the whole document in memory. */
function ownText(text: string): string {
  return Buffer.from(text).toString();
}
