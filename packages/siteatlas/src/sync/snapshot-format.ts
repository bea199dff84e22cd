/**
 * What is in a snapshot (docs/sync.md has the format for people): the run's facts, one entry for each sitemap,
 * and the pages of each sitemap as a section of sorted lines (page-line.ts).
 *
 * The file is gzip throughout: one member with the facts and entries as lines of JSON, then one member for
 * each section, in the order of the entries. So `zcat` shows all of it, and the section of a sitemap that did
 * not change is copied into the next snapshot without being unpacked. How long the first member is stands in
 * its header, in an extra field (RFC 1952, 2.3.1.1).
 */
import type { IssueCode } from "../issues.ts";
import type { IndexFormat, PagesFormat } from "../model.ts";
import type { SitemapOrigin } from "../walk/events.ts";
import type { Evidence } from "./evidence.ts";
import type { LastmodTrust } from "./lastmod-trust.ts";
import { urlOfLine } from "./page-line.ts";

export const SNAPSHOT_FORMAT = "siteatlas-snapshot";
export const SNAPSHOT_VERSION = 1;

/** Of one run, for the history: the newest last. */
export interface RunFacts {
  readonly at: string;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Sitemaps that were read or known to be the same, and those that could not be read. */
  readonly read: number;
  readonly unknown: number;
}

export interface SnapshotFacts {
  readonly format: typeof SNAPSHOT_FORMAT;
  readonly version: number;
  readonly homepage: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Different sitemaps may list the same page: it counts for each. */
  readonly pageCount: number;
  /** How many syncs there were, and the latest of them. */
  readonly runCount: number;
  readonly runs: readonly RunFacts[];
  /** Known locations where there was nothing: not all of them are tried every time. */
  readonly absent: readonly string[];
}

/** Why, since when and for how many syncs nothing is known of a sitemap. */
export interface UnknownFacts {
  readonly code: IssueCode;
  /** What the server answered, where that is why. */
  readonly status?: number;
  /** It was not asked for: only what is at this URL leads there, and that is unknown, too. */
  readonly behind?: string;
  readonly since: string;
  readonly times: number;
  /** For how many syncs, the last ones, there was nothing at its place, or nobody led to it. */
  readonly absences: number;
}

/** So often in a row nothing is there, or nobody leads to it: then it is gone, though something still lists it. */
export const MAX_ABSENCES = 3;

/** If it is not, it is listed, but there is nothing: that much is known. */
export function isThere({ unknown }: Pick<SnapshotSitemap, "unknown">): boolean {
  return unknown === undefined || unknown.absences < MAX_ABSENCES;
}

/** A sitemap that was there when it was last asked for. */
export interface SnapshotSitemap {
  /** After redirects: the document's own. */
  readonly url: string;
  /** As declared, where that differs. */
  readonly requestedUrl?: string;
  readonly source: SitemapOrigin;
  /** The sitemaps that list it; none for robots.txt and what was guessed. */
  readonly parents: readonly string[];
  readonly kind: "index" | "pages";
  readonly format: IndexFormat | PagesFormat;
  /** Validators of the last whole answer. */
  readonly etag?: string;
  readonly lastModified?: string;
  /** Last-modified as its parent declares it. */
  readonly declared?: string;
  /** Of its content as the server last gave it whole. */
  readonly contentHash?: string;
  /** What it lists: URL, and last-modified where it is declared. */
  readonly children: readonly (readonly [url: string, declared?: string])[];
  readonly pageCount: number;
  /** Of the section: its length in the file, a hash of its text, a CRC-32 of its bytes. Absent without pages. */
  readonly section?: { readonly bytes: number; readonly hash: string; readonly crc: number };
  /** Pages of it were listed elsewhere, too. */
  readonly isShared?: true;
  /** When the server last gave it, or said that it had not changed. */
  readonly seenAt: string;
  /** It could not be had since: its pages are what they were. */
  readonly unknown?: UnknownFacts;
  readonly evidence: Evidence;
  /** How much the dates of its pages say. */
  readonly lastmod?: LastmodTrust;
}

/** robots.txt is remembered with them, and is none; what is only listed is none either. */
export function isSitemap(sitemap: Pick<SnapshotSitemap, "format" | "unknown">): boolean {
  return sitemap.format !== "robots" && isThere(sitemap);
}

/** What a comparison needs of a snapshot. */
export interface Sections {
  readonly pageCount: number;
  readonly sitemaps: readonly SnapshotSitemap[];
  /** The pages of a sitemap as lines below one line with its URL; empty without pages. */
  section(sitemap: SnapshotSitemap): Promise<string>;
}

/** So many lines make some 80 KB. */
const LINES_AT_ONCE = 1000;

/** `# https://www.example.com/sitemap.xml`, then its pages, some at a time: what is short-lived and small is cheap. */
export function* sectionTexts(sitemapUrl: string, lines: readonly string[]): Generator<string> {
  yield `# ${sitemapUrl}\n`;
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    yield `${lines.slice(at, at + LINES_AT_ONCE).join("\n")}\n`;
  }
}

/** The lines of a section, one by one, without the first. */
export function* sectionLines(text: string): Generator<string> {
  let start = text.indexOf("\n") + 1;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    yield text.slice(start, end);
    start = end + 1;
  }
}

/** Sorted, each URL once. */
export function sortLines(lines: readonly string[]): string[] {
  let last = "";
  return lines.toSorted().filter((line) => {
    // Lines of one URL stand together, and what follows the URL is a tab.
    const isKnown = line.startsWith(last) && last !== "" && "\t".startsWith(line.charAt(last.length));
    if (!isKnown) last = urlOfLine(line);
    return !isKnown;
  });
}
