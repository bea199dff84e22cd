/** Finds out which arguments are files, folders or stdin, and not sites. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { logLine } from "../../escape/log-line.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";

/** Matches the usual file extensions of sitemaps and feeds. */
export const SITEMAP_FILE: RegExp = /\.(?:xml|txt|rss|atom|rdf)(?:\.gz)?$|\.gz$/i;

/** Matches HTML files, which are HTML sitemaps with `--html-sitemaps`. */
const HTML_FILE = /\.html?(?:\.gz)?$/i;

/** Matches feeds in JSON. In folders, most JSON files are not feeds, so a feed must be given by its name. */
const JSON_FILE = /\.json(?:\.gz)?$/i;

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * Whether an argument is a path. `./a.xml` and `/a.xml` are always paths. `a.xml` and `sitemaps` are paths if they
 * exist. `example.com` is always a host, even if there is a folder with this name: tools that mirror sites create such
 * folders.
 */
export function isLocalPath(text: string): boolean {
  if (SCHEME.test(text)) return false;
  if (/^(?:\.{0,2}\/|\.{1,2}$)/.test(text)) return true;
  const [first = ""] = text.split("/");
  const isHost = first.includes(".") || first.includes(":") || first === "localhost";
  const kind = kindOf(text);
  // No host name ends like one of these files.
  const isFile = [SITEMAP_FILE, HTML_FILE, JSON_FILE].some((name) => name.test(text));
  return kind === "file" ? isFile : kind === "folder" && !isHost;
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

/** The error if the user passes a file to a command that reads only sites. */
export function notASite(path: string): UsageError {
  const shown = logLine(path, { maxLength: 100 });
  const kind = kindOf(path);
  if (kind === undefined) return new UsageError(`"${shown}" is not a URL, and no such file exists`);
  return new UsageError(
    `"${shown}" is a ${kind}, not a site`,
    `Read it with siteatlas parse ${shown}, or siteatlas stats ${shown} for an overview.`,
  );
}

/**
 * Lists the given files, and the sitemaps in the given folders, sorted by name. `-` stands for stdin. With
 * `htmlSitemaps`, HTML files in folders are sitemaps.
 */
export function listFiles(paths: readonly string[], htmlSitemaps = false): string[] {
  if (paths.filter((path) => path === "-").length > 1)
    throw new UsageError("stdin (-) can be read only once");
  return paths.flatMap((path) =>
    path !== "-" && kindOf(path) === "folder" ? filesIn(path, htmlSitemaps) : [path],
  );
}

function filesIn(folder: string, htmlSitemaps: boolean): string[] {
  const files = findSitemaps(folder, htmlSitemaps);
  if (files.length > 0) return files;
  throw new UsageError(
    `no sitemaps in ${logLine(folder)}`,
    `Expected files that end in .xml, .txt, .rss${htmlSitemaps ? ", .atom or .html" : " or .atom"}, or in .gz.`,
  );
}

/** Lists the files in a folder that are named like sitemaps, sorted by name. */
export function findSitemaps(folder: string, htmlSitemaps = false): string[] {
  const isSitemap = (name: string): boolean =>
    SITEMAP_FILE.test(name) ? name !== "robots.txt" : htmlSitemaps && HTML_FILE.test(name);
  return entriesIn(folder)
    .filter((entry) => entry.isFile() && isSitemap(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    throw new UsageError(`cannot read ${logLine(folder)}: ${systemReason(error)}`);
  }
}

/**
 * Returns a URL for a file named robots.txt. The parser recognizes a robots.txt only by the name in its URL (RFC 9309,
 * section 2.3). The URL has no host, so relative Sitemap lines cannot be resolved, and are reported. Undefined for
 * other files.
 */
export function robotsAddress(path: string): string | undefined {
  return basename(path).toLowerCase() === "robots.txt" ? "file:///robots.txt" : undefined;
}

/** The name of the files for messages and titles: `sitemap.xml`, `stdin`, `3 files`. */
export function nameOfFiles(paths: readonly string[]): string {
  const [first = ""] = paths;
  if (paths.length > 1) return `${paths.length} files`;
  return first === "-" ? "stdin" : basename(first) || first;
}
