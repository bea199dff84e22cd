/**
 * Reads `<urlset>` and `<sitemapindex>` (https://www.sitemaps.org/protocol.html). Each `<url>` becomes a page and each
 * `<sitemap>` becomes a sitemap, in either root. For the extensions inside a `<url>`, see sitemap-extensions.ts.
 *
 * An entry is emitted when it ends: at its end tag, at the next entry, or at the end of its parent. If the document
 * ends inside an entry or a `<loc>`, the incomplete entry is dropped.
 */

import { createEntry, EntryProbe, FAST, usualFrequency, usualPriority } from "#shortcuts";
import { writtenText } from "../../escape/userinfo.ts";
import type { ChangeFrequency } from "../../model/change-frequencies.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { DateValue } from "../../model/model.ts";
import { type FieldReading, parseChangeFrequency, parsePriority } from "../values/fields.ts";
import { trimUrl, type UrlReader } from "../values/url.ts";
import { type ElementName, judgeSitemapNamespace } from "../xml/element-names.ts";
import type { XmlReader, XmlScanner } from "../xml/scanner.ts";
import type { SitemapSink } from "./entry-sink.ts";
import { ExtensionReader, extensionRole } from "./sitemap-extensions.ts";
import { readDateText } from "./xml-text-fields.ts";

type EntryKind = "url" | "sitemap";
type Field = "loc" | "lastmod" | "changefreq" | "priority" | "loose" | undefined;

/**
 * Maximum number of additional `<loc>` per entry before they are emitted. Stops one entry with a million of them. Not
 * used in browsers, where the parser has to be small.
 */
const MAX_LOCATIONS = 100;

interface Location {
  readonly url: string;
  readonly urlText: string | undefined;
}

export class SitemapReader implements XmlReader {
  readonly #scanner: XmlScanner;
  readonly #sink: SitemapSink;
  readonly #urls: UrlReader;
  readonly #strict: boolean;
  readonly #extensions: ExtensionReader;
  readonly #probe: EntryProbe;
  #root: "urlset" | "sitemapindex";
  #roots = 0;
  #home = "";
  #judged: ElementName | undefined;

  #entry: EntryKind | undefined;
  #entryDepth = 0;
  /** Whether the entry is a `<loc>` alone, outside of `<url>` and `<sitemap>`. */
  #bare = false;
  #field: Field;
  /** The URL of the entry. More than one URL is rare: the others are in `#moreLocations`. */
  #url: string | undefined;
  #urlText: string | undefined;
  #moreLocations: Location[] = [];
  /**
   * Whether the entry has a `<loc>` whose URL is not emitted, or was already emitted. If so, a missing `<loc>` is not
   * reported.
   */
  #badLocation = false;
  #markup = false;
  #looseUrl: string | undefined;
  #lastModified: DateValue | undefined;
  #changeFrequency: ChangeFrequency | undefined;
  #priority: number | undefined;

  constructor(
    scanner: XmlScanner,
    sink: SitemapSink,
    urls: UrlReader,
    options: { readonly root: "urlset" | "sitemapindex"; readonly strict: boolean },
  ) {
    this.#scanner = scanner;
    this.#sink = sink;
    this.#urls = urls;
    this.#root = options.root;
    this.#strict = options.strict;
    this.#extensions = new ExtensionReader(scanner, sink.report, urls);
    this.#probe = new EntryProbe(urls, sink, scanner.limits.tokenBytes);
  }

