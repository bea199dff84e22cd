/**
 * Compares two snapshots, sitemap by sitemap, then page by page: what was added, changed, removed, moved.
 * Sections with the same hash are not unpacked, unless somewhere a page came or went: then they are asked
 * whether they list it, too.
 *
 * Never holds a snapshot: one section of each at a time, and the lines that differ (candidates.ts).
 */
import { type Candidate, Candidates } from "./candidates.ts";
import type { Added, Changed, PageChange, Relisted, Removed } from "./changes.ts";
import { fieldsOfLine, PAGE_FIELDS, type PageField, readPageLine, urlOfLine } from "./page-line.ts";
import { isTelling, pathOf, slugOf } from "./slug.ts";
import { type Sections, type SnapshotSitemap, sectionLines } from "./snapshot-format.ts";

export interface CompareOptions {
  /** From this share of all pages on, removals are `suspect`. */
  readonly massRemoval: number;
  /** Says where a removed page redirects to, if anybody asked. */
  readonly redirectOf?: (url: string) => Promise<string | undefined>;
  /** Whether lastModified says little in this sitemap. */
  readonly isWeak?: (sitemapUrl: string) => boolean;
}

/** A page on both sides, by the sitemaps that list it. */
interface PageSides {
  readonly url: string;
  readonly before: Map<number, string>;
  readonly after: Map<number, string>;
}

/** What becomes of one piece of the candidates. */
interface PieceChanges {
  readonly added: Map<string, Added>;
  readonly removed: Map<string, Removed>;
  readonly others: (Changed | Relisted)[];
}

/** Fewer than so many pages are no mass. */
const MIN_MASS = 10;

export class Comparison {
  readonly #before: Sections | undefined;
  readonly #after: Sections;
  readonly #options: CompareOptions;
  readonly #candidates = new Candidates();
  /** Sitemaps by number. */
  readonly #urls: string[] = [];
  /** Sections that are the same on both sides. */
  readonly #same: { readonly sitemap: SnapshotSitemap; readonly number: number }[] = [];
  #isWatching = false;

  constructor(before: Sections | undefined, after: Sections, options: CompareOptions) {
    this.#before = before;
    this.#after = after;
    this.#options = options;
  }

  /** All changes; removed pages last, because only then it is known how many they are. */
  async *changes(): AsyncGenerator<PageChange> {
    try {
      await this.#gather();
      if (this.#isWatching) await this.#findElsewhere();
      let removed = 0;
      for await (const piece of this.#candidates.pieces()) {
        const changes = await this.#judge(piece);
        removed += changes.removed.size;
        yield* inOrder([...changes.added.values(), ...changes.others]);
      }
      yield* this.#unknown();
      if (removed > 0) yield* this.#removals(this.#isMass(removed));
    } finally {
      await this.#candidates.drop();
    }
  }

  *#unknown(): Generator<PageChange> {
    for (const { url, unknown, pageCount } of this.#after.sitemaps) {
      if (unknown !== undefined)
        yield { kind: "unknown", url, code: unknown.code, since: unknown.since, pageCount };
    }
  }

