/**
 * Reads sitemaps from files, folders or stdin, for commands that usually read a site. The handlers get the same events
 * as for a walk. If an index lists a sitemap with the same name as one of the files, the file is shown below the index.
 */
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { logLine } from "../../escape/log-line.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { Sitemap } from "../../model/model.ts";
import { parseAndCount } from "../../parse/parse-sitemap.ts";
import type { WalkedSitemap } from "../../walk/events/events.ts";
import type { Run } from "../command.ts";
import { type FlagGroup, flagName, flags, type SettingName } from "../config/flags.ts";
import { isLocalPath, listFiles, nameOfFiles } from "../config/local-files.ts";
import { readTarget } from "../config/target.ts";
import { walkOptions } from "../config/walk-options.ts";
import { SiteFacts } from "../messages/run-counts.ts";
import { noteStdin } from "../messages/stdin-notice.ts";
import { StrictLosses } from "../messages/strict-losses.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";
import { lowerFirst } from "../terminal/format-text.ts";
import { linkFormatsOf } from "./file-links.ts";
import { createVisit, type WalkSitesOptions, walkSites } from "./walk-sites.ts";

/** Walks a site, or reads files. Returns the URL of the site, or the name of the files. */
export async function readSiteOrFiles(run: Run, options: WalkSitesOptions): Promise<string> {
  const { args, command } = run;
  const [first = ""] = args;
  const isPath = (arg: string): boolean => arg === "-" || isLocalPath(arg);
  if (args.every(isPath)) return readFiles(run, options);
  if (args.length > 1) {
    throw new UsageError(
      `siteatlas ${command} takes one site, or files`,
      "siteatlas ls and find take several sites.",
    );
  }
  await walkSites(run, options);
  return readTarget(first, run.settings).url;
}

/** Groups of flags that have an effect only on requests. */
const SITE_GROUPS: ReadonlySet<FlagGroup> = new Set(["Discovery", "Requests", "Politeness"]);
const SITE_FLAGS: ReadonlySet<SettingName> = new Set(["includeSitemap", "excludeSitemap"]);

/** Rejects flags that have no effect on files. */
export function checkFileFlags(given: readonly SettingName[]): void {
  const wrong = given.find((name) => SITE_FLAGS.has(name) || SITE_GROUPS.has(flags[name].group));
  if (wrong !== undefined) throw new UsageError(`--${flagName(wrong)} cannot be used with files`);
}

async function readFiles(run: Run, options: WalkSitesOptions): Promise<string> {
  const { args, settings, reporter, given, signal } = run;
  const { runCounts } = options;
  checkFileFlags(given);
  const files = listFiles(args, settings.htmlSitemaps);
  if (settings.strict) runCounts.strict = new StrictLosses();
  if (settings.maxIssues !== undefined) runCounts.maxIssues = settings.maxIssues;
  runCounts.isList = files.length > 1;
  const name = nameOfFiles(args);
  const visit = createVisit(run, options, { name, url: name, isCompleted: false }, new SiteFacts(name));
  noteStdin(reporter, args, "a sitemap");
  runCounts.sites = 1;
  reporter.startProgress(runCounts);
  const documents: FileDocument[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    const { pages, ...document } = await readFile(file, run);
    const { path } = document;
    documents.push(document);
    if (!settings.strict) runCounts.relative += document.issueCounts["url.no-base"] ?? 0;
    for (const issue of document.issues) await visit({ kind: "issue", issue: { ...issue, url: path } });
    for (const page of pages) {
      const taken = visit({ kind: "page", page, sitemapUrl: path });
      if (taken === "limit-reached") return name;
      if (taken !== undefined) await taken;
    }
  }
  for (const sitemap of nested(documents)) await visit({ kind: "sitemap", sitemap });
  const [{ path = "", reason = "" } = {}] = documents;
  if (!runCounts.isList && runCounts.sitemaps === 0) {
    reporter.error(`cannot read ${logLine(path)}: ${lowerFirst(reason)}`);
  }
  return name;
}

/** The result of parsing a file, without its pages. */
interface FileDocument extends Omit<Sitemap, "pages" | "kind"> {
  readonly path: string;
  readonly kind: Sitemap["kind"];
  readonly format?: WalkedSitemap["format"];
  readonly pageCount: number;
  readonly issueCounts: WalkedSitemap["issueCounts"] & object;
  readonly code?: IssueCode;
  readonly reason?: string;
}

async function readFile(
  path: string,
  { settings, signal }: Run,
): Promise<FileDocument & { readonly pages: Sitemap["pages"] }> {
  const source = path === "-" ? process.stdin : createReadStream(path);
  const abort = (): void => void source.destroy(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const { strict = false } = settings;
  try {
    const { limits = {} } = walkOptions(settings);
    const formats = linkFormatsOf(path, settings);
    const [sitemap, issueCounts] = await parseAndCount(source, { strict, limits }, formats);
    const facts = { path: path === "-" ? "stdin" : path, pageCount: sitemap.pages.length };
    return { ...sitemap, ...facts, issueCounts: Object.fromEntries(issueCounts) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new UsageError(`cannot read ${logLine(path)}: ${systemReason(error)}`);
  } finally {
    signal.removeEventListener("abort", abort);
    source.destroy();
  }
}

/** Yields an event for each file, and for each listed sitemap that is not among the files. */
function* nested(documents: readonly FileDocument[]): Generator<WalkedSitemap> {
  const files = new Set(documents.map(({ path }) => basename(path)));
  /** The first file that lists a sitemap. Keys are the file names of listed sitemaps. */
  const parents = new Map<string, string>();
  for (const { path, subSitemaps } of documents) {
    for (const { url } of subSitemaps) {
      const child = fileName(url);
      if (child !== basename(path) && !parents.has(child)) parents.set(child, path);
    }
  }
  for (const document of documents) {
    yield fileSitemap(document, parents.get(basename(document.path)));
    for (const { url, lastModified } of document.subSitemaps) {
      if (files.has(fileName(url))) continue;
      yield {
        ...NO_SITEMAP,
        url,
        outcome: "skipped",
        parentUrl: document.path,
        code: "not-fetched",
        reason: "not among the files",
        ...(lastModified !== undefined && { lastModified }),
      };
    }
  }
}

const NO_SITEMAP = {
  source: "sitemap",
  level: 0,
  kind: "invalid",
  pageCount: 0,
  childCount: 0,
  issueCount: 0,
  duplicateCount: 0,
} as const;

function fileSitemap(document: FileDocument, parentUrl: string | undefined): WalkedSitemap {
  const { path, kind, format, pageCount, subSitemaps, duplicateCount, code, reason } = document;
  const { issueCount, issueCounts } = document;
  return {
    ...NO_SITEMAP,
    url: path,
    source: parentUrl === undefined ? "given" : "sitemap",
    outcome: kind === "invalid" ? "failed" : "found",
    ...(parentUrl !== undefined && { parentUrl }),
    kind,
    ...(format !== undefined && { format }),
    pageCount,
    childCount: subSitemaps.length,
    issueCount,
    issueCounts,
    duplicateCount,
    ...(document.partial && { partial: true }),
    ...(code !== undefined && { code }),
    ...(reason !== undefined && { reason }),
  };
}

/** The last part of a URL's path. */
function fileName(url: string): string {
  return basename(URL.canParse(url) ? new URL(url).pathname : url);
}
