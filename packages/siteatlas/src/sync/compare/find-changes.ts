/**
 * Compares two snapshots, sitemap by sitemap, then page by page. Unchanged sitemaps are decompressed only if a page was
 * added to or removed from another one, to see whether they also list it.
 *
 * Sitemaps are read in pieces. Only lines that differ are kept in memory (differing-lines.ts).
 */
import { omitUndefined } from "../../model/omit-undefined.ts";
import type {
  PageAdded,
  PageChange,
  PageChanged,
  PagePending,
  PageRelisted,
  PageRemoved,
} from "../changes.ts";
import { type DifferingLine, DifferingLines } from "./differing-lines.ts";
import { isSamePlace, pairMoves } from "./moved-pages.ts";
import { type DoubtOptions, isUnread, RemovalDoubts } from "./pending-removals.ts";
import { batchesOf, LineCursor } from "../snapshot/line-cursor.ts";
import { pageKey } from "../snapshot/page-key.ts";
import {
  fieldsOfLine,
  PAGE_FIELDS,
  type PageField,
  readPageLine,
  urlOfLine,
  withoutDate,
} from "../snapshot/page-line.ts";
import {
  isThere,
  linesOf,
  type PendingFacts,
  type Sections,
  type SnapshotPending,
  type SnapshotSitemap,
} from "../snapshot/snapshot-format.ts";
import type { RemovalVerifier, Verdict } from "./verify-removals.ts";

/** Maximum number of sitemaps that are searched for listed pages. */
const MAX_SEARCHED = 20;

/** How a sync decides which removals are certain, and where it stores pages whose removal is pending. */
interface PendingOptions extends DoubtOptions {
  /** Whether this is a new sync, not the continuation of one (`continueFrom`). */
  readonly isNewSync: boolean;
  /** Stores sorted lines of pages whose removal is pending. */
  readonly keep: (facts: PendingFacts, lines: readonly string[]) => Promise<void>;
}

export interface CompareOptions {
  /**
   * Set by a sync. Absent if two snapshots are compared. Then a page that the newer snapshot does not have was removed
   * for certain, because the snapshot also has the pages whose removal is pending.
   */
  readonly pending?: PendingOptions;
  /** Requests pages to check whether they are gone. */
  readonly verifier?: RemovalVerifier | undefined;
  /** Returns where a removed page redirects to. Undefined if it was not requested or does not redirect. */
  readonly redirectOf?: (url: string) => Promise<string | undefined>;
  /** Where to store lines that do not fit into memory. */
  readonly folder?: string;
  /**
   * Whether lastModified is unreliable in this sitemap. `restamped` is the number of its pages where only the date
   * differs between both snapshots.
   */
  readonly isWeak?: (sitemapUrl: string, restamped: number) => boolean;
}

/** The lines of one page in both snapshots, by the number of the sitemap that lists it. */
interface PageSides {
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
  /** The line of each removed page, and its group if its removal was pending before. */
  readonly lines: Map<string, { readonly line: string; readonly group: SnapshotPending | undefined }>;
  readonly others: (PageChanged | PageRelisted)[];
  /** The sitemaps that pages have left for others, one URL per page and sitemap. */
  readonly left: string[];
}

/** The time, or `now` if the clock was wrong when it was stored. Otherwise, a grace would never end. */
function notAfter(time: string, now: number): string {
  return Date.parse(time) > now ? new Date(now).toISOString() : time;
}

export class Comparison {
  /** URLs of sitemaps that have a page in common with another one. Complete once all changes were yielded. */
  readonly shared: Set<string> = new Set();
  readonly #before: Sections | undefined;
  readonly #after: Sections;
  readonly #options: CompareOptions;
  readonly #differing: DifferingLines;
  /** URLs of the sitemaps. The position of a URL in this array is the number of its sitemap. */
  readonly #urls: string[] = [];
  /** Number of pages where only the date differs, by the number of the sitemap. */
  readonly #restamped: Map<number, number> = new Map();
  /** Number of pages that a sitemap no longer lists, by the number of the sitemap. */
  readonly #unlisted: Map<number, number> = new Map();
  /** Groups of pending pages, by number. Their numbers follow those of the sitemaps. */
  readonly #groups: Map<number, SnapshotPending> = new Map();
  readonly #pairs: SectionPair[] = [];
  #isWatching = false;
  #isPrepared = false;
  #doubts: RemovalDoubts | undefined;
  #verdicts: ReadonlyMap<string, Verdict> = new Map();
  /** The piece that was compared last. If all lines fit into memory, it is the only one. */
  #last: { readonly piece: readonly DifferingLine[]; readonly changes: PieceChanges } | undefined;

