/**
 * Compares two snapshots, sitemap by sitemap, then page by page: what was added, changed, removed, moved.
 * Sections with the same hash are not unpacked, unless somewhere a page came or went: then they are asked
 * whether they list it, too.
 *
 * Never holds a snapshot: one section of each at a time, and the lines that differ (candidates.ts).
 */
import type { IssueCode } from "../issues.ts";
import { type Candidate, Candidates } from "./candidates.ts";
import type { Added, Changed, PageChange, Relisted, Removed, Suspicion } from "./changes.ts";
import { fieldsOfLine, PAGE_FIELDS, type PageField, readPageLine, urlOfLine } from "./page-line.ts";
import { isTellingSlug, pathOf, slugOf } from "./slug.ts";
import { isThere, type Sections, type SnapshotSitemap, sectionLines } from "./snapshot-format.ts";

export interface CompareOptions {
  /** From this share of all pages on, removals are `suspect`. */
  readonly massRemoval: number;
  /** Says where a removed page redirects to, if anybody asked. */
  readonly redirectOf?: (url: string) => Promise<string | undefined>;
  /** Where lines go that are too many to be held. */
  readonly folder?: string;
  /** Whether lastModified says little in this sitemap. */
  readonly isWeak?: (sitemapUrl: string) => boolean;
}

/** A page on both sides, by the sitemaps that list it. */
interface PageSides {
  readonly url: string;
  readonly before: Map<number, string>;
  readonly after: Map<number, string>;
}

/** A sitemap on both sides. */
interface SectionPair {
  readonly before: SnapshotSitemap | undefined;
  readonly after: SnapshotSitemap | undefined;
  readonly number: number;
  readonly isSame: boolean;
}

/** What becomes of one piece of the candidates. */
interface PieceChanges {
  readonly added: Map<string, Added>;
  readonly removed: Map<string, Removed>;
  readonly others: (Changed | Relisted)[];
}

/** Fewer than so many pages are no mass. */
const MIN_MASS = 10;

/** Not wanted: nobody looks there for pages that are gone. */
const LEFT_OUT: ReadonlySet<IssueCode> = new Set([
  "filtered",
  "robots.disallowed",
  "url.cross-host",
  "http.downgrade",
]);
/** So many syncs in a row a sitemap that cannot be read casts doubt on removals: some never can. */
const MAX_DOUBTS = 7;

/** Pages that are gone elsewhere may have moved there. */
function castsDoubt(sitemap: SnapshotSitemap): boolean {
  const { unknown } = sitemap;
  if (unknown === undefined || !isThere(sitemap)) return false;
  return !LEFT_OUT.has(unknown.code) && unknown.times <= MAX_DOUBTS;
}

export class Comparison {
  /** Sitemaps that were seen to list a page that another one lists, too: complete once all is told. */
  readonly shared: Set<string> = new Set();
  readonly #before: Sections | undefined;
  readonly #after: Sections;
  readonly #options: CompareOptions;
  readonly #candidates: Candidates;
  /** Sitemaps by number. */
  readonly #urls: string[] = [];
  readonly #pairs: SectionPair[] = [];
  #isWatching = false;

  constructor(before: Sections | undefined, after: Sections, options: CompareOptions) {
    this.#before = before;
    this.#after = after;
    this.#options = options;
    this.#candidates = new Candidates(options.folder);
  }

  /** All changes; removed pages last, because only then it is known how many they are. */
  async *changes(): AsyncGenerator<PageChange> {
    try {
      await this.#gather();
      if (this.#isWatching) await this.#findElsewhere();
      let removed = 0;
      for await (const piece of this.#candidates.pieces()) {
        const changes = await this.#judge(piece);
        for (const { sitemaps } of changes.removed.values()) removed += sitemaps.length;
        yield* inOrder([...changes.added.values(), ...changes.others]);
      }
      yield* this.#unknown();
      if (removed > 0) yield* this.#removals(this.#suspicionOf(removed));
    } finally {
      await this.#candidates.drop();
    }
  }

  *#unknown(): Generator<PageChange> {
    for (const sitemap of this.#after.sitemaps) {
      const { url, unknown, pageCount } = sitemap;
      if (unknown === undefined || !isThere(sitemap)) continue;
      const { code, since, status, behind } = unknown;
      yield {
        kind: "unknown",
        url,
        code,
        ...(status !== undefined && { status }),
        ...(behind !== undefined && { behind }),
        since,
        pageCount,
      };
    }
  }

