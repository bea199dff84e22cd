/**
 * The data model: plain readonly objects. The properties `kind` and `format` distinguish the types of sitemaps.
 *
 * A property is absent if the document does not contain it. No defaults are filled in. If a value was parsed from text
 * (a date, a repaired URL), the original text is kept beside it.
 */
import type { ChangeFrequency } from "./change-frequencies.ts";
import type { IssueCode, Severity } from "./issue-severity.ts";

/** A mistake in a document or a response. The text with the mistake was repaired, dropped or skipped. */
export interface Issue {
  /**
   * The kind of mistake, such as `xml.bare-ampersand`. docs/issues.md lists all codes; `describeIssue` explains a code.
   */
  readonly code: IssueCode;
  /** `error`: data was lost. `warning`: data was repaired, dropped or skipped. `info`: allowed or harmless. */
  readonly severity: Severity;
  /** URL of the document that has the issue. */
  readonly url: string;
  /** Line in the decoded document, starting at 1. Absent for formats in which lines have no meaning. */
  readonly line?: number;
  /** The text that caused the issue: at most 200 characters, control characters escaped, passwords masked. */
  readonly value?: string;
}

/** The smallest unit that the document gives for a date. */
export type DatePrecision = "year" | "month" | "day" | "time";

/** A date in a document. `value` is absent if the text is not a date ("0000-00-00", "today"). */
export interface DateValue {
  /** The date as written, without white space around it. */
  readonly text: string;
  /** The date as a point in time. For a year, a month or a day, this is its start. */
  readonly value?: Date;
  /** The smallest unit that the text gives, such as `day`. Absent if `value` is absent. */
  readonly precision?: DatePrecision;
  /** Set if the text has a time but no time zone. UTC was assumed. */
  readonly zoneAssumed?: true;
}

/** One page that a sitemap or feed declares. */
export interface Page {
  /** The absolute URL, normalized by the WHATWG URL Standard, without fragment and credentials. */
  readonly url: string;
  /** The URL as written in the document, without credentials. Absent if normalization did not change the URL. */
  readonly urlText?: string;
  /** When the page was last modified: `<lastmod>`, or the date of an update in a feed. */
  readonly lastModified?: DateValue;
  /** How often the page is expected to change: `<changefreq>`. */
  readonly changeFrequency?: ChangeFrequency;
  /** Importance among the pages of the site, from 0 to 1: `<priority>`. */
  readonly priority?: number;
  /** Title of a feed entry, or the text of a link on an HTML sitemap or in llms.txt. */
  readonly title?: string;
  /** Heading of the section of llms.txt that lists the page. */
  readonly section?: string;
  /** Set if the page was found as a link: on an HTML sitemap (`html`), or in llms.txt (`llms`). */
  readonly linkedFrom?: "html" | "llms";
  /** Publication date of a feed entry. */
  readonly published?: DateValue;
  /**
   * The link in the feed. Only present if the feed also names the original page (feedburner:origLink), which is `url`.
   */
  readonly feedUrl?: string;
  /** The article on the page: `<news:news>`. */
  readonly news?: NewsArticle;
  /** Images on the page: `<image:image>`. */
  readonly images?: readonly PageImage[];
  /** Videos on the page: `<video:video>`. */
  readonly videos?: readonly PageVideo[];
  /** The page in other languages or for other media: `<xhtml:link rel="alternate">`. */
  readonly alternates?: readonly Alternate[];
  /** Media RSS content and feed enclosures. */
  readonly media?: readonly PageMedia[];
  /** Set if `<mobile:mobile/>` is present. */
  readonly mobile?: true;
  /** The DataObjects of Google's PageMap. */
  readonly pageMap?: readonly PageMapObject[];
}

/** An article, from Google's sitemap extension for news. */
export interface NewsArticle {
  /** The headline as written. It may contain markup. */
  readonly title?: string;
  /** The title without markup. Absent if the title contains no markup. */
  readonly titleText?: string;
  /** When the article was published. */
  readonly published?: DateValue;
  /** Name of the newspaper or site. */
  readonly publicationName?: string;
  /** Language code of the publication, such as `en` or `zh-cn`. */
  readonly language?: string;
  /** `Subscription` or `Registration`, if the article is not free. Deprecated by Google. */
  readonly access?: string;
  /** Genres such as `Blog` or `PressRelease`. Deprecated by Google. */
  readonly genres: readonly string[];
  /** The keywords, without the commas between them. Deprecated by Google. */
  readonly keywords: readonly string[];
  /** Stock tickers such as `NASDAQ:AMAT`. Deprecated by Google. */
  readonly stockTickers: readonly string[];
}

