/**
 * Counts pages by section, in limited memory: a site may put each of a million pages into its own folder. When there
 * are twice as many sections as the limit, the smaller half is dropped. Until then all counts are exact.
 */

/** Number of pages that only one input has, and that both have. */
export interface PageCounts {
  /** Number of pages that only `a` has. */
  readonly onlyA: number;
  /** Number of pages that only `b` has. */
  readonly onlyB: number;
  /** Number of pages that both inputs have. */
  readonly both: number;
}

/** Number of pages in one section of a site. */
export interface SectionCounts extends PageCounts {
  /** Host and port of the site. */
  readonly host: string;
  /** The first folder of the path, such as `/blog`. `/` for pages outside all folders. */
  readonly section: string;
}

/** Which of the two inputs have a page. */
export type PageIn = "a" | "b" | "both";

const MAX_SECTIONS = 500;
/** Maximum length of the name of a section. Longer names are cut. */
const MAX_NAME = 200;

const FIELDS = { a: "onlyA", b: "onlyB", both: "both" } as const;

type MutableCounts = { -readonly [Name in keyof PageCounts]: PageCounts[Name] };

interface Entry extends MutableCounts {
  readonly host: string;
  readonly section: string;
}

export class SectionCounter {
  /** Number of all pages. */
  readonly total: MutableCounts = noPages();
  /** Number of pages in sections that were dropped. */
  readonly others: MutableCounts = noPages();
  readonly #max: number;
  readonly #entries: Map<string, Entry> = new Map();
  /** The section of the last page. Keys arrive in order, so the next page is often in the same section. */
  #lastStart: string | undefined;
  #last: Entry | undefined;

  constructor(max: number = MAX_SECTIONS) {
    this.#max = max;
  }

  /** Adds a page. @param key its key (compare-key.ts) */
  add(key: string, where: PageIn): void {
    const field = FIELDS[where];
    this.total[field]++;
    if (this.#lastStart === undefined || !key.startsWith(this.#lastStart)) this.#find(key);
    this.#last![field]++;
  }

  /** The sections, largest first. */
  sections(): SectionCounts[] {
    return [...this.#entries.values()].sort(bySize).map((entry) => ({ ...entry }));
  }

  #find(key: string): void {
    const hostAt = key.indexOf("//") + 2;
    const pathAt = key.indexOf("/", hostAt);
    const host = key.slice(hostAt, pathAt);
    const queryAt = key.indexOf("?", pathAt);
    const slash = key.indexOf("/", pathAt + 1);
    const isFolder = slash > 0 && (queryAt < 0 || slash < queryAt);
    this.#lastStart = isFolder ? key.slice(0, slash + 1) : undefined;
    const section = isFolder ? key.slice(pathAt, Math.min(slash, pathAt + MAX_NAME)) : "/";
    const name = host + section;
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      if (this.#entries.size >= 2 * this.#max) this.#dropSmall();
      // Copy the name: a slice would keep the whole buffer of URLs in memory.
      entry = { host: copy(host), section: copy(section), ...noPages() };
      this.#entries.set(copy(name), entry);
    }
    this.#last = entry;
  }

  #dropSmall(): void {
    for (const [name, entry] of [...this.#entries].sort(([, a], [, b]) => bySize(a, b)).slice(this.#max)) {
      this.others.onlyA += entry.onlyA;
      this.others.onlyB += entry.onlyB;
      this.others.both += entry.both;
      this.#entries.delete(name);
    }
  }
}

function noPages(): MutableCounts {
  return { onlyA: 0, onlyB: 0, both: 0 };
}

function sizeOf({ onlyA, onlyB, both }: PageCounts): number {
  return onlyA + onlyB + both;
}

function bySize(a: Entry, b: Entry): number {
  return sizeOf(b) - sizeOf(a) || (a.host + a.section < b.host + b.section ? -1 : 1);
}

function copy(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
