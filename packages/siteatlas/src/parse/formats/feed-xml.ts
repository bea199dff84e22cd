/**
 * Reads RSS 0.9x to 2.0 (https://www.rssboard.org/rss-specification), RSS 1.0 (RDF), Atom 0.3 and 1.0 (RFC
 * 4287) as lists of pages: one per `<item>` or `<entry>` with a link. Media RSS and enclosures become
 * `media`. Links of the channel, of its image and of a quoted source are not pages.
 */

import { FAST } from "#shortcuts";
import { writtenText } from "../../escape/userinfo.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { DateValue, PageMedia } from "../../model/model.ts";
import { omitUndefined } from "../../model/omit-undefined.ts";
import { MAX_PAGE_LENGTH } from "../values/item-length.ts";
import { readDate } from "../values/parse-date.ts";
import { parseUrl } from "../values/parse-url.ts";
import { trimUrl, type UrlReader } from "../values/url.ts";
import type { ElementName } from "../xml/element-names.ts";
import { TextValue } from "../xml/element-text.ts";
import type { XmlReader, XmlScanner } from "../xml/scanner.ts";
import type { EntrySink } from "./entry-sink.ts";
import { cutText, readText } from "./xml-text-fields.ts";

/** The dates of an entry in RSS and Atom, best first. */
const PUBLISHED = ["pubdate", "published", "issued", "created", "dc:created"];
const MODIFIED = ["updated", "modified", "atom:updated", "dc:modified", "dc:date"];

const ADDRESSES: ReadonlySet<string> = new Set(["link", "guid", "id", "feedburner:origlink"]);

const FIELDS: ReadonlySet<string> = new Set([
  ...ADDRESSES,
  ...PUBLISHED,
  ...MODIFIED,
  "title",
  "media:title",
]);

/** Elements whose content is not part of the entry: markup in a text, or the source feed of an entry. */
const FOREIGN: ReadonlySet<string> = new Set("content summary description source other:encoded".split(" "));

/** Maximum number of media per entry. Stops an entry with a million enclosures. */
const MAX_MEDIA = 1000;

/** How well an Atom link fits as the URL of its entry (F12, F13). */
const NOT_A_PAGE = 0;
const NO_RELATION = 1;
const ALTERNATE = 2;
const ALTERNATE_HTML = 3;

type Draft<T> = { -readonly [K in keyof T]: T[K] };

export class FeedReader implements XmlReader {
  readonly #scanner: XmlScanner;
  readonly #sink: EntrySink;
  readonly #urls: UrlReader;
  readonly #format: "rss" | "atom";
  #feedBase: string | undefined;
  #roots = 0;

  #inEntry = false;
  #entryBase: string | undefined;
  /** Depth of the open foreign element (see `FOREIGN`). 0 if no foreign element is open. */
  #foreignDepth = 0;
  #field: string | undefined;
  #guidIsLink = true;
  readonly #href: TextValue = new TextValue();
  #linkHref: string | undefined;
  /** Whether the text of the current element may be HTML. */
  #isHtml = false;
  /** Whether an RSS item has `<link href="…"/>`. */
  #hasLinkAttribute = false;

  #values: Map<string, string> = new Map();
  #dates: Map<string, DateValue> = new Map();
  #atomLink = "";
  #atomRank = NOT_A_PAGE;
  #about: string | undefined;
  #media: Draft<PageMedia>[] = [];
  /** Number of characters in the URLs of the media of an entry. Only set in Node. */
  declare mediaLength: number | undefined;

  constructor(scanner: XmlScanner, sink: EntrySink, urls: UrlReader, format: "rss" | "atom") {
    this.#format = format;
    this.#scanner = scanner;
    this.#sink = sink;
    this.#urls = urls;
    urls.directory = "/";
  }

