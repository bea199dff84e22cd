/**
 * The content of a snapshot (docs/sync.md describes it for users): facts about the run, one entry per sitemap, and
 * the pages of each sitemap as a section of sorted lines (page-line.ts).
 *
 * The file is a sequence of gzip members: one with the facts and entries as JSON lines, then one per section, in
 * the order of the entries. So `zcat` shows everything, and the section of an unchanged sitemap is copied into the
 * next snapshot without decompressing it.
 */
import type { IssueCode } from "../../model/issue-severity.ts";
import type { IndexFormat, PagesFormat } from "../../model/model.ts";
import type { SitemapOrigin } from "../../walk/events/events.ts";
import type { LastmodTrust } from "../revalidate/lastmod-trust.ts";
import type { SitemapEvidence } from "../revalidate/validator-trust.ts";

export const SNAPSHOT_FORMAT = "siteatlas-snapshot";
/** Must change when older versions of siteatlas cannot read the file. They refuse properties that they do not know. */
export const SNAPSHOT_VERSION = 1;

/**
 * Longest section in bytes, compressed and as text. With the default limits of a walk, a sitemap has at most 100 MiB of
 * text. Stops a section that decompresses to gigabytes.
 */
export const MAX_SECTION_BYTES: number = 256 * 1024 * 1024;

/** Longest line of a page. Stops a line that never ends. */
export const MAX_PAGE_LINE: number = 1024 * 1024;

/** One run in the history of a snapshot. */
export interface RunFacts {
  /** Start of the run, in ISO 8601. */
  readonly at: string;
  /** Id of the run. */
  readonly run?: string;
  /** Number of added pages. */
  readonly added: number;
  /** Number of changed pages. */
  readonly changed: number;
  /** Number of removed pages. */
  readonly removed: number;
  /** Number of sitemaps that were read completely or are known to be unchanged. */
  readonly read: number;
  /** Number of sitemaps that could not be read. */
  readonly unknown: number;
}

/** Facts about a snapshot. */
export interface SnapshotFacts {
  /** Identifies the file. */
  readonly format: typeof SNAPSHOT_FORMAT;
  /** Version of the file format. */
  readonly version: number;
  /** Homepage of the site. */
  readonly homepage: string;
  /** Start of the last sync, in ISO 8601. */
  readonly startedAt: string;
  /** End of the last sync, in ISO 8601. */
  readonly finishedAt: string;
  /** Number of pages. A page that several sitemaps list counts once for each of them. */
  readonly pageCount: number;
  /** Number of syncs. */
  readonly runCount: number;
  /** The latest runs, the newest last. */
  readonly runs: readonly RunFacts[];
  /** Known locations that were absent. Each sync tries only some of them again. */
  readonly absent: readonly string[];
  /** Known locations that had a sitemap once and are absent now. Each sync tries them. */
  readonly formerLocations?: readonly string[];
}

/** Why and since when a sitemap could not be read. */
export interface UnknownFacts {
  /** Why the sitemap could not be read. */
  readonly code: IssueCode;
  /** The HTTP status, if it is the reason for the failure. */
  readonly status?: number;
  /**
   * URL of an index that could not be read. Present if the sitemap was not requested, because only that index leads to
   * it.
   */
  readonly behind?: string;
  /** Time of the first sync that could not read the sitemap, in ISO 8601. */
  readonly since: string;
  /** Number of syncs in a row in which the sitemap could not be read. */
  readonly times: number;
  /** Number of syncs in a row in which the sitemap was absent (404, 410) or no longer listed. */
  readonly absences: number;
  /** Time of the first sync that `absences` counts, in ISO 8601. */
  readonly absentSince?: string;
  /**
   * Set if the sitemap counts as gone, even if an index still lists it. It was absent in three syncs and for a day, or
   * it is absent and was never read.
   */
  readonly isGone?: true;
}

/**
 * A fault of the site may have caused a removal. Such a removal is not reported before it has lasted for this time, and
 * for GRACE_SYNCS syncs.
 */
export const GRACE_MS: number = 24 * 60 * 60 * 1000;
export const GRACE_SYNCS = 3;
/** After this time, an unreadable sitemap no longer delays removals: it may never recover. */
export const UNREAD_MS: number = 7 * GRACE_MS;