/** An image, from Google's sitemap extension for images. Google has deprecated all fields except `url`. */
export interface PageImage {
  /** Absolute URL of the image. */
  readonly url: string;
  /** Title of the image. */
  readonly title?: string;
  /** Text below the image. */
  readonly caption?: string;
  /** Where the image was taken, such as `Limerick, Ireland`. */
  readonly geoLocation?: string;
  /** URL of the license. */
  readonly license?: string;
}

/** A video, from Google's sitemap extension for videos. */
export interface PageVideo {
  /** URL of the preview image. */
  readonly thumbnailUrl?: string;
  /** Title of the video. */
  readonly title?: string;
  /** Description of the video. */
  readonly description?: string;
  /** URL of the video file. */
  readonly contentUrl?: string;
  /** URL of a player for the video. */
  readonly playerUrl?: string;
  /** Length of the video in seconds. */
  readonly durationSeconds?: number;
  /** When the video was published. */
  readonly published?: DateValue;
  /** The date after which the video is no longer available. */
  readonly expires?: DateValue;
  /** Rating of the video. Google defines 0 to 5. A higher number is kept as written. */
  readonly rating?: number;
  /** Number of times that the video was watched. */
  readonly viewCount?: number;
  /** False if the video is for adults only. */
  readonly familyFriendly?: boolean;
  /** Whether the video is a live stream. */
  readonly live?: boolean;
  /** Whether a subscription is needed to watch the video. */
  readonly requiresSubscription?: boolean;
  /** Broad topic of the video. */
  readonly category?: string;
  /** URL of the gallery that has the video. */
  readonly galleryUrl?: string;
  /** The person or organization that uploaded the video. */
  readonly uploader?: VideoUploader;
  /** Countries in which the video is allowed or forbidden. */
  readonly restriction?: VideoRule;
  /** Devices on which the video is allowed or forbidden: `web`, `mobile`, `tv`. */
  readonly platform?: VideoRule;
  /** Prices of the video. */
  readonly prices?: readonly VideoPrice[];
  /** Keywords of the video. */
  readonly tags: readonly string[];
}

/** The content of `<video:uploader>`. */
export interface VideoUploader {
  /** Name of the uploader. */
  readonly name: string;
  /** URL of a page about the uploader. */
  readonly url?: string;
}

/** The content of `<video:restriction>` (countries) or `<video:platform>` (web, mobile, tv). */
export interface VideoRule {
  /** `allow`: the video is allowed only for these values. `deny`: it is allowed for all other values. */
  readonly relationship: "allow" | "deny";
  /** Country codes (`GB`) or platforms (`tv`). */
  readonly values: readonly string[];
}

/** The content of `<video:price>`. */
export interface VideoPrice {
  /** The price, in units of `currency`. */
  readonly amount: number;
  /** Currency code, such as `EUR`. */
  readonly currency?: string;
  /** How the video is sold for this price: `rent` or `own`. */
  readonly type?: string;
  /** Resolution of the video: `hd` or `sd`. */
  readonly resolution?: string;
}

/** The page in another language or for another medium, from `<xhtml:link rel="alternate">`. */
export interface Alternate {
  /** Absolute URL of the other page. */
  readonly url: string;
  /** The language as BCP 47 in canonical case (`en-US`), or `x-default`. */
  readonly language?: string;
  /** The original text of hreflang. Absent if its spelling was not corrected. */
  readonly languageText?: string;
  /** Media query, such as `only screen and (max-width: 640px)`. */
  readonly media?: string;
}

/** A file that a feed entry links to: Media RSS content, or an enclosure such as the audio of a podcast. */
export interface PageMedia {
  /** Absolute URL of the file. */
  readonly url: string;
  /** Media type, such as `audio/mpeg`. */
  readonly type?: string;
  /** Kind of file in Media RSS, such as `image` or `video`. */
  readonly medium?: string;
  /** Title of the file. */
  readonly title?: string;
}

/** A DataObject of Google's PageMap. */
export interface PageMapObject {
  /** Type of the object, such as `document`. */
  readonly type?: string;
  /** Id of the object. */
  readonly id?: string;
  /** The attributes of the object, in document order. */
  readonly attributes: readonly PageMapAttribute[];
}

