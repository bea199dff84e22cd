/**
 * The data that the worker, the walker process and the database exchange about a visit.
 *
 * A visit of a site has one or several legs. Each leg reads some of the sitemaps and is committed separately. For most
 * sites, one leg is enough. Messages for users call a leg "part".
 */

export interface LegRequest {
  readonly host: string;
  readonly domain: string;
  readonly shard: number;
  readonly homepage: string;
  /**
   * A number that rises with each claim of the site (a fencing token). A worker with an old epoch cannot commit its
   * results or overwrite a file.
   */
  readonly epoch: number;
  readonly visit: number;
  readonly leg: number;
  /** When the visit started, as an ISO date and time. */
  readonly began: string;
  /**
   * The site's last snapshot: the key of an object in the store, or the content of a small snapshot (`inlineSnapshot`).
   * Null if the site has none.
   */
  readonly snapshot: string | null;
  /**
   * Number of sitemaps that earlier legs of this visit read. `failed` has the URLs of failed sitemaps, which are not
   * requested again.
   */
  readonly done: number;
  readonly failed: readonly string[];
  /**
   * Mean time per request in the previous leg of this site, which may belong to an earlier visit. Null before the first
   * leg.
   */
  readonly requestMs: number | null;
  /** Whether the result may have `unpacked` rows. The worker writes them to a file with the rows of other sites. */
  readonly mayPack?: boolean | undefined;
}

export const DATASETS = ["pages", "sitemaps", "changes"] as const;
export type Dataset = (typeof DATASETS)[number];

/** A part file: a Parquet file in the store. It belongs to the dataset as soon as it is committed. */
export interface Part {
  readonly dataset: Dataset;
  readonly key: string;
  /** The day in UTC, such as `2026-11-15`. */
  readonly day: string;
  readonly rowCount: number;
  readonly byteCount: number;
}

/**
 * Rows of a leg that are not in a part file yet. The worker writes them into a pack: a part file with the rows of many
 * sites.
 */
interface UnpackedRows {
  /** The day in UTC, such as `2026-11-15`. */
  readonly day: string;
  /** The rows of each dataset as JSON (dataset/row-text.ts). */
  readonly texts: Readonly<Partial<Record<Dataset, string>>>;
}

export interface LegSitemap {
  readonly url: string;
  readonly outcome: "found" | "failed" | "skipped" | "unchanged";
  /** The issue code that says why the sitemap failed, was skipped or is incomplete. */
  readonly code?: string | undefined;
  readonly kind: string;
  readonly format?: string | undefined;
  readonly status?: number | undefined;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly contentHash?: string | undefined;
  readonly pageCount: number;
  /** Whether this leg wrote the pages of this sitemap. If not, an earlier part file has the same pages. */
  readonly hasPages: boolean;
}

/**
 * How a leg ended. `found`: the site has pages. `empty`: it has none. `disallowed`: robots.txt forbids all requests.
 * `unreachable`: robots.txt could not be fetched. `paused`: the site asked for a pause, and the visit resumes later.
 */
export type Outcome = "found" | "empty" | "disallowed" | "unreachable" | "paused";

export interface LegResult {
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  /** Whether this leg is the last one of the visit. */
  readonly isOver: boolean;
  readonly parts: readonly Part[];
  /** Rows that are not in `parts`. The worker writes them to a file. Set only if the request has `mayPack`. */
  readonly unpacked?: UnpackedRows | undefined;
  /**
   * The new snapshot: the key of an object in the store, or the content of a small snapshot (`inlineSnapshot`). Absent
   * if the site had no pages and no earlier snapshot.
   */
  readonly snapshot?: string | undefined;
  readonly sitemaps: readonly LegSitemap[];
  /** URLs of sitemaps that no longer exist. */
  readonly gone: readonly string[];
  /** Number of pages of the whole site. */
  readonly pageCount: number;
  readonly sitemapCount: number;
  /** Number of requests in this leg. The values below are also for this leg only. */
  readonly requests: number;
  readonly bytes: number;
  readonly pages: number;
  readonly changes: number;
  readonly requestMs: number;
  /** How long the site must get no requests after this leg, because of its Retry-After or Crawl-delay. */
  readonly pauseMs?: number | undefined;
}

const INLINE = "data:";

/**
 * Returns a small snapshot as text for PostgreSQL. Writing it to the object store would take longer than all other work
 * for the site.
 */
export function inlineSnapshot(bytes: Buffer): string {
  return `${INLINE}${bytes.toString("base64")}`;
}

/** Returns the base64 text of a small snapshot. Returns undefined if the snapshot is an object of the store. */
export function readInlineSnapshot(snapshot: string): string | undefined {
  return snapshot.startsWith(INLINE) ? snapshot.slice(INLINE.length) : undefined;
}

/** Longest pause of a domain. A longer one is shortened to this. */
export const MAX_PAUSE_MS: number = 7 * 86_400_000;

/** The `code` of the error with which a leg ends if its lease expired. The results of this leg are discarded. */
export const LEASE_LOST = "SITEATLAS_LEASE_LOST";

export interface LegContext {
  /** Aborted if the lease is lost, the site is put on the stop list, or the process ends. */
  readonly signal: AbortSignal;
  /** Whether the lease of the domain is still valid. Called before each request. */
  readonly isHeld: () => boolean;
  /** Whether this host or domain is on the stop list. Called before each request. */
  readonly isStopped: (host: string, domain: string) => boolean;
  /** Called if a server of this domain sent Retry-After. `ms` is the pause that the server asked for. */
  readonly onPause: (domain: string, ms: number) => void;
}

/** Runs one leg of a visit and writes its files. Throws only for failures that the site did not cause. */
export type VisitLeg = (request: LegRequest, context: LegContext) => Promise<LegResult>;
