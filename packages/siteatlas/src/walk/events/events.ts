/** The events of a walk. The event stream is the log: the library has no other. */

import type { IssueCode } from "../../model/issue-severity.ts";
import type { DateValue, HttpFacts, IndexFormat, Issue, Page, PagesFormat } from "../../model/model.ts";

/**
 * How a sitemap was found: `given` by the caller, as `robots` (robots.txt itself), at a `known` location, linked by
 * the `homepage`, or listed by another `sitemap`.
 */
export type SitemapOrigin = "given" | "robots" | "known" | "homepage" | "sitemap";

/**
 * How a listed sitemap ended. `found`: it was read. `failed`: it could not be fetched or is not a sitemap.
 * `skipped`: by a filter, an option or robots.txt. `stopped`: by a limit. `shared`: it is listed several times, and
 * another listing has the result. `unchanged`: in a sync, it is the same as in the last one.
 */
export type SitemapOutcome = "found" | "failed" | "skipped" | "stopped" | "shared" | "unchanged";

/** Emitted when a listed sitemap has ended: once per listing, even if its index is itself listed several times. */
export interface WalkedSitemap {
  /** The final URL, after redirects. */
  readonly url: string;
  /** The URL that is listed, if it redirects to `url`. */
  readonly requestedUrl?: string;
  /** All URLs that redirected, in order. The first is `requestedUrl`. */
  readonly redirects?: readonly string[];
  /** How the sitemap ended. */
  readonly outcome: SitemapOutcome;
  /** How the sitemap was found. */
  readonly source: SitemapOrigin;
  /** The sitemap that lists this one. Absent for given sitemaps, robots.txt, known locations and homepage links. */
  readonly parentUrl?: string;
  /** Level of the sitemap in the tree. robots.txt and known locations are level 0. */
  readonly level: number;
  readonly kind: "index" | "pages" | "invalid";
  /** Format of the document. Absent if it is invalid. */
  readonly format?: IndexFormat | PagesFormat;
  /** Why the sitemap is invalid, skipped or stopped. `reason` says the same as a sentence. */
  readonly code?: IssueCode;
  /** Why the sitemap is invalid, skipped or stopped, as a sentence. */
  readonly reason?: string;
  /** The exact failure, as a word for programs, see `InvalidSitemap.cause`. */
  readonly cause?: string;
  /** The date that the listing index declares for this sitemap. */
  readonly lastModified?: DateValue;
  /** Number of pages in the sitemap. */
  readonly pageCount: number;
  /** Number of sitemaps that this one lists. */
  readonly childCount: number;
  /** Number of issues, including those that were not kept. */
  readonly issueCount: number;
  /** Number of issues by code, as `{ "date.invalid": 200 }`. Absent if there are none. */
  readonly issueCounts?: Readonly<Partial<Record<IssueCode, number>>>;
  /** Number of entries that repeat an earlier URL. */
  readonly duplicateCount: number;
  /** Set if the document is incomplete. */
  readonly partial?: true;
  /**
   * Why the sitemap is partial: a limit (`limit.urls`), the connection (`http.truncated`) or the document
   * (`xml.truncated`).
   */
  readonly cutBy?: IssueCode;
  /** SHA-256 of the decompressed bytes in hexadecimal digits. Absent if the document was not read to its end. */
  readonly contentHash?: string;
  /** The URL of a sitemap with the same bytes that was read before. */
  readonly duplicateOf?: string;
  /** Set by a sync: the sitemap was read and has the same bytes as in the last sync. */
  readonly sameContent?: true;
  /** Facts about the response. Absent if there was none. */
  readonly http?: HttpFacts;
  /**
   * The first 1,024 characters of the page that came with an error status, such as 403 or 503, without control
   * characters and secrets. Absent for 404 and 410. It is text from the server: do not trust it.
   */
  readonly errorPage?: string;
}

/** An event of `walkSitemaps`: a page, the end of a sitemap, or an issue. */
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
      /** A listed sitemap that has ended. */
      readonly sitemap: WalkedSitemap;
    }
  | {
      readonly kind: "issue";
      /** A mistake in a document or a response. */
      readonly issue: Issue;
    };
