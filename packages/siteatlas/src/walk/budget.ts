/**
 * Counts what a walk has used of its limits, and records which limits it reached. A `Breach` is one reached limit.
 * Results found before the limit are kept.
 */
import type { FilledLimits } from "../model/generated/limits.ts";
import type { IssueCode } from "../model/issue-severity.ts";
import { breachText, limitTable, type ReportedLimit } from "../model/limits.ts";
import { PLACE_BYTES } from "./held-bytes.ts";
import type { WalkLimits } from "./options.ts";

export interface Breach {
  readonly code: IssueCode;
  /** The observed and the allowed number: `101; limits.urls allows 100` */
  readonly value: string;
}

export type LimitName = ReportedLimit;

export function breachOf(limits: FilledLimits<WalkLimits>, name: LimitName, observed: number): Breach {
  return { code: limitTable[name].code, value: breachText(name, observed, limits[name]) };
}

/**
 * Maximum number of listed sitemaps in memory: `limits.sitemaps`, but at least one full index (50,000 by the
 * protocol), plus 5,000 for robots.txt. Stops 50,000 indexes that list 50,000 sitemaps each (sec-S04).
 */
const LARGEST_INDEX = 50_000;
const MORE_CHILDREN = 5000;
/** Sitemaps that a filter dropped stay in memory for other places of their index: up to ten times the maximum. */
const DROPPED_PER_HELD = 10;

/** Below this, `heldRatio` is not checked: a real index of 50,000 sitemaps, gzipped to 50 KB, holds 15 MB. */
const HELD_RATIO_FROM = 16 * 1024 * 1024;

export class Budget {
  readonly limits: FilledLimits<WalkLimits>;
  /** The limits of the whole walk that were reached. Only the first breach of each limit is kept. */
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
  /** `#declared` counts all listed sitemaps in memory, `#kept` only those that no filter dropped. */
  #declared = 0;
  #kept = 0;

  constructor(limits: FilledLimits<WalkLimits>) {
    this.limits = limits;
  }

  /** Number of pages that the walk has yielded. */
  get pageCount(): number {
    return this.#counts.urls;
  }

  /** Adds one to the count. If that would exceed the limit, returns the breach instead. */
  take(name: "sitemaps" | "indexes" | "foreignHosts"): Breach | undefined {
    const breach = this.full(name);
    if (breach === undefined) this.#counts[name]++;
    return breach;
  }

  /** Returns a breach if one more would exceed the limit. */
  full(name: "sitemaps" | "indexes" | "foreignHosts"): Breach | undefined {
    const count = this.#counts[name] + 1;
    return count > this.limits[name] ? breachOf(this.limits, name, count) : undefined;
  }

  /** Counts as many of the pages as `urls` and `urlsPerSitemap` allow. `given`: earlier pages of the same sitemap. */
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
   * Counts bytes that the walk will hold in memory. Returns a breach, and counts nothing, if that would exceed
   * `heldBytes`, or `heldRatio` times the bytes on the wire. Stops 2 MB of gzip that list 440 MB of URLs (sec-S04).
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

  /** Counts one more listed sitemap in memory. Returns a breach if it exceeds the maximum number or `heldBytes`. */
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

  /** Called when a filter dropped this many listed sitemaps. */
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

  /** Counts bytes that are held in any case. */
  addHeld(bytes: number): void {
    this.#heldBytes += bytes;
  }

  /** Maximum number of places in the tree: they may take half of `heldBytes`. */
  get maxPlaces(): number {
    const { places, heldBytes } = this.limits;
    return Math.min(places, Math.floor(heldBytes / 2 / PLACE_BYTES));
  }

  addBytes(wire: number, decoded: number): void {
    this.#counts.totalBytes += wire;
    this.#counts.totalDecodedBytes += decoded;
  }

  /** Returns a breach if the byte count exceeds a limit. With `isFull`, a count equal to the limit is also a breach. */
  bytesBreach(isFull = false): Breach | undefined {
    for (const name of ["totalBytes", "totalDecodedBytes"] as const) {
      const count = this.#counts[name];
      if (count > this.limits[name] || (isFull && count === this.limits[name])) {
        return breachOf(this.limits, name, count);
      }
    }
    return undefined;
  }

  /** Records that a limit of the whole walk was reached. Returns the first breach of that limit. */
  reach(breach: Breach): Breach {
    const first = this.reached.get(breach.code) ?? breach;
    this.reached.set(breach.code, first);
    return first;
  }
}
