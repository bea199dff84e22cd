/**
 * Finds the lines that differ between two snapshots, sitemap by sitemap. Unchanged sitemaps are decompressed only if a
 * page was added to or removed from another one, to see whether they also list it.
 */
import { batchesOf, LineCursor } from "../snapshot/line-cursor.ts";
import { urlOfLine, withoutDate } from "../snapshot/page-line.ts";
import {
  linesOf,
  type Sections,
  type SnapshotPending,
  type SnapshotSitemap,
} from "../snapshot/snapshot-format.ts";
import { DifferingLines } from "./differing-lines.ts";

/** One sitemap as it is in both snapshots. */
interface SectionPair {
  readonly before: SnapshotSitemap | undefined;
  readonly after: SnapshotSitemap | undefined;
  readonly number: number;
  readonly isSame: boolean;
}

export class SnapshotDifferences {
  readonly lines: DifferingLines;
  /** URLs of the sitemaps. The position of a URL in this array is the number of its sitemap. */
  readonly urls: string[] = [];
  /** Number of pages where only the date differs, by the number of the sitemap. */
  readonly restamped: Map<number, number> = new Map();
  /** Number of pages that a sitemap no longer lists, by the number of the sitemap. */
  readonly unlisted: Map<number, number> = new Map();
  /** Groups of pending pages, by number. Their numbers follow those of the sitemaps. */
  readonly groups: Map<number, SnapshotPending> = new Map();
  readonly #before: Sections | undefined;
  readonly #after: Sections;
  readonly #pairs: SectionPair[] = [];
  #isWatching = false;

  /** @param folder where to store lines that do not fit into memory */
  constructor(before: Sections | undefined, after: Sections, folder: string | undefined) {
    this.#before = before;
    this.#after = after;
    this.lines = new DifferingLines(folder);
  }

  /**
   * Returns the URLs of the sitemaps with these numbers. For a group of pending pages: the sitemaps that listed them
   * last.
   */
  namesOf(numbers: Iterable<number>): string[] {
    const names = new Set<string>();
    for (const number of numbers) {
      for (const name of this.groups.get(number)?.sitemaps ?? [this.urls[number]!]) names.add(name);
    }
    return [...names].sort();
  }

  async gather(): Promise<void> {
    const older = new Map(this.#before?.sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    for (const after of this.#after.sitemaps) {
      this.#addPair(older.get(after.url), after);
      older.delete(after.url);
    }
    for (const before of older.values()) this.#addPair(before, undefined);
    for (const pair of this.#pairs) if (!pair.isSame) await this.#findDifferences(pair);
    if (this.#before !== undefined) await this.#gatherPending(this.#before, "-");
    await this.#gatherPending(this.#after, "+");
    if (this.#isWatching) await this.#findElsewhere();
  }

  /** Adds the pending pages of a snapshot, as if a further sitemap listed them. */
  async #gatherPending(snapshot: Sections, side: "-" | "+"): Promise<void> {
    for (const group of snapshot.pending) {
      const sitemap = this.urls.push(group.url) - 1;
      this.groups.set(sitemap, group);
      for await (const text of snapshot.texts(group)) {
        for (const line of linesOf(text)) {
          const busy = this.lines.add({ side, sitemap, line });
          if (busy !== undefined) await busy;
        }
      }
    }
  }

  #addPair(before: SnapshotSitemap | undefined, after: SnapshotSitemap | undefined): void {
    const number = this.urls.push((after ?? before)!.url) - 1;
    if (before?.section === undefined && after?.section === undefined) return;
    this.#pairs.push({ before, after, number, isSame: before?.section?.hash === after?.section?.hash });
  }

  async #findDifferences(pair: SectionPair): Promise<void> {
    const { number: sitemap, before, after } = pair;
    const isShared = before?.isShared === true || after?.isShared === true;
    for await (const lines of this.#lines(pair)) {
      for (const [old, young] of lines) {
        if (old === young) continue;
        if (old !== undefined && young !== undefined && withoutDate(old) === withoutDate(young)) {
          this.restamped.set(sitemap, (this.restamped.get(sitemap) ?? 0) + 1);
        }
        if (young === undefined) this.unlisted.set(sitemap, (this.unlisted.get(sitemap) ?? 0) + 1);
        // Other sitemaps may also list this page, so watch its URL.
        if (isShared || old === undefined || young === undefined) {
          this.#isWatching = true;
          this.lines.watch((old ?? young)!);
        }
        for (const [side, line] of [["-", old] as const, ["+", young] as const]) {
          const busy = line === undefined ? undefined : this.lines.add({ side, sitemap, line });
          if (busy !== undefined) await busy;
        }
      }
    }
  }

  /** Yields the lines of both sections, paired by URL. */
  #lines({ before, after }: SectionPair): AsyncGenerator<readonly LinePair[]> {
    return sideBySide(linesIn(this.#before, before), linesIn(this.#after, after));
  }

  /** Finds the lines of watched pages in unchanged sitemaps. */
  async #findElsewhere(): Promise<void> {
    for (const pair of this.#pairs) {
      if (pair.isSame) await this.#findInSection(pair.after!, pair.number);
      else if (pair.before?.section !== undefined && pair.after?.section !== undefined) {
        for await (const lines of this.#lines(pair)) {
          for (const [old, young] of lines) {
            if (old !== undefined && old === young && this.lines.mayWatch(old, 0)) {
              await this.lines.add({ side: "=", sitemap: pair.number, line: old });
            }
          }
        }
      }
    }
  }

  async #findInSection(sitemap: SnapshotSitemap, number: number): Promise<void> {
    for await (const text of this.#after.texts(sitemap)) {
      let start = 0;
      while (start < text.length) {
        const end = text.indexOf("\n", start);
        if (this.lines.mayWatch(text, start)) {
          const busy = this.lines.add({ side: "=", sitemap: number, line: text.slice(start, end) });
          if (busy !== undefined) await busy;
        }
        start = end + 1;
      }
    }
  }
}

/** Two lines with the same URL, one from each snapshot. */
type LinePair = readonly [old: string | undefined, young: string | undefined];

/** Number of characters of the pairs that are yielded together. Awaiting every single pair would be too slow. */
const PAIRS_LENGTH = 64 * 1024;

async function* sideBySide(older: LineCursor, newer: LineCursor): AsyncGenerator<readonly LinePair[]> {
  try {
    await older.next();
    await newer.next();
    let pairs: LinePair[] = [];
    let length = 0;
    while (older.line !== undefined || newer.line !== undefined) {
      const [old, young] = [older.line, newer.line];
      const order =
        old === undefined ? 1 : young === undefined ? -1 : compareTexts(urlOfLine(old), urlOfLine(young));
      pairs.push([order <= 0 ? old : undefined, order >= 0 ? young : undefined]);
      length += old?.length ?? young!.length;
      if (length >= PAIRS_LENGTH) {
        yield pairs;
        pairs = [];
        length = 0;
      }
      const busy = order <= 0 ? older.next() : undefined;
      if (busy !== undefined) await busy;
      const alsoBusy = order >= 0 ? newer.next() : undefined;
      if (alsoBusy !== undefined) await alsoBusy;
    }
    yield pairs;
  } finally {
    await older.close();
    await newer.close();
  }
}

function linesIn(snapshot: Sections | undefined, sitemap: SnapshotSitemap | undefined): LineCursor {
  return new LineCursor(batchesOf(sitemap === undefined ? undefined : snapshot?.texts(sitemap)));
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
