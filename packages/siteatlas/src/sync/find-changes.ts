/**
 * Compares two snapshots, sitemap by sitemap, then page by page. Unchanged sitemaps are decompressed only if a page
 * was added or removed elsewhere, to see whether they also list it.
 *
 * Memory holds one sitemap of each snapshot and the lines that differ (differing-lines.ts), never a whole snapshot.
 */
import { omitUndefined } from "../model/omit-undefined.ts";
import type { PageAdded, PageChange, PageChanged, PageRelisted, PageRemoved, Suspicion } from "./changes.ts";
import { type DifferingLine, DifferingLines } from "./differing-lines.ts";
import { pairMoves } from "./moved-pages.ts";
import { fieldsOfLine, PAGE_FIELDS, type PageField, readPageLine, urlOfLine } from "./snapshot/page-line.ts";
import { isThere, type Sections, type SnapshotSitemap, sectionLines } from "./snapshot/snapshot-format.ts";
import { suspicionOf } from "./suspicious-removals.ts";

export interface CompareOptions {
  /** If at least this share of all pages is removed, the removed pages are `suspect`. */
  readonly massRemoval: number;
  /** Returns where a removed page redirects to. Undefined if it was not requested or does not redirect. */
  readonly redirectOf?: (url: string) => Promise<string | undefined>;
  /** Where to store lines that do not fit into memory. */
  readonly folder?: string;
  /** Whether lastModified is unreliable in this sitemap. */
  readonly isWeak?: (sitemapUrl: string) => boolean;
}

/** The lines of one page in both snapshots, by the number of the sitemap that lists it. */
interface PageSides {
  readonly url: string;
  readonly before: Map<number, string>;
  readonly after: Map<number, string>;
}

/** One sitemap as it is in both snapshots. */
interface SectionPair {
  readonly before: SnapshotSitemap | undefined;
  readonly after: SnapshotSitemap | undefined;
  readonly number: number;
  readonly isSame: boolean;
}

/** The changes found in one piece. The differing lines are compared piece by piece (differing-lines.ts). */
interface PieceChanges {
  readonly added: Map<string, PageAdded>;
  readonly removed: Map<string, PageRemoved>;
  readonly others: (PageChanged | PageRelisted)[];
}

export class Comparison {
  /** URLs of sitemaps that have a page in common with another one. Complete once all changes were yielded. */
  readonly shared: Set<string> = new Set();
  readonly #before: Sections | undefined;
  readonly #after: Sections;
  readonly #options: CompareOptions;
  readonly #differing: DifferingLines;
  /** URL of each sitemap. The index is its number. */
  readonly #urls: string[] = [];
  readonly #pairs: SectionPair[] = [];
  #isWatching = false;

  constructor(before: Sections | undefined, after: Sections, options: CompareOptions) {
    this.#before = before;
    this.#after = after;
    this.#options = options;
    this.#differing = new DifferingLines(options.folder);
  }

  /** Yields removed pages last, because their total number decides whether they are suspect. */
  async *changes(): AsyncGenerator<PageChange> {
    try {
      await this.#gather();
      if (this.#isWatching) await this.#findElsewhere();
      let removed = 0;
      for await (const piece of this.#differing.pieces()) {
        const changes = await this.#classify(piece);
        for (const { sitemaps } of changes.removed.values()) removed += sitemaps.length;
        yield* sortByUrl([...changes.added.values(), ...changes.others]);
      }
      yield* this.#unknown();
      if (removed === 0) return;
      const total = this.#before?.pageCount ?? 0;
      yield* this.#removals(suspicionOf(removed, total, this.#after.sitemaps, this.#options.massRemoval));
    } finally {
      await this.#differing.drop();
    }
  }

  *#unknown(): Generator<PageChange> {
    for (const sitemap of this.#after.sitemaps) {
      const { url, unknown, pageCount } = sitemap;
      if (unknown === undefined || !isThere(sitemap)) continue;
      const { code, since, status, behind } = unknown;
      yield omitUndefined({ kind: "unknown" as const, url, code, status, behind, since, pageCount });
    }
  }

