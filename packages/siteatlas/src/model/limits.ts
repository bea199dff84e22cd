/**
 * The table of all limits. It is the source of the option `limits` and its doc comments, of the flags of the command
 * line, of the issue codes of the walk, and of the tables in docs/limits.md. After a change, run `npm run generate`.
 * This writes model/generated/limits.ts. Browsers load only that file, which does not contain the texts of this table.
 */
import type { WalkLimits } from "./generated/limits.ts";
import type { IssueCode } from "./issue-severity.ts";

interface LimitRow {
  /** The default value. `null` means unlimited. */
  readonly default: number | null;
  /** Name of the setting on the command line. `maxDepth` is written as `--max-depth`. */
  readonly flag: string;
  /**
   * Whether siteatlas itself waits for this time. Such a limit must be finite: a wait of `Infinity` would never end.
   */
  readonly isWait?: true;
  /** The issue that is reported when the limit is reached. */
  readonly code?: IssueCode;
  /** Name of the things that are limited, such as "pages". In lower case and without a final period. */
  readonly what: string;
  /** The text of `--help`, if it differs from `what`. */
  readonly help?: string;
  /** Further details for callers, in full sentences. */
  readonly note?: string;
  /** The attack that the limit stops. */
  readonly stops: string;
}

/** Limits of a site. */
const SITE = {
  timeMs: {
    default: 3_600_000,
    flag: "deadline",
    code: "limit.time",
    what: "total time",
    note: "The walk ends when it is reached.",
    stops: "slowness that no other limit catches",
  },
  urls: {
    default: null,
    flag: "maxPages",
    code: "limit.urls",
    what: "pages",
    help: "pages; with exit code 7 if there are more",
    note: "The walk ends when it is reached.",
    stops: "endless pages that fill memory, if you collect them",
  },
  sitemaps: {
    default: 50_000,
    flag: "maxSitemaps",
    code: "limit.sitemaps",
    what: "sitemaps requested, including robots.txt and known locations",
    stops: "an index that lists a million sitemaps",
  },
  depth: {
    default: 11,
    flag: "maxDepth",
    code: "limit.depth",
    what: "levels of nesting; robots.txt is level 0",
    note: "Deeper sitemaps are skipped.",
    stops: "endless nesting",
  },
  indexes: {
    default: 500,
    flag: "maxIndexes",
    code: "limit.indexes",
    what: "sitemap indexes",
    note: "The site's robots.txt does not count. Of an index beyond the limit, only the first 64 KiB are read.",
    stops: "indexes that list ever new indexes: three each, eleven levels deep, are 177,147",
  },
  places: {
    default: 100_000,
    flag: "maxPlaces",
    code: "limit.places",
    what: "positions in the sitemap tree; a sitemap listed by three indexes has three",
    note: "When the limit is reached, an index that is already shown elsewhere is not laid out again.",
    stops: "indexes that all list each other: 8 of them make 109,601 places",
  },
  heldBytes: {
    default: 67_108_864,
    flag: "maxHeldBytes",
    code: "limit.held",
    what: "memory for sitemaps that are listed but not read yet, and for issues",
    note: "An estimate in bytes; a long URL counts three times. Pages do not count: a stream does not hold them.",
    stops: "2 MB of gzip that list 440 MB of sitemap URLs",
  },
  heldRatio: {
    default: 400,
    flag: "maxHeldRatio",
    code: "limit.held",
    what: "held bytes per downloaded byte",
    help: "the memory that --max-held-bytes limits, in bytes per downloaded byte",
    note: "Checked from 16 MiB of held bytes on.",
    stops: "a few KB of gzip that fill all of `heldBytes`",
  },
  foreignHosts: {
    default: 10,
    flag: "maxForeignHosts",
    code: "limit.foreign-hosts",
    what: "hosts outside the site's registrable domain",
    stops: "an index whose sitemaps are on 50,000 hosts, which you would flood",
  },
  totalBytes: {
    default: 10_737_418_240,
    flag: "maxTotalBytes",
    code: "limit.bytes",
    what: "downloaded bytes",
    note: "The walk ends when it is reached.",
    stops: "a thousand documents, each just below `wireBytes`",
  },
  totalDecodedBytes: {
    default: 42_949_672_960,
    flag: "maxTotalDecodedBytes",
    code: "limit.bytes",
    what: "bytes after decompression",
    note: "The walk ends when it is reached.",
    stops: "a thousand documents, each just below `decodedBytes`",
  },
} as const;

