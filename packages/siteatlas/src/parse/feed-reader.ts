/**
 * Reads RSS 0.9x to 2.0 (https://www.rssboard.org/rss-specification), RSS 1.0 (RDF), Atom 0.3 and 1.0
 * (RFC 4287) as lists of pages: one for each `<item>` or `<entry>` that links somewhere. Media RSS and
 * enclosures are kept apart. Links of the channel, of its image and of a quoted source are no pages.
 */
import type { DateValue, Page, PageMedia } from "../model.ts";
import { readDate } from "./date.ts";
import type { ElementName } from "./names.ts";
import type { XmlReader, XmlScanner } from "./scanner.ts";
import type { EntrySink } from "./sink.ts";
import { readText } from "./text-fields.ts";
import { TextValue } from "./text-value.ts";
import { trimUrl, type UrlReader } from "./url.ts";

/** Fields whose text is read, in RSS and in Atom alike. */
const FIELDS: ReadonlySet<string> = new Set([
  "title",
  "link",
  "guid",
  "id",
  "pubdate",
  "dc:date",
  "dc:modified",
  "dc:created",
  "atom:updated",
  "published",
  "issued",
  "created",
  "updated",
  "modified",
  "feedburner:origlink",
  "media:title",
]);

/** What is inside belongs to something else: markup of a text, or the feed that an entry was taken from. */
const FOREIGN: ReadonlySet<string> = new Set([
  "content",
  "summary",
  "description",
  "source",
  "other:encoded",
]);

/** Stops an entry with a million enclosures. */
const MAX_MEDIA = 1000;