/** An Attribute of a DataObject. */
export interface PageMapAttribute {
  /** Name of the attribute. */
  readonly name?: string;
  /** Value of the attribute. */
  readonly value: string;
}

/** A sitemap that an index or robots.txt lists. */
export interface SubSitemap {
  /** The absolute URL, normalized like the URL of a page. */
  readonly url: string;
  /** The URL as written in the document, without credentials. Absent if normalization did not change the URL. */
  readonly urlText?: string;
  /** The date that the index declares for the sitemap. */
  readonly lastModified?: DateValue;
}

/** An item that `parseEntries` yields, in document order. */
export type Entry =
  | {
      readonly kind: "page";
      /** A page that the document lists. */
      readonly page: Page;
    }
  | {
      readonly kind: "sitemap";
      /** A sitemap that the document lists. */
      readonly sitemap: SubSitemap;
    }
  | {
      readonly kind: "issue";
      /** A mistake in the document. */
      readonly issue: Issue;
    };

/**
 * The pages of one sitemap, in document order. `parseSitemap` returns an array. A node of a tree has a compact list,
 * which takes 20 to 40 bytes per page. It creates the page objects when they are read: a page that is read twice is two
 * equal objects.
 *
 * @example
 * for (const page of sitemap.pages) console.log(page.url);
 * const newest = sitemap.pages.slice(0, 10);
 */
export interface PageList extends Iterable<Page> {
  /** Number of pages. */
  readonly length: number;
  /**
   * Returns one page. A negative index counts from the end. In a tree, read pages in ascending order, or use `toArray`.
   * Any other order takes several milliseconds per page.
   */
  at(index: number): Page | undefined;
  /** Returns an array with the result of the callback for each page. */
  map<T>(callback: (page: Page, index: number) => T): T[];
  /** Returns an array of the pages for which the callback returns true. */
  filter<P extends Page>(predicate: (page: Page, index: number) => page is P): P[];
  /** Returns an array of the pages for which the callback returns true. */
  filter(predicate: (page: Page, index: number) => unknown): Page[];
  /** Returns an array of the pages from `start` to `end` (not included), like `Array.prototype.slice`. */
  slice(start?: number, end?: number): Page[];
  /** Returns an array of all pages. */
  toArray(): Page[];
}

/** The formats of an index. `website` is the root of a tree, `robots` is robots.txt. */
export type IndexFormat = "website" | "robots" | "xml";
/** The formats of a sitemap that lists pages. */
export type PagesFormat = "xml" | "text" | "rss" | "atom" | "json" | "html" | "llms";

/** The fields of every node of the tree. If a node has no pages, sub-sitemaps or issues, these lists are empty. */
interface SitemapNode {
  /** URL of the document after redirects. Empty if the document was parsed without a URL. */
  readonly url: string;
  /** The URL of the first request. Absent if the request was not redirected. */
  readonly requestedUrl?: string;
  /** The date of this sitemap in the index that lists it. */
  readonly lastModified?: DateValue;
  /** Facts about the response. Absent if there was no response. */
  readonly http?: HttpFacts;
  /** Set if the document is incomplete, because of a limit or a truncated response. The data before the end is kept. */
  readonly partial?: true;
  /** SHA-256 of the decompressed bytes, in hexadecimal. Only present if the document was fetched completely. */
  readonly contentHash?: string;
  /** URL of an earlier sitemap of the tree that has exactly the same bytes. */
  readonly duplicateOf?: string;
  /**
   * The sitemaps that this sitemap lists, in document order. Sitemaps that a filter skipped are not included.
   * `walkSitemaps` reports them with the outcome `skipped`.
   */
  readonly subSitemaps: readonly Sitemap[];
  /** The pages that this sitemap lists, in document order. */
  readonly pages: PageList;
  /** The issues of the document: by default, at most 100. See `limits.issues`. */
  readonly issues: readonly Issue[];
  /** Number of all issues, including issues that are not in `issues`. */
  readonly issueCount: number;
  /** Number of entries that were dropped because they repeat an earlier URL of the document. */
  readonly duplicateCount: number;
  /**
   * Called by `JSON.stringify`. Adds a version, and writes a sitemap that occurs in several places only once.
   * `treeFromJson` is the inverse. Nodes of a tree have this method, the result of `parseSitemap` does not.
   */
  toJSON?(): unknown;
}

