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
import type { ElementName } from "./names.ts";
import type { XmlScanner } from "./scanner.ts";
import { readDateText, readText } from "./text-fields.ts";
import { TextValue } from "./text-value.ts";
import type { UrlReader } from "./url.ts";

type Draft<T> = { -readonly [K in keyof T]: T[K] };

type Family = "news" | "image" | "video" | "pagemap" | "xhtml" | "mobile";

/** What an element of an extension is: a block with fields, a field, or something of its own. */
export interface ExtensionRole {
  readonly kind: "block" | "field" | "other";
  readonly family: Family;
  readonly name: string;
}

const BLOCKS = { news: "news", image: "image", video: "video", pagemap: "dataobject" } as const;
const FIELDS = {
  news: "title publication_date name language access genres keywords stock_tickers",
  image: "loc title caption geo_location license",
  video:
    "thumbnail_loc title description content_loc player_loc duration publication_date expiration_date rating " +
    "view_count family_friendly live requires_subscription category gallery_loc uploader restriction platform " +
    "price tag",
  pagemap: "attribute",
} as const;
const OTHERS = { xhtml: "link", mobile: "mobile", pagemap: "pagemap", news: "publication" } as const;

/** The fields whose attributes are read too. */
const WITH_ATTRIBUTES: ReadonlySet<string> = new Set([
  "uploader",
  "restriction",
  "platform",
  "price",
  "attribute",
]);

const ROLES: ReadonlyMap<string, ExtensionRole> = new Map(
  [...rolesOf("block", BLOCKS), ...rolesOf("field", FIELDS), ...rolesOf("other", OTHERS)].map((role) => [
    `${role.family}:${role.name}`,
    role,
  ]),
);

function rolesOf(kind: ExtensionRole["kind"], names: Partial<Record<Family, string>>): ExtensionRole[] {
  return (Object.entries(names) as [Family, string][]).flatMap(([family, list]) =>
    list.split(" ").map((name) => ({ kind, family, name })),
  );
}

/** What the element is, if it belongs to an extension. Looked up once for each name of a document. */
export function extensionRole(element: ElementName): ExtensionRole | undefined {
  element.note ??= ROLES.get(element.key) ?? false;
  return (element.note as ExtensionRole | false) || undefined;
}

const OUTSIDE: Readonly<Record<string, IssueCode>> = {
  "news:news": "news.outside-url",
  "image:image": "image.outside-url",
  "video:video": "video.outside-url",
  "xhtml:link": "hreflang.outside-url",
};

/** Stops a page with a million images, links or tags; Google reads 1,000 images. */
const MAX_ITEMS = 1000;

/** The fields of a video that come once. */
type SingleField = Exclude<keyof PageVideo, "tags" | "prices">;

interface VideoDraft extends Draft<Omit<PageVideo, "tags" | "prices">> {
  tags: string[];
  prices?: VideoPrice[];
}

