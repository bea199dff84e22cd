/** The inputs and options of a comparison, and the rules for their values. */
import { checkArgument, checkOptions, type OptionRules, objectOf } from "../check/check-options.ts";
import { callable, FILE_PATH, listOf, oneOf, type Rule, rule, SIGNAL, STRING } from "../check/rules.ts";
import type { WalkStart } from "../discover/site-start.ts";
import { checkWalk, WALK_OPTIONS } from "../walk/option-rules.ts";
import type { WalkOptions } from "../walk/options.ts";
import { IGNORED_DIFFERENCES, type IgnoredDifference } from "./compare-key.ts";
import type { ReadOptions } from "./read/read-text.ts";
import { FILE_TYPES, type FileType } from "./source-facts.ts";

/** A file: a list of URLs, a crawl export (CSV or TSV), JSON rows, a server log, a sitemap or a snapshot. */
export interface CompareFile {
  /** Path or `file:` URL of the file. It may be compressed with gzip. */
  readonly file: string | URL;
  /** The type of the file. @default detected from its content */
  readonly type?: FileType | undefined;
  /** Name of the column with the URLs, or its number from 1. Only for tables. @default detected */
  readonly column?: string | undefined;
}

/** The folder of a static site. Its HTML files are pages. Needs the option `origin`. */
export interface CompareFolder {
  /** Path or `file:` URL of the folder. */
  readonly folder: string | URL;
}

/** The bytes of a file, such as `process.stdin`. */
export interface CompareBytes {
  /** The bytes in chunks. They may be compressed with gzip. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The type of the bytes. @default detected from their content */
  readonly type?: FileType | undefined;
  /** Name of the column with the URLs, or its number from 1. Only for tables. @default detected */
  readonly column?: string | undefined;
}

/**
 * An input of a comparison: a site, a file, a folder, bytes, or URLs.
 *
 * @example
 * "https://example.com/"
 * { sitemaps: ["https://example.com/news.xml"] }
 * { file: "crawl.csv" }
 * { folder: "dist" }
 * ["https://example.com/a", "https://example.com/b"]
 */
export type CompareSource =
  | WalkStart
  | CompareFile
  | CompareFolder
  | CompareBytes
  | Iterable<string>
  | AsyncIterable<string>;

/** Options of `comparePages`, all optional. */
export interface CompareOptions {
  /** Differences between URLs that do not count. @default none: every difference counts */
  readonly ignore?: readonly IgnoredDifference[] | undefined;
  /** Origin of the paths in server logs, tables and folders, such as `https://example.com`. @default none */
  readonly origin?: string | undefined;
  /** Statuses of log lines that count: `"200"`, or `"2xx"` for all from 200 to 299. @default ["2xx", "3xx"] */
  readonly statuses?: readonly string[] | undefined;
  /** Only log lines whose User-Agent contains this text. Upper and lower case do not matter. @default all */
  readonly logUserAgent?: string | undefined;
  /** Whether a URL takes part in the comparison. @default every URL */
  readonly filter?: ((url: string) => boolean) | undefined;
  /** Options of the walk, if an input is a site. @default see `WalkOptions` */
  readonly walk?: WalkOptions | undefined;
  /** Folder for temporary files, if an input has more than 24 MiB of URLs. @default the folder of the system */
  readonly temporaryFolder?: string | URL | undefined;
  /** Ends the comparison: the loop throws the reason of the abort. @default none */
  readonly signal?: AbortSignal | undefined;
}

const ORIGIN: Rule<string> = rule(
  "an http or https origin, such as https://example.com",
  (value) => typeof value === "string" && /^https?:\/\/[^/?#@\s]+$/i.test(value) && URL.canParse(value),
);

const STATUS: Rule<string> = rule(
  'a status such as "200" or "2xx"',
  (value) => typeof value === "string" && /^[1-5](?:\d\d|xx)$/.test(value),
);

const COMPARE_OPTIONS: OptionRules<CompareOptions> = {
  ignore: listOf(oneOf(...IGNORED_DIFFERENCES), 'an array of differences, such as ["scheme"]'),
  origin: ORIGIN,
  statuses: listOf(STATUS, 'an array of statuses, such as ["2xx"]'),
  logUserAgent: STRING,
  filter: callable(),
  walk: objectOf(WALK_OPTIONS),
  temporaryFolder: FILE_PATH,
  signal: SIGNAL,
};

const TYPE = oneOf(...FILE_TYPES);
const FILE: OptionRules<CompareFile> = { file: FILE_PATH, type: TYPE, column: STRING };
const FOLDER: OptionRules<CompareFolder> = { folder: FILE_PATH };
const BYTES: OptionRules<CompareBytes> = {
  bytes: rule("a stream or an async iterable of bytes", (value) => isAsyncIterable(value)),
  type: TYPE,
  column: STRING,
};

const CALLER = "comparePages";

/** An input after its kind is known. */
export type CheckedSource =
  | { readonly kind: "site"; readonly start: WalkStart }
  | ({ readonly kind: "file" } & CompareFile)
  | ({ readonly kind: "folder" } & CompareFolder)
  | ({ readonly kind: "bytes" } & CompareBytes)
  | { readonly kind: "urls"; readonly urls: Iterable<string> | AsyncIterable<string> };

/** @throws {TypeError | RangeError} for an invalid input or option */
export function checkComparison(
  a: CompareSource,
  b: CompareSource,
  options: CompareOptions,
): readonly [CheckedSource, CheckedSource] {
  checkOptions(CALLER, COMPARE_OPTIONS, options);
  return [checkSource("a", a, options), checkSource("b", b, options)];
}

function checkSource(name: "a" | "b", source: CompareSource, options: CompareOptions): CheckedSource {
  const { walk = {}, origin } = options;
  if (typeof source === "object" && source !== null && !(source instanceof URL)) {
    if ("file" in source) {
      checkArgument(CALLER, name, objectOf(FILE), source);
      return { kind: "file", ...source };
    }
    if ("folder" in source) {
      checkArgument(CALLER, name, objectOf(FOLDER), source);
      if (origin === undefined) throw new TypeError(`${CALLER}: a folder needs the option origin`);
      return { kind: "folder", ...source };
    }
    if ("bytes" in source) {
      checkArgument(CALLER, name, objectOf(BYTES), source);
      return { kind: "bytes", ...source };
    }
    if (Symbol.iterator in source || isAsyncIterable(source)) return { kind: "urls", urls: source };
  }
  checkWalk(CALLER, source as WalkStart, walk);
  return { kind: "site", start: source as WalkStart };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<never> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** The options for reading a file. */
export function readOptions(
  { type, column }: Pick<CompareFile, "type" | "column">,
  { origin, statuses, logUserAgent }: CompareOptions,
): ReadOptions {
  const { origin: normalized } = origin === undefined ? { origin: undefined } : new URL(origin);
  return { type, column, origin: normalized, statuses, userAgent: logUserAgent };
}