/** Facts about the response that a sitemap was read from. */
export interface HttpFacts {
  /** Status code of the last response. */
  readonly status: number;
  /** The ETag header. */
  readonly etag?: string;
  /** The Last-Modified header as written. */
  readonly lastModified?: string;
  /** Number of bytes of the body, before decompression. */
  readonly bytes: number;
  /**
   * Time of all requests for the document in milliseconds, with redirects, retries and the body of the last response.
   * Differs from walk to walk, even if the site did not change.
   */
  readonly ms: number;
  /**
   * Time in milliseconds that siteatlas waited before and between these requests: for a free request slot of the host,
   * or because of Retry-After. Differs from walk to walk, like `ms`.
   */
  readonly waitMs?: number;
}

/** A sitemap that lists sitemaps. */
interface IndexNode<Format extends IndexFormat> extends SitemapNode {
  readonly kind: "index";
  /** Format of the index. */
  readonly format: Format;
}

/** A sitemap that lists pages. */
interface PagesNode<Format extends PagesFormat> extends SitemapNode {
  readonly kind: "pages";
  /** Format of the document, recognized by its content. */
  readonly format: Format;
}

/** The root of the tree of a website. It lists robots.txt and the sitemaps at known locations. */
export interface IndexWebsiteSitemap extends IndexNode<"website"> {}
/** A robots.txt. It lists the sitemaps of its `Sitemap:` lines. */
export interface IndexRobotsTxtSitemap extends IndexNode<"robots"> {}
/** An XML sitemap index: `<sitemapindex>`. */
export interface IndexXmlSitemap extends IndexNode<"xml"> {}
/** An XML sitemap: `<urlset>`. */
export interface PagesXmlSitemap extends PagesNode<"xml"> {}
/** A text file with one URL per line. */
export interface PagesTextSitemap extends PagesNode<"text"> {}
/** An RSS feed. */
export interface PagesRssSitemap extends PagesNode<"rss"> {}
/** An Atom feed. */
export interface PagesAtomSitemap extends PagesNode<"atom"> {}
/** A JSON Feed. */
export interface PagesJsonSitemap extends PagesNode<"json"> {}
/** An HTML sitemap: a page with links. Only read with the option `htmlSitemaps`. */
export interface PagesHtmlSitemap extends PagesNode<"html"> {}
/** The llms.txt of a site. Only read with the option `useLlmsTxt`. */
export interface PagesLlmsTxtSitemap extends PagesNode<"llms"> {}

/** A sitemap that lists sitemaps. `format` distinguishes the types. */
export type IndexSitemap = IndexWebsiteSitemap | IndexRobotsTxtSitemap | IndexXmlSitemap;

/** A sitemap that lists pages. `format` distinguishes the types. */
export type PagesSitemap =
  | PagesXmlSitemap
  | PagesTextSitemap
  | PagesRssSitemap
  | PagesAtomSitemap
  | PagesJsonSitemap
  | PagesHtmlSitemap
  | PagesLlmsTxtSitemap;

/** A URL at which no sitemap could be read. `code` and `reason` say why. */
export interface InvalidSitemap extends SitemapNode {
  readonly kind: "invalid";
  /** The reason as a code for programs, such as `http.status`, `content.html`, `index.cycle` or `not-fetched`. */
  readonly code: IssueCode;
  /** The reason as one sentence. */
  readonly reason: string;
  /**
   * The exact cause of the failure, as a word for programs:
   * - for `http.connection`, `http.timeout`, `http.tls` and `http.proxy`: such as `certificate-expired`,
   *   `connection-refused` or `proxy-authentication`
   * - for `http.status` with status 401: the way to log in, such as `basic-authentication`
   * - for `content.binary`: the type of the file, such as `bzip2` or `pdf`
   * - for any code: `host-failed`, if earlier requests to the host failed
   *
   * docs/process.md lists the words.
   */
  readonly cause?: string;
}

/**
 * A node of the tree. `kind` is `index`, `pages` or `invalid`. Indexes and lists of pages have a `format`.
 *
 * @example
 * if (sitemap.kind === "pages" && sitemap.format === "rss") {
 *   sitemap; // is a PagesRssSitemap
 * }
 */
export type Sitemap = IndexSitemap | PagesSitemap | InvalidSitemap;
