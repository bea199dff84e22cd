/**
 * Converts a page to one flat row of a table. Every output format uses the same names and values.
 *
 * Text formats write a date as precisely as the document gave it (`2024-05` is a month). Formats with a date type write
 * the precision in a separate column. If siteatlas normalized a value, the original text is in a column whose name ends
 * in `_text`.
 */
import { invalidArgument } from "../check/check-options.ts";
import { spellDate } from "../model/format-date.ts";
import type { DatePrecision, DateValue, Page } from "../model/model.ts";

/** The type of a column. `json` is nested data: an object in JSON and NDJSON files, a JSON string in other formats. */
export type FieldType = "string" | "number" | "boolean" | "date" | "json";

/** One field of a row: its type, and the function that returns its value. */
export interface Field {
  /** The type of the column. */
  readonly type: FieldType;
  /** Description of the field for help texts. */
  readonly text: string;
  /**
   * Whether only formats with a date type write this field by default. Used for the precision of a date. In other
   * formats, the date itself shows its precision.
   */
  readonly typedOnly?: true;
  /** Whether every page has a value. */
  readonly isRequired?: true;
  /** Whether the text may contain any character. All other strings are ASCII: normalized URLs and keywords. */
  readonly isFreeText?: true;
  /** Whether the field is written by default only if there are several sites. */
  readonly isForManySites?: true;
  /** Whether the field is written by default only if llms.txt is read. */
  readonly isForLlmsTxt?: true;
  /** Whether pages without extensions, which are not from a feed or a link, never have a value. */
  readonly isRare?: true;
  /** Returns the value. `sitemap`: URL of the sitemap that lists the page. `site`: URL of the site, if it is known. */
  readonly value: (page: Page, sitemap: string, site?: string) => unknown;
}

/** All fields, in the order in which they are written. */
const TABLE = {
  url: { type: "string", text: "URL of the page", isRequired: true, value: ({ url }: Page): string => url },
  lastmod: {
    type: "date",
    text: "when it was last modified, as precise as the site says",
    value: ({ lastModified }: Page): Date | undefined => lastModified?.value,
  },
  lastmod_precision: {
    type: "string",
    text: "year, month, day or time",
    typedOnly: true,
    value: ({ lastModified }: Page): DatePrecision | undefined => lastModified?.precision,
  },
  lastmod_text: {
    type: "string",
    text: "original text of lastmod, if it is different",
    isFreeText: true,
    value: ({ lastModified }: Page): string | undefined => textIfDifferent(lastModified),
  },
  changefreq: {
    type: "string",
    text: "always, hourly, daily, weekly, monthly, yearly or never",
    value: ({ changeFrequency }: Page): Page["changeFrequency"] => changeFrequency,
  },
  priority: { type: "number", text: "0 to 1", value: ({ priority }: Page): number | undefined => priority },
  sitemap: {
    type: "string",
    text: "URL of the sitemap that lists it",
    isRequired: true,
    value: (_: Page, sitemap: string): string => sitemap,
  },
  site: {
    type: "string",
    text: "the site as you gave it; by default written only if you give several sites",
    isForManySites: true,
    value: (_: Page, __: string, site?: string): string | undefined => site,
  },
  kind: {
    type: "string",
    text: "news, video, image, feed or page",
    isRequired: true,
    value: (page: Page): PageKind => kindOf(page),
  },
  lang: {
    type: "string",
    text: "language, from news or hreflang",
    isRare: true,
    isFreeText: true,
    value: (page: Page): string | undefined => languageOf(page),
  },
  title: {
    type: "string",
    text: "title of the news article or feed entry, or the text of the link",
    isRare: true,
    isFreeText: true,
    value: ({ title, news }: Page): string | undefined => title ?? news?.titleText ?? news?.title,
  },
  section: {
    type: "string",
    text: "section of llms.txt that lists it; by default written only with --llms",
    isRare: true,
    isFreeText: true,
    isForLlmsTxt: true,
    value: ({ section }: Page): string | undefined => section,
  },
  published: {
    type: "date",
    text: "when the article or feed entry was published",
    isRare: true,
    value: (page: Page): Date | undefined => publishedOf(page)?.value,
  },
  published_precision: {
    type: "string",
    text: "year, month, day or time",
    isRare: true,
    typedOnly: true,
    value: (page: Page): DatePrecision | undefined => publishedOf(page)?.precision,
  },
  published_text: {
    type: "string",
    text: "original text of published, if it is different",
    isRare: true,
    isFreeText: true,
    value: (page: Page): string | undefined => textIfDifferent(publishedOf(page)),
  },
  url_text: {
    type: "string",
    text: "original text of url, if it is different",
    isFreeText: true,
    value: ({ urlText }: Page): string | undefined => urlText,
  },
  feed_url: {
    type: "string",
    text: "link in the feed, if url is from feedburner:origLink",
    isRare: true,
    value: ({ feedUrl }: Page): string | undefined => feedUrl,
  },
  mobile: {
    type: "boolean",
    text: "marked as a page for mobile phones",
    isRare: true,
    value: ({ mobile }: Page): true | undefined => mobile,
  },
  news: {
    type: "json",
    text: "the news article",
    isRare: true,
    value: ({ news }: Page): Page["news"] => news,
  },
  images: {
    type: "json",
    text: "its images",
    isRare: true,
    value: ({ images }: Page): Page["images"] => images,
  },
  videos: {
    type: "json",
    text: "its videos",
    isRare: true,
    value: ({ videos }: Page): Page["videos"] => videos,
  },
  alternates: {
    type: "json",
    text: "the same page in other languages",
    isRare: true,
    value: ({ alternates }: Page): Page["alternates"] => alternates,
  },
  media: {
    type: "json",
    text: "media of a feed entry",
    isRare: true,
    value: ({ media }: Page): Page["media"] => media,
  },
  page_map: {
    type: "json",
    text: "PageMap objects",
    isRare: true,
    value: ({ pageMap }: Page): Page["pageMap"] => pageMap,
  },
} as const;

