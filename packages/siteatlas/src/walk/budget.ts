/**
 * What a walk may still do: the counts behind its limits, and which of them were reached. A breach names the
 * limit, what was observed and what was allowed; what was found before it is kept.
 */
import type { IssueCode } from "../issues.ts";
import type { ParseLimits } from "../limits.ts";
import type { WalkLimits } from "./options.ts";

/** A limit that was reached: the code that names it, and what was observed. */
export interface Breach {
  readonly code: IssueCode;
  /** `urls 101, limit 100` */
  readonly value: string;
}

export type LimitName = Exclude<
  keyof WalkLimits,
  | keyof ParseLimits
  | "redirects"
  | "retries"
  | "retryAfterMs"
  | "backoffMs"
  | "headersMs"
  | "idleMs"
  | "requestMs"
  | "bytesPerSecond"
>;

/** The other limits are those of one request: the code says what the server did. */
const CODES: Readonly<Record<LimitName, IssueCode>> = {
  depth: "limit.depth",
  indexes: "limit.indexes",
  sitemaps: "limit.sitemaps",
  children: "limit.children",
  robotsSitemaps: "limit.children",
  barrenChildren: "limit.barren",
  foreignHosts: "limit.foreign-hosts",
  urls: "limit.urls",
  urlsPerSitemap: "limit.urls",
  timeMs: "limit.time",
  totalBytes: "limit.bytes",
  totalDecodedBytes: "limit.bytes",
  wireBytes: "limit.bytes",
  decodedBytes: "limit.bytes",
  compressionRatio: "gzip.bomb",
  cpuMs: "limit.cpu",
  crawlDelayMs: "robots.crawl-delay",
};

export function breachOf(limits: Required<WalkLimits>, name: LimitName, observed: number): Breach {
  return { code: CODES[name], value: `${name} ${Math.ceil(observed)}, limit ${limits[name]}` };
}

/**
 * As many children are held as may be requested, at least those of one index as the protocol allows it, and
 * some for robots.txt. Stops indexes of 50,000 indexes of 50,000, which are 20 KB each (sec-S04).
 */
const LARGEST_INDEX = 50_000;
const MORE_CHILDREN = 5000;

export class Budget {
  readonly limits: Required<WalkLimits>;
  /** The limits of the walk that were reached, each as it was first. */
  readonly reached: Map<IssueCode, Breach> = new Map();
  readonly #counts = {
    sitemaps: 0,
    indexes: 0,
    foreignHosts: 0,
    urls: 0,
    totalBytes: 0,
    totalDecodedBytes: 0,
  };
  /** Children that were declared and are held. */
  #held = 0;

  constructor(limits: Required<WalkLimits>) {
    this.limits = limits;
  }

  /** Pages given out so far. */
  get pageCount(): number {
    return this.#counts.urls;
  }

  /** Takes one more of them, or says that there is none left. */
  take(name: "sitemaps" | "indexes" | "foreignHosts"): Breach | undefined {
    const breach = this.full(name);
    if (breach === undefined) this.#counts[name]++;
    return breach;
  }

  /** Says if there is none left. */
  full(name: "sitemaps" | "indexes" | "foreignHosts"): Breach | undefined {
    const count = this.#counts[name] + 1;
    return count > this.limits[name] ? breachOf(this.limits, name, count) : undefined;
  }

  /** Takes as many pages as there is room for: in the walk, and in their sitemap, which gave `given` before. */
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

  /** Holds one more child that was declared, or says that there is no room for it. */
  holdChild(): Breach | undefined {
    if (this.#held >= Math.max(this.limits.sitemaps, LARGEST_INDEX) + MORE_CHILDREN) {
      return this.reach(breachOf(this.limits, "sitemaps", this.#held + 1));
    }
    this.#held++;
    return undefined;
  }

  /** So many children are not held any more; a negative number: they are, again. */
  releaseChildren(count: number): void {
    this.#held -= count;
  }

  addBytes(wire: number, decoded: number): void {
    this.#counts.totalBytes += wire;
    this.#counts.totalDecodedBytes += decoded;
  }

  /** More bytes than allowed; `isFull`: or as many, so that the next document has no room. */
  bytesBreach(isFull = false): Breach | undefined {
    for (const name of ["totalBytes", "totalDecodedBytes"] as const) {
      const count = this.#counts[name];
      if (count > this.limits[name] || (isFull && count === this.limits[name])) {
        return breachOf(this.limits, name, count);
      }
    }
    return undefined;
  }

  /** Notes that a limit of the walk was reached: what it gives is not all. Gives the breach as it was first. */
  reach(breach: Breach): Breach {
    const first = this.reached.get(breach.code) ?? breach;
    this.reached.set(breach.code, first);
    return first;
  }
}
