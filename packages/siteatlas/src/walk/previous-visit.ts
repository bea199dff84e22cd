/**
 * The facts that a walk knows from the last sync: which sitemaps existed, how to request them conditionally, and which
 * sitemaps need no request. An unchanged document has the outcome `unchanged`. Its pages are not yielded, but the
 * sitemaps that it lists are followed.
 */
import type { DateValue } from "../model/model.ts";
import type { DocumentKind } from "../parse/document.ts";
import type { SitemapDocument } from "./site-graph.ts";

/** A sitemap as it was in the last sync. */
export interface Earlier {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly kind: Exclude<DocumentKind, { readonly kind: "invalid" }>;
  readonly pageCount: number;
  readonly children: readonly { readonly url: string; readonly lastModified?: DateValue }[];
  /** Whether the sitemap is known to be unchanged and needs no request. */
  readonly isTrusted: boolean;
  /** Sent as If-None-Match. `lastModified` is sent as If-Modified-Since. Both are sent only to `url`. */
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface PreviousVisit {
  /** Sitemaps that the homepage linked to in the last sync. */
  readonly homepageLinks: readonly string[];
  /** Returns the facts about this sitemap from the last sync. Undefined if it must be requested unconditionally. */
  recall(url: string, declared: DateValue | undefined, parentUrl: string | undefined): Earlier | undefined;
  /**
   * Whether a 304 response for this sitemap can be trusted. If not, the sitemap is requested again, unconditionally.
   */
  believes(url: string, declared: DateValue | undefined, parentUrl: string | undefined): boolean;
  /** Whether the document at this URL had the same content in the last sync. */
  isSame(url: string, contentHash: string): boolean;
  /** Whether to skip this known location in this sync. */
  isSkipped(url: string): boolean;
  /** Whether this known location had a sitemap in the last sync, and the server no longer sends one. */
  isLost(url: string, document: SitemapDocument | undefined): boolean;
}

/** The headers of a conditional request. */
export function conditions({ etag, lastModified }: Earlier): Record<string, string> {
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(lastModified !== undefined && { "if-modified-since": lastModified }),
  };
}
