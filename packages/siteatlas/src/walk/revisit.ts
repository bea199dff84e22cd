/**
 * What a walk is told by somebody who was here before: which sitemaps were there, how to ask for them so that
 * the server need not send them again, and which need not be asked for at all. What did not change has outcome
 * `unchanged`; its pages are not given out, its sitemaps are followed.
 */
import type { DateValue } from "../model.ts";
import type { DocumentKind } from "../parse/document.ts";

/** A sitemap as it was. */
export interface Earlier {
  /** The document's own, after redirects. */
  readonly url: string;
  readonly kind: Exclude<DocumentKind, { readonly kind: "invalid" }>;
  readonly pageCount: number;
  readonly children: readonly { readonly url: string; readonly lastModified?: DateValue }[];
  /** It is not asked for: it is known to be the same. */
  readonly isTrusted: boolean;
  /** Sent as If-None-Match and If-Modified-Since, to this URL only. */
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface Revisit {
  /** Sitemaps that the homepage led to. */
  readonly homepageLinks: readonly string[];
  /** What is known of the sitemap that is declared here; undefined asks for it plainly. */
  recall(url: string, declared: DateValue | undefined, parentUrl: string | undefined): Earlier | undefined;
  /** The server says that it is not modified: false asks for it once more, plainly. */
  believes(url: string, declared: DateValue | undefined, parentUrl: string | undefined): boolean;
  /** Whether the document at this URL held the same, byte for byte. */
  isSame(url: string, contentHash: string): boolean;
  /** Whether this known location need not be tried. */
  isSkipped(url: string): boolean;
}

/** The headers that ask whether this is still the same. */
export function conditions({ etag, lastModified }: Earlier): Record<string, string> {
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(lastModified !== undefined && { "if-modified-since": lastModified }),
  };
}