/** Whether the sitemap exists. False if an index lists it but it is gone. */
export function isThere({ unknown }: Pick<SnapshotSitemap, "unknown">): boolean {
  return unknown?.isGone !== true;
}

/**
 * Why the removal of a page is not certain. `many`: a large share of all pages disappeared in one sync. `unlisted`: its
 * sitemap is no longer listed. `emptied`, `shrunk`: its sitemap lost all or at least half of its pages. `unread`: another
 * sitemap that could not be read, or that lost pages, may list the page. `alive`: the server still has the page
 * (`verify`).
 */
export type PendingReason = "many" | "unlisted" | "emptied" | "shrunk" | "unread" | "alive";

/** Pages that disappeared from the same sitemaps in the same sync, and whose removal is not certain yet. */
export interface PendingFacts {
  /** Why their removal is not certain. */
  readonly reason: PendingReason;
  /** Time of the first sync that did not find the pages, in ISO 8601. */
  readonly since: string;
  /** Number of syncs that did not find the pages. */
  readonly times: number;
  /** The sitemaps that listed the pages. */
  readonly sitemaps: readonly string[];
}

/** Pending pages in a snapshot. */
export interface SnapshotPending extends PendingFacts, SectionOwner {}

/** A sitemap, or a group of pending pages. Its pages are one section of the file. */
export interface SectionOwner {
  /** URL of the sitemap. For pending pages, the name of their section. */
  readonly url: string;
  /** Number of pages. */
  readonly pageCount: number;
  /** Length of the section, hash of its text, CRC-32 of its bytes. Absent if `pageCount` is 0. */
  readonly section?: SectionFacts;
}

/** Name of a section with pending pages. */
export function pendingName(number: number): string {
  return `pending:${number}`;
}

/** Length and checksums of a section. */
export interface SectionFacts {
  /** Length in bytes. */
  readonly bytes: number;
  /** Hash of the text. */
  readonly hash: string;
  /** CRC-32 of the bytes. */
  readonly crc: number;
}

/** A sitemap as it was when it was last read. */
export interface SnapshotSitemap extends SectionOwner {
  /** The final URL, after redirects. */
  readonly url: string;
  /** The URL that the parent lists, if it redirects to `url`. */
  readonly requestedUrl?: string;
  /** How the sitemap was found. */
  readonly source: SitemapOrigin;
  /** The sitemaps that list this one. Empty if none does, for example for robots.txt. */
  readonly parents: readonly string[];
  readonly kind: "index" | "pages";
  /** Format of the document. */
  readonly format: IndexFormat | PagesFormat;
  /** The ETag header of the last complete response. */
  readonly etag?: string;
  /** The Last-Modified header of the last complete response. */
  readonly lastModified?: string;
  /** The last-modified date that the parent declares. */
  readonly declared?: string;
  /** SHA-256 of the last complete response. */
  readonly contentHash?: string;
  /** The sitemaps that this one lists, with their declared last-modified dates. */
  readonly children: readonly (readonly [url: string, declared?: string])[];
  /** Number of pages in the sitemap. */
  readonly pageCount: number;
  /** Length of the section, hash of its text, CRC-32 of its bytes. Absent for a sitemap without pages. */
  readonly section?: SectionFacts;
  /** Whether other sitemaps also list some of these pages. */
  readonly isShared?: true;
  /** The newest lastModified of its pages. */
  readonly newestDate?: string;
  /** Time when the server last sent the sitemap or answered 304. */
  readonly seenAt: string;
  /** Time when the server last sent the complete sitemap. Absent in old snapshots: then the next sync reads it. */
  readonly readAt?: string;
  /** Set if the sitemap could not be read since `seenAt`. The pages are those of the last successful read. */
  readonly unknown?: UnknownFacts;
  /** Set if an index lists the sitemap, but no sync could read it. */
  readonly isNeverRead?: true;
  /** How reliable the declared date and the validators were. */
  readonly evidence: SitemapEvidence;
  /** How reliable the dates of the pages are. */
  readonly lastmod?: LastmodTrust;
}

