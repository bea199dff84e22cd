/** The options of a walk, their defaults and their checks. One object, all optional, units in the names. */
import type { AllowList } from "../fetch/address-policy.ts";
import type { Client } from "../fetch/client.ts";
import { fillLimits, PARSE_LIMITS, type ParseLimits } from "../limits.ts";
import type { WalkEvent } from "./events.ts";

/**
 * Decides whether a sub-sitemap is fetched. `recursionLevel` is that of the sitemap which declares it
 * (robots.txt and the known locations are level 0); `parentUrls` holds that sitemap and all above it.
 */
export type RecurseCallback = (
  url: string,
  recursionLevel: number,
  parentUrls: ReadonlySet<string>,
) => boolean | Promise<boolean>;

/** Gets all sub-sitemaps of one sitemap, in order, and returns those to keep. */
export type RecurseListCallback = (
  urls: readonly string[],
  recursionLevel: number,
  parentUrls: ReadonlySet<string>,
) => readonly string[] | Promise<readonly string[]>;

/** Bounds of one walk and of each document of it. `0` means none at all, `Infinity` no bound, absent the default. */
export interface WalkLimits extends ParseLimits {
  /** Sitemaps that list sitemaps, the site's robots.txt aside. Stops index traps: three children each, eleven deep, are 177,147. @default 500 */
  readonly indexes?: number;
  /** Sitemaps requested, robots.txt and the known locations among them. @default 50_000 */
  readonly sitemaps?: number;
  /** Sitemaps that one index lists; the first ones count. @default 50_000 */
  readonly children?: number;
  /** Sitemap lines of the site's robots.txt; the first ones count. @default 5000 */
  readonly robotsSitemaps?: number;
  /** Sitemaps of one index, in a row, that give neither a page nor a sitemap: the rest of it is left. @default 200 */
  readonly barrenChildren?: number;
  /** Hosts of other sites that are asked. Stops the index whose sitemaps are to flood others. @default 10 */
  readonly foreignHosts?: number;
  /** Pages given out. @default Infinity */
  readonly urls?: number;
  /** Pages of one sitemap. @default 1_000_000 */
  readonly urlsPerSitemap?: number;
  /** Level of the deepest sitemap requested; robots.txt is level 0. @default 11 */
  readonly depth?: number;
  /** The whole walk. @default 3_600_000 */
  readonly timeMs?: number;
  /** Bytes on the wire, all documents together. @default 10 GiB */
  readonly totalBytes?: number;
  /** Bytes after decompression, all documents together. @default 40 GiB */
  readonly totalDecodedBytes?: number;
  /** Bytes on the wire of one document. @default 100 MiB */
  readonly wireBytes?: number;
  /** Bytes of one document after decompression. @default 100 MiB */
  readonly decodedBytes?: number;
  /** Bytes after decompression for each on the wire, of a document with more than 8 MiB of them. @default 1000 */
  readonly compressionRatio?: number;
  /** Processor time to parse one document. @default 10_000 */
  readonly cpuMs?: number;
  /** Redirects of one request. @default 10 */
  readonly redirects?: number;
  /** Further tries of a request that may pass. @default 2 */
  readonly retries?: number;
  /** A longer Retry-After is waited for so long, and a host that asks for it three times in a row is left. @default 120_000 */
  readonly retryAfterMs?: number;
  /** The first wait before a further try; at random below it, doubled each time. @default 1000 */
  readonly backoffMs?: number;
  /** From the request to the end of the headers. @default 30_000 */
  readonly headersMs?: number;
  /** Between two pieces of a body. @default 30_000 */
  readonly idleMs?: number;
  /** One request with its body. @default 300_000 */
  readonly requestMs?: number;
  /** Slower bodies are given up, from `idleMs` after the headers on. @default 1024 */
  readonly bytesPerSecond?: number;
  /** A longer Crawl-delay is waited for so long. @default 30_000 */
  readonly crawlDelayMs?: number;
}

