/** A folder or files as a site: which origin it has, where its sitemaps are, and how they are read. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { knownPaths } from "../../../discover/known-paths.ts";
import type { WalkStart } from "../../../discover/site-start.ts";
import { logLine } from "../../../escape/log-line.ts";
import type { Client } from "../../../fetch/client/client.ts";
import { fileClient, filesIn, isFile, isFileIn } from "../../../lint/documents/folder-client.ts";
import type { WalkOptions } from "../../../walk/options.ts";
import { findSitemaps, listFiles } from "../../config/local-files.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";

export interface LocalSite {
  readonly origin: string;
  readonly start: WalkStart;
  readonly client: Client;
  /** Options of the walk that only a local site has. */
  readonly options: WalkOptions;
  /** The folder. Undefined if files were given. */
  readonly folder: string | undefined;
  /** The files with sitemaps that were given, or found in the folder. */
  readonly files: readonly string[];
}

/** Number of bytes at the start of a file that are searched for a URL. */
const HEAD_BYTES = 16 * 1024;
const FIRST_URL =
  /<loc>\s*(?:<!\[CDATA\[)?\s*(https?:\/\/[^/<\s]+)|^\s*(?:sitemap:\s*)?(https?:\/\/[^/\s]+)/im;

/** Reads which site the paths are. @param given the value of `--origin` */
export function openLocalSite(paths: readonly string[], given: string | undefined): LocalSite {
  const [first = ""] = paths;
  if (paths.includes("-"))
    throw new UsageError("siteatlas lint cannot read stdin", "Write the sitemap to a file.");
  const isFolder = paths.length === 1 && isDirectory(first);
  const robots = join(first, "robots.txt");
  const hasRobots = isFolder && isFileIn(first, robots);
  // A robots.txt may list sitemaps with any name.
  const files = hasRobots ? findSitemaps(first) : listFiles(paths);
  const origin = given ?? guessOrigin(hasRobots ? [robots, ...files] : files);
  if (origin === undefined) {
    throw new UsageError(
      `the address of ${logLine(first)} is unknown, because it lists no absolute URL`,
      "Name it: --origin https://example.com",
    );
  }
  return isFolder ? folderSite(first, origin, files) : fileSite(files, origin);
}

function folderSite(folder: string, origin: string, files: readonly string[]): LocalSite {
  const find = filesIn(folder, origin);
  const usual = ["robots.txt", ...knownPaths("usual")];
  const isUsual = usual.some((path) => find(`${origin}/${path}`) !== undefined);
  // Without robots.txt and a sitemap at a known location, all files that may be sitemaps are read.
  const extraKnownPaths = isUsual
    ? []
    : files.map((file) => `/${relative(folder, file).split(sep).join("/")}`);
  return {
    origin,
    start: `${origin}/`,
    client: fileClient(find),
    options: { extraKnownPaths, useHomepageLinks: false },
    folder,
    files,
  };
}

function fileSite(files: readonly string[], origin: string): LocalSite {
  const byUrl = new Map(files.map((file) => [`${origin}/${encodeURIComponent(basename(file))}`, file]));
  const find = (url: string): string | undefined =>
    byUrl.get(url) ?? byUrl.get(`${origin}/${basename(new URL(url).pathname)}`);
  return {
    origin,
    start: { sitemaps: [...byUrl.keys()] },
    client: fileClient(find),
    // A sitemap that is not among the files is not an error: it may be on the server.
    options: { recurseListCallback: (urls) => urls.filter((url) => find(url) !== undefined) },
    folder: undefined,
    files,
  };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new UsageError(`cannot read ${logLine(path)}: ${systemReason(error)}`);
  }
}

/** The origin of the first absolute URL in the files. */
function guessOrigin(files: readonly string[]): string | undefined {
  for (const file of files) {
    if (!isFile(file)) continue;
    const [, inXml, inText] = FIRST_URL.exec(headOf(file)) ?? [];
    const url = inXml ?? inText;
    if (url !== undefined && URL.canParse(url)) return new URL(url).origin;
  }
  return undefined;
}

function headOf(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const length = readSync(descriptor, buffer, 0, HEAD_BYTES, 0);
    return buffer.toString("utf8", 0, length);
  } finally {
    closeSync(descriptor);
  }
}
