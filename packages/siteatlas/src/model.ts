/**
 * The data that everything else speaks in: plain readonly objects, told apart by `kind` and `format`.
 *
 * Absent means that the document did not say: no default is ever filled in. Where a value was read
 * out of text (a date, a repaired URL) the text as written survives beside it.
 */
import type { IssueCode, Severity } from "./issues.ts";

/** Something that was wrong with a document or a server, and that was repaired, dropped or passed over. */
export interface Issue {
  readonly code: IssueCode;
  readonly severity: Severity;
  /** The document in which it was found. */
  readonly url: string;
  /** Line in the decoded document, from 1; absent where the format has no useful line. */
  readonly line?: number;
  /** The offending text, cut to 200 characters; control characters are written out, passwords masked. */
  readonly value?: string;
}

/** How much of a date the document gave. */
export type DatePrecision = "year" | "month" | "day" | "time";

/**
 * A date as a document wrote it. `value` is absent when the text names no instant ("0000-00-00", "today");
 * a bare year keeps precision "year" and never turns into a false instant.
 */
export interface DateValue {
  /** As written, trimmed. */
  readonly text: string;
  /** The instant; the first instant of the year, month or day for the coarser precisions. */
  readonly value?: Date;
  readonly precision?: DatePrecision;
  /** The text gave a time of day but no zone, and UTC was assumed. */
  readonly zoneAssumed?: true;
}

export type ChangeFrequency = "always" | "hourly" | "daily" | "weekly" | "monthly" | "yearly" | "never";

/** One page that a sitemap or feed declares. */
export interface Page {
  /** Absolute, normalised as WHATWG URL does, without fragment and credentials. */
  readonly url: string;
  /** The URL as written, present only when normalisation changed it. */
  readonly urlText?: string;
  readonly lastModified?: DateValue;
  readonly changeFrequency?: ChangeFrequency;
  /** Between 0 and 1. */
  readonly priority?: number;
  /** Title of a feed entry. */
  readonly title?: string;
  /** Publication date of a feed entry. */
  readonly published?: DateValue;
  /** The feed's own link where `url` is the original one behind a feed proxy (feedburner:origLink). */
  readonly feedUrl?: string;
  readonly news?: NewsArticle;
  readonly images?: readonly PageImage[];
  readonly videos?: readonly PageVideo[];
  readonly alternates?: readonly Alternate[];
  /** Media RSS content and feed enclosures, kept apart from the page's own fields. */
  readonly media?: readonly PageMedia[];
  /** `<mobile:mobile/>` was there. */
  readonly mobile?: true;
  /** The DataObjects of Google's PageMap. */
  readonly pageMap?: readonly PageMapObject[];
}

/** Google News sitemap extension. */
export interface NewsArticle {
  readonly title?: string;
  /** The title without markup, present only when the title holds any. */
  readonly titleText?: string;
  readonly published?: DateValue;
  readonly publicationName?: string;
  readonly language?: string;
  readonly access?: string;
  readonly genres: readonly string[];
  readonly keywords: readonly string[];
  readonly stockTickers: readonly string[];
}

/** Google image sitemap extension; everything but `url` is deprecated there and kept here. */
export interface PageImage {
  readonly url: string;
  readonly title?: string;
  readonly caption?: string;
  readonly geoLocation?: string;
  readonly license?: string;
}

/** Google video sitemap extension. */
export interface PageVideo {
  readonly thumbnailUrl?: string;
  readonly title?: string;
  readonly description?: string;
  readonly contentUrl?: string;
  readonly playerUrl?: string;
  readonly durationSeconds?: number;
  readonly published?: DateValue;
  readonly expires?: DateValue;
  readonly rating?: number;
  readonly viewCount?: number;
  readonly familyFriendly?: boolean;
  readonly live?: boolean;
  readonly requiresSubscription?: boolean;
  readonly category?: string;
  readonly galleryUrl?: string;
  readonly uploader?: { readonly name: string; readonly url?: string };
  readonly restriction?: CountryRule;
  readonly platform?: CountryRule;
  readonly prices?: readonly VideoPrice[];
  readonly tags: readonly string[];
}

