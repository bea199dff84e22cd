/**
 * Reads what Google and others put inside a `<url>`: news, image, video and mobile sitemaps, PageMap, and
 * `xhtml:link` alternates (https://developers.google.com/search/docs/crawling-indexing/sitemaps/).
 *
 * A block (`image:image`) collects its fields (`image:loc`) until it ends, however it ends.
 */
import type { Report } from "../issue-log.ts";
import type { IssueCode } from "../issues.ts";
import type {
  Alternate,
  CountryRule,
  DateValue,
  NewsArticle,
  Page,
  PageImage,
  PageMapObject,
  PageVideo,
  VideoPrice,
} from "../model.ts";
import { readDate } from "./date.ts";
import {
  normalizeLanguage,
  parseCount,
  parseDecimal,
  parseDuration,
  parseYesNo,
  splitList,
  splitWords,
  stripMarkup,
} from "./fields.ts";
import type { XmlScanner } from "./scanner.ts";
import { readText } from "./text-fields.ts";
import type { UrlReader } from "./url.ts";

type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Blocks that hold fields, and the issue of one that stands outside a `<url>`. */
const BLOCKS: ReadonlyMap<string, IssueCode | undefined> = new Map<string, IssueCode | undefined>([
  ["news:news", "news.outside-url"],
  ["image:image", "image.outside-url"],
  ["video:video", "video.outside-url"],
  ["pagemap:dataobject", undefined],
]);

const FIELDS: ReadonlySet<string> = new Set([
  ..."title publication_date name language access genres keywords stock_tickers"
    .split(" ")
    .map((n) => `news:${n}`),
  ..."loc title caption geo_location license".split(" ").map((n) => `image:${n}`),
  ...(
    "thumbnail_loc title description content_loc player_loc duration publication_date expiration_date rating " +
    "view_count family_friendly live requires_subscription category gallery_loc uploader restriction platform " +
    "price tag"
  )
    .split(" ")
    .map((n) => `video:${n}`),
  "pagemap:attribute",
]);

const OTHERS: ReadonlySet<string> = new Set([
  "xhtml:link",
  "mobile:mobile",
  "pagemap:pagemap",
  "news:publication",
]);

/** Stops a page with a million images, links or tags; Google reads 1,000 images. */
const MAX_ITEMS = 1000;

interface NewsDraft extends Draft<Omit<NewsArticle, "genres" | "keywords" | "stockTickers">> {
  genres: readonly string[];
  keywords: readonly string[];
  stockTickers: readonly string[];
}

export class ExtensionReader {
  readonly #scanner: XmlScanner;
  readonly #report: Report;
  readonly #urls: UrlReader;
  /** There is something to add to the page. */
  present = false;

  #block: string | undefined;
  #field: string | undefined;
  #attributes: ReadonlyMap<string, string> = new Map();

  #news: NewsDraft | undefined;
  #image: Draft<PageImage> | undefined;
  #video: Draft<PageVideo> | undefined;
  #object: Draft<PageMapObject> | undefined;
  #page: Draft<Partial<Page>> = {};
  #images: PageImage[] = [];
  #videos: PageVideo[] = [];
  #alternates: Alternate[] = [];
  #objects: PageMapObject[] = [];

  constructor(scanner: XmlScanner, report: Report, urls: UrlReader) {
    this.#scanner = scanner;
    this.#report = report;
    this.#urls = urls;
  }

  /** A field's text is being collected. */
  get capturing(): boolean {
    return this.#field !== undefined;
  }

  knows(key: string): boolean {
    return FIELDS.has(key) || BLOCKS.has(key) || OTHERS.has(key);
  }

  open(key: string, insideUrl: boolean): void {
    this.endField();
    if (FIELDS.has(key)) return this.#openField(key);
    if (!insideUrl) {
      const code = key === "xhtml:link" ? "hreflang.outside-url" : BLOCKS.get(key);
      if (code !== undefined) this.#report(code, undefined, this.#scanner.line);
      return;
    }
    if (BLOCKS.has(key)) this.#openBlock(key);
    else if (key === "xhtml:link") this.#link();
    else if (key === "mobile:mobile") this.#add({ mobile: true });
  }