/** The fields of a row, by name. */
export const FIELDS: Readonly<Record<FieldName, Field>> = TABLE;

/** The name of a field, such as `lastmod`. */
export type FieldName = keyof typeof TABLE;

/** The names of all fields, in the order in which they are written. */
export const FIELD_NAMES: readonly FieldName[] = Object.keys(TABLE) as FieldName[];

/** The fields that are written by default. */
export function defaultFields({
  isTyped,
  hasManySites = false,
  hasLlmsTxt = false,
}: {
  /** Whether the format has a date type. */
  readonly isTyped: boolean;
  readonly hasManySites?: boolean;
  readonly hasLlmsTxt?: boolean;
}): readonly FieldName[] {
  return FIELD_NAMES.filter((name) => {
    const { typedOnly = false, isForManySites = false, isForLlmsTxt = false } = FIELDS[name];
    return (isTyped || !typedOnly) && (hasManySites || !isForManySites) && (hasLlmsTxt || !isForLlmsTxt);
  });
}

/** A page as a row. All keys are always present. A value is `undefined` if the site does not declare it. */
export type PageRecord = {
  readonly [Name in FieldName]: ReturnType<(typeof TABLE)[Name]["value"]>;
};

/** The kind of a page, from its most specific data. */
export type PageKind = "news" | "video" | "image" | "feed" | "page";

/** Returns a page as a row: a plain object with every field. */
export function toRecord(page: Page, sitemap: string, site?: string): PageRecord {
  if (!isPage(page)) throw invalidArgument("toRecord", "page", PAGE, page);
  if (typeof sitemap !== "string")
    throw invalidArgument("toRecord", "sitemap", "the URL of a sitemap", sitemap);
  const entries = FIELD_NAMES.map((name) => [name, FIELDS[name].value(page, sitemap, site)]);
  return Object.fromEntries(entries) as PageRecord;
}

/** Returns a row whose values are computed when they are read. If only URLs are written, no date is parsed. */
export function lazyRecord(page: Page, sitemap: string, site?: string): PageRecord {
  // The cast is needed, because the compiler does not know the properties that `Row` defines in a loop.
  return new Row(page, sitemap, site) as unknown as PageRecord;
}

/** Whether all fields with `isRare` have no value, as in nearly all records. False if it is not known. */
export function isPlainRecord(record: PageRecord): boolean {
  return record instanceof Row && Row.isPlain(record);
}

class Row {
  readonly #page: Page;
  readonly #sitemap: string;
  readonly #site: string | undefined;

  static {
    for (const name of FIELD_NAMES) {
      const { value } = FIELDS[name];
      Object.defineProperty(Row.prototype, name, {
        get(this: Row) {
          return value(this.#page, this.#sitemap, this.#site);
        },
      });
    }
  }

  constructor(page: Page, sitemap: string, site: string | undefined) {
    this.#page = page;
    this.#sitemap = sitemap;
    this.#site = site;
  }

  /** Not a property of a row: the properties of a row are its fields. */
  static isPlain(row: Row): boolean {
    const page = row.#page;
    return (
      page.images === undefined &&
      page.alternates === undefined &&
      page.news === undefined &&
      page.videos === undefined &&
      page.title === undefined &&
      page.published === undefined &&
      page.section === undefined &&
      page.mobile === undefined &&
      page.feedUrl === undefined &&
      page.media === undefined &&
      page.pageMap === undefined
    );
  }
}

const PAGE = "a page, with a url";

function isPage(value: unknown): value is Page {
  return typeof (value as Partial<Page> | null | undefined)?.url === "string";
}

function publishedOf({ published, news }: Page): DateValue | undefined {
  return published ?? news?.published;
}

/** Returns the most specific kind. For example, a news article with images is news. */
export function kindOf(page: Page): PageKind {
  if (!isPage(page)) throw invalidArgument("kindOf", "page", PAGE, page);
  if (page.news !== undefined) return "news";
  if (page.videos !== undefined) return "video";
  if (page.images !== undefined) return "image";
  if (isFeedEntry(page)) return "feed";
  return "page";
}

/** Whether the page is from a feed. Nearly all feed entries have a title or a date. Pages of sitemaps do not. The title of a link does not count. */
function isFeedEntry({ title, published, feedUrl, media, linkedFrom }: Page): boolean {
  if (linkedFrom !== undefined) return false;
  return title !== undefined || published !== undefined || feedUrl !== undefined || media !== undefined;
}

/** Returns the language of the news article, or of the alternate (hreflang) whose URL is the URL of the page. */
export function languageOf(page: Page): string | undefined {
  if (!isPage(page)) throw invalidArgument("languageOf", "page", PAGE, page);
  const { url, news, alternates } = page;
  if (news?.language !== undefined) return news.language;
  return alternates?.find(
    ({ url: other, language }) => other === url && language !== undefined && language !== "x-default",
  )?.language;
}

function textIfDifferent(date: DateValue | undefined): string | undefined {
  return date === undefined || date.text === spellDate(date) ? undefined : date.text;
}
