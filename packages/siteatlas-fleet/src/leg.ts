/**
 * A visit of one site is one or several legs: each walks a part of it, and is committed by itself. Most sites take
 * one. These are the words in which the worker, the walking process and the database speak of it.
 */

/** What is to be walked. */
export interface LegRequest {
  readonly host: string;
  readonly domain: string;
  readonly shard: number;
  readonly homepage: string;
  /** The fencing token: part of the name of everything that is written. */
  readonly epoch: number;
  readonly visit: number;
  readonly leg: number;
  /** When the visit began, as text. */
  readonly began: string;
  /** The key of the last snapshot. */
  readonly snapshot: string | null;
  /** How many sitemaps this visit has read so far, and which it could not: they are not asked for again. */
  readonly done: number;
  readonly failed: readonly string[];
  /** From one request to the next, as measured last. */
  readonly requestMs: number | null;
}

export type Dataset = "pages" | "sitemaps" | "changes";

/** A file that was written and counts once it is committed. */
export interface Part {
  readonly dataset: Dataset;
  readonly key: string;
  /** UTC, `2026-11-15`. */
  readonly day: string;
  readonly rowCount: number;
  readonly byteCount: number;
}

/** A sitemap as the leg met it. */
export interface LegSitemap {
  readonly url: string;
  readonly outcome: "found" | "failed" | "skipped" | "unchanged";
  /** Why it failed, was skipped, or is not whole. */
  readonly code?: string;
  readonly kind: string;
  readonly format?: string;
  readonly status?: number;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly contentHash?: string;
  readonly pageCount: number;
  /** Its pages are in this leg's part. If it has some and they are not, they are what they were, and where they were. */
  readonly hasPages: boolean;
}

/**
 * How a visit ended: pages were found; none are declared; robots.txt forbids it; the site did not answer; or it
 * asked to be left alone for so long that the rest comes later.
 */
export type Outcome = "found" | "empty" | "disallowed" | "unreachable" | "paused";

export interface LegResult {
  readonly outcome: Outcome;
  readonly reason?: string;
  /** Nothing is left to be asked for. */
  readonly isOver: boolean;
  readonly parts: readonly Part[];
  /** The key of the new snapshot; none if nothing was found. */
  readonly snapshot?: string;
  readonly sitemaps: readonly LegSitemap[];
  /** Sitemaps that are not there any more. */
  readonly gone: readonly string[];
  /** Of the whole site. */
  readonly pageCount: number;
  readonly sitemapCount: number;
  /** Of this leg. */
  readonly requests: number;
  readonly bytes: number;
  readonly pages: number;
  readonly changes: number;
  readonly requestMs: number;
  /** How long the site wants to be left alone after this. */
  readonly pauseMs?: number;
}

/** The `code` of the error that ends a leg whose lease ran out on the way: what it found says nothing. */
export const LEASE_LOST = "SITEATLAS_LEASE_LOST";

/** What a leg has from whoever runs it. */
export interface LegContext {
  /** Ends the leg: the lease is lost, the site was stopped, the process is to end. */
  readonly signal: AbortSignal;
  /** Whether the lease still holds; asked before each request. */
  readonly isHeld: () => boolean;
  /** Whether nobody may ask this host, or any of this domain; asked before each request. */
  readonly isStopped: (host: string, domain: string) => boolean;
  /** A domain asked to be left alone. */
  readonly onPause: (domain: string, ms: number) => void;
}

/** Walks one leg and writes its parts. Throws only what is no fault of the site: no room on the disk, an abort. */
export type VisitLeg = (request: LegRequest, context: LegContext) => Promise<LegResult>;