interface PageMapDraft extends Draft<Omit<PageMapObject, "attributes">> {
  attributes: { name?: string; value: string }[];
}

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

  #block: ExtensionRole | undefined;
  #field: ExtensionRole | undefined;
  #attributes: ReadonlyMap<string, string> = new Map();

  #news: NewsDraft | undefined;
  #image: Draft<PageImage> | undefined;
  #video: VideoDraft | undefined;
  #object: PageMapDraft | undefined;
  #page: Draft<Partial<Page>> = {};
  #images: PageImage[] = [];
  #videos: PageVideo[] = [];
  #alternates: Alternate[] = [];
  #objects: PageMapObject[] = [];

  readonly #href: TextValue;

  constructor(scanner: XmlScanner, report: Report, urls: UrlReader) {
    this.#href = new TextValue(scanner.window);
    this.#scanner = scanner;
    this.#report = report;
    this.#urls = urls;
  }

  /** A field's text is being collected. */
  get capturing(): boolean {
    return this.#field !== undefined;
  }

  open(role: ExtensionRole, insideUrl: boolean): void {
    this.endField();
    if (role.kind === "field") return this.#openField(role);
    if (!insideUrl) return this.#outside(role);
    if (role.kind === "block") this.#openBlock(role);
    else if (role.family === "xhtml") this.#link();
    else if (role.family === "mobile") this.#add({ mobile: true });
  }

  close(role: ExtensionRole): void {
    if (this.#field === role) this.endField();
    else if (this.#block === role) this.#endBlock();
  }

  #outside({ family, name }: ExtensionRole): void {
    const code = OUTSIDE[`${family}:${name}`];
    if (code !== undefined) this.#report(code, undefined, this.#scanner.line);
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

  #openBlock(role: ExtensionRole): void {
    this.#endBlock();
    this.#block = role;
    this.present = true;
    switch (role.family) {
      case "news":
        this.#news = { genres: [], keywords: [], stockTickers: [] };
        return;
      case "image":
        this.#image = { url: "" };
        return;
      case "video":
        this.#video = { tags: [] };
        return;
      case "pagemap":
        this.#object = this.#openObject();
    }
  }

  #openObject(): PageMapDraft {
    const { attributes } = this.#scanner;
    const type = attributes.get("type");
    const id = attributes.get("id");
    return { ...(type !== undefined && { type }), ...(id !== undefined && { id }), attributes: [] };
  }

  #endBlock(): void {
    const block = this.#block;
    if (block === undefined) return;
    this.endField();
    this.#block = undefined;
    switch (block.family) {
      case "news":
        return this.#endNews(this.#news!);
      case "image":
        return this.#endImage(this.#image!);
      case "video":
        if (this.#videos.length < MAX_ITEMS) this.#videos.push(this.#video!);
        return;
      case "pagemap":
        if (this.#objects.length < MAX_ITEMS) this.#objects.push(this.#object!);
    }
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

  #openField(role: ExtensionRole): void {
    if (this.#block?.family !== role.family) return;
    this.#field = role;
    if (WITH_ATTRIBUTES.has(role.name)) this.#attributes = new Map(this.#scanner.attributes.entries());
    this.#scanner.startText();
  }

  endField(): void {
    const field = this.#field;
    if (field === undefined) return;
    this.#field = undefined;
    this.#scanner.stopText();
    switch (field.family) {
      case "news":
        return this.#newsField(field.name);
      case "image":
        return this.#imageField(field.name);
      case "video":
        return this.#videoField(field.name);
      case "pagemap":
        return this.#pageMapField();
    }
  }

  #text(): string | undefined {
    return readText(this.#scanner, this.#report);
  }

  #url(): string | undefined {
    const { text, line } = this.#scanner;
    text.trim();
    return text.tainted ? undefined : this.#urls.resolveAsset(text, line);
  }

  #date(announced = false): DateValue | undefined {
    return readDateText(this.#scanner, this.#report, announced);
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
    if (attributes.length < MAX_ITEMS) attributes.push({ ...(name !== undefined && { name }), value });
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
        return this.#set(video, "expires", this.#date(true));
    }
    const text = this.#text();
    if (text !== undefined) this.#videoText(video, name, text);
  }

  #videoText(video: VideoDraft, name: string, text: string): void {
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
        if (video.tags.length < MAX_ITEMS) video.tags.push(text);
        return;
    }
  }

  /** The first value counts. */
  #set<K extends SingleField>(
    video: Draft<Pick<PageVideo, SingleField>>,
    name: K,
    value: PageVideo[K] | undefined,
  ): void {
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

  #price(video: VideoDraft, text: string): void {
    const amount = this.#checked(text, parseDecimal(text));
    const prices = video.prices ?? [];
    if (amount === undefined || prices.length >= MAX_ITEMS) return;
    const price: Draft<VideoPrice> = { amount };
    for (const name of ["currency", "type", "resolution"] as const) {
      const value = this.#attributes.get(name);
      if (value !== undefined) price[name] = value;
    }
    prices.push(price);
    video.prices = prices;
  }

  // ---------------------------------------------------------------- links

  /** `<xhtml:link rel="alternate" hreflang="de" href="…"/>` */
  #link(): void {
    const { attributes, line } = this.#scanner;
    const rel = attributes.get("rel");
    if (rel !== undefined && rel !== "alternate" && !/\balternate\b/i.test(rel)) return;
    const href = this.#href;
    if (!attributes.load("href", href)) {
      this.#report("hreflang.missing-href", undefined, line);
      return;
    }
    const url = this.#urls.resolveAsset(href, line);
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
