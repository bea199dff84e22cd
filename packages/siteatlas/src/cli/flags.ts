/**
 * The one table of flags. A setting has one name everywhere: `maxDepth` in siteatlas.config.js is
 * `--max-depth` on the command line and SITEATLAS_MAX_DEPTH in the environment. Parsing, help, completion,
 * environment, settings files and the options of the library are all read from here.
 *
 * Nothing heavy is imported: the table is needed for `--help` too. Long, because there is one row for each
 * setting and only one table.
 */
import {
  oneOf,
  readBoolean,
  readBound,
  readCount,
  readDuration,
  readHeader,
  readHeaderValue,
  readInterval,
  readOrigin,
  readShare,
  readSince,
  readSize,
  readSome,
  readText,
  readUrl,
  readWebhook,
} from "./read-value.ts";

export const FORMATS: readonly ["auto", "urls", "ndjson", "json", "csv", "tsv", "tree", "parquet", "sqlite"] =
  ["auto", "urls", "ndjson", "json", "csv", "tsv", "tree", "parquet", "sqlite"];

export type FormatName = (typeof FORMATS)[number];

/** What can be set. Absent means that nobody set it: the library's default holds, or the command's. */
export interface Settings {
  // Discovery
  readonly robots?: boolean;
  readonly known?: "usual" | "thorough" | false;
  readonly knownPath?: readonly string[];
  readonly homepageLinks?: boolean | "when-empty";
  readonly respectRobots?: boolean;
  readonly normalize?: boolean;
  readonly crossHost?: "follow" | "same-site" | "none";
  readonly strict?: boolean;
  // Selection
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly includeSitemap?: readonly string[];
  readonly excludeSitemap?: readonly string[];
  readonly since?: Date;
  readonly kind?: readonly PageKindName[];
  readonly lang?: readonly string[];
  readonly limit?: number;
  readonly sample?: number;
  readonly stratify?: "path" | "sitemap";
  readonly unique?: boolean;
  readonly rewriteOrigin?: string;
  readonly stripUrl?: boolean;
  // Output
  readonly format?: FormatName;
  readonly output?: string;
  readonly force?: boolean;
  readonly fields?: string;
  readonly csvRaw?: boolean;
  readonly ordered?: boolean;
  readonly json?: boolean;
  readonly failOnPartial?: boolean;
  // Network
  readonly header?: readonly (readonly [name: string, value: string])[];
  readonly userAgent?: string;
  readonly proxy?: string;
  readonly allowPrivate?: boolean;
  readonly allow?: readonly string[];
  readonly httpsOnly?: boolean;
  readonly concurrency?: number;
  readonly delay?: number;
  readonly crawlDelay?: boolean;
  readonly jobs?: number;
  readonly retries?: number;
  readonly backoff?: number;
  readonly timeout?: number;
  readonly headersTimeout?: number;
  readonly idleTimeout?: number;
  readonly minSpeed?: number;
  // Limits
  readonly deadline?: number;
  readonly maxPages?: number;
  readonly maxSitemaps?: number;
  readonly maxDepth?: number;
  readonly maxIndexes?: number;
  readonly maxChildren?: number;
  readonly maxRobotsSitemaps?: number;
  readonly maxBarrenChildren?: number;
  readonly maxForeignHosts?: number;
  readonly maxPagesPerSitemap?: number;
  readonly maxTotalBytes?: number;
  readonly maxTotalDecodedBytes?: number;
  readonly maxBytes?: number;
  readonly maxDecodedBytes?: number;
  readonly maxCompressionRatio?: number;
  readonly maxCpu?: number;
  readonly maxRedirects?: number;
  readonly maxRetryAfter?: number;
  readonly maxCrawlDelay?: number;
  // Limits of a document
  readonly maxElementDepth?: number;
  readonly maxAttributes?: number;
  readonly maxNamespaces?: number;
  readonly maxNameBytes?: number;
  readonly maxTokenBytes?: number;
  readonly maxTextLength?: number;
  readonly maxUrlLength?: number;
  readonly maxImages?: number;
  readonly maxVideos?: number;
  readonly maxAlternates?: number;
  readonly maxGzipMembers?: number;
  readonly maxCompressionLayers?: number;
  readonly maxIssues?: number;
  readonly maxRobotsBytes?: number;
  readonly maxRobotsLineBytes?: number;
  // Single commands
  readonly url?: string;
  readonly contentType?: string;
  readonly sitemaps?: boolean;
  readonly canFetch?: readonly string[];
  readonly as?: string;
  readonly snapshot?: string;
  readonly exitCode?: boolean;
  readonly dryRun?: boolean;
  readonly trust?: boolean;
  readonly validators?: boolean;
  readonly massRemoval?: number;
  readonly redirectChecks?: number;
  readonly every?: number;
  readonly maxEvery?: number;
  readonly onChange?: string;
  readonly webhook?: string;
  readonly snapshots?: string;
  // Messages
  readonly quiet?: boolean;
  readonly verbose?: number;
  readonly progress?: "auto" | "plain" | "json" | "none";
  readonly color?: "auto" | "always" | "never";
  readonly logFile?: string;
}

