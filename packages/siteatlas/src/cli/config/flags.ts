/**
 * The table of all flags. A setting has one name everywhere: `maxDepth` in a settings file is `--max-depth` on the
 * command line and SITEATLAS_MAX_DEPTH in the environment. Parsing, help, completion, environment variables, settings
 * files and the options of the library are all derived from this table. The file is long because it is one table.
 *
 * `--help` loads this file: import nothing heavy here.
 */
import { IGNORED_DIFFERENCES, type IgnoredDifference } from "../../compare/compare-key.ts";
import type { PageIn } from "../../compare/section-counts.ts";
import { FILE_TYPES, type FileType } from "../../compare/source-facts.ts";
import { defaultText, LIMIT_NAMES, type LimitName, limitOf, limitTable } from "../../model/limits.ts";
import { FIELD_NAMES } from "../../output/page-fields.ts";
import { CHART_NAMES, type ChartName } from "../../report/report-model.ts";
import type { SyncOptions } from "../../sync/options.ts";
import type { Format, ReportFormat, SiteReportFormat } from "./output-formats.ts";
import {
  type ListenAddress,
  oneOf,
  readAuth,
  readBoolean,
  readBound,
  readCount,
  readDuration,
  readHeader,
  readHeaderValue,
  readIgnore,
  readInterval,
  readListenAddress,
  readOrigin,
  readPath,
  readProxy,
  readRuleSetting,
  readShare,
  readSince,
  readSize,
  readSome,
  readStatus,
  readText,
  readUrl,
  readWait,
  readWebhook,
} from "./parse-value.ts";

/** A setting for each limit: `maxDepth` for `depth`. */
type LimitSettings = { readonly [Name in LimitName as (typeof limitTable)[Name]["flag"]]?: number };

/** All settings. If a setting is absent, the default of the library or of the command applies. */
export interface Settings extends LimitSettings {
  // Discovery
  readonly robots?: boolean;
  readonly known?: "usual" | "thorough" | false;
  readonly knownPath?: readonly string[];
  readonly homepageLinks?: boolean | "when-empty";
  readonly htmlSitemaps?: boolean;
  readonly llms?: boolean;
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
  readonly format?: Format | ReportFormat | SiteReportFormat | "auto";
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
  readonly auth?: string;
  readonly authFile?: string;
  readonly cacert?: string;
  readonly insecure?: boolean;
  readonly proxy?: string | false;
  readonly allowPrivate?: boolean;
  readonly allow?: readonly string[];
  readonly httpsOnly?: boolean;
  // Politeness
  readonly concurrency?: number;
  readonly delay?: number;
  readonly randomDelay?: number;
  readonly crawlDelay?: boolean;
  readonly respectRobots?: boolean;
  readonly jobs?: number;
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
  readonly verify?: boolean;
  readonly verifyRequests?: number;
  readonly history?: number;
  readonly every?: number;
  readonly maxEvery?: number;
  readonly onChange?: string;
  readonly onChangeTimeout?: number;
  readonly webhook?: string;
  readonly webhookSecretFile?: string;
  readonly hookOn?: readonly HookEvent[];
  readonly snapshots?: string;
  readonly hosts?: string;
  readonly metrics?: ListenAddress;
  readonly origin?: string;
  readonly failOn?: "error" | "warning" | "never";
  readonly rule?: readonly string[];
  readonly ignore?: readonly string[];
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly state?: string;
  readonly headersOnly?: boolean;
  readonly maxChecks?: number;
  readonly fix?: boolean;
  readonly write?: boolean;
  readonly only?: readonly PageIn[];
  readonly ignoreParts?: readonly IgnoredDifference[];
  readonly agent?: string;
  readonly status?: readonly string[];
  readonly column?: string;
  readonly typeA?: FileType;
  readonly typeB?: FileType;
  readonly title?: string;
  readonly compare?: string;
  readonly logo?: string;
  readonly lint?: boolean;
  readonly findings?: readonly string[];
  readonly svg?: ChartName;
  readonly png?: string;
  readonly pdf?: string;
  readonly browser?: string;
  // Messages
  readonly quiet?: boolean;
  readonly verbose?: number;
  readonly progress?: "auto" | "plain" | "json" | "none";
  readonly color?: "auto" | "always" | "never";
  readonly logFile?: string;
  readonly log?: "text" | "json";
}