/** Limits of an index. */
const INDEX = {
  children: {
    default: 50_000,
    flag: "maxChildren",
    code: "limit.children",
    what: "sitemaps that an index lists",
    note: "The first ones are kept.",
    stops: "an index that lists a million sitemaps; the protocol allows 50,000",
  },
  robotsSitemaps: {
    default: 5000,
    flag: "maxRobotsSitemaps",
    code: "limit.children",
    what: "Sitemap lines in robots.txt",
    note: "The first ones are kept.",
    stops: "a robots.txt that lists a million sitemaps",
  },
  barrenChildren: {
    default: 200,
    flag: "maxBarrenChildren",
    code: "limit.barren",
    what: "empty sitemaps in a row; the rest of the index is then skipped",
    stops: "an index of 50,000 dead or empty sitemaps",
  },
} as const;

/** Limits of a document. */
const DOCUMENT = {
  urlsPerSitemap: {
    default: 1_000_000,
    flag: "maxPagesPerSitemap",
    code: "limit.urls",
    what: "pages",
    stops: "a sitemap that never ends; the protocol allows 50,000 pages",
  },
  wireBytes: {
    default: 104_857_600,
    flag: "maxBytes",
    code: "limit.bytes",
    what: "downloaded bytes",
    note: "A larger Content-Length makes the sitemap invalid at once.",
    stops: "a body that never ends",
  },
  decodedBytes: {
    default: 104_857_600,
    flag: "maxDecodedBytes",
    code: "limit.bytes",
    what: "bytes after decompression",
    stops: "compression bombs: 100 KB of gzip can be 100 MB",
  },
  compressionRatio: {
    default: 1000,
    flag: "maxCompressionRatio",
    code: "gzip.bomb",
    what: "decompressed bytes per downloaded byte",
    note: "Checked from 8 MiB of decompressed bytes on.",
    stops: "compression bombs, sooner; real sitemaps reach 158",
  },
  cpuMs: {
    default: 10_000,
    flag: "maxCpu",
    code: "limit.cpu",
    what: "CPU time for parsing",
    stops: "a document that is made to be slow to parse",
  },
} as const;

/** Limits of a request. */
const REQUEST = {
  retries: {
    default: 2,
    flag: "retries",
    what: "retries after a temporary failure",
    stops: "hammering a server that is down",
  },
  backoffMs: {
    default: 1000,
    flag: "backoff",
    isWait: true,
    what: "longest wait before the first retry; doubles for each further retry",
    note: "The wait is random below it. It must be finite.",
    stops: "hammering a server that is down",
  },
  requestMs: {
    default: 300_000,
    flag: "timeout",
    code: "http.timeout",
    what: "time for the whole request, including the body",
    stops: "a slow response that no other limit catches",
  },
  headersMs: {
    default: 30_000,
    flag: "headersTimeout",
    code: "http.timeout",
    what: "time until the response headers are complete",
    stops: "a server that accepts the connection and sends nothing, or only interim responses",
  },
  idleMs: {
    default: 30_000,
    flag: "idleTimeout",
    code: "http.timeout",
    what: "longest pause within a body",
    stops: "a body that stalls",
  },
  bytesPerSecond: {
    default: 1024,
    flag: "minSpeed",
    code: "http.timeout",
    what: "lowest average download speed, per second; a slower response is cut off",
    note: "Slower bodies are cut. Checked from `idleMs` after the headers on. `0` and `Infinity` turn it off.",
    stops: "a body that trickles, one byte a second",
  },
  redirects: {
    default: 10,
    flag: "maxRedirects",
    code: "http.too-many-redirects",
    what: "redirects",
    note: "A redirect to an earlier URL of the chain ends at once, with `http.redirect-loop`.",
    stops: "chains of ever new URLs",
  },
  retryAfterMs: {
    default: 120_000,
    flag: "maxRetryAfter",
    what: "longest wait for Retry-After; a longer one is shortened to this",
    note: "An origin that sends longer ones three times in a row is not requested again.",
    stops: "`Retry-After: 31536000`",
  },
  crawlDelayMs: {
    default: 30_000,
    flag: "maxCrawlDelay",
    code: "robots.crawl-delay",
    what: "longest wait for Crawl-delay; a longer one is shortened to this",
    stops: "`Crawl-delay: 86400`",
  },
} as const;