export type PageKindName = "news" | "image" | "video" | "feed";

export type SettingName = keyof Settings;

export type FlagGroup =
  | "Discovery"
  | "Selection"
  | "Output"
  | "Network"
  | "Limits"
  | "Documents"
  | "Command"
  | "Messages";

export interface Flag<T = unknown> {
  readonly short?: string;
  /** What stands behind it in help texts; absent for a switch. */
  readonly value?: string;
  /** May be given more than once. */
  readonly many?: true;
  /** A switch whose number counts: `-vv`. */
  readonly counted?: true;
  /** `--no-name`: the only form, or one besides `--name`. */
  readonly negated?: "only" | "too";
  /** For completion. */
  readonly words?: readonly string[];
  /** The option of the library that it sets. */
  readonly option?: string;
  readonly group: FlagGroup;
  /** Also in the short help. */
  readonly usual?: true;
  /** Lower case, no final period. */
  readonly text: string;
  readonly read: (text: string) => T extends readonly (infer E)[] ? E | T : T;
}

type FlagTable = { readonly [K in SettingName]-?: Flag<NonNullable<Settings[K]>> };

const DISCOVERY = { group: "Discovery" } as const;
const SELECTION = { group: "Selection" } as const;
const OUTPUT = { group: "Output" } as const;
const NETWORK = { group: "Network" } as const;
const LIMITS = { group: "Limits" } as const;
const DOCUMENTS = { group: "Documents" } as const;
const COMMAND = { group: "Command", usual: true } as const;
const RARE_COMMAND = { group: "Command" } as const;
const MESSAGES = { group: "Messages" } as const;

const SWITCH = { read: readBoolean } as const;
const GLOB = { value: "GLOB", many: true, read: readText } as const;
const DURATION = { value: "TIME", read: readDuration } as const;
const SIZE = { value: "SIZE", read: readSize } as const;
const BOUND = { value: "N", read: readBound } as const;

const KNOWN = ["usual", "thorough"] as const;
const HOMEPAGE_LINKS = ["always", "when-empty", "never"] as const;
const CROSS_HOST = ["follow", "same-site", "none"] as const;
const KINDS = ["news", "image", "video", "feed"] as const;
const STRATA = ["path", "sitemap"] as const;
const PROGRESS = ["auto", "plain", "json", "none"] as const;
const COLOR = ["auto", "always", "never"] as const;

const readWhen = oneOf(...HOMEPAGE_LINKS);
const readKind = oneOf(...KINDS);
const list = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

