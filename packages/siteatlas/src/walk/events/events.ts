/** The events of a walk. They replace a log: the library itself logs nothing. */

import type { IssueCode } from "../../model/issue-severity.ts";
import type { DateValue, HttpFacts, IndexFormat, Issue, Page, PagesFormat } from "../../model/model.ts";

/**
 * How a sitemap was found. `given`: the caller passed it. `robots`: it is the site's robots.txt. `known`: it is at a
 * known location. `homepage`: the homepage links to it. `sitemap`: another sitemap lists it. `llms`: it is the site's
 * llms.txt.
 */
export type SitemapOrigin = "given" | "robots" | "known" | "homepage" | "sitemap" | "llms";

/**
 * Whether the location of the sitemap was guessed, because nothing lists the sitemap. If the location has no sitemap,
 * this is not a failure, and the tree does not show it.
 */
export function isGuess(source: SitemapOrigin): boolean {
  return source === "known" || source === "llms";
}

/**
 * The outcome of a listed sitemap. `found`: it was read. `failed`: it could not be fetched, or it is not a sitemap.
 * `skipped`: a filter, an option or robots.txt excluded it. `stopped`: a limit was reached. `shared`: it is listed
 * several times, and the event of another listing has the result. `unchanged`: it did not change since the last sync.
 */
export type SitemapOutcome = "found" | "failed" | "skipped" | "stopped" | "shared" | "unchanged";

/**
 * The result of one listed sitemap. Emitted when its processing has ended, once per listing. A line of an index is one
 * listing, even if the index itself is listed several times.
 */
export interface WalkedSitemap {
  /** The final URL, after redirects. */
  readonly url: string;
  /** The URL that is listed. Absent if it does not redirect. */
  readonly requestedUrl?: string;
  /** All URLs that redirected, in order. The first one is `requestedUrl`. */
  readonly redirects?: readonly string[];
  /** The outcome of the sitemap, such as `found` or `failed`. */
  readonly outcome: SitemapOutcome;
  /** How the sitemap was found. */
  readonly source: SitemapOrigin;
  /** URL of the sitemap that lists this sitemap. Absent if no sitemap lists it, for example for robots.txt. */
  readonly parentUrl?: string;
  /** Level of the sitemap in the tree. robots.txt and known locations are level 0. */
  readonly level: number;
  readonly kind: "index" | "pages" | "invalid";
  /** Format of the document. Absent if it is invalid. */
  readonly format?: IndexFormat | PagesFormat;
  /** Why the sitemap is invalid, skipped or stopped, as a code for programs. */
  readonly code?: IssueCode;
  /** Why the sitemap is invalid, skipped or stopped, as a sentence. */
  readonly reason?: string;
  /** The exact cause of a failure, as a word for programs. See `InvalidSitemap.cause`. */
  readonly cause?: string;
  /** The date of this sitemap in the index that lists it. */
  readonly lastModified?: DateValue;
  /** Number of pages in the sitemap. */
  readonly pageCount: number;
  /** Number of sitemaps that this sitemap lists. */
  readonly childCount: number;
  /** Number of all issues, including issues that were not emitted because of `limits.issues`. */
  readonly issueCount: number;
  /** Number of issues by code, such as `{ "date.invalid": 200 }`. Absent if the sitemap has no issues. */
  readonly issueCounts?: Readonly<Partial<Record<IssueCode, number>>>;
  /** Number of entries that repeat an earlier URL of the sitemap. */
  readonly duplicateCount: number;
  /** Set if the document is incomplete. */
  readonly partial?: true;
  /**
   * Why the sitemap is partial: because of a limit (`limit.urls`), the connection (`http.truncated`) or the document
   * itself (`xml.truncated`).
   */
  readonly cutBy?: IssueCode;
  /** SHA-256 of the decompressed bytes in hexadecimal digits. Absent if the document was not read to its end. */
  readonly contentHash?: string;
  /** URL of a sitemap that was read before and has the same bytes. */
  readonly duplicateOf?: string;
  /** Set by a sync: the sitemap was read and has the same bytes as in the last sync. */
  readonly sameContent?: true;
  /** Facts about the response. Absent if there was no response. */
  readonly http?: HttpFacts;
  /**
   * The first 1,024 characters of the page that the server sent with an error status, such as 403 or 503. Control
   * characters and secrets are removed. Absent for 404 and 410. This is text from the server: do not trust it.
   */
  readonly errorPage?: string;
}

/** An event of `walkSitemaps`: a page, the result of a sitemap, or an issue. */
export type WalkEvent =
  | {
      readonly kind: "page";
      /** A page that a sitemap lists. */
      readonly page: Page;
      /** URL of the sitemap that lists the page. */
      readonly sitemapUrl: string;
    }
  | {
      readonly kind: "sitemap";
      /** The result of a listed sitemap. */
      readonly sitemap: WalkedSitemap;
    }
  | {
      readonly kind: "issue";
      /** A mistake in a document or a response. */
      readonly issue: Issue;
    };