export type PageKindName = "news" | "image" | "video" | "feed" | "page";

type HookEvent = "changes" | "failures";

export type SettingName = keyof Settings;

export type FlagGroup =
  | "Command"
  | "Selection"
  | "Sitemaps"
  | "Output"
  | "Discovery"
  | "Parsing"
  | "Requests"
  | "Politeness"
  | "Messages"
  | LimitGroup;

/** Limits are grouped by the thing that they limit. */
type LimitGroup = "Site" | "Index" | "Document" | "Request" | "Value";

export interface Flag {
  readonly short?: string;
  /** The placeholder in help texts; absent for a switch. */
  readonly value?: string;
  /** The flag can be repeated. */
  readonly many?: true;
  /** A switch that counts its occurrences: `-vv`. */
  readonly counted?: true;
  /** Whether the flag exists only as `--no-name` (`only`) or in both forms (`too`). */
  readonly negated?: "only" | "too";
  /** Help text of `--no-name`, if the flag has both forms. */
  readonly negatedText?: string;
  /** The values that completion offers. */
  readonly words?: readonly string[];
  /** Whether the value is a list of words that are separated by commas. */
  readonly isList?: boolean;
  /** The option of the library that receives the value. */
  readonly option?: keyof SyncOptions | `limits.${LimitName}`;
  /** The option of the library that receives the value after walk-options.ts or a command has converted it. */
  readonly converted?: keyof SyncOptions;
  /**
   * Set if the setting runs, sends or writes something, or removes a protection. The text names the effect for a
   * message. A settings file that is found in the current directory is untrusted and may not contain such a setting.
   */
  readonly risk?: string;
  readonly group: FlagGroup;
  /** Whether `-h` also shows this flag. Otherwise only `--help` does. */
  readonly usual?: true;
  /** Help text: lower case, no final period. The default is at its end, in parentheses. */
  readonly text: string;
  readonly read: (text: string) => unknown;
}

/** The flag of a setting whose values have the type T. The option of the library must accept every T. */
interface TypedFlag<T> extends Flag {
  readonly option?:
    | { [K in keyof SyncOptions]-?: [T] extends [SyncOptions[K]] ? K : never }[keyof SyncOptions]
    | ([T] extends [number] ? `limits.${LimitName}` : never);
  readonly read: (text: string) => T extends readonly (infer E)[] ? E | T : T;
}

type FlagTable = { readonly [K in SettingName]-?: TypedFlag<NonNullable<Settings[K]>> };
type Rows = { readonly [K in SettingName]-?: Omit<FlagTable[K], "group" | "usual"> };

/** The flags of a group. `-h` shows only the usual flags. */
function inGroup<Name extends SettingName>(
  group: FlagGroup,
  help: "usual" | "rare",
  rows: Pick<Rows, Name>,
): Pick<FlagTable, Name> {
  const shared = { group, ...(help === "usual" && { usual: true }) };
  const entries = Object.entries<object>(rows).map(([name, row]) => [name, { ...shared, ...row }]);
  return Object.fromEntries(entries) as Pick<FlagTable, Name>;
}

const SWITCH = { read: readBoolean } as const;
const TEXT = { read: readText } as const;
const GLOB = { value: "GLOB", many: true, read: readText } as const;
const DURATION = { value: "TIME", read: readDuration } as const;
const WAIT = { value: "TIME", read: readWait } as const;
const SIZE = { value: "SIZE", read: readSize } as const;
const BOUND = { value: "N", read: readBound } as const;
const SOME = { value: "N", read: readSome } as const;