export const flags: FlagTable = {
  robots: {
    ...DISCOVERY,
    ...SWITCH,
    negated: "only",
    option: "useRobots",
    usual: true,
    text: "do not read robots.txt",
  },
  known: {
    ...DISCOVERY,
    value: "WHICH",
    negated: "too",
    words: KNOWN,
    option: "knownPaths",
    usual: true,
    read: oneOf(...KNOWN),
    text: "known locations to try: usual (16) or thorough (all that any system uses); --no-known tries none (default: usual)",
  },
  knownPath: {
    ...DISCOVERY,
    value: "PATH",
    many: true,
    option: "extraKnownPaths",
    read: readText,
    text: "try this path, too",
  },
  homepageLinks: {
    ...DISCOVERY,
    value: "WHEN",
    words: HOMEPAGE_LINKS,
    option: "useHomepageLinks",
    read: (text) => {
      const when = readWhen(text);
      return when === "when-empty" ? when : when === "always";
    },
    text: "look for sitemaps that the homepage names: always, never, or when-empty: when there is no page so far (default: when-empty; of find: always)",
  },
  respectRobots: {
    ...DISCOVERY,
    ...SWITCH,
    option: "respectRobots",
    text: "request nothing that robots.txt disallows (RFC 9309)",
  },
  normalize: {
    ...DISCOVERY,
    ...SWITCH,
    negated: "only",
    option: "normalizeHomepageUrl",
    text: "start at the URL as it is, not at the root of its site",
  },
  crossHost: {
    ...DISCOVERY,
    value: "WHICH",
    words: CROSS_HOST,
    option: "crossHost",
    read: oneOf(...CROSS_HOST),
    text: "sitemaps on other hosts: follow, same-site (same registrable domain), none (default: follow)",
  },
  strict: {
    ...DISCOVERY,
    ...SWITCH,
    option: "strict",
    text: "follow the specifications to the letter, repair nothing",
  },

  include: { ...SELECTION, ...GLOB, usual: true, text: "only pages that match: '/blog/*', '*.html'" },
  exclude: { ...SELECTION, ...GLOB, usual: true, text: "no pages that match: '*.pdf'" },
  includeSitemap: {
    ...SELECTION,
    ...GLOB,
    option: "recurseListCallback",
    usual: true,
    text: "only sitemaps that match, and what these list: '*news*'",
  },
  excludeSitemap: {
    ...SELECTION,
    ...GLOB,
    option: "recurseListCallback",
    text: "do not read sitemaps that match",
  },
  since: {
    ...SELECTION,
    value: "DATE",
    usual: true,
    read: readSince,
    text: "only pages that changed since: 2026-11-01, 7d; none without a date",
  },
  kind: {
    ...SELECTION,
    value: "KIND",
    words: KINDS,
    usual: true,
    read: (text) => list(text).map(readKind),
    text: "only pages with news, image or video data, or from a feed",
  },
  lang: {
    ...SELECTION,
    value: "LANG",
    read: list,
    text: "only pages in these languages: de,fr (from news and hreflang)",
  },
  limit: { ...SELECTION, value: "N", usual: true, read: readCount, text: "stop after N pages" },
  sample: {
    ...SELECTION,
    value: "N",
    usual: true,
    read: readSome,
    text: "N pages of all, chosen by their URL: the same ones each time",
  },
  stratify: {
    ...SELECTION,
    value: "BY",
    words: STRATA,
    read: oneOf(...STRATA),
    text: "spread the sample evenly over sections (path) or sitemaps (sitemap)",
  },
  unique: {
    ...SELECTION,
    ...SWITCH,
    usual: true,
    text: "each URL once, though several sitemaps list it; remembers all of them",
  },
  rewriteOrigin: {
    ...SELECTION,
    value: "URL",
    read: readOrigin,
    text: "put this origin in place of each page's own",
  },
  stripUrl: { ...SELECTION, ...SWITCH, short: "u", text: "leave the given URL out of each URL" },

  format: {
    ...OUTPUT,
    short: "f",
    value: "FORMAT",
    words: FORMATS,
    usual: true,
    read: oneOf(...FORMATS),
    text: "auto (a listing on a terminal, one URL per line in a pipe), urls, ndjson, json, csv, tsv, tree, parquet, sqlite (default: auto)",
  },
  output: {
    ...OUTPUT,
    short: "o",
    value: "FILE",
    usual: true,
    read: readText,
    text: "write to this file; its name says the format (.txt, .json, for pages .csv …)",
  },
  force: {
    ...OUTPUT,
    ...SWITCH,
    usual: true,
    text: "overwrite the file if it exists, once the new one is whole",
  },
  fields: {
    ...OUTPUT,
    value: "NAMES",
    usual: true,
    read: readText,
    text: "only these fields: url,lastmod,title",
  },
  csvRaw: {
    ...OUTPUT,
    ...SWITCH,
    text: "leave what a spreadsheet would take for a formula as it is in csv and tsv",
  },
  ordered: {
    ...OUTPUT,
    ...SWITCH,
    text: "pages in the order in which the site declares them; holds them all until the end",
  },
  json: { ...OUTPUT, ...SWITCH, usual: true, text: "JSON: one object per line where it is a list" },
  failOnPartial: {
    ...OUTPUT,
    ...SWITCH,
    usual: true,
    text: "exit with 4 if a sitemap failed or was cut",
  },

  header: {
    ...NETWORK,
    short: "H",
    value: "'NAME: VALUE'",
    many: true,
    option: "headers",
    usual: true,
    read: readHeader,
    text: "send this header to the site itself, never to other hosts",
  },
  userAgent: {
    ...NETWORK,
    short: "A",
    value: "TEXT",
    option: "userAgent",
    usual: true,
    read: readHeaderValue,
    text: "say that we are this",
  },
  proxy: { ...NETWORK, value: "URL", option: "proxy", read: readUrl, text: "go through this HTTP proxy" },
  allowPrivate: {
    ...NETWORK,
    ...SWITCH,
    option: "allowPrivateNetworks",
    usual: true,
    text: "connect to addresses that are not public (to cloud metadata never)",
  },
  allow: {
    ...NETWORK,
    value: "HOST",
    many: true,
    option: "allow",
    read: readText,
    text: "connect to this host, host:port or range (10.1.0.0/16), though it is not public",
  },
  httpsOnly: {
    ...NETWORK,
    ...SWITCH,
    option: "httpsOnly",
    text: "request nothing over plain http",
  },
  concurrency: {
    ...NETWORK,
    value: "N",
    option: "concurrency",
    usual: true,
    read: readSome,
    text: "requests at once to one host (default: 2)",
  },
  delay: {
    ...NETWORK,
    ...DURATION,
    option: "delayMs",
    text: "from one request to the next, for each host (default: 0)",
  },
  crawlDelay: {
    ...NETWORK,
    ...SWITCH,
    option: "useCrawlDelay",
    text: "wait as the Crawl-delay of robots.txt asks",
  },
  jobs: {
    ...NETWORK,
    short: "j",
    value: "N",
    read: readSome,
    text: "sites read at once (default: 8)",
  },
  retries: {
    ...NETWORK,
    value: "N",
    option: "limits.retries",
    read: readBound,
    text: "further tries of a request that may pass (default: 2)",
  },
  backoff: {
    ...NETWORK,
    ...DURATION,
    option: "limits.backoffMs",
    text: "longest first wait before a further try (default: 1s)",
  },
  timeout: {
    ...NETWORK,
    ...DURATION,
    option: "limits.requestMs",
    text: "for one request with its body (default: 5m)",
  },
  headersTimeout: {
    ...NETWORK,
    ...DURATION,
    option: "limits.headersMs",
    text: "from the request to the end of the headers (default: 30s)",
  },
  idleTimeout: {
    ...NETWORK,
    ...DURATION,
    option: "limits.idleMs",
    text: "between two pieces of a body (default: 30s)",
  },
  minSpeed: {
    ...NETWORK,
    ...SIZE,
    option: "limits.bytesPerSecond",
    text: "slower bodies are given up, per second (default: 1KiB)",
  },

  deadline: {
    ...LIMITS,
    ...DURATION,
    option: "limits.timeMs",
    usual: true,
    text: "for one site (default: 1h)",
  },
  maxPages: {
    ...LIMITS,
    ...BOUND,
    option: "limits.urls",
    usual: true,
    text: "pages of a site (default: none)",
  },
  maxSitemaps: {
    ...LIMITS,
    ...BOUND,
    option: "limits.sitemaps",
    text: "sitemaps requested (default: 50,000)",
  },
  maxDepth: {
    ...LIMITS,
    ...BOUND,
    option: "limits.depth",
    text: "level of the deepest sitemap; robots.txt is level 0 (default: 11)",
  },
  maxIndexes: {
    ...LIMITS,
    ...BOUND,
    option: "limits.indexes",
    text: "sitemaps that list sitemaps (default: 500)",
  },
  maxChildren: {
    ...LIMITS,
    ...BOUND,
    option: "limits.children",
    text: "sitemaps of one index (default: 50,000)",
  },
  maxRobotsSitemaps: {
    ...LIMITS,
    ...BOUND,
    option: "limits.robotsSitemaps",
    text: "Sitemap lines of robots.txt (default: 5,000)",
  },
  maxBarrenChildren: {
    ...LIMITS,
    ...BOUND,
    option: "limits.barrenChildren",
    text: "sitemaps of one index in a row that give nothing (default: 200)",
  },
  maxForeignHosts: {
    ...LIMITS,
    ...BOUND,
    option: "limits.foreignHosts",
    text: "hosts of other sites (default: 10)",
  },
  maxPagesPerSitemap: {
    ...LIMITS,
    ...BOUND,
    option: "limits.urlsPerSitemap",
    text: "pages of one sitemap (default: 1,000,000)",
  },
  maxTotalBytes: {
    ...LIMITS,
    ...SIZE,
    option: "limits.totalBytes",
    text: "on the wire, all sitemaps of a site (default: 10GiB)",
  },
  maxTotalDecodedBytes: {
    ...LIMITS,
    ...SIZE,
    option: "limits.totalDecodedBytes",
    text: "decompressed, all sitemaps of a site (default: 40GiB)",
  },
  maxBytes: {
    ...LIMITS,
    ...SIZE,
    option: "limits.wireBytes",
    text: "on the wire, one sitemap (default: 100MiB)",
  },
  maxDecodedBytes: {
    ...LIMITS,
    ...SIZE,
    option: "limits.decodedBytes",
    text: "decompressed, one sitemap (default: 100MiB)",
  },
  maxCompressionRatio: {
    ...LIMITS,
    ...BOUND,
    option: "limits.compressionRatio",
    text: "bytes decompressed for each on the wire (default: 1,000)",
  },
  maxCpu: {
    ...LIMITS,
    ...DURATION,
    option: "limits.cpuMs",
    text: "to parse one sitemap (default: 10s)",
  },
  maxRedirects: {
    ...LIMITS,
    ...BOUND,
    option: "limits.redirects",
    text: "of one request (default: 10)",
  },
  maxRetryAfter: {
    ...LIMITS,
    ...DURATION,
    option: "limits.retryAfterMs",
    text: "longest Retry-After that is waited for (default: 2m)",
  },
  maxCrawlDelay: {
    ...LIMITS,
    ...DURATION,
    option: "limits.crawlDelayMs",
    text: "longest Crawl-delay that is waited for (default: 30s)",
  },

  maxElementDepth: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.elementDepth",
    text: "elements inside each other (default: 64)",
  },
  maxAttributes: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.attributes",
    text: "attributes of a tag (default: 256)",
  },
  maxNamespaces: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.namespaces",
    text: "namespaces that a tag declares (default: 64)",
  },
  maxNameBytes: {
    ...DOCUMENTS,
    ...SIZE,
    option: "limits.nameBytes",
    text: "name of an element or an attribute (default: 1KiB)",
  },
  maxTokenBytes: {
    ...DOCUMENTS,
    ...SIZE,
    option: "limits.tokenBytes",
    text: "a tag, a value or a line of text (default: 64KiB)",
  },
  maxTextLength: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.textLength",
    text: "characters of a title or another text; the rest is cut off (default: 4,096)",
  },
  maxUrlLength: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.urlLength",
    text: "characters of a URL (default: 8,192)",
  },
  maxImages: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.imagesPerUrl",
    text: "images of a page (default: 1,000)",
  },
  maxVideos: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.videosPerUrl",
    text: "videos of a page (default: 100)",
  },
  maxAlternates: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.alternatesPerUrl",
    text: "alternates of a page (default: 1,000)",
  },
  maxGzipMembers: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.gzipMembers",
    text: "members of a gzip file (default: 1,000)",
  },
  maxCompressionLayers: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.compressionLayers",
    text: "gzip in gzip (default: 3)",
  },
  maxIssues: {
    ...DOCUMENTS,
    ...BOUND,
    option: "limits.issues",
    text: "issues that are kept of a document, of one code a tenth (default: 100)",
  },
  maxRobotsBytes: {
    ...DOCUMENTS,
    ...SIZE,
    option: "limits.robotsBytes",
    text: "of robots.txt, as far as rules are read (default: 500KiB)",
  },
  maxRobotsLineBytes: {
    ...DOCUMENTS,
    ...SIZE,
    option: "limits.robotsLineBytes",
    text: "a line of robots.txt (default: 16664)",
  },

  url: {
    ...COMMAND,
    value: "URL",
    read: readUrl,
    text: "where the document came from: relative URLs start there",
  },
  contentType: { ...COMMAND, value: "TYPE", read: readText, text: "the Content-Type it came with" },
  sitemaps: { ...COMMAND, ...SWITCH, text: "the sitemaps that an index lists, instead of pages" },
  canFetch: {
    ...COMMAND,
    value: "URL",
    many: true,
    read: readText,
    text: "say whether this URL or path may be fetched",
  },
  as: { ...COMMAND, value: "BOT", read: readText, text: "by this crawler (default: siteatlas)" },
  snapshot: {
    ...COMMAND,
    value: "FILE",
    option: "snapshot",
    read: readText,
    text: "where the site is remembered (default: its host with .snapshot.gz, in the current directory)",
  },
  snapshots: {
    ...COMMAND,
    value: "DIR",
    read: readText,
    text: "where the snapshots are, one for each site (default: the current directory)",
  },
  every: {
    ...COMMAND,
    ...DURATION,
    read: readInterval,
    text: "from one sync of a site to the next; one that stays the same, or fails, is asked less often (default: 15m)",
  },
  maxEvery: {
    ...RARE_COMMAND,
    ...DURATION,
    read: readInterval,
    text: "but at least so often (default: eight times --every)",
  },
  onChange: {
    ...COMMAND,
    value: "COMMAND",
    read: readText,
    text: "run this in a shell when pages changed, with the changes as NDJSON on stdin; if it fails, they come again",
  },
  webhook: {
    ...COMMAND,
    value: "URL",
    read: readWebhook,
    text: "POST a JSON object with the summary and up to 1,000 changes there; if that fails, they come again",
  },
  exitCode: { ...COMMAND, ...SWITCH, text: "exit with 6 if a page was added, changed or removed" },
  dryRun: {
    ...COMMAND,
    ...SWITCH,
    option: "dryRun",
    text: "leave the snapshot as it is: the next sync tells the same",
  },
  trust: {
    ...COMMAND,
    ...SWITCH,
    negated: "only",
    option: "useTrust",
    text: "ask for every sitemap, though the dates of its index have proved true",
  },
  validators: {
    ...RARE_COMMAND,
    ...SWITCH,
    negated: "only",
    option: "useValidators",
    text: "ask without ETag and Last-Modified: read everything",
  },
  massRemoval: {
    ...RARE_COMMAND,
    value: "SHARE",
    option: "massRemoval",
    read: readShare,
    text: "when so many of all pages go at once, mark them as suspect (default: 20%)",
  },
  redirectChecks: {
    ...RARE_COMMAND,
    value: "N",
    option: "redirectChecks",
    read: readCount,
    text: "ask for so many removed pages where they redirect to (default: 0)",
  },

  quiet: {
    ...MESSAGES,
    ...SWITCH,
    short: "q",
    usual: true,
    text: "say nothing but errors, and what is not known",
  },
  verbose: {
    ...MESSAGES,
    short: "v",
    counted: true,
    usual: true,
    read: readCount,
    text: "say which sitemaps failed and why; -vv: everything that happens",
  },
  progress: {
    ...MESSAGES,
    value: "HOW",
    words: PROGRESS,
    usual: true,
    read: oneOf(...PROGRESS),
    text: "auto (live on a terminal, else each 10 s), plain, json or none (default: auto)",
  },
  color: {
    ...MESSAGES,
    value: "WHEN",
    words: COLOR,
    read: oneOf(...COLOR),
    text: "auto, always, never (default: auto)",
  },
  logFile: { ...MESSAGES, value: "FILE", read: readText, text: "write everything that happens to this file" },
};

export const SETTING_NAMES: readonly SettingName[] = Object.keys(flags) as SettingName[];

/** `maxDepth` is `max-depth`. */
export function flagName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `maxDepth` is SITEATLAS_MAX_DEPTH. */
export function environmentName(name: SettingName): string {
  return `SITEATLAS_${flagName(name).replaceAll("-", "_").toUpperCase()}`;
}

/** The flag that sets a limit of the library: `urls` is `--max-pages`. */
export function flagOfLimit(limit: string): string | undefined {
  const name = SETTING_NAMES.find((candidate) => flags[candidate].option === `limits.${limit}`);
  return name && `--${flagName(name)}`;
}
