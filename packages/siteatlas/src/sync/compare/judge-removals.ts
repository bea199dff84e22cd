/**
 * Decides which removals are certain, and which are pending: since when, for how many syncs, and why. Also requests
 * pages to check whether they are gone.
 */

import { urlOfLine } from "../snapshot/page-line.ts";
import {
  linesOf,
  type PendingFacts,
  type Sections,
  type SnapshotPending,
} from "../snapshot/snapshot-format.ts";
import type { PieceChanges } from "./classify-pages.ts";
import { isSamePlace } from "./moved-pages.ts";
import { type DoubtOptions, isUnread, RemovalDoubts } from "./pending-removals.ts";
import type { RemovalVerifier, Verdict } from "./verify-removals.ts";

/** Maximum number of sitemaps that are searched for listed pages. */
const MAX_SEARCHED = 20;

export interface JudgeOptions extends DoubtOptions {
  /** Whether this is a new sync, not the continuation of one (`continueFrom`). */
  readonly isNewSync: boolean;
  /** Requests pages to check whether they are gone. */
  readonly verifier: RemovalVerifier | undefined;
}

export class RemovalJudge {
  readonly #before: Sections;
  readonly #after: Sections;
  readonly #options: JudgeOptions;
  /** Yields the changes of each piece. */
  readonly #pieces: () => AsyncIterable<PieceChanges>;
  #doubts: RemovalDoubts | undefined;
  #verdicts: ReadonlyMap<string, Verdict> = new Map();

  constructor(
    before: Sections,
    after: Sections,
    options: JudgeOptions,
    pieces: () => AsyncIterable<PieceChanges>,
  ) {
    this.#before = before;
    this.#after = after;
    this.#options = options;
    this.#pieces = pieces;
  }

  /**
   * Counts the pages that disappeared. Pages that were pending before do not count again.
   *
   * @param unlistedPages number of pages that a sitemap no longer lists, by its URL
   */
  async findDoubts(unlistedPages: ReadonlyMap<string, number>): Promise<void> {
    const lossy = new Set<string>();
    const groups = new Set<SnapshotPending>();
    const unlisted = new Map(unlistedPages);
    /** A page that moved is not lost. */
    const found = (sitemaps: readonly string[]): void => {
      for (const url of sitemaps) unlisted.set(url, (unlisted.get(url) ?? 0) - 1);
    };
    let total = 0;
    for await (const { removed, lines, left } of this.#pieces()) {
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
    this.#doubts = new RemovalDoubts(this.#before, this.#after, losses, this.#options);
  }

  /**
   * Facts about pending pages after this sync. It counts only if it could read all sitemaps that listed the pages. If
   * none is left, it counts if it could read all others.
   */
  #later({ reason, since, times, sitemaps }: SnapshotPending): PendingFacts {
    const { now, isNewSync } = this.#options;
    const left = this.#after.sitemaps.filter(({ url }) => sitemaps.includes(url));
    const asked = left.length > 0 ? left : this.#after.sitemaps;
    const isRead = !asked.some((sitemap) => isUnread(sitemap, now));
    const isCounted = isNewSync && isRead;
    return { reason, since: notAfter(since, now), times: isCounted ? times + 1 : times, sitemaps };
  }

  /**
   * Requests removed pages, new and pending ones. If there are more than the allowed requests, each sync checks others.
   */
  async verify(): Promise<void> {
    const { verifier, now } = this.#options;
    if (verifier === undefined) return;
    const sample = verifier.select(String(now));
    for await (const { removed } of this.#pieces()) {
      for (const { url, movedTo } of removed.values()) if (!isSamePlace(url, movedTo)) sample.add(url);
    }
    this.#verdicts = await verifier.check(sample.urls(), (origin) => this.#findWitnesses(origin, now));
  }

  /**
   * Returns up to two pages of this origin that should exist: pages that are listed, or pages of sitemaps that could not
   * be read, or the homepage. Each sync returns others.
   */
  async #findWitnesses(origin: string, now: number): Promise<string[]> {
    const found = new Set<string>();
    const sitemaps = this.#after.sitemaps.filter(({ section }) => section !== undefined);
    const read = sitemaps.filter(({ unknown }) => unknown === undefined);
    const unread = sitemaps.filter(({ unknown }) => unknown !== undefined);
    for (const sitemap of [...read, ...unread].slice(0, MAX_SEARCHED)) {
      for await (const text of this.#after.texts(sitemap)) {
        const urls = [...linesOf(text)].map(urlOfLine).filter((url) => url.startsWith(`${origin}/`));
        for (const at of [now, now + 1]) if (urls.length > 0) found.add(urls[at % urls.length]!);
        break;
      }
      if (found.size > 1) break;
    }
    return found.size === 0 ? [`${origin}/`] : [...found].slice(0, 2);
  }

  /**
   * Returns why, since when and for how many syncs the removal of a page is pending. Undefined if the removal is
   * certain.
   */
  pendingOf(url: string, { removed, lines }: PieceChanges): PendingFacts | undefined {
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
    const since = new Date(this.#options.now).toISOString();
    return reason && { reason, since, times: 1, sitemaps };
  }
}

/** The time, or `now` if the clock was wrong when it was stored. Otherwise, a grace would never end. */
function notAfter(time: string, now: number): string {
  return Date.parse(time) > now ? new Date(now).toISOString() : time;
}