export interface WalkOptions {
  /** Read robots.txt and follow its Sitemap lines. @default true */
  readonly useRobots?: boolean;
  /**
   * Try the known locations (`/sitemap.xml` and others): always, never, or only when robots.txt gave no page.
   * `extraKnownPaths` are tried without them, too.
   *
   * @default true
   */
  readonly useKnownPaths?: boolean | "when-empty";
  /** Which known locations: the usual 16, or all that any system is known to use. @default "usual" */
  readonly knownPaths?: "usual" | "thorough";
  /** Further paths to try, after the known ones. */
  readonly extraKnownPaths?: readonly string[];
  /**
   * Read the homepage for `<link rel="sitemap">` and its `Link` header: always, never, or only when robots.txt
   * and the known locations gave nothing. If these give nothing either, the feeds that it names are read.
   *
   * @default "when-empty"
   */
  readonly useHomepageLinks?: boolean | "when-empty";
  /** Do not request what robots.txt disallows, and nothing at all when it cannot be had (RFC 9309). @default false */
  readonly respectRobots?: boolean;
  /** Take the root of the site that the URL is on. `false` starts at the URL as it is. @default true */
  readonly normalizeHomepageUrl?: boolean;
  readonly recurseCallback?: RecurseCallback;
  readonly recurseListCallback?: RecurseListCallback;
  /** Ends the walk: it throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** What makes the requests. A shared client shares its connections and its politeness. */
  readonly client?: Client;
  /** @default "siteatlas/<version> (+https://github.com/siteatlas/siteatlas)" */
  readonly userAgent?: string;
  /** Sent to the origin of the homepage, and to no other. `proxy-authorization` is not sent: it belongs into `proxy`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An HTTP proxy for the client that we make; a client of your own knows its own. */
  readonly proxy?: string;
  /**
   * Connect to addresses that are not public, too: of this machine, its network, and reserved ones. Without
   * it, a homepage that is such an address or `localhost` opens its own host and port, and nothing that a site names or redirects
   * to. Cloud metadata services are never connected to. For the client that we make; a client of your own
   * knows its own, and knows no homepage: share one when strangers choose the homepages.
   *
   * @default false
   */
  readonly allowPrivateNetworks?: boolean;
  /**
   * Hosts (`intranet.example.com`), hosts with their port (`localhost:8080`) and ranges of addresses
   * (`10.1.0.0/16`) that may be connected to though they are not public. For the client that we make.
   */
  readonly allow?: AllowList;
  /** Requests at once to one site (registrable domain); to one address, twice as many. @default 2 */
  readonly concurrency?: number;
  /** From one request to the next, for each host. @default 0 */
  readonly delayMs?: number;
  /** Wait as robots.txt's Crawl-delay asks, up to `limits.crawlDelayMs`. @default false */
  readonly useCrawlDelay?: boolean;
  /**
   * Sitemaps on other hosts than the site: follow them, follow those of the same registrable domain
   * (`cdn.example.com` for `www.example.com`), or none. Redirects count, that of robots.txt aside.
   *
   * @default "follow"
   */
  readonly crossHost?: "follow" | "same-site" | "none";
  /**
   * Request nothing over plain http. A sitemap that is declared so, or redirects there, is skipped with code
   * `http.downgrade`; without the option that is an issue of the same code after a redirect. An http homepage is
   * a `TypeError`.
   *
   * @default false
   */
  readonly httpsOnly?: boolean;
  readonly limits?: WalkLimits;
  /** Called with each event as it happens, whoever reads the result. */
  readonly onEvent?: (event: WalkEvent) => void;
  /** Follow the specifications to the letter, see `parseSitemap`. @default false */
  readonly strict?: boolean;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Required<WalkLimits> = {
  ...PARSE_LIMITS,
  indexes: 500,
  sitemaps: 50_000,
  children: 50_000,
  robotsSitemaps: 5000,
  barrenChildren: 200,
  foreignHosts: 10,
  urls: Number.POSITIVE_INFINITY,
  urlsPerSitemap: 1_000_000,
  depth: 11,
  timeMs: 3_600_000,
  totalBytes: 10 * 1024 * MIB,
  totalDecodedBytes: 40 * 1024 * MIB,
  wireBytes: 100 * MIB,
  decodedBytes: 100 * MIB,
  compressionRatio: 1000,
  cpuMs: 10_000,
  redirects: 10,
  retries: 2,
  retryAfterMs: 120_000,
  backoffMs: 1000,
  headersMs: 30_000,
  idleMs: 30_000,
  requestMs: 300_000,
  bytesPerSecond: 1024,
  crawlDelayMs: 30_000,
};

/** The limits with their defaults. Zero is zero: only what is absent is filled in. */
export function readLimits(limits?: WalkLimits): Required<WalkLimits> {
  return fillLimits(DEFAULT_LIMITS, limits);
}

/** A gate that lets nobody in would let a walk wait until its time is up. */
export function checkPoliteness({ concurrency = 1, delayMs = 0 }: WalkOptions): void {
  if (!(concurrency >= 1)) throw new RangeError(`Cannot walk with concurrency ${concurrency}: at least 1`);
  if (!(delayMs >= 0)) throw new RangeError(`Cannot walk with delayMs ${delayMs}: at least 0`);
}