/** Limits of the parser. */
const VALUE = {
  elementDepth: {
    default: 64,
    flag: "maxElementDepth",
    code: "xml.too-deep",
    what: "nested XML elements",
    note: "Deeper elements are read, but the end tags of outer elements are ignored. `1` allows only the root.",
    stops: "a million opening tags in a few hundred bytes of gzip",
  },
  attributes: {
    default: 256,
    flag: "maxAttributes",
    code: "xml.too-many-attributes",
    what: "attributes per tag",
    note: "Further attributes are ignored.",
    stops: "a tag with 100,000 attributes",
  },
  namespaces: {
    default: 64,
    flag: "maxNamespaces",
    code: "xml.too-many-attributes",
    what: "namespace declarations per tag",
    note: "Further declarations are ignored.",
    stops: "a tag with 100,000 namespaces",
  },
  nameBytes: {
    default: 1024,
    flag: "maxNameBytes",
    code: "xml.too-long",
    what: "bytes of an element or attribute name",
    note: "A tag or an attribute with a longer name is dropped.",
    stops: "thousands of names of 60 KB each",
  },
  tokenBytes: {
    default: 65_536,
    flag: "maxTokenBytes",
    code: "xml.too-long",
    what: "bytes of a tag, a value or a line of text",
    note: "A longer tag, value or line is dropped. In a text sitemap, the limit counts characters and reports `text.line-too-long`.",
    stops: "a `<loc>` of 100 MB, a file without line ends",
  },
  textLength: {
    default: 4096,
    flag: "maxTextLength",
    code: "text.cut",
    what: "characters of a title, caption or other text; the rest is cut",
    stops: "titles of 60 KB, which you would store",
  },
  urlLength: {
    default: 8192,
    flag: "maxUrlLength",
    code: "url.too-long",
    what: "characters of a URL",
    note: "Longer URLs are dropped. More than 2,048 characters are reported.",
    stops: "endless URLs that fill memory and databases",
  },
  imagesPerUrl: {
    default: 1000,
    flag: "maxImages",
    code: "entry.too-many-items",
    what: "images per page",
    note: "Further images are dropped.",
    stops: "a page with a million images",
  },
  videosPerUrl: {
    default: 100,
    flag: "maxVideos",
    code: "entry.too-many-items",
    what: "videos per page",
    note: "Further videos are dropped.",
    stops: "a page with a million videos",
  },
  alternatesPerUrl: {
    default: 1000,
    flag: "maxAlternates",
    code: "entry.too-many-items",
    what: "alternates per page, for other languages or devices",
    note: "Further alternates are dropped.",
    stops: "a page with a million `xhtml:link` elements",
  },
  gzipMembers: {
    default: 1000,
    flag: "maxGzipMembers",
    code: "gzip.corrupt",
    what: "members of a gzip file",
    note: "The document is cut. Browsers cannot count members.",
    stops: "millions of empty members",
  },
  compressionLayers: {
    default: 3,
    flag: "maxCompressionLayers",
    code: "gzip.too-deep",
    what: "layers of compression, such as gzip inside gzip",
    note: "Content codings count. A document with more is invalid.",
    stops: "gzip in gzip, where each layer multiplies by up to 1,032",
  },
  issues: {
    default: 100,
    flag: "maxIssues",
    what: "issues kept per document, at most a tenth of them with the same code",
    note: "Further issues are only counted, in `issueCount`.",
    stops: "a document with a million mistakes",
  },
  robotsBytes: {
    default: 512_000,
    flag: "maxRobotsBytes",
    code: "robots.truncated",
    what: "bytes of robots.txt that are searched for rules",
    note: "`Sitemap:` lines are read to 5 MiB.",
    stops: "a robots.txt that never ends; RFC 9309 section 2.5 requires no more",
  },
  robotsLineBytes: {
    default: 16_664,
    flag: "maxRobotsLineBytes",
    code: "robots.line-too-long",
    what: "bytes of a line of robots.txt",
    note: "Longer lines are skipped.",
    stops: "one line that fills memory",
  },
} as const;

