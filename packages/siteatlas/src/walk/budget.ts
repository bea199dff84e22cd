/**
 * Counts how much of its limits a walk has used, and records which limits it reached. A `Breach` describes one limit
 * that was reached or exceeded. The results before a breach are kept.
 */
import type { FilledLimits } from "../model/generated/limits.ts";
import type { IssueCode } from "../model/issue-severity.ts";
import { breachText, limitTable, type ReportedLimit } from "../model/limits.ts";
import { PLACE_BYTES } from "./held-bytes.ts";
import type { WalkLimits } from "./options.ts";

export interface Breach {
  readonly code: IssueCode;
  /** A text with the observed and the allowed number: `101; limits.urls allows 100`. */
  readonly value: string;
}

export type LimitName = ReportedLimit;

export function breachOf(limits: FilledLimits<WalkLimits>, name: LimitName, observed: number): Breach {
  return { code: limitTable[name].code, value: breachText(name, observed, limits[name]) };
}

/**
 * Maximum number of listed sitemaps in memory: `LARGEST_INDEX` (the maximum of the protocol for one index), or
 * `limits.sitemaps` if that is larger, plus `MORE_CHILDREN` for the Sitemap lines of robots.txt. Sitemaps that a filter
 * dropped do not count. Stops a site with 50,000 indexes that list 50,000 sitemaps each (sec-S04).
 */
const LARGEST_INDEX = 50_000;
const MORE_CHILDREN = 5000;
/**
 * Listed sitemaps that a filter dropped stay in memory: if their index is listed a second time, the filter may keep
 * them there. Including the dropped sitemaps, the walk keeps at most ten times the maximum above.
 */
const DROPPED_PER_HELD = 10;

/**
 * Up to this number of bytes in memory, `heldRatio` is not checked. A real index of 50,000 sitemaps has 50 KB
 * compressed and needs 15 MB of memory.
 */
const HELD_RATIO_FROM = 16 * 1024 * 1024;

export class Budget {
  readonly limits: FilledLimits<WalkLimits>;
  /** The limits of the whole walk that were reached, by issue code. For each limit, only the first breach is kept. */
  readonly reached: Map<IssueCode, Breach> = new Map();
  readonly #counts = {
    sitemaps: 0,
    indexes: 0,
    foreignHosts: 0,
    urls: 0,
    totalBytes: 0,
    totalDecodedBytes: 0,
  };
  #heldBytes = 0;
  /** Number of listed sitemaps in memory. `#declared` includes sitemaps that a filter dropped, `#kept` does not. */
  #declared = 0;
  #kept = 0;

  constructor(limits: FilledLimits<WalkLimits>) {
    this.limits = limits;
  }

  /** Number of pages that the walk has yielded. */
  get pageCount(): number {
    return this.#counts.urls;
  }

  /** Adds 1 to the count. If this would exceed the limit, returns the limit as a `Breach` and counts nothing. */
  take(name: "sitemaps" | "indexes" | "foreignHosts"): Breach | undefined {
    const breach = this.full(name);
    if (breach === undefined) this.#counts[name]++;
    return breach;
  }

  /** Returns the limit as a `Breach` if adding 1 to the count would exceed it. */
  full(name: "sitemaps" | "indexes" | "foreignHosts"): Breach | undefined {
    const count = this.#counts[name] + 1;
    return count > this.limits[name] ? breachOf(this.limits, name, count) : undefined;
  }

  /**
   * Counts as many of the pages as `urls` and `urlsPerSitemap` allow. `given`: number of earlier pages of the same
   * sitemap.
   */
  takePages(
    count: number,
    given: number,
  ): { readonly count: number; readonly breach?: Breach; readonly endsWalk?: boolean } {
    const { urls, urlsPerSitemap } = this.limits;
    const room = urls - this.#counts.urls;
    const taken = Math.min(count, room, urlsPerSitemap - given);
    this.#counts.urls += taken;
    if (taken === count) return { count };
    const endsWalk = taken === room;
    const name = endsWalk ? "urls" : "urlsPerSitemap";
    return { count: taken, breach: breachOf(this.limits, name, this.limits[name] + 1), endsWalk };
  }

  /**
   * Counts bytes that the walk will keep in memory. If the total would exceed `heldBytes`, or `heldRatio` times the
   * downloaded bytes, returns this limit and counts nothing. Stops sitemaps of 2 MB (compressed) that list 440 MB of
   * URLs (sec-S04).
   */
  hold(bytes: number): Breach | undefined {
    const held = this.#heldBytes + bytes;
    const { heldBytes, heldRatio } = this.limits;
    if (held > heldBytes) return breachOf(this.limits, "heldBytes", held);
    const ratio = held / Math.max(1, this.#counts.totalBytes);
    if (held > HELD_RATIO_FROM && ratio > heldRatio) return breachOf(this.limits, "heldRatio", ratio);
    this.#heldBytes = held;
    return undefined;
  }

  /**
   * Counts one more listed sitemap in memory. If this would exceed the maximum number of listed sitemaps, `heldBytes`
   * or `heldRatio`, returns this limit and counts nothing.
   */
  holdChild(bytes: number): Breach | undefined {
    const most = Math.max(this.limits.sitemaps, LARGEST_INDEX) + MORE_CHILDREN;
    const isFull = this.#kept >= most || this.#declared >= DROPPED_PER_HELD * most;
    const breach = isFull ? breachOf(this.limits, "sitemaps", this.#kept + 1) : this.hold(bytes);
    if (breach === undefined) {
      this.#declared++;
      this.#kept++;
    }
    return breach;
  }

  /** Called when a filter dropped `count` listed sitemaps. */
  dropChildren(count: number): void {
    this.#kept -= count;
  }

  /** Called when listed sitemaps were removed from memory. */
  releaseChildren(count: number, bytes: number): void {
    this.#declared -= count;
    this.#kept -= count;
    this.#heldBytes -= bytes;
  }

  /** Undoes `releaseChildren`. */
  restoreChildren(count: number, bytes: number): void {
    this.releaseChildren(-count, -bytes);
  }

  /** Counts bytes that stay in memory even if the total exceeds `heldBytes`. */
  addHeld(bytes: number): void {
    this.#heldBytes += bytes;
  }

  /**
   * Maximum number of places in the tree. A place is one position of a sitemap in the tree. There are at most
   * `limits.places`, and at most as many as fit into half of `heldBytes`.
   */
  get maxPlaces(): number {
    const { places, heldBytes } = this.limits;
    return Math.min(places, Math.floor(heldBytes / 2 / PLACE_BYTES));
  }

  addBytes(wire: number, decoded: number): void {
    this.#counts.totalBytes += wire;
    this.#counts.totalDecodedBytes += decoded;
  }

  /**
   * Returns the limit `totalBytes` or `totalDecodedBytes` if the walk has read more bytes than it allows. With
   * `isFull`, also if the walk has read exactly the allowed number of bytes.
   */
  bytesBreach(isFull = false): Breach | undefined {
    for (const name of ["totalBytes", "totalDecodedBytes"] as const) {
      const count = this.#counts[name];
      if (count > this.limits[name] || (isFull && count === this.limits[name])) {
        return breachOf(this.limits, name, count);
      }
    }
    return undefined;
  }

  /**
   * Records that a limit of the whole walk was reached. Returns the first breach of this limit, which may be an earlier
   * one.
   */
  reach(breach: Breach): Breach {
    const first = this.reached.get(breach.code) ?? breach;
    this.reached.set(breach.code, first);
    return first;
  }
}
