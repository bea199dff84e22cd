/**
 * Reads the extensions inside a `<url>`: news, image, video and mobile sitemaps, PageMap, and `xhtml:link` alternates
 * (https://developers.google.com/search/docs/crawling-indexing/sitemaps/).
 *
 * A block is an element such as `image:image`. It contains fields such as `image:loc`, which are collected until the
 * block ends, even without an end tag.
 */
import { FAST } from "#shortcuts";
import type { Report } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { Alternate, NewsArticle, Page, PageImage, PageMapObject, PageVideo } from "../../model/model.ts";
import {
  type FieldReading,
  normalizeLanguage,
  parseCount,
  parseDecimal,
  parseDuration,
  parseYesNo,
  splitList,
  splitWords,
  stripMarkup,
} from "../values/fields.ts";
import { itemLength, MAX_PAGE_LENGTH } from "../values/item-length.ts";
import type { UrlReader } from "../values/url.ts";
import type { ElementName } from "../xml/element-names.ts";
import { TextValue } from "../xml/element-text.ts";
import type { XmlScanner } from "../xml/scanner.ts";
import { cutText, readDateText, readText } from "./xml-text-fields.ts";

type Draft<T> = { -readonly [K in keyof T]: T[K] };

type Family = "news" | "image" | "video" | "pagemap" | "xhtml" | "mobile";

/**
 * The fields of each block, by kind. A `list` field contains several items, an `item` field is one of several, and an
 * `expiry` field is a date that may be in the future. The property of the result has the name of the field in camel
 * case (`geo_location`: geoLocation, `player_loc`: playerUrl), or the name after the equals sign.
 */
const FIELDS = [
  ["news", "text", "title name=publicationName language access"],
  ["news", "date", "publication_date=published"],
  ["news", "list", "genres keywords stock_tickers"],
  ["image", "url", "loc license"],
  ["image", "text", "title caption geo_location"],
  ["video", "url", "thumbnail_loc content_loc player_loc gallery_loc"],
  ["video", "text", "title description category"],
  ["video", "date", "publication_date=published"],
  ["video", "expiry", "expiration_date=expires"],
  ["video", "duration", "duration=durationSeconds"],
  ["video", "decimal", "rating"],
  ["video", "count", "view_count"],
  ["video", "flag", "family_friendly live requires_subscription"],
  ["video", "rule", "restriction platform"],
  ["video", "uploader", "uploader"],
  ["video", "price", "price=prices"],
  ["video", "item", "tag=tags"],
  ["pagemap", "attribute", "attribute=attributes"],
] as const;

type FieldKind = (typeof FIELDS)[number][1];

/** The role of an element in an extension: a block, a field of a block, or another element (`xhtml:link`). */
export interface ExtensionRole {
  readonly family: Family;
  /** The kind of a field. A `container` only surrounds other fields. Absent if the element is not a field. */
  readonly kind?: FieldKind | "container";
  readonly property?: string;
  /** The issue to report if this element is outside any entry. */
  readonly outside?: IssueCode;
}

const ROLES: ReadonlyMap<string, ExtensionRole> = new Map<string, ExtensionRole>([
  ["news:news", { family: "news", outside: "news.outside-url" }],
  ["image:image", { family: "image", outside: "image.outside-url" }],
  ["video:video", { family: "video", outside: "video.outside-url" }],
  ["pagemap:dataobject", { family: "pagemap" }],
  ["xhtml:link", { family: "xhtml", outside: "hreflang.outside-url" }],
  ["mobile:mobile", { family: "mobile" }],
  ["pagemap:pagemap", { family: "pagemap", kind: "container" }],
  ["news:publication", { family: "news", kind: "container" }],
  ...FIELDS.flatMap(([family, kind, names]) =>
    names.split(" ").map((field: string): [string, ExtensionRole] => {
      const [name, property = name] = field.split("=") as [string, string?];
      return [`${family}:${name}`, { family, kind, property: camelCase(property) }];
    }),
  ),
]);

function camelCase(name: string): string {
  return name.replace(/loc$/, "url").replace(/_./g, (start) => start.charAt(1).toUpperCase());
}

/**
 * The role of an element. Undefined if it does not belong to an extension. The result is stored in the element name.
 */
export function extensionRole(element: ElementName): ExtensionRole | undefined {
  element.note ??= ROLES.get(element.key) ?? false;
  return (element.note as ExtensionRole | false) || undefined;
}

const WITH_ATTRIBUTES: ReadonlySet<string | undefined> = new Set(["rule", "uploader", "price", "attribute"]);
const REPEATED: ReadonlySet<string | undefined> = new Set(["item", "price", "attribute"]);

/** Maximum number of items in a list, such as the tags of a video. Stops a video with a million tags. */
const MAX_ITEMS = 1000;