  async *#removals(suspect: Suspicion | undefined): AsyncGenerator<PageRemoved> {
    for await (const piece of this.#differing.pieces()) {
      const { removed } = await this.#classify(piece);
      for (const change of sortByUrl([...removed.values()])) {
        yield suspect === undefined ? change : { ...change, suspect };
      }
    }
  }

  // ---------------------------------------------------------------- lines that differ

  async #gather(): Promise<void> {
    const older = new Map(this.#before?.sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    for (const after of this.#after.sitemaps) {
      this.#addPair(older.get(after.url), after);
      older.delete(after.url);
    }
    for (const before of older.values()) this.#addPair(before, undefined);
    for (const pair of this.#pairs) if (!pair.isSame) await this.#findDifferences(pair);
  }

  #addPair(before: SnapshotSitemap | undefined, after: SnapshotSitemap | undefined): void {
    const number = this.#urls.push((after ?? before)!.url) - 1;
    if (before?.section === undefined && after?.section === undefined) return;
    this.#pairs.push({ before, after, number, isSame: before?.section?.hash === after?.section?.hash });
  }

  async #findDifferences(pair: SectionPair): Promise<void> {
    const { number: sitemap, before, after } = pair;
    const isShared = before?.isShared === true || after?.isShared === true;
    for (const [old, young] of await this.#lines(pair)) {
      if (old === young) continue;
      // Watch this page, because other sitemaps may list it.
      if (isShared || old === undefined || young === undefined) {
        this.#isWatching = true;
        this.#differing.watch((old ?? young)!);
      }
      for (const [side, line] of [["-", old] as const, ["+", young] as const]) {
        const busy = line === undefined ? undefined : this.#differing.add({ side, sitemap, line });
        if (busy !== undefined) await busy;
      }
    }
  }

  /** Yields the lines of both sections, paired by URL. */
  async #lines({ before, after }: SectionPair): Promise<Iterable<LinePair>> {
    const older = before === undefined ? "" : await this.#before!.section(before);
    const newer = after === undefined ? "" : await this.#after.section(after);
    return sideBySide(sectionLines(older), sectionLines(newer));
  }

  /** Finds the lines of watched pages in unchanged sitemaps. */
  async #findElsewhere(): Promise<void> {
    for (const pair of this.#pairs) {
      if (pair.isSame) await this.#findInSection(pair.after!, pair.number);
      else if (pair.before?.section !== undefined && pair.after?.section !== undefined) {
        for (const [old, young] of await this.#lines(pair)) {
          if (old !== undefined && old === young && this.#differing.mayWatch(old, 0)) {
            await this.#differing.add({ side: "=", sitemap: pair.number, line: old });
          }
        }
      }
    }
  }

  async #findInSection(sitemap: SnapshotSitemap, number: number): Promise<void> {
    const text = await this.#after.section(sitemap);
    let start = text.indexOf("\n") + 1;
    while (start > 0 && start < text.length) {
      const end = text.indexOf("\n", start);
      if (this.#differing.mayWatch(text, start)) {
        const busy = this.#differing.add({ side: "=", sitemap: number, line: text.slice(start, end) });
        if (busy !== undefined) await busy;
      }
      start = end + 1;
    }
  }

  // ---------------------------------------------------------------- page by page

  async #classify(piece: readonly DifferingLine[]): Promise<PieceChanges> {
    const changes: PieceChanges = { added: new Map(), removed: new Map(), others: [] };
    for (const page of pagesOf(piece)) {
      const { url, before, after } = page;
      const [line] = after.values();
      if (after.size > 1) for (const number of after.keys()) this.shared.add(this.#urls[number]!);
      if (before.size === 0) {
        const sitemaps = this.#names(after.keys());
        changes.added.set(url, { kind: "added", url, page: readPageLine(line!), sitemaps });
      } else if (after.size === 0) {
        changes.removed.set(url, { kind: "removed", url, sitemaps: this.#names(before.keys()) });
      } else changes.others.push(...this.#others(page));
    }
    await pairMoves(changes, this.#options.redirectOf);
    return changes;
  }

  *#others({ url, before, after }: PageSides): Generator<PageChanged | PageRelisted> {
    const lost = [...before.keys()].filter((number) => !after.has(number));
    const gained = [...after.keys()].filter((number) => !before.has(number));
    if (lost.length > 0 && gained.length > 0) {
      yield { kind: "relisted", url, from: this.#names(lost), to: this.#names(gained) };
    }
    const fields = changedFields([...before.values()], [...after.values()]);
    if (fields.length === 0) return;
    const [number, line] = [...after].find(([at, text]) => before.get(at) !== text) ?? [...after][0]!;
    const was = before.get(number) ?? before.values().next().value!;
    const isDateOnly = fields.length === 1 && fields[0] === "lastModified";
    const isWeak = isDateOnly && this.#options.isWeak?.(this.#urls[number]!) === true;
    yield {
      kind: "changed",
      url,
      fields,
      before: readPageLine(was),
      after: readPageLine(line),
      sitemaps: this.#names(after.keys()),
      ...(isWeak && { weak: true }),
    };
  }

  #names(numbers: Iterable<number>): string[] {
    return Array.from(numbers, (number) => this.#urls[number]!).sort();
  }
}

/** Two lines with the same URL, one from each snapshot. */
type LinePair = readonly [old: string | undefined, young: string | undefined];

function* sideBySide(older: Iterator<string>, newer: Iterator<string>): Generator<LinePair> {
  let old: string | undefined = older.next().value;
  let young: string | undefined = newer.next().value;
  while (old !== undefined || young !== undefined) {
    const order =
      old === undefined ? 1 : young === undefined ? -1 : compareTexts(urlOfLine(old), urlOfLine(young));
    yield [order <= 0 ? old : undefined, order >= 0 ? young : undefined];
    if (order <= 0) old = older.next().value;
    if (order >= 0) young = newer.next().value;
  }
}

/** Yields the pages of a piece that differ. Creates Maps for one page at a time, because they need a lot of memory. */
function* pagesOf(piece: readonly DifferingLine[]): Generator<PageSides> {
  const pages = new Map<string, DifferingLine[]>();
  for (const differing of piece) {
    const url = urlOfLine(differing.line);
    const known = pages.get(url);
    if (known === undefined) pages.set(url, [differing]);
    else known.push(differing);
  }
  for (const [url, lines] of pages) {
    // Skip a page that only unchanged sitemaps list: it is a false positive of the Bloom filter.
    if (lines.every(({ side }) => side === "=")) continue;
    const page: PageSides = { url, before: new Map(), after: new Map() };
    for (const { side, sitemap, line } of lines) {
      if (side !== "+") page.before.set(sitemap, line);
      if (side !== "-") page.after.set(sitemap, line);
    }
    yield page;
  }
}

/** Fields with a value that no sitemap declared before, and fields that no sitemap declares any more. */
function changedFields(before: readonly string[], after: readonly string[]): PageField[] {
  const olds = before.map(fieldsOfLine);
  const youngs = after.map(fieldsOfLine);
  return PAGE_FIELDS.filter((name) => {
    const known = new Set(olds.map((fields) => fields.get(name)));
    const isNew = youngs.some((fields) => fields.has(name) && !known.has(fields.get(name)));
    const isGone = olds.some((fields) => fields.has(name)) && !youngs.some((fields) => fields.has(name));
    return isNew || isGone;
  });
}

function sortByUrl<T extends { readonly url: string }>(changes: T[]): T[] {
  return changes.sort((a, b) => compareTexts(a.url, b.url));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
