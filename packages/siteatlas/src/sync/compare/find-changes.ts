/**
 * Compares two snapshots and yields the changes of their pages. The lines that differ are found first
 * (gather-differences.ts). They are read in pieces, and each piece becomes changes (classify-pages.ts). Removals that
 * are not certain are pending (judge-removals.ts).
 */
import { omitUndefined } from "../../model/omit-undefined.ts";
import type { PageAdded, PageChange, PagePending, PageRemoved } from "../changes.ts";
import { isThere, type PendingFacts, type Sections } from "../snapshot/snapshot-format.ts";
import { type ClassifyOptions, PageClassifier, type PieceChanges } from "./classify-pages.ts";
import { compareTexts, SnapshotDifferences } from "./gather-differences.ts";
import { type JudgeOptions, RemovalJudge } from "./judge-removals.ts";
import { isSamePlace } from "./moved-pages.ts";

/** How a sync decides which removals are certain, and where it stores pages whose removal is pending. */
interface PendingOptions extends JudgeOptions {
  /** Stores sorted lines of pages whose removal is pending. */
  readonly keep: (facts: PendingFacts, lines: readonly string[]) => Promise<void>;
  /** Gives a page of a sitemap another spelling of its URL in the next snapshot. */
  readonly respell: (sitemapUrl: string, pageUrl: string) => Promise<void> | undefined;
}

export interface CompareOptions extends Omit<ClassifyOptions, "isSync"> {
  /**
   * Set by a sync. Absent if two snapshots are compared. Then a page that the newer snapshot does not have was removed
   * for certain, because the snapshot also has the pages whose removal is pending.
   */
  readonly pending?: PendingOptions;
  /** Where to store lines that do not fit into memory. */
  readonly folder?: string;
}

export class Comparison {
  readonly #before: Sections | undefined;
  readonly #after: Sections;
  readonly #options: CompareOptions;
  readonly #differences: SnapshotDifferences;
  readonly #classifier: PageClassifier;
  /** Undefined if every removal is certain. */
  readonly #judge: RemovalJudge | undefined;
  #isPrepared = false;

  constructor(before: Sections | undefined, after: Sections, options: CompareOptions) {
    const { pending, folder } = options;
    this.#before = before;
    this.#after = after;
    this.#options = options;
    this.#differences = new SnapshotDifferences(before, after, folder);
    this.#classifier = new PageClassifier(this.#differences, {
      ...options,
      isSync: pending !== undefined,
    });
    const pieces = (): AsyncGenerator<PieceChanges> => this.#classifier.pieces();
    this.#judge =
      pending === undefined || before === undefined
        ? undefined
        : new RemovalJudge(before, after, pending, pieces);
  }

  /** URLs of sitemaps that have a page in common with another one. Complete once all changes were yielded. */
  get shared(): ReadonlySet<string> {
    return this.#classifier.shared;
  }

  /** Whether a removal is certain, before pages are requested to verify it. Call it before `changes`. */
  async hasRemovals(): Promise<boolean> {
    if (this.#before === undefined) return false;
    await this.#prepare();
    for await (const changes of this.#classifier.pieces()) {
      for (const { url, movedTo } of changes.removed.values()) {
        if (!isSamePlace(url, movedTo) && this.#judge?.pendingOf(url, changes) === undefined) return true;
      }
    }
    return false;
  }

  /** Deletes the lines that were stored. Call it if `changes` is not called. */
  drop(): Promise<void> {
    return this.#differences.lines.drop();
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    await this.#differences.gather();
    const { unlisted, urls } = this.#differences;
    await this.#judge?.findDoubts(new Map([...unlisted].map(([number, count]) => [urls[number]!, count])));
  }

  /** Yields removed pages last. */
  async *changes(): AsyncGenerator<PageChange> {
    try {
      await this.#prepare();
      await this.#judge?.verify();
      for await (const changes of this.#classifier.pieces()) {
        for (const [sitemap, url] of changes.respelled) await this.#options.pending?.respell(sitemap, url);
        yield* sortByUrl([...this.#added(changes), ...changes.others]);
      }
      yield* this.#unknown();
      if (this.#before !== undefined) yield* this.#removals();
    } finally {
      await this.#differences.lines.drop();
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
      const isPending = movedFrom !== undefined && this.#judge?.pendingOf(movedFrom, changes) !== undefined;
      yield isPending ? rest : added;
    }
  }

  async *#removals(): AsyncGenerator<PageRemoved | PagePending> {
    for await (const changes of this.#classifier.pieces()) {
      const kept = new PendingLines();
      for (const change of sortByUrl([...changes.removed.values()])) {
        const { url, sitemaps } = change;
        const { line, group } = changes.lines.get(url)!;
        const pending = this.#judge?.pendingOf(url, changes);
        if (pending !== undefined) kept.add(pending, line);
        if (pending === undefined)
          yield group === undefined ? change : { ...change, pendingSince: group.since };
        else if (group === undefined) yield { kind: "pending", url, sitemaps, reason: pending.reason };
      }
      for (const [facts, lines] of kept.groups()) await this.#options.pending!.keep(facts, lines);
    }
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

function sortByUrl<T extends { readonly url: string }>(changes: T[]): T[] {
  return changes.sort((a, b) => compareTexts(a.url, b.url));
}