  async *#removals(isMass: boolean): AsyncGenerator<Removed> {
    for await (const piece of this.#candidates.pieces()) {
      const { removed } = await this.#judge(piece);
      for (const change of inOrder([...removed.values()])) {
        yield isMass ? { ...change, suspect: true } : change;
      }
    }
  }

  #isMass(removed: number): boolean {
    const total = this.#before?.pageCount ?? 0;
    return removed >= MIN_MASS && removed >= total * this.#options.massRemoval;
  }

  // ---------------------------------------------------------------- lines that differ

  async #gather(): Promise<void> {
    const older = new Map(this.#before?.sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    for (const after of this.#after.sitemaps) {
      const before = older.get(after.url);
      older.delete(after.url);
      await this.#compareSections(before, after);
    }
    for (const before of older.values()) await this.#compareSections(before, undefined);
  }

  async #compareSections(before?: SnapshotSitemap, after?: SnapshotSitemap): Promise<void> {
    const number = this.#urls.push((after ?? before)!.url) - 1;
    if (before?.section === undefined && after?.section === undefined) return;
    if (after !== undefined && before?.section?.hash === after.section?.hash) {
      this.#same.push({ sitemap: after, number });
      return;
    }
    const older = sectionLines(before === undefined ? "" : await this.#before!.section(before));
    const newer = sectionLines(after === undefined ? "" : await this.#after.section(after));
    let old = older.next();
    let young = newer.next();
    while (!old.done || !young.done) {
      const order = old.done ? 1 : young.done ? -1 : compareUrls(old.value, young.value);
      if (order !== 0 || old.value !== young.value) {
        const busy =
          order < 0
            ? this.#addLone({ side: "-", sitemap: number, line: old.value as string })
            : order > 0
              ? this.#addLone({ side: "+", sitemap: number, line: young.value as string })
              : this.#addPair(number, old.value as string, young.value as string);
        if (busy !== undefined) await busy;
      }
      if (order <= 0) old = older.next();
      if (order >= 0) young = newer.next();
    }
  }

  /** A page that came or went in one sitemap: it may be in another. */
  #addLone(candidate: Candidate): Promise<void> | undefined {
    this.#isWatching = true;
    this.#candidates.watch(candidate.line);
    return this.#candidates.add(candidate);
  }

  async #addPair(sitemap: number, old: string, young: string): Promise<void> {
    await this.#candidates.add({ side: "-", sitemap, line: old });
    await this.#candidates.add({ side: "+", sitemap, line: young });
  }

  /** Which of the pages that came or went are listed by sitemaps that did not change. */
  async #findElsewhere(): Promise<void> {
    for (const { sitemap, number } of this.#same) {
      const text = await this.#after.section(sitemap);
      let start = text.indexOf("\n") + 1;
      while (start > 0 && start < text.length) {
        const end = text.indexOf("\n", start);
        if (this.#candidates.mayWatch(text, start)) {
          const busy = this.#candidates.add({ side: "=", sitemap: number, line: text.slice(start, end) });
          if (busy !== undefined) await busy;
        }
        start = end + 1;
      }
    }
  }

  // ---------------------------------------------------------------- page by page

  async #judge(piece: readonly Candidate[]): Promise<PieceChanges> {
    const changes: PieceChanges = { added: new Map(), removed: new Map(), others: [] };
    for (const page of bySides(piece)) {
      if (page.before.size === 0) changes.added.set(page.url, this.#added(page));
      else if (page.after.size === 0) changes.removed.set(page.url, this.#removed(page));
      else changes.others.push(...this.#others(page));
    }
    await this.#pairMoves(changes);
    return changes;
  }

  #added({ url, after }: PageSides): Added {
    const [line] = after.values();
    return { kind: "added", url, page: readPageLine(line!), sitemaps: this.#names(after.keys()) };
  }

  #removed({ url, before }: PageSides): Removed {
    return { kind: "removed", url, sitemaps: this.#names(before.keys()) };
  }

  *#others({ url, before, after }: PageSides): Generator<Changed | Relisted> {
    const lost = [...before.keys()].filter((number) => !after.has(number));
    const gained = [...after.keys()].filter((number) => !before.has(number));
    if (lost.length > 0 && gained.length > 0) {
      yield { kind: "relisted", url, from: this.#names(lost), to: this.#names(gained) };
    }
    const pairs = [...after].filter(([number, line]) => before.get(number) !== line);
    const changed = pairs.find(([number]) => before.has(number));
    // A page that only moved is compared with what any of its sitemaps said.
    const [number, line] = changed ?? (gained.length > 0 && lost.length > 0 ? pairs[0] : undefined) ?? [];
    if (number === undefined || line === undefined) return;
    const was = before.get(number) ?? before.values().next().value!;
    const fields = changedFields(was, line, changed === undefined ? [...before.values()] : [was]);
    if (fields.length === 0) return;
    const sitemaps = this.#names(after.keys());
    const isStamp = fields.length === 1 && fields[0] === "lastModified";
    const isWeak = isStamp && this.#options.isWeak?.(this.#urls[number]!) === true;
    yield {
      kind: "changed",
      url,
      fields,
      before: readPageLine(was),
      after: readPageLine(line),
      sitemaps,
      ...(isWeak && { weak: true }),
    };
  }

  #names(numbers: Iterable<number>): string[] {
    return Array.from(numbers, (number) => this.#urls[number]!).sort();
  }

  // ---------------------------------------------------------------- pages that moved

  /** A removed and an added page that are probably one: a redirect says so, or their paths, or their slugs. */
  async #pairMoves({ added, removed }: PieceChanges): Promise<void> {
    if (removed.size === 0) return;
    const pair = (from: string, to: string): void => {
      const [old, young] = [removed.get(from)!, added.get(to)!];
      if (old.movedTo !== undefined || young.movedFrom !== undefined) return;
      removed.set(from, { ...old, movedTo: to });
      added.set(to, { ...young, movedFrom: from });
    };
    for (const from of removed.keys()) {
      const to = await this.#options.redirectOf?.(from);
      if (to !== undefined && added.has(to)) pair(from, to);
    }
    for (const keyOf of [pathOf, telling]) {
      const olds = uniqueBy(
        [...removed.values()].filter(({ movedTo }) => movedTo === undefined),
        keyOf,
      );
      const youngs = uniqueBy(
        [...added.values()].filter(({ movedFrom }) => movedFrom === undefined),
        keyOf,
      );
      for (const [key, from] of olds) {
        const to = youngs.get(key);
        if (from !== undefined && to !== undefined) pair(from, to);
      }
    }
  }
}