/** The texts of `risk` that several settings share. */
const WRITES = "chooses where files are written";
const SENDS = "chooses what is sent to a site";
const TRUSTS = "changes which certificates are trusted";
const OPENS = "allows requests to private addresses";

interface Choice<T> {
  readonly value: string;
  readonly words: readonly T[];
  readonly read: (text: string) => T;
}

function choice<const T extends string>(value: string, words: readonly T[]): Choice<T> {
  return { value, words, read: oneOf(...words) };
}

function list(text: string): string[] {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  // An empty list would select no page.
  if (words.length === 0) throw new Error("must not be empty");
  return words;
}

const LIMIT_VALUES = {
  count: BOUND,
  characters: BOUND,
  bytes: SIZE,
  ms: DURATION,
} as const;
const LIMIT_GROUPS = {
  site: "Site",
  index: "Index",
  document: "Document",
  request: "Request",
  value: "Value",
} as const;

function limitFlags(): { readonly [K in keyof LimitSettings]-?: TypedFlag<number> } {
  const rows = LIMIT_NAMES.map((name) => {
    const { flag, unit, scope, what, help = what, isWait } = limitOf(name);
    const row: TypedFlag<number> = {
      group: LIMIT_GROUPS[scope],
      ...(isWait ? WAIT : LIMIT_VALUES[unit]),
      option: `limits.${name}`,
      text: `${help} (${defaultText(name)})`,
    };
    return [flag, row] as const;
  });
  return Object.fromEntries(rows) as ReturnType<typeof limitFlags>;
}

const WHEN = ["always", "when-empty", "never"] as const;
const KINDS = ["news", "image", "video", "feed", "page"] as const;
const HOOK_EVENTS = ["changes", "failures"] as const;
const PAGES_IN = ["a", "b", "both"] as const;
const readHookEvent = oneOf(...HOOK_EVENTS);
const readPagesIn = oneOf(...PAGES_IN);
const readIgnored = oneOf(...IGNORED_DIFFERENCES);
const readWhen = oneOf(...WHEN);
const readKind = oneOf(...KINDS);