/** How good an Atom link is as the address of its entry (F12, F13). */
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
  /** Depth of the foreign element that we are inside of, or 0. */
  #foreignDepth = 0;
  #field: string | undefined;
  #guidIsLink = true;
  readonly #href: TextValue;
  #linkHref: string | undefined;

  #values: Map<string, string> = new Map();
  #dates: Map<string, DateValue> = new Map();
  #atomLink = "";
  #atomRank = NOT_A_PAGE;
  #about: string | undefined;
  #media: Draft<PageMedia>[] = [];

  constructor(scanner: XmlScanner, sink: EntrySink, urls: UrlReader, format: "rss" | "atom") {
    this.#format = format;
    this.#scanner = scanner;
    this.#href = new TextValue(scanner.window);
    this.#sink = sink;
    this.#urls = urls;
  }

  open(element: ElementName): void {
    const { key } = element;
    if (key === "item" || key === "entry") return this.#openEntry();
    if (this.#scanner.depth === 1) return this.#openRoot(key);
    if (!this.#inEntry) {
      if (key === "channel") this.#feedBase = this.#scanner.attributes.get("xml:base") ?? this.#feedBase;
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
    }
  }

  close(element: ElementName): void {
    const { key } = element;
    // The element is closed already: its own depth was one more.
    if (this.#scanner.depth < this.#foreignDepth) this.#foreignDepth = 0;
    if (key === this.#field) this.#endField(false);
    else if (key === "item" || key === "entry") this.#endEntry();
  }

  looseText(): boolean {
    if (this.#scanner.depth === 0) {
      this.#sink.report("xml.trailing-junk", undefined, this.#scanner.line);
    }
    return false;
  }

  doctype(): void {}

  #openRoot(key: string): void {
    if (key !== "rss" && key !== "rdf:rdf" && key !== "feed" && key !== "rdf") {
      this.#sink.report("xml.trailing-junk", undefined, this.#scanner.line);
      return;
    }
    if (++this.#roots > 1) this.#sink.report("xml.multiple-roots", undefined, this.#scanner.line);
    this.#feedBase = this.#scanner.attributes.get("xml:base");
  }

  // ---------------------------------------------------------------- entries

  #openEntry(): void {
    if (this.#inEntry) {
      this.#sink.report("xml.nested-url", undefined, this.#scanner.line);
      this.#endEntry();
    }
    const { attributes } = this.#scanner;
    this.#inEntry = true;
    this.#entryBase = attributes.get("xml:base") ?? this.#feedBase;
    this.#about = attributes.get("rdf:about");
  }

  #endEntry(): void {
    if (!this.#inEntry) return;
    this.#endField(true);
    const page = this.#page();
    if (page !== undefined) this.#sink.page(page);
    this.#inEntry = false;
    this.#foreignDepth = 0;
    this.#values = new Map();
    this.#dates = new Map();
    this.#atomLink = "";
    this.#atomRank = NOT_A_PAGE;
    this.#media = [];
  }

  #page(): Page | undefined {
    const written = this.#location();
    if (written === undefined) {
      this.#sink.report("entry.missing-loc", undefined, this.#scanner.line);
      return undefined;
    }
    const url = this.#resolve(written, "page");
    if (url === undefined) return undefined;
    const page: Draft<Page> = { url };
    const trimmed = trimUrl(written);
    if (trimmed !== url) page.urlText = trimmed;
    const dates = this.#dates;
    const published =
      dates.get("pubdate") ??
      dates.get("published") ??
      dates.get("issued") ??
      dates.get("created") ??
      dates.get("dc:created");
    // A feed that says when something was published, and nothing else, says when it was last modified.
    const lastModified =
      dates.get("updated") ??
      dates.get("modified") ??
      dates.get("atom:updated") ??
      dates.get("dc:modified") ??
      dates.get("dc:date") ??
      published;
    if (lastModified !== undefined) page.lastModified = lastModified;
    const title = this.#values.get("title");
    if (title !== undefined) page.title = title;
    if (published !== undefined) page.published = published;
    const feedLink = this.#values.has("feedburner:origlink") ? this.#values.get("link") : undefined;
    const feedUrl = feedLink && this.#resolve(feedLink, "asset");
    if (feedUrl) page.feedUrl = feedUrl;
    if (this.#media.length > 0) page.media = this.#media;
    return page;
  }

  /** The address of the entry as written: the best that it gives. */
  #location(): string | undefined {
    const values = this.#values;
    const direct = values.get("feedburner:origlink") ?? values.get("link");
    if (direct !== undefined) return direct;
    if (this.#atomRank > NOT_A_PAGE) {
      // Lenient: `<link href="…"/>` in RSS (F21)
      if (this.#format === "rss") this.#sink.report("rss.link-attribute", this.#atomLink, this.#scanner.line);
      return this.#atomLink;
    }
    const guid = values.get("guid");
    if (guid !== undefined && this.#guidIsLink && isWebUrl(guid)) return guid;
    if (this.#about !== undefined && isWebUrl(this.#about)) return this.#about;
    const id = values.get("id");
    return id !== undefined && isWebUrl(id) ? id : undefined;
  }

  #resolve(text: string, role: "page" | "asset"): string | undefined {
    return this.#urls.resolve(text, role, this.#scanner.line, this.#entryBase);
  }

  // ---------------------------------------------------------------- fields

  #openField(key: string): void {
    this.#endField(true);
    const { attributes } = this.#scanner;
    if (key === "link") {
      this.#linkHref = attributes.load("href", this.#href) ? this.#href.toString() : undefined;
      if (this.#linkHref !== undefined) this.#atomLinkElement(this.#linkHref);
    } else if (key === "guid") {
      this.#guidIsLink = attributes.get("ispermalink")?.trim().toLowerCase() !== "false";
    }
    this.#field = key;
    this.#scanner.startText();
  }

  #atomLinkElement(href: string): void {
    const { attributes } = this.#scanner;
    const rel = attributes.get("rel")?.trim().toLowerCase();
    const type = attributes.get("type")?.trim().toLowerCase();
    if (rel === "enclosure") return this.#addMedia(href, type);
    let rank = NOT_A_PAGE;
    if (rel === undefined || rel === "") rank = NO_RELATION;
    else if (rel === "alternate") rank = type === "text/html" ? ALTERNATE_HTML : ALTERNATE;
    if (rank > this.#atomRank && href.trim() !== "") {
      this.#atomRank = rank;
      this.#atomLink = href;
    }
  }

  #endField(unclosed: boolean): void {
    const field = this.#field;
    if (field === undefined) return;
    this.#field = undefined;
    this.#scanner.stopText();
    const { report } = this.#sink;
    const isEmptyLink = field === "link" && this.#linkHref !== undefined;
    if (unclosed && !isEmptyLink) report("xml.unclosed-loc", field, this.#scanner.line);
    const { tainted } = this.#scanner.text;
    if (isAddress(field)) {
      this.#scanner.text.removeStray();
      const text = trimUrl(this.#scanner.text.toString());
      if (text !== "" && !tainted) this.#setAddress(field, text);
      return;
    }
    const text = readText(this.#scanner, report);
    if (text === undefined) return;
    if (field === "media:title") {
      const media = this.#media.at(-1);
      if (media !== undefined) media.title ??= text;
    } else if (field === "title") {
      if (!this.#values.has(field)) this.#values.set(field, text);
    } else if (!this.#dates.has(field)) {
      this.#dates.set(field, readDate(text, "feed", report, this.#scanner.line));
    }
  }

  /** The first one counts, unless it is no URL and a later one is. A link with an href is that href. */
  #setAddress(field: string, text: string): void {
    if (field === "link" && this.#linkHref !== undefined && !isWebUrl(text)) return;
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
    const url = this.#resolve(href, "asset");
    if (url === undefined || this.#media.length >= MAX_MEDIA) return;
    this.#media.push({ url, ...(type !== undefined && { type }), ...(medium !== undefined && { medium }) });
  }
}

function isAddress(field: string): boolean {
  return field === "link" || field === "guid" || field === "id" || field === "feedburner:origlink";
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text.trim());
}