  open(element: ElementName): void {
    const key = this.#keyOf(element);
    if (key === "item" || key === "entry") return this.#openEntry();
    if (this.#scanner.depth === 1) return this.#openRoot(key);
    if (!this.#inEntry) {
      if (key === "channel") this.#feedBase = this.#base(this.#feedBase);
      return;
    }
    if (this.#foreignDepth > 0) return;
    if (FOREIGN.has(key)) {
      this.#endField(true);
      this.#foreignDepth = this.#scanner.depth;
    } else if (FIELDS.has(key)) {
      this.#openField(key);
    } else if (key === "enclosure" || key === "media:content") {
      this.#endField(true);
      this.#openMedia();
    } else if (key === "atom:link") {
      // Do not report an Atom link in an RSS feed: many feeds have one (F25).
      this.#endField(true);
      this.#atomLinkElement();
    }
  }

  close(element: ElementName): void {
    const key = this.#keyOf(element);
    // The element is already closed, so `depth` is the depth of its parent.
    if (this.#scanner.depth < this.#foreignDepth) this.#foreignDepth = 0;
    if (key === this.#field) this.#endField(false);
    else if (key === "item" || key === "entry") this.#endEntry();
  }

  looseText(): boolean {
    if (this.#scanner.depth === 0) this.#tell("xml.trailing-junk");
    return false;
  }

  doctype(): void {}

  /**
   * Lenient: accepts entries whose Atom namespace differs from the namespace of the feed (Z23). Also accepts `g:link`
   * and `g:title`, which items of Google Merchant may have instead of `link` and `title` (F30).
   */
  #keyOf({ key }: ElementName): string {
    const isOwn =
      (this.#format === "atom" && key.startsWith("atom:")) || key === "g:link" || key === "g:title";
    return isOwn ? key.slice(key.indexOf(":") + 1) : key;
  }

  /**
   * Returns the base URL of the current element: its `xml:base`, resolved with the base of the outer element (F27).
   * Returns the base of the outer element if `xml:base` is missing or invalid.
   */
  #base(outer: string | undefined): string | undefined {
    const written = this.#scanner.attributes.get("xml:base")?.trim();
    const base = outer ?? this.#urls.base?.href;
    return written === undefined ? outer : (parseUrl(written, base)?.href ?? outer);
  }

  #openRoot(key: string): void {
    if (key !== "rss" && key !== "rdf:rdf" && key !== "feed" && key !== "rdf") {
      this.#tell("xml.trailing-junk");
      return;
    }
    if (++this.#roots > 1) this.#tell("xml.multiple-roots");
    this.#feedBase = this.#base(undefined);
  }

  #tell(code: IssueCode, value?: string): void {
    this.#sink.report(code, value, this.#scanner.line);
  }

  // ---------------------------------------------------------------- entries

  #openEntry(): void {
    if (this.#inEntry) {
      this.#tell("xml.nested-url");
      this.#endEntry();
    }
    const { attributes } = this.#scanner;
    this.#inEntry = true;
    this.#entryBase = this.#base(this.#feedBase);
    this.#about = attributes.get("rdf:about");
  }

  #endEntry(): void {
    if (!this.#inEntry) return;
    this.#endField(true);
    this.#emit();
    this.#inEntry = false;
    this.#foreignDepth = 0;
    this.#values = new Map();
    this.#dates = new Map();
    this.#atomLink = "";
    this.#atomRank = NOT_A_PAGE;
    this.#hasLinkAttribute = false;
    this.#media = [];
    if (FAST) this.mediaLength = 0;
  }

  #emit(): void {
    const written = this.#location();
    if (written === undefined) {
      // An entry with media needs no page, for example an episode of a podcast (F32).
      this.#tell(this.#media.length > 0 ? "entry.no-page" : "entry.missing-loc");
      return;
    }
    const url = this.#resolve(written, "page");
    if (url === undefined) return;
    const trimmed = trimUrl(written);
    const published = this.#date(PUBLISHED);
    const feedLink = this.#values.has("feedburner:origlink") ? this.#values.get("link") : undefined;
    this.#sink.page(
      omitUndefined({
        url,
        urlText: writtenText(url, trimmed),
        // If an entry has only a publication date, this date is also the last modification.
        lastModified: this.#date(MODIFIED) ?? published,
        title: this.#values.get("title"),
        published,
        feedUrl: feedLink === undefined ? undefined : this.#resolve(feedLink, "asset"),
        media: this.#media.length > 0 ? this.#media : undefined,
      }),
    );
  }

