/** The changes that a comparison of two snapshots reports. */
import { randomBytes } from "node:crypto";
import type { IssueCode } from "../model/issue-severity.ts";
import type { PageField, SnapshotPage } from "./snapshot/page-line.ts";
import type { PendingReason } from "./snapshot/snapshot-format.ts";

/** Version of the records that `syncSite` yields and the command line writes. `schemas/` describes them. */
export const RECORD_SCHEMA = 1;

/**
 * The first item of a sync. It comes before the first request. On a first sync it comes after the site was read, and
 * only if a page was found, so that a copy which drops its pages now gets new ones.
 */
export interface SyncStart {
  readonly kind: "start";
  /** Version of the records, at present 1. */
  readonly schema: number;
  /** Id of this run, which no other run has. */
  readonly run: string;
  /** Start of this run, in ISO 8601. */
  readonly at: string;
  /** Homepage of the site. */
  readonly homepage: string;
  /** Whether there was no snapshot, so that every page is reported as added. A copy with older pages drops them now. */
  readonly isFirst: boolean;
  /**
   * Id of the run that wrote the snapshot: the changes of this run follow on it. If a copy of the pages stores the run
   * that it applied last and finds another id here, it differs from the snapshot. Absent on a first sync.
   */
  readonly previousRun?: string;
}

/** An id for a run: 96 random bits. Base64url has no full stop, which separates the parts of a signed delivery. */
export function newRunId(): string {
  return randomBytes(12).toString("base64url");
}

/** A page that no sitemap listed before. */
export interface PageAdded {
  readonly kind: "added";
  /** URL of the page. */
  readonly url: string;
  /** The data that the sitemaps declare about the page. */
  readonly page: SnapshotPage;
  /** The sitemaps that list the page. */
  readonly sitemaps: readonly string[];
  /** URL of the removed page that probably moved to this URL. */
  readonly movedFrom?: string;
}

/** A page whose data in the sitemaps changed. */
export interface PageChanged {
  readonly kind: "changed";
  /** URL of the page. */
  readonly url: string;
  /** Names of the fields that changed. */
  readonly fields: readonly PageField[];
  /** The page in the last snapshot. */
  readonly before: SnapshotPage;
  /** The page now. */
  readonly after: SnapshotPage;
  /** The sitemaps that list the page. */
  readonly sitemaps: readonly string[];
  /** Present if only `lastModified` changed, in a sitemap whose dates are unreliable (`LastmodTrust`). */
  readonly weak?: true;
}

/** A page that is no longer listed. Each sitemap that listed it was read completely, or no longer exists. */
export interface PageRemoved {
  readonly kind: "removed";
  /** URL of the page. */
  readonly url: string;
  /** The sitemaps that listed the page. */
  readonly sitemaps: readonly string[];
  /** URL of the added page that this one probably moved to. */
  readonly movedTo?: string;
  /** Time of the first sync that did not find the page, in ISO 8601. Absent if the removal was never pending. */
  readonly pendingSince?: string;
}

/**
 * A page that is no longer listed, but whose removal is not certain. Reported once. Later the page is `removed` or
 * `returned`. If you only keep a copy of the site's pages, you can ignore this item.
 */
export interface PagePending {
  readonly kind: "pending";
  /** URL of the page. */
  readonly url: string;
  /** The sitemaps that listed the page. */
  readonly sitemaps: readonly string[];
  /** Why the removal is not certain. */
  readonly reason: PendingReason;
}

/**
 * A page that was pending, and that a sitemap lists again. If its data changed meanwhile, it is also `changed`. If you
 * ignore `pending`, you can ignore this item.
 */
export interface PageReturned {
  readonly kind: "returned";
  /** URL of the page. */
  readonly url: string;
  /** The sitemaps that list the page. */
  readonly sitemaps: readonly string[];
  /** Time of the first sync that did not find the page, in ISO 8601. */
  readonly pendingSince: string;
}

/** The same page, listed by other sitemaps. The page itself did not change. */
export interface PageRelisted {
  readonly kind: "relisted";
  /** URL of the page. */
  readonly url: string;
  /** The sitemaps that listed the page before. */
  readonly from: readonly string[];
  /** The sitemaps that list the page now. */
  readonly to: readonly string[];
}

/** A sitemap that could not be read completely: its changes are unknown. */
export interface SitemapUnknown {
  readonly kind: "unknown";
  /** URL of the sitemap. */
  readonly url: string;
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
  /** Number of pages when the sitemap was last read. These pages are not reported as removed or changed. */
  readonly pageCount: number;
}

/** A change of a page, or a sitemap whose changes are unknown. */
export type PageChange =
  | PageAdded
  | PageChanged
  | PageRemoved
  | PagePending
  | PageReturned
  | PageRelisted
  | SitemapUnknown;