/** `<video:restriction>` (countries) and `<video:platform>` (web, mobile, tv). */
export interface CountryRule {
  readonly relationship: "allow" | "deny";
  readonly values: readonly string[];
}

export interface VideoPrice {
  readonly amount: number;
  readonly currency?: string;
  readonly type?: string;
  readonly resolution?: string;
}

/** `<xhtml:link rel="alternate">`: another language or another medium of the same page. */
export interface Alternate {
  readonly url: string;
  /** BCP 47 in its usual spelling (`en-US`), or `x-default`. */
  readonly language?: string;
  /** The hreflang as written, present only when it was respelled. */
  readonly languageText?: string;
  readonly media?: string;
}

export interface PageMedia {
  readonly url: string;
  readonly type?: string;
  readonly medium?: string;
  readonly title?: string;
}

export interface PageMapObject {
  readonly type?: string;
  readonly id?: string;
  readonly attributes: readonly { readonly name?: string; readonly value: string }[];
}

/** A sitemap that an index or robots.txt names. */
export interface SubSitemap {
  readonly url: string;
  readonly urlText?: string;
  readonly lastModified?: DateValue;
}

/** What a parse gives, one by one, in the order of the document. */
export type Entry =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "sitemap"; readonly sitemap: SubSitemap }
  | { readonly kind: "issue"; readonly issue: Issue };

/** Pages of one sitemap. An array satisfies it; large lists are held more compactly. */
export interface PageList extends Iterable<Page> {
  readonly length: number;
}

export type IndexFormat = "website" | "robots" | "xml";
export type PagesFormat = "xml" | "text" | "rss" | "atom" | "json";

/** What is on every node of the tree. Lists are empty where they do not apply. */
interface SitemapNode {
  /** Where the document came from, after redirects; empty when a parse was not told. */
  readonly url: string;
  /** The URL first asked for, when a redirect led elsewhere. */
  readonly requestedUrl?: string;
  /** As the parent index declares it. */
  readonly lastModified?: DateValue;
  readonly http?: HttpFacts;
  /** A limit or a cut ended the document early; what came before is here. */
  readonly partial?: true;
  /** SHA-256 of the bytes, decompressed, in hexadecimal digits; of a fetched document that was read to its end. */
  readonly contentHash?: string;
  /** The URL of an earlier sitemap of the tree that holds the same, byte for byte. */
  readonly duplicateOf?: string;
  readonly subSitemaps: readonly Sitemap[];
  readonly pages: PageList;
  /** At most 100 are kept. */
  readonly issues: readonly Issue[];
  /** How many issues there were in all. */
  readonly issueCount: number;
  /** How many entries repeated an earlier URL of the same document and were left out. */
  readonly duplicateCount: number;
}

export interface HttpFacts {
  readonly status: number;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly bytes: number;
  /** All requests for it, redirects and further tries among them, the last one to the end of its body. */
  readonly ms: number;
  /** Before and between them: for a turn at the host, and for as long as it asked to be left alone. */
  readonly waitMs?: number;
}

export interface IndexSitemap extends SitemapNode {
  readonly kind: "index";
  readonly format: IndexFormat;
}

export interface PagesSitemap extends SitemapNode {
  readonly kind: "pages";
  readonly format: PagesFormat;
}

/** A URL that gave no sitemap; `code` says which way, `reason` says it in words. */
export interface InvalidSitemap extends SitemapNode {
  readonly kind: "invalid";
  readonly code: IssueCode;
  readonly reason: string;
}

export type Sitemap = IndexSitemap | PagesSitemap | InvalidSitemap;

export type IndexWebsiteSitemap = IndexSitemap & { readonly format: "website" };
export type IndexRobotsTxtSitemap = IndexSitemap & { readonly format: "robots" };
export type IndexXmlSitemap = IndexSitemap & { readonly format: "xml" };
export type PagesXmlSitemap = PagesSitemap & { readonly format: "xml" };
export type PagesTextSitemap = PagesSitemap & { readonly format: "text" };
export type PagesRssSitemap = PagesSitemap & { readonly format: "rss" };
export type PagesAtomSitemap = PagesSitemap & { readonly format: "atom" };