  #date(names: readonly string[]): DateValue | undefined {
    return this.#dates.get(names.find((name) => this.#dates.has(name)) ?? "");
  }

  /** Returns the text that fits best as the URL of the entry, as the feed has it. */
  #location(): string | undefined {
    const values = this.#values;
    const direct = values.get("feedburner:origlink") ?? values.get("link");
    if (direct !== undefined) return direct;
    if (this.#atomRank > NOT_A_PAGE) {
      // Lenient: `<link href="…"/>` is accepted in RSS, but reported (F21).
      if (this.#hasLinkAttribute) this.#tell("rss.link-attribute", this.#atomLink);
      return this.#atomLink;
    }
    const guid = this.#guidIsLink ? values.get("guid") : undefined;
    return [guid, this.#about, values.get("id")].find(isWebUrl);
  }

  #resolve(text: string, role: "page" | "asset"): string | undefined {
    return this.#urls.resolve(text, role, this.#scanner.line, this.#entryBase);
  }

  // ---------------------------------------------------------------- fields

  #openField(key: string): void {
    this.#endField(true);
    const { attributes } = this.#scanner;
    // In Atom 1.0 and 0.3, the attribute `type` says whether a title is HTML. In RSS, a title with markup is HTML.
    this.#isHtml = this.#format === "rss" || /^(text\/)?html$/i.test(attributes.get("type")?.trim() ?? "");
    if (key === "link") {
      this.#linkHref = this.#atomLinkElement();
      if (this.#format === "rss" && this.#linkHref) this.#hasLinkAttribute = true;
    } else if (key === "guid") {
      this.#guidIsLink = attributes.get("ispermalink")?.trim().toLowerCase() !== "false";
    }
    this.#field = key;
    this.#scanner.startText();
  }

  /**
   * Reads a link, and returns its `href`. For a link without `href`, returns undefined if the text of the element may
   * be a URL. Otherwise returns "", for example for `rel="self"`, so that the text is not used (F26).
   */
  #atomLinkElement(): string | undefined {
    const { attributes } = this.#scanner;
    const rel = attributes.get("rel")?.trim().toLowerCase();
    const type = attributes.get("type")?.trim().toLowerCase();
    if (!attributes.load("href", this.#href)) return rel && rel !== "alternate" ? "" : undefined;
    const written = this.#href.toString();
    const base = this.#base(this.#entryBase);
    const own = base === this.#entryBase ? undefined : parseUrl(written.trim(), base);
    const href = own?.href ?? written;
    if (rel === "enclosure") {
      this.#addMedia(href, type);
      return href;
    }
    let rank = NOT_A_PAGE;
    if (rel === undefined || rel === "") rank = NO_RELATION;
    else if (rel === "alternate") rank = type === "text/html" ? ALTERNATE_HTML : ALTERNATE;
    if (rank > this.#atomRank && href.trim() !== "") {
      this.#atomRank = rank;
      this.#atomLink = href;
    }
    return href;
  }

  #endField(unclosed: boolean): void {
    const field = this.#field;
    if (field === undefined) return;
    this.#field = undefined;
    this.#scanner.stopText();
    const isEmptyLink = field === "link" && this.#linkHref !== undefined;
    if (unclosed && !isEmptyLink) this.#tell("xml.unclosed-loc", field);
    if (ADDRESSES.has(field)) {
      const { text } = this.#scanner;
      const { tainted } = text;
      text.removeStray();
      const address = trimUrl(text.toString());
      if (FAST && tainted) this.#tell("url.invalid", address);
      if (address !== "" && !tainted) this.#setAddress(field, address);
      return;
    }
    const text = readText(this.#scanner, this.#sink.report, this.#isHtml ? this.#format : undefined);
    if (text === undefined) return;
    if (field === "media:title") {
      const media = this.#media.at(-1);
      if (media !== undefined) media.title ??= text;
    } else if (field === "title") {
      if (!this.#values.has(field)) this.#values.set(field, text);
    } else if (!this.#dates.has(field)) {
      this.#dates.set(field, readDate(text, "feed", this.#sink.report, this.#scanner.line));
    }
  }

  /**
   * Sets the value of a field. The first value counts. Exception: if the value of a link is not a URL, a later URL
   * replaces it. If a link element has both an `href` and a text, the text counts only if it is a URL.
   */
  #setAddress(field: string, text: string): void {
    if (field === "link" && this.#linkHref !== undefined && (this.#linkHref === "" || !isWebUrl(text)))
      return;
    const known = this.#values.get(field);
    if (known === undefined || (field === "link" && !isWebUrl(known) && isWebUrl(text)))
      this.#values.set(field, text);
  }

  #openMedia(): void {
    const { attributes } = this.#scanner;
    const href = attributes.get("url");
    if (href !== undefined) this.#addMedia(href, attributes.get("type"), attributes.get("medium"));
  }

  #addMedia(href: string, type?: string, medium?: string): void {
    // The length of all media URLs is checked only in Node, because the parser for browsers has to be small.
    if (FAST && (this.mediaLength ?? 0) > MAX_PAGE_LENGTH) return this.#tell("entry.too-many-items");
    const url = this.#resolve(href, "asset");
    if (url === undefined) return;
    if (FAST) this.mediaLength = (this.mediaLength ?? 0) + url.length;
    if (this.#media.length >= MAX_MEDIA) this.#tell("entry.too-many-items");
    else this.#media.push(omitUndefined({ url, type: this.#cut(type), medium: this.#cut(medium) }));
  }

  #cut(text: string | undefined): string | undefined {
    const { limits, line } = this.#scanner;
    return text && cutText(text, limits.textLength, this.#sink.report, line);
  }
}

function isWebUrl(text: string | undefined): boolean {
  return text !== undefined && /^\s*https?:\/\//i.test(text);
}