  close(key: string): void {
    if (this.#field === key) this.endField();
    else if (this.#block === key) this.#endBlock();
  }

  /** What was found, as fields of the page. */
  fields(): Partial<Page> {
    this.endField();
    this.#endBlock();
    const page = this.#page;
    if (this.#images.length > 0) page.images = this.#images;
    if (this.#videos.length > 0) page.videos = this.#videos;
    if (this.#alternates.length > 0) page.alternates = this.#alternates;
    if (this.#objects.length > 0) page.pageMap = this.#objects;
    return page;
  }

  reset(): void {
    if (!this.present) return;
    this.present = false;
    this.#block = undefined;
    this.#field = undefined;
    this.#page = {};
    this.#images = [];
    this.#videos = [];
    this.#alternates = [];
    this.#objects = [];
  }

  #add(fields: Partial<Page>): void {
    this.present = true;
    Object.assign(this.#page, fields);
  }

  // ---------------------------------------------------------------- blocks

  #openBlock(key: string): void {
    this.#endBlock();
    this.#block = key;
    this.present = true;
    if (key === "news:news") this.#news = { genres: [], keywords: [], stockTickers: [] };
    else if (key === "image:image") this.#image = { url: "" };
    else if (key === "video:video") this.#video = { tags: [] };
    else {
      const object: Draft<PageMapObject> = { attributes: [] };
      const { attributes } = this.#scanner;
      const type = attributes.get("type");
      const id = attributes.get("id");
      if (type !== undefined) object.type = type;
      if (id !== undefined) object.id = id;
      this.#object = object;
    }
  }

  #endBlock(): void {
    const block = this.#block;
    if (block === undefined) return;
    this.endField();
    this.#block = undefined;
    if (block === "news:news") this.#endNews(this.#news!);
    else if (block === "image:image") this.#endImage(this.#image!);
    else if (block === "video:video") {
      if (this.#videos.length < MAX_ITEMS) this.#videos.push(this.#video!);
    } else if (this.#objects.length < MAX_ITEMS) this.#objects.push(this.#object!);
  }

  #endNews(news: NewsDraft): void {
    if (news.title === undefined) this.#report("news.missing-title", undefined, this.#scanner.line);
    if (news.published === undefined) this.#report("news.missing-date", undefined, this.#scanner.line);
    this.#page.news ??= news;
  }

  #endImage(image: PageImage): void {
    if (image.url === "") this.#report("image.missing-loc", undefined, this.#scanner.line);
    else if (this.#images.length < MAX_ITEMS) this.#images.push(image);
  }

  // ---------------------------------------------------------------- fields

  #openField(key: string): void {
    const inBlock =
      this.#block !== undefined && key.startsWith(this.#block.slice(0, this.#block.indexOf(":") + 1));
    if (!inBlock) return;
    this.#field = key;
    if (key.startsWith("video:") || key === "pagemap:attribute") {
      this.#attributes = new Map(this.#scanner.attributes.entries());
    }
    this.#scanner.startText();
  }

  endField(): void {
    const field = this.#field;
    if (field === undefined) return;
    this.#field = undefined;
    this.#scanner.stopText();
    const colon = field.indexOf(":");
    const name = field.slice(colon + 1);
    if (field.startsWith("news:")) this.#newsField(name);
    else if (field.startsWith("image:")) this.#imageField(name);
    else if (field.startsWith("video:")) this.#videoField(name);
    else this.#pageMapField();
  }

  #text(): string | undefined {
    return readText(this.#scanner, this.#report);
  }

  #url(): string | undefined {
    const { text, line } = this.#scanner;
    return text.tainted ? undefined : this.#urls.resolve(text.toString(), "asset", line);
  }

  #date(): DateValue | undefined {
    const text = this.#text();
    return text === undefined ? undefined : readDate(text, "sitemap", this.#report, this.#scanner.line);
  }

  #newsField(name: string): void {
    const news = this.#news!;
    if (name === "publication_date") {
      const date = this.#date();
      if (date !== undefined) news.published ??= date;
      return;
    }
    const text = this.#text();
    if (text === undefined) return;
    switch (name) {
      case "title": {
        news.title ??= text;
        const plain = stripMarkup(text);
        if (plain !== text) news.titleText ??= plain;
        return;
      }
      case "name":
        news.publicationName ??= text;
        return;
      case "language":
        news.language ??= text;
        return;
      case "access":
        news.access ??= text;
        return;
      case "genres":
        news.genres = splitList(text);
        return;
      case "keywords":
        news.keywords = splitList(text);
        return;
      case "stock_tickers":
        news.stockTickers = splitList(text);
        return;
    }
  }

  #imageField(name: string): void {
    const image = this.#image!;
    if (name === "loc") {
      const url = this.#url();
      if (url !== undefined && image.url === "") image.url = url;
      return;
    }
    if (name === "license") {
      const url = this.#url();
      if (url !== undefined) image.license ??= url;
      return;
    }
    const text = this.#text();
    if (text === undefined) return;
    if (name === "title") image.title ??= text;
    else if (name === "caption") image.caption ??= text;
    else image.geoLocation ??= text;
  }

  #pageMapField(): void {
    const value = this.#text() ?? this.#attributes.get("value") ?? "";
    const name = this.#attributes.get("name");
    const { attributes } = this.#object!;
    if (attributes.length < MAX_ITEMS) {
      this.#object!.attributes = [...attributes, { ...(name !== undefined && { name }), value }];
    }
  }