export const flags: FlagTable = {
  ...inGroup("Command", "usual", {
    url: { value: "URL", read: readUrl, text: "URL that the document came from; resolves its relative URLs" },
    contentType: { value: "TYPE", ...TEXT, text: "Content-Type that the server sent with the document" },
    sitemaps: { ...SWITCH, text: "print the sitemaps that an index lists, instead of pages" },
    canFetch: {
      value: "URL",
      many: true,
      ...TEXT,
      text: "test whether a crawler may fetch this URL or path; exits with code 8 if not; can be repeated",
    },
    as: { value: "BOT", ...TEXT, text: "crawler that --can-fetch tests for (default: siteatlas)" },
    snapshot: {
      value: "FILE",
      ...TEXT,
      converted: "snapshot",
      risk: WRITES,
      text: "snapshot file (default: HOST.snapshot.gz in the current directory)",
    },
    snapshots: {
      value: "DIR",
      ...TEXT,
      risk: WRITES,
      text: "folder for snapshot files, one per site (default: current directory)",
    },
    every: {
      value: "TIME",
      read: readInterval,
      text: "time between two syncs; if no page changes, or if syncs fail, it grows up to --max-every (default: 15m)",
    },
    onChange: {
      value: "COMMAND",
      ...TEXT,
      risk: "runs a command",
      text: "run this command on changes; its stdin gets NDJSON",
    },
    webhook: {
      value: "URL",
      read: readWebhook,
      risk: "sends data to a URL",
      text: "POST the changes and a summary as JSON to URL, signed if SITEATLAS_WEBHOOK_SECRET is set",
    },
    only: {
      value: "SETS",
      words: PAGES_IN,
      isList: true,
      read: (text) => list(text).map(readPagesIn),
      text: "print the pages of these sets: a (only in a), b (only in b), both, or a list (default: a,b,both)",
    },
    ignoreParts: {
      value: "PARTS",
      words: IGNORED_DIFFERENCES,
      isList: true,
      read: (text) => list(text).map(readIgnored),
      text: "parts of URLs that do not count: scheme, www, slash, query, html, case, or a list (default: none)",
    },
    agent: {
      value: "TEXT",
      ...TEXT,
      text: "only log lines with this text in their User-Agent",
    },
    compare: {
      value: "FILE",
      ...TEXT,
      text: "show the differences to an earlier report, which -f json wrote",
    },
    exitCode: { ...SWITCH, text: "exit with code 6 if there are changes" },
    failOn: {
      ...choice("LEVEL", ["error", "warning", "never"]),
      text: "exit with code 5 on error or on warning, or never (default: error)",
    },
    rule: {
      value: "ID=LEVEL",
      many: true,
      read: readRuleSetting,
      text: "set a severity (error, warning, info, off): 'news.*=off'; can be repeated",
    },
    baseline: {
      value: "FILE",
      ...TEXT,
      text: "report only findings that are not in FILE (see --update-baseline)",
    },
    origin: {
      value: "URL",
      read: readOrigin,
      text: "where the files will be published: https://example.com",
    },
    dryRun: {
      ...SWITCH,
      option: "dryRun",
      text: "report changes, but do not update the snapshot",
    },
    trust: {
      ...SWITCH,
      negated: "only",
      option: "useTrust",
      text: "fetch every sitemap, even if its index declares no change",
    },
  }),
  ...inGroup("Command", "rare", {
    title: { value: "TEXT", ...TEXT, text: "title of the report (default: the site)" },
    logo: { value: "FILE", ...TEXT, text: "logo of the report: a PNG, JPEG or SVG image, at most 32 KB" },
    lint: { ...SWITCH, text: "show the findings of all rules of siteatlas lint" },
    findings: {
      value: "FILE",
      many: true,
      ...TEXT,
      text: "show findings that siteatlas check or lint wrote with -f json; can be repeated",
    },
    svg: {
      ...choice("CHART", CHART_NAMES),
      text: "draw one chart as SVG: sections, months, days, ages or languages (default: no chart)",
    },
    png: {
      value: "FILE",
      ...TEXT,
      risk: WRITES,
      text: "also draw the page as a picture, with an installed Chromium or Chrome",
    },
    pdf: {
      value: "FILE",
      ...TEXT,
      risk: WRITES,
      text: "also print the page as a PDF (A4), with an installed Chromium or Chrome",
    },
    browser: {
      value: "PATH",
      ...TEXT,
      risk: "runs a program",
      text: "the Chromium or Chrome for --png and --pdf (default: the first one that is found)",
    },
    maxEvery: {
      value: "TIME",
      read: readInterval,
      text: "longest time between two syncs of a site (default: eight times --every)",
    },
    status: {
      value: "CODES",
      isList: true,
      read: (text) => list(text).map(readStatus),
      text: "only log lines with these statuses: 200,3xx,404 (default: 2xx,3xx)",
    },
    column: {
      value: "NAME",
      ...TEXT,
      text: "column of a table that contains the URLs, by name or number (default: found by name and content)",
    },
    typeA: {
      ...choice("TYPE", FILE_TYPES),
      text: "what the file <a> is: urls, csv, json or log (default: detected)",
    },
    typeB: {
      ...choice("TYPE", FILE_TYPES),
      text: "what the file <b> is: urls, csv, json or log (default: detected)",
    },
    hosts: {
      value: "FILE",
      ...TEXT,
      risk: "chooses which sites are read",
      text: "also watch the hosts or URLs in FILE, one per line; SIGHUP reads it again",
    },
    verify: {
      ...SWITCH,
      option: "verify",
      text: "request pages that disappeared: report a page immediately if it is gone, or after a day if it still exists",
    },
    verifyRequests: {
      value: "N",
      option: "verifyRequests",
      read: readCount,
      text: "requests per sync for --verify (default: 100)",
    },
    history: {
      value: "N",
      option: "history",
      read: readCount,
      risk: "deletes old snapshots",
      text: "if a sync finds changes, keep the snapshot that it replaces, for siteatlas diff FILE@1 FILE; at most N are kept (default: 0)",
    },
    ignore: {
      value: "ID:GLOB",
      many: true,
      read: readIgnore,
      text: "ignore findings of a rule at URLs that match: 'url.tracking:/shop/*'; can be repeated",
    },
    state: {
      value: "FILE",
      ...TEXT,
      risk: WRITES,
      text: "remember in FILE what was checked: an interrupted check continues, and a later one requests only pages that may have changed",
    },
    headersOnly: {
      ...SWITCH,
      text: "send HEAD requests: faster, but finds nothing in the content of pages",
    },
    maxChecks: { ...SOME, text: "request at most N pages; with --state, the next run continues" },
    fix: {
      ...SWITCH,
      text: "show repairs of local files as a diff, where the repair is certain; lint nothing",
    },
    write: { ...SWITCH, risk: "overwrites a file", text: "with --fix: change the files" },
    updateBaseline: {
      ...SWITCH,
      risk: WRITES,
      text: "write all findings to the file of --baseline, and exit with code 0",
    },
    metrics: {
      value: "PORT",
      read: readListenAddress,
      risk: "opens a port",
      text: "serve /metrics (Prometheus) and /healthz on this port of 127.0.0.1, or on ADDRESS:PORT",
    },
    log: {
      ...choice("FORMAT", ["text", "json"]),
      text: "format of messages on stderr: text, or json with one object per line (default: text)",
    },
    onChangeTimeout: {
      ...DURATION,
      text: "end the --on-change command after this time, as if it had failed (default: 10m)",
    },
    webhookSecretFile: {
      value: "FILE",
      ...TEXT,
      risk: "chooses what is sent to a URL",
      text: "read the secret that signs webhook requests from FILE (default: SITEATLAS_WEBHOOK_SECRET)",
    },
    hookOn: {
      value: "EVENTS",
      words: HOOK_EVENTS,
      isList: true,
      read: (text) => list(text).map(readHookEvent),
      text: "events that trigger --on-change and --webhook: changes, failures or changes,failures (default: changes)",
    },
    validators: {
      ...SWITCH,
      negated: "only",
      option: "useValidators",
      text: "send no If-None-Match or If-Modified-Since header: download every sitemap in full",
    },
    massRemoval: {
      value: "SHARE",
      option: "massRemoval",
      read: readShare,
      text: "if at least this share of all pages disappears at once, report their removal only after a day (default: 20%)",
    },
    redirectChecks: {
      value: "N",
      option: "redirectChecks",
      read: readCount,
      text: "request up to N removed pages to see where they redirect (default: 0)",
    },
  }),

  ...inGroup("Output", "usual", {
    output: {
      short: "o",
      value: "FILE",
      ...TEXT,
      risk: WRITES,
      text: "write to FILE; the extension sets the format",
    },
    format: {
      short: "f",
      value: "FORMAT",
      // Each command has its own formats, and checks the text itself. "auto" is the default.
      read: (text) => text as Format | ReportFormat | SiteReportFormat | "auto",
      text: "output format; each command has its own: siteatlas COMMAND -h",
    },
    json: { ...SWITCH, text: "print JSON: lists as one object per line, reports as one object" },
    fields: {
      value: "NAMES",
      words: FIELD_NAMES,
      isList: true,
      ...TEXT,
      text: "fields to write, in the given order: url,lastmod,title (all: siteatlas help fields)",
    },
  }),
  ...inGroup("Output", "rare", {
    force: {
      ...SWITCH,
      risk: "overwrites a file",
      text: "replace FILE if it exists, once the new file is complete",
    },
    ordered: {
      ...SWITCH,
      text: "keep the order in which the site declares pages (holds all pages in memory until the end)",
    },
    csvRaw: {
      ...SWITCH,
      risk: "lets a spreadsheet run formulas of a site",
      text: "do not escape values that a spreadsheet could run as a formula (csv, tsv)",
    },
  }),

  ...inGroup("Selection", "usual", {
    include: { ...GLOB, text: "only pages that match: '/blog/*'; can be repeated" },
    exclude: { ...GLOB, text: "skip pages that match: '*.pdf'; can be repeated" },
    since: {
      value: "DATE",
      read: readSince,
      text: "only pages modified or published since DATE: 2026-11-01, 7d; skips undated pages",
    },
    kind: {
      value: "KINDS",
      words: KINDS,
      isList: true,
      read: (text) => list(text).map(readKind),
      text: "only pages of these kinds: news,image,video,feed,page",
    },
    limit: { value: "N", read: readCount, text: "stop after N pages and exit with code 0" },
    sample: { ...SOME, text: "pick N pages by URL hash; stable between runs" },
    unique: { ...SWITCH, text: "print each URL once (keeps all URLs in memory)" },
  }),
  ...inGroup("Selection", "rare", {
    lang: {
      value: "LANGS",
      read: list,
      text: "only pages in these languages: de,fr (from news and hreflang data); de includes de-AT",
    },
    stratify: {
      ...choice("BY", ["path", "sitemap"]),
      text: "with --sample: pick the same number from each group, which is a sitemap (sitemap) or a first path segment such as /blog (path)",
    },
    rewriteOrigin: {
      value: "URL",
      read: readOrigin,
      text: "print page URLs with this origin instead of the site's: https://staging.example.com",
    },
    stripUrl: { ...SWITCH, short: "u", text: "remove the site's URL from the start of every line" },
  }),
  ...inGroup("Sitemaps", "rare", {
    includeSitemap: {
      ...GLOB,
      converted: "recurseListCallback",
      text: "only pages of sitemaps that match, and of sitemaps below them: '*news*'; can be repeated",
    },
    excludeSitemap: {
      ...GLOB,
      converted: "recurseListCallback",
      text: "do not fetch sitemaps that match; can be repeated",
    },
  }),

  ...inGroup("Discovery", "rare", {
    robots: { ...SWITCH, negated: "only", option: "useRobots", text: "do not read robots.txt" },
    known: {
      ...choice("WHICH", ["usual", "thorough"]),
      negated: "too",
      converted: "knownPaths",
      text: "known locations to try: usual (18) or thorough (about 110) (default: usual)",
      negatedText: "do not try known locations, such as /sitemap.xml",
    },
    knownPath: {
      value: "PATH",
      many: true,
      option: "extraKnownPaths",
      read: readPath,
      text: "also try PATH, such as /feeds/all.xml; can be repeated",
    },
    homepageLinks: {
      value: "WHEN",
      words: WHEN,
      option: "useHomepageLinks",
      read: (text) => {
        const when = readWhen(text);
        return when === "when-empty" ? when : when === "always";
      },
      text: "look for sitemap links on the homepage: always, never or when-empty, that is, if no page was found before (default: when-empty)",
    },
    normalize: {
      ...SWITCH,
      negated: "only",
      option: "normalizeHomepageUrl",
      text: "start at exactly the given URL, not at the root of its site",
    },
    crossHost: {
      ...choice("WHICH", ["follow", "same-site", "none"]),
      option: "crossHost",
      text: "sitemaps on other hosts: follow (read all), same-site (only the same registrable domain) or none (default: follow)",
    },
  }),
  ...inGroup("Parsing", "rare", {
    htmlSitemaps: {
      ...SWITCH,
      option: "htmlSitemaps",
      text: "also read HTML sitemaps: the links of pages such as /sitemap.html",
    },
    llms: {
      ...SWITCH,
      option: "useLlmsTxt",
      text: "also read /llms.txt: its links, with their sections",
    },
    strict: {
      ...SWITCH,
      option: "strict",
      text: "repair nothing: drop invalid entries, and reject files that are not well-formed",
    },
  }),

  ...inGroup("Requests", "usual", {
    header: {
      short: "H",
      value: "'N: V'",
      many: true,
      converted: "headers",
      read: readHeader,
      risk: SENDS,
      text: "send a header, to this site only; can be repeated",
    },
    auth: {
      value: "USER:PW",
      converted: "auth",
      read: readAuth,
      risk: SENDS,
      text: "user and password (HTTP Basic), for this site only",
    },
  }),
  ...inGroup("Requests", "rare", {
    userAgent: {
      short: "A",
      value: "TEXT",
      option: "userAgent",
      read: readHeaderValue,
      text: "User-Agent header (default: siteatlas/VERSION)",
    },
    authFile: {
      value: "FILE",
      converted: "auth",
      ...TEXT,
      risk: SENDS,
      text: "read --auth from the first line of FILE, so that the password does not appear in the process list",
    },
    proxy: {
      value: "URL",
      converted: "proxy",
      negated: "too",
      negatedText: "connect directly, even if HTTPS_PROXY or HTTP_PROXY is set",
      read: readProxy,
      risk: "sends requests to another host",
      text: "send requests through this HTTP proxy (default: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)",
    },
    cacert: {
      value: "FILE",
      converted: "ca",
      ...TEXT,
      risk: TRUSTS,
      text: "also trust the certificate authorities in FILE (PEM)",
    },
    insecure: {
      ...SWITCH,
      option: "insecure",
      risk: TRUSTS,
      text: "do not verify the certificate of the given host; unsafe",
    },
    httpsOnly: { ...SWITCH, option: "httpsOnly", text: "refuse URLs and redirects with plain http" },
    allow: {
      value: "HOST",
      many: true,
      option: "allow",
      ...TEXT,
      risk: OPENS,
      text: "allow requests to this private host, host:port or range (10.1.0.0/16); can be repeated",
    },
    allowPrivate: {
      ...SWITCH,
      option: "allowPrivateNetworks",
      risk: OPENS,
      text: "allow requests to all private addresses except link-local ones and cloud metadata services",
    },
  }),

  ...inGroup("Politeness", "usual", {
    delay: {
      ...WAIT,
      option: "delayMs",
      text: "shortest time between requests to a host (default: 0)",
    },
  }),
  ...inGroup("Politeness", "rare", {
    concurrency: { ...SOME, option: "concurrency", text: "requests in flight per site (default: 2)" },
    randomDelay: {
      ...WAIT,
      option: "randomDelayMs",
      text: "add a random wait of up to TIME to --delay (default: 0)",
    },
    crawlDelay: { ...SWITCH, option: "useCrawlDelay", text: "obey Crawl-delay in robots.txt" },
    respectRobots: {
      ...SWITCH,
      option: "respectRobots",
      text: "do not fetch sitemaps that robots.txt disallows",
    },
    jobs: { ...SOME, short: "j", text: "sites read at the same time (default: 8)" },
  }),

  ...inGroup("Output", "usual", {
    failOnPartial: { ...SWITCH, text: "exit with code 4 if a sitemap failed or was truncated" },
  }),
  ...inGroup("Messages", "usual", {
    verbose: {
      short: "v",
      counted: true,
      read: readCount,
      text: "show which sitemaps failed and why; -vv: every event",
    },
    quiet: {
      ...SWITCH,
      short: "q",
      risk: "hides messages",
      text: "only errors, and one line if data is missing",
    },
  }),
  ...inGroup("Messages", "rare", {
    progress: {
      ...choice("HOW", ["auto", "plain", "json", "none"]),
      text: "auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default: auto)",
    },
    color: { ...choice("WHEN", ["auto", "always", "never"]), text: "auto, always or never (default: auto)" },
    logFile: {
      value: "FILE",
      ...TEXT,
      risk: WRITES,
      text: "write every event to FILE, with timestamps",
    },
  }),

  ...limitFlags(),
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

/** The flag of a limit: `urls` is `--max-pages`. */
export function flagOfLimit(limit: string): string | undefined {
  const name = LIMIT_NAMES.find((candidate) => candidate === limit);
  return name && `--${flagName(limitTable[name].flag)}`;
}