export const limitTable: typeof SITE & typeof INDEX & typeof DOCUMENT & typeof REQUEST & typeof VALUE = {
  ...SITE,
  ...INDEX,
  ...DOCUMENT,
  ...REQUEST,
  ...VALUE,
};

export type LimitName = keyof typeof limitTable;

/** The limits that report an issue when they are reached. */
export type ReportedLimit = {
  [Name in LimitName]: (typeof limitTable)[Name] extends { readonly code: IssueCode } ? Name : never;
}[LimitName];

export const LIMIT_NAMES: readonly LimitName[] = Object.keys(limitTable) as LimitName[];

export interface Limit extends LimitRow {
  readonly scope: "site" | "index" | "document" | "request" | "value";
  readonly unit: "count" | "characters" | "bytes" | "ms";
}

export function limitOf(name: keyof WalkLimits): Limit {
  const row: LimitRow = limitTable[name];
  return { ...row, scope: scopeOf(name), unit: unitOf(name) };
}

function scopeOf(name: LimitName): Limit["scope"] {
  if (name in SITE) return "site";
  if (name in INDEX) return "index";
  if (name in DOCUMENT) return "document";
  return name in REQUEST ? "request" : "value";
}

/** Derives the unit of a limit from the end of its name. */
function unitOf(name: LimitName): Limit["unit"] {
  if (name.endsWith("Ms")) return "ms";
  if (name.endsWith("Length")) return "characters";
  return name.endsWith("Bytes") || name === "bytesPerSecond" ? "bytes" : "count";
}

export function defaultOf(name: LimitName): number {
  return limitTable[name].default ?? Number.POSITIVE_INFINITY;
}

/**
 * A text with the observed and the allowed value: `197 bytes; limits.wireBytes allows 40`. The command line replaces
 * `limits.wireBytes` by the name of its flag (limit-names.ts).
 */
export function breachText(name: LimitName, observed: number, allowed: number): string {
  const { unit } = limitOf(name);
  return `${Math.ceil(observed)}${unit === "count" ? "" : ` ${unit}`}; limits.${name} allows ${allowed}`;
}

type Step = readonly [size: number, suffix: string];
const TIMES: readonly Step[] = [
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
  [1, "ms"],
];
const SIZES: readonly Step[] = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, ""],
];

/** Formats the default of a limit as the command line shows and accepts it: `50,000`, `100MiB`, `1h` or `none`. */
export function defaultText(name: LimitName): string {
  return limitText(name, defaultOf(name)).replace(/\B(?=(?:\d{3})+(?!\d))/g, ",");
}

/** Formats a value of a limit as a user would type it. */
export function limitText(name: LimitName, value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "none";
  const { unit } = limitOf(name);
  const steps = unit === "ms" ? TIMES : unit === "bytes" ? SIZES : [];
  const [size = 1, suffix = ""] = steps.find(([step]) => value > 0 && value % step === 0) ?? [];
  return `${value / size}${suffix}`;
}