function telling(url: string): string {
  const slug = slugOf(url);
  return isTelling(slug) ? slug : "";
}

/** By key, those that have it for themselves; undefined where several have. */
function uniqueBy(
  changes: readonly { readonly url: string }[],
  keyOf: (url: string) => string,
): Map<string, string | undefined> {
  const byKey = new Map<string, string | undefined>();
  for (const { url } of changes) {
    const key = keyOf(url);
    if (key !== "") byKey.set(key, byKey.has(key) ? undefined : url);
  }
  return byKey;
}

/** Page by page. Most have one line: those need no maps. */
function* bySides(piece: readonly Candidate[]): Generator<PageSides> {
  const pages = new Map<string, Candidate | Candidate[]>();
  for (const candidate of piece) {
    const url = urlOfLine(candidate.line);
    const known = pages.get(url);
    if (known === undefined) pages.set(url, candidate);
    else if (Array.isArray(known)) known.push(candidate);
    else pages.set(url, [known, candidate]);
  }
  for (const [url, given] of pages) {
    const page = sidesOf(url, Array.isArray(given) ? given : [given]);
    // The filter is not exact: some are only listed by what did not change.
    if (page.before.size !== page.after.size || !isSame(page)) yield page;
  }
}

function sidesOf(url: string, candidates: readonly Candidate[]): PageSides {
  const page: PageSides = { url, before: new Map(), after: new Map() };
  for (const { side, sitemap, line } of candidates) {
    if (side !== "+") page.before.set(sitemap, line);
    if (side !== "-") page.after.set(sitemap, line);
  }
  return page;
}

function isSame({ before, after }: PageSides): boolean {
  for (const [number, line] of before) if (after.get(number) !== line) return false;
  return true;
}

/** The fields of a page that no line of before has like this. */
function changedFields(was: string, line: string, before: readonly string[]): PageField[] {
  const olds = [was, ...before].map(fieldsOfLine);
  const young = fieldsOfLine(line);
  return PAGE_FIELDS.filter((name) => olds.every((fields) => fields.get(name) !== young.get(name)));
}

function compareUrls(a: string, b: string): number {
  const [first, second] = [urlOfLine(a), urlOfLine(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function inOrder<T extends { readonly url: string }>(changes: T[]): T[] {
  return changes.sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
}