function add<T>(item: T, list: readonly T[] = []): readonly T[] {
  (list as T[]).push(item);
  return list;
}

export class ExtensionReader {
  readonly #scanner: XmlScanner;
  readonly #report: Report;
  readonly #urls: UrlReader;
  readonly #href: TextValue = new TextValue();
  /** Whether the page has any extension. */
  present = false;
  /** Number of characters in the extensions of the page. Only used in Node. */
  declare length: number | undefined;
  /** Whether the extensions of the page are too long, so that it gets no more items. Only used in Node. */
  declare isFull: boolean | undefined;

  #page: Draft<Partial<Page>> = {};
  #block: ExtensionRole | undefined;
  /** The fields of the current block. Keys are the property names of `FIELDS`. */
  #draft: Record<string, unknown> = {};
  #field: ExtensionRole | undefined;
  #attributes: ReadonlyMap<string, string> = new Map();

  constructor(scanner: XmlScanner, report: Report, urls: UrlReader) {
    this.#scanner = scanner;
    this.#report = report;
    this.#urls = urls;
  }

  open(role: ExtensionRole, insideUrl: boolean): void {
    this.endField();
    if (role.kind !== undefined) this.#openField(role);
    else if (insideUrl) this.#openBlock(role);
    else if (role.outside !== undefined) this.#tell(role.outside);
  }

