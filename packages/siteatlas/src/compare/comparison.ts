/** One comparison: collects the URLs of both inputs, sorts them, and merges them into pages. */

import { TemporaryFolder } from "../files/temporary-folder.ts";
import { createKey, type IgnoredDifference } from "./compare-key.ts";
import { type ComparedPage, mergePages, recordOf } from "./merge-pages.ts";
import { type PageCounts, SectionCounter, type SectionCounts } from "./section-counts.ts";
import { RecordSorter, type SortLimits } from "./sort/record-sorter.ts";
import { FactCounts, type SourceFacts } from "./source-facts.ts";

/** Maximum length of a URL. Two of them fit into a record. */
const MAX_URL = 30_000;
/** Maximum number of origins that are kept for hints. */
const MAX_ORIGINS = 16;

/** The result of a comparison: the last item that `comparePages` yields. */
export interface ComparisonSummary extends PageCounts {
  /** Always `summary`. The other items are pages. */
  readonly kind: "summary";
  /** The largest sections, by number of pages. At most 1,000. */
  readonly sections: readonly SectionCounts[];
  /** Number of pages in all other sections. */
  readonly otherSections: PageCounts;
  /** Facts about the first input. */
  readonly a: SourceFacts;
  /** Facts about the second input. */
  readonly b: SourceFacts;
}

interface ComparisonOptions {
  readonly ignore?: readonly IgnoredDifference[] | undefined;
  readonly filter?: ((url: string) => boolean) | undefined;
  readonly temporaryFolder?: string | undefined;
  /** For tests. */
  readonly limits?: SortLimits;
}

/** Takes the URLs of one input. */
export class PageIntake {
  readonly facts: FactCounts = new FactCounts();
  readonly sorter: RecordSorter;
  hasSpellings = false;
  readonly #origins: Set<string> = new Set();
  /** The origin of the last URL, with a slash at its end. */
  #lastOrigin = "\0";
  #slashes = 0;
  readonly #keyOf: (url: string) => string;
  readonly #filter: ((url: string) => boolean) | undefined;

  constructor(sorter: RecordSorter, { ignore = [], filter }: ComparisonOptions) {
    this.sorter = sorter;
    this.#keyOf = createKey(ignore);
    this.#filter = filter;
  }

  /** Adds a normalized URL. Returns a promise only when it writes to a file. */
  add(url: string): Promise<void> | undefined {
    if (url.length > MAX_URL) return void this.facts.drop("too-long");
    if (this.#filter !== undefined && !this.#filter(url)) return void this.facts.drop("filter");
    this.facts.urls++;
    if (!url.startsWith(this.#lastOrigin)) this.#addOrigin(url);
    if (url.endsWith("/")) this.#slashes++;
    const key = this.#keyOf(url);
    if (key !== url) this.hasSpellings = true;
    return this.sorter.add(recordOf(key, url));
  }

  /** Facts about the spelling of the URLs: their first origins, and the share that ends with a slash. */
  habits(): { readonly origins: ReadonlySet<string>; readonly slashes: number } {
    return { origins: this.#origins, slashes: this.#slashes / Math.max(1, this.facts.urls) };
  }

  #addOrigin(url: string): void {
    this.#lastOrigin = url.slice(0, url.indexOf("/", "https://".length) + 1);
    if (this.#origins.size < MAX_ORIGINS) this.#origins.add(this.#lastOrigin.slice(0, -1));
  }

  async addAll(batches: AsyncIterable<readonly string[]>, signal?: AbortSignal): Promise<void> {
    for await (const urls of batches) {
      signal?.throwIfAborted();
      for (const url of urls) {
        const busy = this.add(url);
        if (busy !== undefined) await busy;
      }
    }
  }
}

export class Comparison {
  readonly a: PageIntake;
  readonly b: PageIntake;
  readonly #folder: TemporaryFolder;
  readonly #sections: SectionCounter = new SectionCounter();

  private constructor(folder: TemporaryFolder, options: ComparisonOptions) {
    this.#folder = folder;
    this.a = new PageIntake(new RecordSorter(folder, options.limits), options);
    this.b = new PageIntake(new RecordSorter(folder, options.limits), options);
  }

  static async open(options: ComparisonOptions): Promise<Comparison> {
    return new Comparison(await TemporaryFolder.choose("compare", options.temporaryFolder), options);
  }

  /** Yields the pages of both inputs, sorted. Call this once, when both inputs are complete. */
  async *pages(): AsyncGenerator<readonly ComparedPage[]> {
    const { a, b } = this;
    yield* mergePages(await a.sorter.cursors(), await b.sorter.cursors(), {
      hasSpellings: a.hasSpellings || b.hasSpellings,
      onPage: (key, where) => this.#sections.add(key, where),
    });
  }

  /** The result, after all pages were yielded. */
  summary(): ComparisonSummary {
    const { total, others } = this.#sections;
    return {
      kind: "summary",
      ...total,
      sections: this.#sections.sections(),
      otherSections: others,
      a: this.a.facts.facts(),
      b: this.b.facts.facts(),
    };
  }

  /** Deletes the temporary files. */
  async close(): Promise<void> {
    await this.#folder.remove();
  }
}