  open(element: ElementName): void {
    switch (element.key) {
      case "loc":
        return this.#openLocation();
      case "lastmod":
      case "changefreq":
      case "priority":
        this.#endOpenField();
        if (this.#entry === undefined) return;
        this.#field = element.key;
        return this.#scanner.startText();
      case "url":
      case "sitemap":
        return this.#openEntry(element, element.key);
      case "urlset":
      case "sitemapindex":
        return this.#openRoot(element, element.key);
      default:
        return this.#openOther(element);
    }
  }

  close(element: ElementName, implied: boolean): void {
    switch (element.key) {
      case "loc":
      case "lastmod":
      case "changefreq":
      case "priority":
        if (this.#field === element.key) this.#endField(implied);
        return;
      case "url":
      case "sitemap":
        if (implied) this.#tell("xml.unclosed-url");
        if (this.#entry === element.key && !this.#bare) this.#endEntry();
        return;
      default: {
        const role = extensionRole(element);
        if (role !== undefined) this.#extensions.close(role);
      }
    }
  }

  looseText(): boolean {
    const { depth } = this.#scanner;
    if (depth === 0) {
      this.#tell("xml.trailing-junk");
      return false;
    }
    // Capture only text that may be the URL of the entry. Lenient: the URL may be directly in the entry, as in
    // `<url>https://example.com/a</url>` (X48, X31).
    if (this.#entry === undefined || depth !== this.#entryDepth || this.#url !== undefined) return false;
    if (this.#field !== undefined || this.#badLocation) return false;
    this.#field = "loose";
    return true;
  }

  doctype(): void {}

  #tell(code: IssueCode, value?: string): void {
    this.#sink.report(code, value, this.#scanner.line);
  }

  // ---------------------------------------------------------------- root

  #openRoot(element: ElementName, key: "urlset" | "sitemapindex"): void {
    if (this.#scanner.depth > 1) return;
    this.#root = key;
    this.#home = element.namespace;
    this.#endEntry();
    if (++this.#roots > 1) this.#tell("xml.multiple-roots");
    this.#judgeNamespace(element.namespace);
  }

  #judgeNamespace(namespace: string): void {
    const verdict = judgeSitemapNamespace(namespace);
    if (verdict !== undefined) this.#tell(verdict, namespace);
  }

  // ---------------------------------------------------------------- entries

  #openEntry(element: ElementName, kind: EntryKind): void {
    this.#endOpenField();
    if (this.#entry !== undefined) {
      // Lenient: an entry inside an entry ends the outer entry (X12, X37).
      if (!this.#bare) this.#tell("xml.nested-url");
      this.#endEntry();
    }
    if (this.#scanner.depth === 1) this.#tell("xml.missing-root");
    else if (kind === "url" && this.#root === "sitemapindex") this.#tell("index.contains-url");
    else if (kind === "sitemap" && this.#root === "urlset") this.#tell("urlset.contains-sitemap");
    if (element !== this.#judged) this.#judge(element);
    this.#startEntry(kind, false);
  }

  /** Checks the namespace of an entry if it differs from the namespace of the root: `<url xmlns="">` (N07). */
  #judge(element: ElementName): void {
    this.#judged = element;
    if (element.namespace !== this.#home) this.#judgeNamespace(element.namespace);
  }

  #startEntry(kind: EntryKind, bare: boolean): void {
    this.#entry = kind;
    this.#entryDepth = this.#scanner.depth;
    this.#bare = bare;
    if (FAST)
      this.#probe.isFresh =
        !bare && this.#entryDepth > 1 && kind === (this.#root === "urlset" ? "url" : "sitemap");
  }

  #endEntry(): void {
    const kind = this.#entry;
    if (kind === undefined) return;
    this.#endOpenField();
    if (this.#url === undefined) this.#missingLocation();
    if (this.#url !== undefined) this.#emit(kind, this.#url, this.#urlText);
    if (this.#moreLocations.length > 0) {
      this.#tell("entry.multiple-loc");
      for (const { url, urlText } of this.#moreLocations) this.#emit(kind, url, urlText);
      this.#moreLocations = [];
    }
    this.#entry = undefined;
    this.#url = undefined;
    this.#urlText = undefined;
    this.#badLocation = false;
    this.#looseUrl = undefined;
    this.#lastModified = undefined;
    this.#changeFrequency = undefined;
    this.#priority = undefined;
    this.#extensions.reset();
  }

  #missingLocation(): void {
    if (this.#badLocation) return;
    this.#tell("entry.missing-loc", this.#looseUrl);
    if (this.#looseUrl !== undefined && !this.#strict) this.#resolve(this.#looseUrl);
  }

  #emit(kind: EntryKind, url: string, urlText: string | undefined): void {
    const lastModified = this.#lastModified;
    if (kind === "sitemap") {
      this.#sink.newChild(createEntry(url, urlText, lastModified));
      return;
    }
    const page = createEntry(url, urlText, lastModified, this.#changeFrequency, this.#priority);
    if (this.#extensions.present) Object.assign(page, this.#extensions.fields());
    this.#sink.newPage(page);
  }

  // ---------------------------------------------------------------- fields

  #openLocation(): void {
    this.#endOpenField();
    if (this.#entry === undefined) {
      // Lenient: a `<loc>` outside any entry becomes an entry itself (I07).
      const inIndex = this.#root === "sitemapindex";
      this.#tell(inIndex ? "index.missing-sitemap-element" : "urlset.missing-url-element");
      this.#startEntry(inIndex ? "sitemap" : "url", true);
    }
    this.#field = "loc";
    this.#scanner.startText(this.#probe);
  }

  /** Called when the next element begins. Ends a field whose end tag is missing. */
  #endOpenField(): void {
    if (this.#field !== undefined) this.#endField(this.#field !== "loose");
    this.#extensions.endField();
  }

  #endField(unclosed: boolean): void {
    this.#probe.isFresh = false;
    const field = this.#field;
    this.#field = undefined;
    this.#scanner.stopText();
    if (unclosed) this.#tell("xml.unclosed-loc", field);
    const { text } = this.#scanner;
    if (field === "loc") text.removeStray();
    text.trim();
    if (field === "loc") {
      this.#endLocation();
      if (this.#bare) this.#endEntry();
      return;
    }
    if (text.end === text.start) return;
    // Repeated fields are reported only in Node, because the parser for browsers has to be small.
    if (FAST) {
      const isRepeated =
        (field === "lastmod" && this.#lastModified !== undefined) ||
        (field === "changefreq" && this.#changeFrequency !== undefined) ||
        (field === "priority" && this.#priority !== undefined);
      if (isRepeated) return this.#tell("entry.repeated-field", field);
    }
    if (field === "lastmod") this.#lastModified ??= readDateText(this.#scanner, this.#sink.report);
    else if (field === "changefreq")
      this.#changeFrequency ??=
        (FAST && usualFrequency(text.bytes, text.start, text.end)) || this.#checked(parseChangeFrequency);
    else if (field === "priority")
      this.#priority ??=
        (FAST && usualPriority(text.bytes, text.start, text.end)) || this.#checked(parsePriority);
    else if (/^https?:\/\//i.test(text.toString())) this.#looseUrl = text.toString();
  }

  #checked<T>(parse: (text: string) => FieldReading<T>): T | undefined {
    const text = this.#scanner.text.toString();
    const { value, code } = parse(text);
    if (code !== undefined) this.#tell(code, text);
    return value;
  }

  #endLocation(): void {
    const { text } = this.#scanner;
    if (text.tainted) this.#tell("url.invalid", text.toString());
    const isMarkup = this.#markup;
    this.#markup = false;
    if (text.spoilt || text.tainted || (isMarkup && this.#strict)) {
      this.#badLocation = true;
      return;
    }
    if (text.end === text.start) return;
    const url = text.toString();
    const isShort = text.end - text.start <= this.#urls.maxLength;
    const isPlain = FAST && isShort && (text.probed || this.#probe.accepts(text));
    if (!isPlain) return this.#resolve(url);
    // The URL is plain: it is on the document's own origin and needs no repair.
    const isPage = this.#entry === "url";
    const urls = isPage ? this.#sink.pageUrls : this.#sink.childUrls;
    const isInPlace = !isPage || this.#urls.isInPlace(url, this.#scanner.line);
    if (isInPlace && urls.addHashed(this.#probe)) this.#addLocation(url, undefined);
    // The URL is repeated, or strict mode dropped it. So nothing is emitted, but the entry has a `<loc>`.
    else this.#badLocation = true;
  }

  #resolve(written: string): void {
    const isPage = this.#entry === "url";
    const url = this.#urls.resolve(written, isPage ? "page" : "child", this.#scanner.line);
    const trimmed = url === written ? written : trimUrl(written);
    if (trimmed === "") return;
    const urls = isPage ? this.#sink.pageUrls : this.#sink.childUrls;
    if (url !== undefined && urls.add(url)) this.#addLocation(url, writtenText(url, trimmed));
    else this.#badLocation = true;
  }

  #addLocation(url: string, urlText: string | undefined): void {
    if (this.#url === undefined) {
      this.#url = url;
      this.#urlText = urlText;
    } else {
      this.#moreLocations.push({ url, urlText });
      if (FAST && this.#moreLocations.length >= MAX_LOCATIONS) {
        const kind = this.#entry;
        this.#endEntry();
        this.#entry = kind;
        // The URLs were emitted. So it is not an issue if the rest of the entry has no `<loc>`.
        this.#badLocation = true;
      }
    }
  }

  // ---------------------------------------------------------------- everything else

  #openOther(element: ElementName): void {
    this.#probe.isFresh = false;
    const role = extensionRole(element);
    if (this.#field !== undefined) {
      if (role === undefined) {
        if (this.#field === "loc" && !this.#markup) {
          this.#markup = true;
          this.#tell("entry.markup-in-loc");
        }
        return;
      }
      this.#endOpenField();
    }
    if (role !== undefined) this.#extensions.open(role, this.#entry === "url");
    else if (this.#scanner.depth === 1) {
      this.#tell("xml.trailing-junk");
    }
  }
}