  close(role: ExtensionRole): void {
    if (this.#field === role) this.endField();
    else if (this.#block === role) this.#endBlock();
  }

  fields(): Partial<Page> {
    this.#endBlock();
    return this.#page;
  }

  reset(): void {
    if (!this.present) return;
    this.present = false;
    this.#block = undefined;
    this.#field = undefined;
    this.#page = {};
    if (FAST) {
      this.length = 0;
      this.isFull = false;
    }
  }

  /** Reports an issue. Returns undefined, so that `return this.#tell(code)` drops a value. */
  #tell(code: IssueCode, value?: string): undefined {
    this.#report(code, value, this.#scanner.line);
  }

  // ---------------------------------------------------------------- blocks

  #openBlock(role: ExtensionRole): void {
    const { family } = role;
    if (family === "xhtml") return this.#link();
    this.present = true;
    if (family === "mobile") {
      this.#page.mobile = true;
      return;
    }
    this.#endBlock();
    this.#block = role;
    this.#draft = this.#emptyBlock(family);
    if (FAST) this.length = (this.length ?? 0) + itemLength(this.#draft);
  }

  #emptyBlock(family: Family): Record<string, unknown> {
    if (family === "news") return { genres: [], keywords: [], stockTickers: [] };
    if (family === "video") return { tags: [] };
    if (family !== "pagemap") return {};
    return { ...this.#pick(this.#scanner.attributes, "type", "id"), attributes: [] };
  }

  #endBlock(): void {
    this.endField();
    const page = this.#page;
    const { limits } = this.#scanner;
    const draft: unknown = this.#draft;
    switch (this.#block?.family) {
      case "news":
        this.#endNews(draft as Draft<NewsArticle>);
        break;
      case "image":
        if (this.#draft["url"] === undefined) this.#tell("image.missing-loc");
        else if (this.#hasRoom(page.images, limits.imagesPerUrl))
          page.images = add(draft as PageImage, page.images);
        break;
      case "video":
        if (this.#hasRoom(page.videos, limits.videosPerUrl))
          page.videos = add(draft as PageVideo, page.videos);
        break;
      case "pagemap":
        if (this.#hasRoom(page.pageMap, MAX_ITEMS)) page.pageMap = add(draft as PageMapObject, page.pageMap);
    }
    this.#block = undefined;
    if (FAST) this.isFull = (this.length ?? 0) > MAX_PAGE_LENGTH;
  }

  /**
   * Whether one more item fits into a list. If the list is full, reports an issue. The limit protects against a page
   * with a million images. Google reads 1,000 images of a page.
   */
  #hasRoom(list: readonly unknown[] = [], most: number): boolean {
    if (list.length < most && !(FAST && this.isFull)) return true;
    this.#tell("entry.too-many-items");
    return false;
  }

  #endNews(news: Draft<NewsArticle>): void {
    if (news.title === undefined) this.#tell("news.missing-title");
    else {
      const plain = stripMarkup(news.title);
      if (plain !== news.title) news.titleText = plain;
    }
    if (news.published === undefined) this.#tell("news.missing-date");
    this.#page.news ??= news;
  }

  // ---------------------------------------------------------------- fields

  #openField(role: ExtensionRole): void {
    if (role.kind === "container" || this.#block?.family !== role.family) return;
    this.#field = role;
    if (WITH_ATTRIBUTES.has(role.kind)) this.#attributes = new Map(this.#scanner.attributes.entries());
    this.#scanner.startText();
  }

  endField(): void {
    const field = this.#field;
    if (field === undefined) return;
    this.#field = undefined;
    this.#scanner.stopText();
    const kind = field.kind as FieldKind;
    const value = this.#read(kind);
    if (value === undefined) return;
    if (FAST) this.length = (this.length ?? 0) + itemLength(value);
    const draft = this.#draft;
    const property = field.property!;
    if (kind === "list") draft[property] = value;
    else if (REPEATED.has(kind)) {
      const list = draft[property] as unknown[] | undefined;
      if (FAST && this.length! > MAX_PAGE_LENGTH) this.#tell("entry.too-many-items");
      else if (this.#hasRoom(list, MAX_ITEMS)) draft[property] = add(value, list);
    } else draft[property] ??= value;
  }

  #read(kind: FieldKind): unknown {
    const { text, line } = this.#scanner;
    if (kind === "url") {
      text.trim();
      if (FAST && text.tainted) this.#tell("url.invalid", text.toString());
      return text.tainted ? undefined : this.#urls.resolveAsset(text, line);
    }
    if (kind === "date" || kind === "expiry") {
      return readDateText(this.#scanner, this.#report, kind === "expiry");
    }
    const written = readText(this.#scanner, this.#report);
    if (kind === "attribute") {
      const { value = "", ...given } = this.#pick(this.#attributes, "name", "value");
      return { ...given, value: written ?? value };
    }
    return kind === "text" ? written : written && this.#readText(kind, written);
  }

  #readText(kind: FieldKind, text: string): unknown {
    switch (kind) {
      case "list":
        return splitList(text);
      case "duration":
        return this.#checked(text, parseDuration(text));
      case "decimal":
        return this.#checked(text, parseDecimal(text));
      case "count":
        return this.#checked(text, parseCount(text));
      case "flag":
        return parseYesNo(text) ?? this.#tell("video.unknown", text);
      case "rule": {
        const relationship = this.#attributes.get("relationship")?.trim().toLowerCase();
        return relationship === "allow" || relationship === "deny"
          ? { relationship, values: splitWords(text) }
          : this.#tell("video.unknown", relationship);
      }
      case "uploader": {
        const info = this.#attributes.get("info");
        const url = info && this.#urls.resolve(info, "asset", this.#scanner.line);
        return url ? { name: text, url } : { name: text };
      }
      case "price": {
        const amount = this.#checked(text, parseDecimal(text));
        if (amount === undefined) return undefined;
        return { amount, ...this.#pick(this.#attributes, "currency", "type", "resolution") };
      }
      default:
        return text;
    }
  }

  #checked(text: string, { value, code }: FieldReading<number>): number | undefined {
    if (code !== undefined) this.#tell(code, text);
    return value;
  }

  #pick<Name extends string>(
    attributes: { get(name: string): string | undefined },
    ...names: readonly Name[]
  ): Partial<Record<Name, string>> {
    const given: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const value = this.#cut(attributes.get(name));
      if (value !== undefined) given[name] = value;
    }
    return given;
  }

  #cut(text: string | undefined): string | undefined {
    const { limits, line } = this.#scanner;
    return text && cutText(text, limits.textLength, this.#report, line);
  }

  // ---------------------------------------------------------------- links

  /** Reads a link to another language: `<xhtml:link rel="alternate" hreflang="de" href="…"/>`. */
  #link(): void {
    const { attributes, line } = this.#scanner;
    const rel = attributes.get("rel");
    if (rel !== undefined && rel !== "alternate" && !/\balternate\b/i.test(rel)) return;
    const href = this.#href;
    if (!attributes.load("href", href)) return this.#tell("hreflang.missing-href");
    const url = this.#urls.resolveAsset(href, line);
    if (url === undefined) return;
    const alternate: Draft<Alternate> = { url };
    const hreflang = this.#cut(attributes.get("hreflang"));
    const media = this.#cut(attributes.get("media"));
    if (hreflang !== undefined && hreflang.trim() !== "") {
      const { language, changed, code } = normalizeLanguage(hreflang);
      alternate.language = language;
      if (changed) alternate.languageText = hreflang;
      if (code !== undefined) this.#tell(code, hreflang);
    }
    if (media !== undefined) alternate.media = media;
    if (!this.#hasRoom(this.#page.alternates, this.#scanner.limits.alternatesPerUrl)) return;
    this.#page.alternates = add(alternate, this.#page.alternates);
    if (FAST) {
      this.length = (this.length ?? 0) + itemLength(alternate);
      this.isFull = this.length > MAX_PAGE_LENGTH;
    }
    this.present = true;
  }
}
