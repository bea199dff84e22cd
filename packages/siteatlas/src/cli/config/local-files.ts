/** Finds out which arguments are snapshots, files, folders or stdin, and not sites. */
import { closeSync, type Dirent, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { logLine } from "../../escape/log-line.ts";
import { headerLength, PREAMBLE_LENGTH } from "../../sync/snapshot/snapshot-header.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";

/** Matches the usual file extensions of sitemaps and feeds. */
export const SITEMAP_FILE: RegExp = /\.(?:xml|txt|rss|atom|rdf)(?:\.gz)?$|\.gz$/i;

/** Matches HTML files, which are HTML sitemaps with `--html-sitemaps`. */
const HTML_FILE = /\.html?(?:\.gz)?$/i;

/**
 * Matches file extensions that are not top-level domains. An argument with such a name is never a site, even if the file
 * does not exist.
 */
const FILE_NAME = /^[^/]+\.(?:csv|tsv|tab|log|ndjson|jsonl|json|txt|urls|gz|xml)(?:@\d{1,6})?$/i;

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/** `FILE@2`: an earlier snapshot of FILE, which `--history` kept. */
export const EARLIER: RegExp = /^(.+)@(\d{1,6})$/s;

export type ArgumentKind = "stdin" | "site" | "snapshot" | "file" | "folder" | "missing";

/**
 * Decides what an argument is. All commands that take sites, snapshots, files or folders use this function.
 *
 * A file that exists is always a file, and its content decides whether it is a snapshot. `./a` and `/a` are always
 * paths, and so are names that no host has, such as `a.xml`. A folder is a path if its name is not like a host:
 * `example.com` is a host even if there is a folder with this name, because tools that mirror sites create such folders.
 */
export function argumentKind(text: string): ArgumentKind {
  if (text === "-") return "stdin";
  if (SCHEME.test(text)) return "site";
  const isPath = /^(?:\.{0,2}\/|\.{1,2}$)/.test(text);
  const kind = kindOf(text);
  if (kind === "file") return isSnapshot(text) ? "snapshot" : "file";
  const [first = ""] = text.split("/");
  const isHost = first.includes(".") || first.includes(":") || first === "localhost";
  if (kind === "folder" && (isPath || !isHost)) return "folder";
  const [, earlier] = EARLIER.exec(text) ?? [];
  if (earlier !== undefined && kindOf(earlier) === "file") return "snapshot";
  return isPath || FILE_NAME.test(text) ? "missing" : "site";
}

/** Whether an argument names something on this machine, even if it does not exist, and not a site. */
export function isLocalPath(text: string): boolean {
  return !["site", "stdin"].includes(argumentKind(text));
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

/** Whether the content of a file is a snapshot. Commands that read the file report errors of the file system. */
function isSnapshot(path: string): boolean {
  try {
    // A pipe can be read only once.
    if (!statSync(path).isFile()) return false;
    const descriptor = openSync(path, "r");
    try {
      const preamble = Buffer.alloc(PREAMBLE_LENGTH);
      const length = readSync(descriptor, preamble, 0, PREAMBLE_LENGTH, 0);
      return headerLength(preamble.subarray(0, length)) !== undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}

/** The error if the user passes a file to a command that reads only sites. */
export function notASite(path: string): UsageError {
  const shown = logLine(path, { maxLength: 100 });
  const kind = argumentKind(path);
  if (kind === "missing") return new UsageError(`"${shown}" is not a URL, and no such file exists`);
  return new UsageError(
    `"${shown}" is a ${kind}, not a site`,
    kind === "snapshot"
      ? snapshotHint(shown)
      : `Read it with siteatlas parse ${shown}, or siteatlas stats ${shown} for an overview.${siteHint(path)}`,
  );
}

/** For a file with a name that may also be a host. */
function siteHint(path: string): string {
  const isHost = /^[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}$/i.test(path) && !SITEMAP_FILE.test(path);
  return isHost && !FILE_NAME.test(path) && !HTML_FILE.test(path) ? ` The site is https://${path}/.` : "";
}

function snapshotHint(shown: string): string {
  return `siteatlas snapshot export ${shown} writes its pages, and siteatlas report ${shown} shows its numbers.`;
}

/** The error if the user passes a snapshot to a command that reads only sitemaps. */
function notASitemap(path: string): UsageError {
  const shown = logLine(path, { maxLength: 100 });
  return new UsageError(`"${shown}" is a snapshot, not a sitemap`, snapshotHint(shown));
}

/**
 * Lists the given files, and the sitemaps in the given folders, sorted by name. `-` stands for stdin. With
 * `htmlSitemaps`, HTML files in folders are sitemaps.
 */
export function listFiles(paths: readonly string[], htmlSitemaps = false): string[] {
  if (paths.filter((path) => path === "-").length > 1)
    throw new UsageError("stdin (-) can be read only once");
  const snapshot = paths.find((path) => argumentKind(path) === "snapshot");
  if (snapshot !== undefined) throw notASitemap(snapshot);
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
  return (
    entriesIn(folder)
      .filter((entry) => entry.isFile() && isSitemap(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
      // siteatlas sync writes snapshots into the current directory, next to other files.
      .filter((path) => !path.endsWith(".gz") || !isSnapshot(path))
      .sort()
  );
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