/** Whether the entry is a sitemap. Entries also include robots.txt, and listed sitemaps that are gone. */
export function isSitemap(sitemap: Pick<SnapshotSitemap, "format" | "unknown">): boolean {
  return sitemap.format !== "robots" && isThere(sitemap);
}

/**
 * Whether the entry is included in the number of sitemaps that users see: sitemaps that were read, as
 * `isCountedSitemap` counts them for a walk. A sitemap that failed in the last sync counts if it was read before,
 * because the snapshot has its pages.
 */
export function isCountedEntry(
  sitemap: Pick<SnapshotSitemap, "format" | "unknown" | "isNeverRead">,
): boolean {
  return isSitemap(sitemap) && sitemap.isNeverRead !== true;
}

/** The part of a snapshot that a comparison needs. */
export interface Sections {
  readonly pageCount: number;
  readonly sitemaps: readonly SnapshotSitemap[];
  readonly pending: readonly SnapshotPending[];
  /** Yields the lines of a section as texts. Each text consists of complete lines. */
  texts(owner: SectionOwner): AsyncGenerator<string>;
}

/**
 * If the URL of a parent is longer than this, it is not repeated in each entry: 50,000 sitemaps may have the same
 * parent, with a URL of 8 KB.
 */
const LONG_URL = 256;

/** An entry as it is written: a parent with a long URL is replaced by the position of its entry, if it has one. */
export interface WrittenSitemap extends Omit<SnapshotSitemap, "parents"> {
  readonly parents: readonly (string | number)[];
}

/** Pending pages as they are written. The property `pending` distinguishes their line from the line of a sitemap. */
export interface WrittenPending {
  readonly pending: Omit<SnapshotPending, "url">;
}

/** The start of a line with pending pages. */
export const PENDING_START = '{"pending":';

/** The facts and entries as JSON lines. `sitemaps` are sorted by URL. */
export function* headerLines(
  facts: SnapshotFacts,
  sitemaps: readonly SnapshotSitemap[],
  pending: readonly SnapshotPending[],
): Generator<string> {
  yield `${JSON.stringify(facts)}\n`;
  const positions = new Map<string, number>();
  sitemaps.forEach(({ url }, position) => {
    if (url.length > LONG_URL) positions.set(url, position);
  });
  for (const sitemap of sitemaps) {
    const parents = sitemap.parents.map((url) => positions.get(url) ?? url);
    yield `${JSON.stringify({ ...sitemap, parents } satisfies WrittenSitemap)}\n`;
  }
  for (const { url: _, ...group } of pending) {
    yield `${JSON.stringify({ pending: group } satisfies WrittenPending)}\n`;
  }
}

/**
 * Maximum length of the parent URLs of one entry, and of all entries together. 500,000 sitemaps, each with one parent
 * URL of 8 KB, have 4 GiB.
 */
const MAX_PARENTS = { entry: 96 * 1024 * 1024, all: 4 * 1024 ** 3 } as const;

/**
 * Replaces the positions of parents by their URLs. A position that no entry has is ignored, a repeated parent counts
 * once. Returns undefined if the parents are too long to be written as JSON: a file of 1 KB can refer to a URL of 1 MB
 * thousands of times.
 */
export function resolveParents(entries: readonly WrittenSitemap[]): SnapshotSitemap[] | undefined {
  const resolved: SnapshotSitemap[] = [];
  let all = 0;
  for (const entry of entries) {
    const parents = new Set<string>();
    let length = 0;
    for (const parent of entry.parents) {
      const url = typeof parent === "string" ? parent : entries[parent]?.url;
      if (url === undefined || parents.has(url)) continue;
      parents.add(url);
      length += url.length;
    }
    all += length;
    if (length > MAX_PARENTS.entry || all > MAX_PARENTS.all) return undefined;
    resolved.push({ ...entry, parents: [...parents] });
  }
  return resolved;
}

/** The first line of a section: `# https://www.example.com/sitemap.xml`. One line per page follows. */
export function sectionTitle(sitemapUrl: string): string {
  return `# ${sitemapUrl}\n`;
}

/** Yields the lines of a text that consists of complete lines. */
export function* linesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    yield text.slice(start, end);
    start = end + 1;
  }
}