  // ---------------------------------------------------------------- video

  #videoField(name: string): void {
    const video = this.#video!;
    switch (name) {
      case "thumbnail_loc":
        return this.#set(video, "thumbnailUrl", this.#url());
      case "content_loc":
        return this.#set(video, "contentUrl", this.#url());
      case "player_loc":
        return this.#set(video, "playerUrl", this.#url());
      case "gallery_loc":
        return this.#set(video, "galleryUrl", this.#url());
      case "publication_date":
        return this.#set(video, "published", this.#date());
      case "expiration_date":
        return this.#set(video, "expires", this.#date());
    }
    const text = this.#text();
    if (text !== undefined) this.#videoText(video, name, text);
  }

  #videoText(video: Draft<PageVideo>, name: string, text: string): void {
    switch (name) {
      case "title":
        return this.#set(video, "title", text);
      case "description":
        return this.#set(video, "description", text);
      case "category":
        return this.#set(video, "category", text);
      case "duration":
        return this.#set(video, "durationSeconds", this.#checked(text, parseDuration(text)));
      case "rating":
        return this.#set(video, "rating", this.#checked(text, parseDecimal(text)));
      case "view_count":
        return this.#set(video, "viewCount", this.#checked(text, parseCount(text)));
      case "family_friendly":
        return this.#set(video, "familyFriendly", parseYesNo(text));
      case "live":
        return this.#set(video, "live", parseYesNo(text));
      case "requires_subscription":
        return this.#set(video, "requiresSubscription", parseYesNo(text));
      case "restriction":
        return this.#set(video, "restriction", this.#rule(text));
      case "platform":
        return this.#set(video, "platform", this.#rule(text));
      case "uploader":
        return this.#set(video, "uploader", this.#uploader(text));
      case "price":
        return this.#price(video, text);
      case "tag":
        if (video.tags.length < MAX_ITEMS) video.tags = [...video.tags, text];
        return;
    }
  }

  /** The first value counts. */
  #set<K extends keyof PageVideo>(video: Draft<PageVideo>, name: K, value: PageVideo[K] | undefined): void {
    if (value !== undefined) video[name] ??= value;
  }

  #checked(
    text: string,
    reading: { readonly value?: number; readonly code?: IssueCode },
  ): number | undefined {
    if (reading.code !== undefined) this.#report(reading.code, text, this.#scanner.line);
    return reading.value;
  }

  #rule(text: string): CountryRule {
    const deny = this.#attributes.get("relationship")?.trim().toLowerCase() === "deny";
    return { relationship: deny ? "deny" : "allow", values: splitWords(text) };
  }

  #uploader(name: string): { name: string; url?: string } {
    const info = this.#attributes.get("info");
    const url = info && this.#urls.resolve(info, "asset", this.#scanner.line);
    return url ? { name, url } : { name };
  }

  #price(video: Draft<PageVideo>, text: string): void {
    const amount = this.#checked(text, parseDecimal(text));
    const prices = video.prices ?? [];
    if (amount === undefined || prices.length >= MAX_ITEMS) return;
    const price: Draft<VideoPrice> = { amount };
    for (const name of ["currency", "type", "resolution"] as const) {
      const value = this.#attributes.get(name);
      if (value !== undefined) price[name] = value;
    }
    video.prices = [...prices, price];
  }

  // ---------------------------------------------------------------- links

  /** `<xhtml:link rel="alternate" hreflang="de" href="…"/>` */
  #link(): void {
    const { attributes, line } = this.#scanner;
    const rel = attributes.get("rel");
    if (rel !== undefined && !/\balternate\b/i.test(rel)) return;
    const href = attributes.get("href");
    if (href === undefined || href.trim() === "") {
      this.#report("hreflang.missing-href", undefined, line);
      return;
    }
    const url = this.#urls.resolve(href, "asset", line);
    if (url === undefined || this.#alternates.length >= MAX_ITEMS) return;
    const alternate: Draft<Alternate> = { url };
    const hreflang = attributes.get("hreflang");
    const media = attributes.get("media");
    if (hreflang !== undefined && hreflang.trim() !== "") {
      const { language, changed, code } = normalizeLanguage(hreflang);
      alternate.language = language;
      if (changed) alternate.languageText = hreflang;
      if (code !== undefined) this.#report(code, hreflang, line);
    }
    if (media !== undefined) alternate.media = media;
    this.#alternates.push(alternate);
    this.present = true;
  }
}
