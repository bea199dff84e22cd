/** What a walk tells while it goes. The event stream is the log: there is no other. */

import type { IssueCode } from "../issues.ts";
import type { DateValue, HttpFacts, IndexFormat, Issue, Page, PagesFormat } from "../model.ts";

/** How a sitemap came to be known. */
export type SitemapOrigin = "robots" | "known" | "homepage" | "sitemap";

/**
 * How a declared sitemap ended: read; not to be had or not a sitemap; left out by a filter, an option or
 * robots.txt; left out because a limit was reached; the same document as one requested before; or, in a sync, the same as
 * the last time.
 */
export type SitemapOutcome = "found" | "failed" | "skipped" | "stopped" | "shared" | "unchanged";

/** One sitemap at one place that declares it, at its end. */
export interface WalkedSitemap {
  /** After redirects. */
  readonly url: string;
  /** As declared, when a redirect led elsewhere. */
  readonly requestedUrl?: string;
  /** All that redirected, in order; `requestedUrl` is the first. */
  readonly redirects?: readonly string[];
  readonly outcome: SitemapOutcome;
  readonly source: SitemapOrigin;
  /** What declares it; absent for robots.txt and for guesses. */
  readonly parentUrl?: string;
  readonly level: number;
  readonly kind: "index" | "pages" | "invalid";
  readonly format?: IndexFormat | PagesFormat;
  /** Why it is invalid, skipped or stopped, and in words. */
  readonly code?: IssueCode;
  readonly reason?: string;
  readonly lastModified?: DateValue;
  readonly pageCount: number;
  readonly childCount: number;
  readonly issueCount: number;
  readonly duplicateCount: number;
  readonly partial?: true;
  /** Why it is partial: a limit of ours (`limit.urls`), the connection (`http.truncated`), or the document itself (`xml.truncated`). */
  readonly cutBy?: IssueCode;
  /** SHA-256 of its bytes, decompressed, in hexadecimal digits; of one that was read to its end. */
  readonly contentHash?: string;
  /** The URL of a sitemap that was read before and holds the same, byte for byte. */
  readonly duplicateOf?: string;
  /** In a sync: it was read, and holds what it held the last time, byte for byte. */
  readonly sameContent?: true;
  readonly http?: HttpFacts;
}

export type WalkEvent =
  | { readonly kind: "page"; readonly page: Page; readonly sitemapUrl: string }
  | { readonly kind: "sitemap"; readonly sitemap: WalkedSitemap }
  | { readonly kind: "issue"; readonly issue: Issue };