  async *#removals(suspect: Suspicion | undefined): AsyncGenerator<Removed> {
    for await (const piece of this.#candidates.pieces()) {
      const { removed } = await this.#judge(piece);
      for (const change of inOrder([...removed.values()])) {
        yield suspect === undefined ? change : { ...change, suspect };
      }
    }
  }

  /** Listings are held against listings: a page may have several. */
  #suspicionOf(removed: number): Suspicion | undefined {
    const total = this.#before?.pageCount ?? 0;
    if (removed >= MIN_MASS && removed >= total * this.#options.massRemoval) return "many";
    return this.#after.sitemaps.some(castsDoubt) ? "unread" : undefined;
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
      // It came or went here, or may be said elsewhere: other sitemaps are asked for it.
      if (isShared || old === undefined || young === undefined) {
        this.#isWatching = true;
        this.#candidates.watch((old ?? young)!);
      }
      const busy = [
        old === undefined ? undefined : this.#candidates.add({ side: "-", sitemap, line: old }),
        young === undefined ? undefined : this.#candidates.add({ side: "+", sitemap, line: young }),
      ];
      for (const each of busy) if (each !== undefined) await each;
    }
  }

  /** The lines of both sections side by side, by their URLs. */
  async #lines({ before, after }: SectionPair): Promise<Iterable<LinePair>> {
    const older = before === undefined ? "" : await this.#before!.section(before);
    const newer = after === undefined ? "" : await this.#after.section(after);
    return sideBySide(sectionLines(older), sectionLines(newer));
  }

  /** Which of the pages that came or went are also listed where nothing was said about them. */
  async #findElsewhere(): Promise<void> {
    for (const pair of this.#pairs) {
      if (pair.isSame) await this.#findInSection(pair.after!, pair.number);
      else if (pair.before?.section !== undefined && pair.after?.section !== undefined) {
        for (const [old, young] of await this.#lines(pair)) {
          if (old !== undefined && old === young && this.#candidates.mayWatch(old, 0)) {
            await this.#candidates.add({ side: "=", sitemap: pair.number, line: old });
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
      if (this.#candidates.mayWatch(text, start)) {
        const busy = this.#candidates.add({ side: "=", sitemap: number, line: text.slice(start, end) });
        if (busy !== undefined) await busy;
      }
      start = end + 1;
    }
  }

  // ---------------------------------------------------------------- page by page

  async #judge(piece: readonly Candidate[]): Promise<PieceChanges> {
    const changes: PieceChanges = { added: new Map(), removed: new Map(), others: [] };
    for (const page of bySides(piece)) {
      if (page.after.size > 1) for (const number of page.after.keys()) this.shared.add(this.#urls[number]!);
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
    const fields = changedFields([...before.values()], [...after.values()]);
    if (fields.length === 0) return;
    const [number, line] = [...after].find(([at, text]) => before.get(at) !== text) ?? [...after][0]!;
    const was = before.get(number) ?? before.values().next().value!;
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

/** A line of before and the line of now with the same URL, if both are there. */
type LinePair = readonly [old: string | undefined, young: string | undefined];

function* sideBySide(older: Iterator<string>, newer: Iterator<string>): Generator<LinePair> {
  let old: string | undefined = older.next().value;
  let young: string | undefined = newer.next().value;
  while (old !== undefined || young !== undefined) {
    const order = old === undefined ? 1 : young === undefined ? -1 : compareUrls(old, young);
    yield [order <= 0 ? old : undefined, order >= 0 ? young : undefined];
    if (order <= 0) old = older.next().value;
    if (order >= 0) young = newer.next().value;
  }
}

function telling(url: string): string {
  const slug = slugOf(url);
  return isTellingSlug(slug) ? slug : "";
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

/** The fields of which some sitemap says now what none said before, or of which none says anything any more. */
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

function compareUrls(a: string, b: string): number {
  const [first, second] = [urlOfLine(a), urlOfLine(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function inOrder<T extends { readonly url: string }>(changes: T[]): T[] {
  return changes.sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
}
