/**
 * A page as one flat row: the same names and values in every format of output.
 *
 * A date is an instant together with how much of it the document gave. Formats of text write no more than
 * that (`2024-05` is a month); formats with a type for dates have the precision in a column of its own.
 * What was written differently survives in the columns that end in `_text`.
 */
import { spellDate } from "../date-text.ts";
import type { DatePrecision, DateValue, Page } from "../model.ts";

/** What a column holds. `json` is nested data: written out in NDJSON and JSON, as a text of JSON elsewhere. */
export type FieldType = "string" | "number" | "boolean" | "date" | "json";

export interface Field {
  readonly type: FieldType;
  /** For help texts. */
  readonly text: string;
  /** Only formats that have a type for dates hold it unless it is asked for: elsewhere the date shows it. */
  readonly typedOnly?: true;
}

/** In the order in which they are written. */
export const FIELDS: Readonly<Record<FieldName, Field>> = {
  url: { type: "string", text: "URL of the page" },
  lastmod: { type: "date", text: "when it was last modified, as precise as the site says" },
  lastmod_precision: { type: "string", text: "year, month, day or time", typedOnly: true },
  lastmod_text: { type: "string", text: "lastmod as written, where that differs" },
  changefreq: { type: "string", text: "always, hourly, daily, weekly, monthly, yearly or never" },
  priority: { type: "number", text: "0 to 1" },
  sitemap: { type: "string", text: "URL of the sitemap that lists it" },
  kind: { type: "string", text: "news, video, image, feed or page" },
  lang: { type: "string", text: "language, from news or hreflang" },
  title: { type: "string", text: "title of the news article or feed entry" },
  published: { type: "date", text: "when the article or feed entry was published" },
  published_precision: { type: "string", text: "year, month, day or time", typedOnly: true },
  published_text: { type: "string", text: "published as written, where that differs" },
  url_text: { type: "string", text: "URL as written, where that differs" },
  feed_url: { type: "string", text: "the feed's own link, where url is the one behind it" },
  mobile: { type: "boolean", text: "marked as a page for mobile phones" },
  news: { type: "json", text: "the news article" },
  images: { type: "json", text: "its images" },
  videos: { type: "json", text: "its videos" },
  alternates: { type: "json", text: "the same page in other languages" },
  media: { type: "json", text: "media of a feed entry" },
  page_map: { type: "json", text: "PageMap objects" },
};

export type FieldName = keyof PageRecord;

export const FIELD_NAMES: readonly FieldName[] = Object.keys(FIELDS) as FieldName[];

/** Every key is there, so that all records have one shape; `undefined` where the site did not say. */
export interface PageRecord {
  readonly url: string;
  readonly lastmod: Date | undefined;
  readonly lastmod_precision: DatePrecision | undefined;
  readonly lastmod_text: string | undefined;
  readonly changefreq: Page["changeFrequency"] | undefined;
  readonly priority: number | undefined;
  readonly sitemap: string;
  readonly kind: PageKind;
  readonly lang: string | undefined;
  readonly title: string | undefined;
  readonly published: Date | undefined;
  readonly published_precision: DatePrecision | undefined;
  readonly published_text: string | undefined;
  readonly url_text: string | undefined;
  readonly feed_url: string | undefined;
  readonly mobile: true | undefined;
  readonly news: Page["news"] | undefined;
  readonly images: Page["images"] | undefined;
  readonly videos: Page["videos"] | undefined;
  readonly alternates: Page["alternates"] | undefined;
  readonly media: Page["media"] | undefined;
  readonly page_map: Page["pageMap"] | undefined;
}

export type PageKind = "news" | "video" | "image" | "feed" | "page";

/** A page that one sitemap lists, as a row. What nobody reads is not made: of a million dates, `urls` needs none. */
export function toRecord(page: Page, sitemap: string): PageRecord {
  return new Row(page, sitemap);
}

class Row implements PageRecord {
  readonly #page: Page;
  readonly sitemap: string;

  constructor(page: Page, sitemap: string) {
    this.#page = page;
    this.sitemap = sitemap;
  }

  get url(): string {
    return this.#page.url;
  }
  get lastmod(): Date | undefined {
    return this.#page.lastModified?.value;
  }
  get lastmod_precision(): DatePrecision | undefined {
    return this.#page.lastModified?.precision;
  }
  get lastmod_text(): string | undefined {
    return textIfDifferent(this.#page.lastModified);
  }
  get changefreq(): Page["changeFrequency"] {
    return this.#page.changeFrequency;
  }
  get priority(): number | undefined {
    return this.#page.priority;
  }
  get kind(): PageKind {
    return kindOf(this.#page);
  }
  get lang(): string | undefined {
    return languageOf(this.#page);
  }
  get title(): string | undefined {
    const { title, news } = this.#page;
    return title ?? news?.titleText ?? news?.title;
  }
  get published(): Date | undefined {
    return this.#published?.value;
  }
  get published_precision(): DatePrecision | undefined {
    return this.#published?.precision;
  }
  get published_text(): string | undefined {
    return textIfDifferent(this.#published);
  }
  get url_text(): string | undefined {
    return this.#page.urlText;
  }
  get feed_url(): string | undefined {
    return this.#page.feedUrl;
  }
  get mobile(): true | undefined {
    return this.#page.mobile;
  }
  get news(): Page["news"] {
    return this.#page.news;
  }
  get images(): Page["images"] {
    return this.#page.images;
  }
  get videos(): Page["videos"] {
    return this.#page.videos;
  }
  get alternates(): Page["alternates"] {
    return this.#page.alternates;
  }
  get media(): Page["media"] {
    return this.#page.media;
  }
  get page_map(): Page["pageMap"] {
    return this.#page.pageMap;
  }

  get #published(): DateValue | undefined {
    return this.#page.published ?? this.#page.news?.published;
  }
}

/** The most particular thing that a page is: a news article with images is news. */
export function kindOf(page: Page): PageKind {
  if (page.news !== undefined) return "news";
  if (page.videos !== undefined) return "video";
  if (page.images !== undefined) return "image";
  if (isFeedEntry(page)) return "feed";
  return "page";
}

/** Sitemaps give neither title nor date of publication outside of news; feeds nearly always give one. */
function isFeedEntry({ title, published, feedUrl, media }: Page): boolean {
  return title !== undefined || published !== undefined || feedUrl !== undefined || media !== undefined;
}

/** Of the news article, or of the alternate that is the page itself. */
export function languageOf({ url, news, alternates }: Page): string | undefined {
  if (news?.language !== undefined) return news.language;
  return alternates?.find(
    ({ url: other, language }) => other === url && language !== undefined && language !== "x-default",
  )?.language;
}

/** Usual sitemaps write just what we would write: no more is made of it than this. */
function textIfDifferent(date: DateValue | undefined): string | undefined {
  return date === undefined || date.text === spellDate(date) ? undefined : date.text;
}