  constructor(before: Sections | undefined, after: Sections, options: CompareOptions) {
    this.#before = before;
    this.#after = after;
    this.#options = options;
    this.#differing = new DifferingLines(options.folder);
  }

  /** Whether a removal is certain, before pages are requested to verify it. Call it before `changes`. */
  async hasRemovals(): Promise<boolean> {
    if (this.#before === undefined) return false;
    await this.#prepare();
    for await (const piece of this.#differing.pieces()) {
      const changes = await this.#classify(piece);
      for (const { url, movedTo } of changes.removed.values()) {
        if (!isSamePlace(url, movedTo) && this.#pendingOf(url, changes) === undefined) return true;
      }
    }
    return false;
  }

  /** Deletes the lines that were stored. Call it if `changes` is not called. */
  drop(): Promise<void> {
    return this.#differing.drop();
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    await this.#gather();
    if (this.#isWatching) await this.#findElsewhere();
    this.#doubts = await this.#findDoubts();
  }

  /** Yields removed pages last. */
  async *changes(): AsyncGenerator<PageChange> {
    try {
      await this.#prepare();
      if (this.#before !== undefined) await this.#verify();
      for await (const piece of this.#differing.pieces()) {
        const changes = await this.#classify(piece);
        yield* sortByUrl([...this.#added(changes), ...changes.others]);
      }
      yield* this.#unknown();
      if (this.#before !== undefined) yield* this.#removals();
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

  /**
   * Yields the added pages. `movedFrom` is dropped if the removal of that page is pending, because it may be listed
   * again.
   */
  *#added(changes: PieceChanges): Generator<PageAdded> {
    for (const added of changes.added.values()) {
      const { movedFrom, ...rest } = added;
      const isPending = movedFrom !== undefined && this.#pendingOf(movedFrom, changes) !== undefined;
      yield isPending ? rest : added;
    }
  }

  async *#removals(): AsyncGenerator<PageRemoved | PagePending> {
    for await (const piece of this.#differing.pieces()) {
      const changes = await this.#classify(piece);
      const kept = new PendingLines();
      for (const change of sortByUrl([...changes.removed.values()])) {
        const { url, sitemaps } = change;
        const { line, group } = changes.lines.get(url)!;
        const pending = this.#pendingOf(url, changes);
        if (pending !== undefined) kept.add(pending, line);
        if (pending === undefined)
          yield group === undefined ? change : { ...change, pendingSince: group.since };
        else if (group === undefined) yield { kind: "pending", url, sitemaps, reason: pending.reason };
      }
      for (const [facts, lines] of kept.groups()) await this.#options.pending!.keep(facts, lines);
    }
  }

  // ---------------------------------------------------------------- removals that are not certain

  /** Counts the pages that disappeared. Pages that were pending before do not count again. */
  async #findDoubts(): Promise<RemovalDoubts | undefined> {
    const { pending } = this.#options;
    if (pending === undefined || this.#before === undefined) return undefined;
    const lossy = new Set<string>();
    const groups = new Set<SnapshotPending>();
    const unlisted = new Map([...this.#unlisted].map(([number, count]) => [this.#urls[number]!, count]));
    /** A page that moved is not lost. */
    const found = (sitemaps: readonly string[]): void => {
      for (const url of sitemaps) unlisted.set(url, (unlisted.get(url) ?? 0) - 1);
    };
    let total = 0;
    for await (const piece of this.#differing.pieces()) {
      const { removed, lines, left } = await this.#classify(piece);
      found(left);
      for (const { url, sitemaps, movedTo } of removed.values()) {
        const { group } = lines.get(url)!;
        if (isSamePlace(url, movedTo)) {
          if (group === undefined) found(sitemaps);
          continue;
        }
        if (group !== undefined) {
          groups.add(group);
          continue;
        }
        total += sitemaps.length;
        for (const sitemap of sitemaps) lossy.add(sitemap);
      }
    }
    const losses = {
      total,
      sitemaps: lossy,
      unlisted,
      pending: [...groups].map((group) => this.#later(group)),
    };
    return new RemovalDoubts(this.#before, this.#after, losses, pending);
  }

  /**
   * Facts about pending pages after this sync. It counts only if it could read all sitemaps that listed the pages. If
   * none is left, it counts if it could read all others.
   */
  #later({ reason, since, times, sitemaps }: SnapshotPending): PendingFacts {
    const { now, isNewSync } = this.#options.pending!;
    const left = this.#after.sitemaps.filter(({ url }) => sitemaps.includes(url));
    const asked = left.length > 0 ? left : this.#after.sitemaps;
    const isRead = !asked.some((sitemap) => isUnread(sitemap, now));
    const isCounted = isNewSync && isRead;
    return { reason, since: notAfter(since, now), times: isCounted ? times + 1 : times, sitemaps };
  }

  /**
   * Requests removed pages, new and pending ones. If there are more than the allowed requests, each sync checks others.
   */
  async #verify(): Promise<void> {
    const { verifier, pending } = this.#options;
    if (verifier === undefined || pending === undefined) return;
    const sample = verifier.select(String(pending.now));
    for await (const piece of this.#differing.pieces()) {
      const { removed } = await this.#classify(piece);
      for (const { url, movedTo } of removed.values()) if (!isSamePlace(url, movedTo)) sample.add(url);
    }
    this.#verdicts = await verifier.check(sample.urls(), (origin) => this.#findListed(origin, pending.now));
  }

  /** Returns up to two pages of this origin that are listed, from the first sitemaps. Each sync returns others. */
  async #findListed(origin: string, now: number): Promise<string[]> {
    const found = new Set<string>();
    const sitemaps = this.#after.sitemaps.filter(
      (sitemap) => sitemap.section !== undefined && sitemap.unknown === undefined,
    );
    for (const sitemap of sitemaps.slice(0, MAX_SEARCHED)) {
      for await (const text of this.#after.texts(sitemap)) {
        const urls = [...linesOf(text)].map(urlOfLine).filter((url) => url.startsWith(`${origin}/`));
        for (const at of [now, now + 1]) if (urls.length > 0) found.add(urls[at % urls.length]!);
        break;
      }
      if (found.size > 1) break;
    }
    return [...found].slice(0, 2);
  }

  /**
   * Returns why, since when and for how many syncs the removal of a page is pending. Undefined if the removal is
   * certain.
   */
  #pendingOf(url: string, { removed, lines }: PieceChanges): PendingFacts | undefined {
    const { sitemaps, movedTo } = removed.get(url)!;
    if (this.#doubts === undefined || isSamePlace(url, movedTo)) return undefined;
    const verdict = this.#verdicts.get(url);
    if (verdict === "gone") return undefined;
    const isAlive = verdict === "alive";
    const { group } = lines.get(url)!;
    if (group !== undefined) {
      const facts = { ...this.#later(group), sitemaps };
      return this.#doubts.isSettled(facts, isAlive) ? undefined : facts;
    }
    const reason = this.#doubts.reasonFor(sitemaps) ?? (isAlive ? "alive" : undefined);
    const since = new Date(this.#options.pending!.now).toISOString();
    return reason && { reason, since, times: 1, sitemaps };
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
    if (this.#before !== undefined) await this.#gatherPending(this.#before, "-");
    await this.#gatherPending(this.#after, "+");
  }

  /** Adds the pending pages of a snapshot, as if a further sitemap listed them. */
  async #gatherPending(snapshot: Sections, side: "-" | "+"): Promise<void> {
    for (const group of snapshot.pending) {
      const sitemap = this.#urls.push(group.url) - 1;
      this.#groups.set(sitemap, group);
      for await (const text of snapshot.texts(group)) {
        for (const line of linesOf(text)) {
          const busy = this.#differing.add({ side, sitemap, line });
          if (busy !== undefined) await busy;
        }
      }
    }
  }

  #addPair(before: SnapshotSitemap | undefined, after: SnapshotSitemap | undefined): void {
    const number = this.#urls.push((after ?? before)!.url) - 1;
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
          this.#restamped.set(sitemap, (this.#restamped.get(sitemap) ?? 0) + 1);
        }
        if (young === undefined) this.#unlisted.set(sitemap, (this.#unlisted.get(sitemap) ?? 0) + 1);
        // Other sitemaps may also list this page, so watch its URL.
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
            if (old !== undefined && old === young && this.#differing.mayWatch(old, 0)) {
              await this.#differing.add({ side: "=", sitemap: pair.number, line: old });
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
        if (this.#differing.mayWatch(text, start)) {
          const busy = this.#differing.add({ side: "=", sitemap: number, line: text.slice(start, end) });
          if (busy !== undefined) await busy;
        }
        start = end + 1;
      }
    }
  }

  // ---------------------------------------------------------------- page by page

  async #classify(piece: readonly DifferingLine[]): Promise<PieceChanges> {
    if (this.#last?.piece === piece) return this.#last.changes;
    const changes: PieceChanges = {
      added: new Map(),
      removed: new Map(),
      lines: new Map(),
      others: [],
      left: [],
    };
    for (const page of pagesOf(piece)) {
      const { before, after } = page;
      if (after.size > 1) for (const number of after.keys()) this.shared.add(this.#urls[number]!);
      const [old, young] = [firstSpelling(before), firstSpelling(after)];
      if (old?.url === young?.url) {
        changes.others.push(...this.#others(old!.url, page));
        const hasMoved = [...after.keys()].some((number) => !before.has(number));
        for (const number of hasMoved ? before.keys() : []) {
          if (!after.has(number) && !this.#groups.has(number)) changes.left.push(this.#urls[number]!);
        }
        continue;
      }
      // If the URL of the page is spelled differently now, the old spelling is reported as removed and the new one as
      // added: the caller knows the page by its old spelling.
      if (young !== undefined) {
        const { url, line } = young;
        const sitemaps = this.#names(after.keys());
        const moved = omitUndefined({ movedFrom: old?.url });
        changes.added.set(url, { kind: "added", url, page: readPageLine(line), sitemaps, ...moved });
      }
      if (old !== undefined) {
        const { url, line, number } = old;
        const moved = omitUndefined({ movedTo: young?.url });
        changes.removed.set(url, { kind: "removed", url, sitemaps: this.#names(before.keys()), ...moved });
        changes.lines.set(url, { line, group: this.#groups.get(number) });
      }
    }
    await pairMoves(changes, this.#options.redirectOf);
    this.#last = { piece, changes };
    return changes;
  }

  *#others(url: string, { before, after }: PageSides): Generator<PageChanged | PageRelisted> {
    const [olds, youngs] = [this.#names(before.keys()), this.#names(after.keys())];
    const from = olds.filter((name) => !youngs.includes(name));
    const to = youngs.filter((name) => !olds.includes(name));
    if (from.length > 0 && to.length > 0) yield { kind: "relisted", url, from, to };
    const fields = changedFields([...before.values()], [...after.values()]);
    if (fields.length === 0) return;
    const [number, line] = [...after].find(([at, text]) => before.get(at) !== text) ?? [...after][0]!;
    const was = before.get(number) ?? before.values().next().value!;
    const isDateOnly = fields.length === 1 && fields[0] === "lastModified";
    const restamped = this.#restamped.get(number) ?? 0;
    const isWeak = isDateOnly && this.#options.isWeak?.(this.#urls[number]!, restamped) === true;
    yield {
      kind: "changed",
      url,
      fields,
      before: readPageLine(was),
      after: readPageLine(line),
      sitemaps: youngs,
      ...(isWeak && { weak: true }),
    };
  }

  /**
   * Returns the URLs of the sitemaps with these numbers. For a group of pending pages: the sitemaps that listed them
   * last.
   */
  #names(numbers: Iterable<number>): string[] {
    const names = new Set<string>();
    for (const number of numbers) {
      for (const name of this.#groups.get(number)?.sitemaps ?? [this.#urls[number]!]) names.add(name);
    }
    return [...names].sort();
  }
}

/** Lines of pages whose removal is pending, by group. The caller adds them in sorted order. */
class PendingLines {
  readonly #groups: Map<string, readonly [facts: PendingFacts, lines: string[]]> = new Map();

  add(facts: PendingFacts, line: string): void {
    const key = JSON.stringify([facts.reason, facts.since, facts.times, facts.sitemaps]);
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, [facts, [line]]);
    else known[1].push(line);
  }

  groups(): Iterable<readonly [facts: PendingFacts, lines: readonly string[]]> {
    return this.#groups.values();
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

/** Yields the pages of a piece that differ. Creates Maps for one page at a time, because they need a lot of memory. */
function* pagesOf(piece: readonly DifferingLine[]): Generator<PageSides> {
  const pages = new Map<string, DifferingLine[]>();
  for (const differing of piece) {
    const key = pageKey(urlOfLine(differing.line));
    const known = pages.get(key);
    if (known === undefined) pages.set(key, [differing]);
    else known.push(differing);
  }
  for (const lines of pages.values()) {
    // Skip a page that only unchanged sitemaps list: it is a false positive of the Bloom filter.
    if (lines.every(({ side }) => side === "=")) continue;
    const page: PageSides = { before: new Map(), after: new Map() };
    for (const { side, sitemap, line } of lines) {
      if (side !== "+") page.before.set(sitemap, line);
      if (side !== "-") page.after.set(sitemap, line);
    }
    yield page;
  }
}

/**
 * The URL under which a page is reported, with its line. If sitemaps spell the URL differently, the first spelling in
 * alphabetical order is used.
 */
function firstSpelling(
  side: ReadonlyMap<number, string>,
): { readonly url: string; readonly line: string; readonly number: number } | undefined {
  let first: { url: string; line: string; number: number } | undefined;
  for (const [number, line] of side) {
    const url = urlOfLine(line);
    if (first === undefined || url < first.url) first = { url, line, number };
  }
  return first;
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
