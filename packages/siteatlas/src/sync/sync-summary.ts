/** The summary of a sync: what it found and what it cost. */
import type { PageChange, SitemapUnknown, SyncStart } from "./changes.ts";
import { type LastmodTrust, withRestamps } from "./revalidate/lastmod-trust.ts";
import { isSitemap } from "./snapshot/snapshot-format.ts";
import type { SitemapEntry } from "./snapshot/write-snapshot.ts";

/** The last item of a sync: what it found and how many requests and bytes it took. */
export interface SyncSummary {
  readonly kind: "summary";
  /** Homepage of the site. */
  readonly homepage: string;
  /** Whether there was no snapshot before, so that every page is reported as added. */
  readonly isFirst: boolean;
  /**
   * Number of sitemaps that were read or are known to be unchanged, including indexes, without robots.txt. A sitemap
   * that failed in this sync counts if it was read before, because its pages are kept.
   */
  readonly sitemapCount: number;
  /** Number of sitemaps that were read completely in this sync, or are known to be unchanged. */
  readonly completeSitemaps: number;
  /** Number of pages. A page that several sitemaps list counts once for each of them. */
  readonly pageCount: number;
  /** Number of added pages. */
  readonly added: number;
  /** Number of changed pages. */
  readonly changed: number;
  /** Number of removed pages. */
  readonly removed: number;
  /** Number of pages that are listed by other sitemaps than before. */
  readonly relisted: number;
  /** URLs of the sitemaps that are listed for the first time. Empty on a first sync. */
  readonly newSitemaps: readonly string[];
  /** URLs of the sitemaps that no longer exist. */
  readonly goneSitemaps: readonly string[];
  /** Number of sitemaps that could not be read, or were read only in part. */
  readonly unknownSitemaps: number;
  /**
   * Number of listed sitemaps with status 404 or 410. A sitemap that never existed is counted only here. It has no pages
   * to keep, so `unknownSitemaps` does not count it.
   */
  readonly missingSitemaps: number;
  /** Number of pages of the sitemaps that `unknownSitemaps` counts. */
  readonly unknownPages: number;
  /** Number of pages that no sitemap lists, and whose removal is not certain yet. */
  readonly pending: number;
  /** Whether the share of pages that disappeared reached `massRemoval`. Then their removal is pending. */
  readonly isMassRemoval: boolean;
  /** Number of requests, including redirects, retries and the homepage. */
  readonly asked: number;
  /** Number of these requests that checked whether pages are gone (`verify`). */
  readonly verified: number;
  /** Number of sitemaps with a 304 response. */
  readonly notModified: number;
  /** Number of sitemaps that were skipped because their index reports no change (`useTrust`). */
  readonly onTrust: number;
  /** URLs of the sitemaps that were skipped because their dates are trusted. `onTrust` is their number. */
  readonly trusted: readonly string[];
  /** Number of bytes received. */
  readonly bytes: number;
  /** Duration of the sync in milliseconds. */
  readonly ms: number;
  /** How reliable the last-modified dates of the site are. */
  readonly lastmod: LastmodTrust;
}

/**
 * The only item of a sync without a snapshot that found no page: the site may be down. No snapshot is written. A copy of
 * the pages must stay as it is, because this sync does not know the site.
 */
export interface FirstSyncFailure extends Pick<SyncStart, "schema" | "run" | "at" | "homepage"> {
  readonly kind: "failure";
  /** What happened, in one sentence. */
  readonly message: string;
  /** The sitemaps that are listed and could not be read. Empty if none is known, for example because robots.txt failed. */
  readonly unknown: readonly SitemapUnknown[];
  /** The counts of this sync. All counts of pages are 0. */
  readonly summary: SyncSummary;
}

/** Whether no sitemap could be read completely. */
export function isFailedSync({ completeSitemaps }: SyncSummary): boolean {
  return completeSitemaps === 0;
}

/** A result of `syncSite`: the start of the run, changes, and a summary at the end. Or only a failure. */
export type Change = SyncStart | PageChange | SyncSummary | FirstSyncFailure;

/** An item of a run, also of a first one that found no page. */
export type RunItem = Exclude<Change, FirstSyncFailure>;

/** Requests and bytes of a pass over a site. */
export type SyncCost = Record<"asked" | "notModified" | "bytes", number>;

/** Counts the changes of a sync, and the pages where only the date changed. */
export class ChangeCounter {
  readonly counts = { added: 0, changed: 0, removed: 0, relisted: 0, unknownPages: 0 };
  isMassRemoval = false;
  /** Number of pages where only the date changed, by sitemap. */
  readonly #restamped: Map<string, number> = new Map();

  add(change: PageChange): void {
    if (change.kind === "unknown") {
      this.counts.unknownPages += change.pageCount;
      return;
    }
    if (change.kind === "pending") {
      if (change.reason === "many") this.isMassRemoval = true;
      return;
    }
    if (change.kind === "returned") return;
    this.counts[change.kind]++;
    if (change.kind === "changed" && change.fields.length === 1 && change.fields[0] === "lastModified") {
      for (const url of change.sitemaps) this.#restamped.set(url, (this.#restamped.get(url) ?? 0) + 1);
    }
  }

  /** Updates the score that says how reliable a sitemap's dates are. */
  scoreDates(entry: SitemapEntry): SitemapEntry {
    const { lastmod, url, pageCount } = entry;
    if (lastmod === undefined) return entry;
    return { ...entry, lastmod: withRestamps(lastmod, this.#restamped.get(url) ?? 0, pageCount) };
  }
}

/** The sitemaps that are listed for the first time, and those that no longer exist. Empty on a first sync. */
export function newAndGone(
  before: readonly SitemapEntry[] | undefined,
  entries: readonly SitemapEntry[],
): Pick<SyncSummary, "newSitemaps" | "goneSitemaps"> {
  if (before === undefined) return { newSitemaps: [], goneSitemaps: [] };
  const urlsOf = (list: readonly SitemapEntry[]): Set<string> =>
    new Set(list.filter(isSitemap).map(({ url }) => url));
  const [old, now] = [urlsOf(before), urlsOf(entries)];
  return {
    newSitemaps: [...now].filter((url) => !old.has(url)),
    goneSitemaps: [...old].filter((url) => !now.has(url)),
  };
}
