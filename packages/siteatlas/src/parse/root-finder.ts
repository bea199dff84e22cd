/**
 * Finds the root of an XML document and hands it to its reader: the content decides the format, never the
 * name or the media type. What stands before the root (a PHP warning, a comment, text) is skipped (X05,
 * X06); an HTML page is recognised at its first tag and read no further (X32, X33).
 */
import { FeedReader } from "./feed-reader.ts";
import type { ElementName } from "./names.ts";
import type { XmlReader, XmlScanner } from "./scanner.ts";
import type { SitemapSink } from "./sink.ts";
import { SitemapReader } from "./sitemap-reader.ts";
import type { UrlReader } from "./url.ts";

export type XmlFormat =
  | { readonly kind: "pages"; readonly format: "xml" | "rss" | "atom" }
  | { readonly kind: "index"; readonly format: "xml" };

/** Elements that only an HTML page has at its top; behind the first three no sitemap will come. */
const PAGE_NAMES: ReadonlySet<string> = new Set(["html", "head", "body"]);
const HTML_NAMES: ReadonlySet<string> = new Set([
  ...PAGE_NAMES,
  "title",
  "meta",
  "script",
  "center",
  "h1",
  "p",
]);

/** The entries of a sitemap whose start was cut off, its root with it. */
export const ENTRY_TAG: RegExp = /<(?:[\w.-]{1,40}:)?(?:url|sitemap)[\s>/]/i;

/** The roots that a document can be read by, as a text: for finding one behind junk. */
export const ROOT_TAG: RegExp = /<(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s>/]/i;

export class RootFinder implements XmlReader {
  readonly #scanner: XmlScanner;
  readonly #sink: SitemapSink;
  readonly #urls: UrlReader;
  readonly #strict: boolean;
  #junk = false;
  #html = false;
  #firstOther: string | undefined;
  /** What the document is, once its root was found. */
  found: XmlFormat | undefined;

  constructor(scanner: XmlScanner, sink: SitemapSink, urls: UrlReader, strict: boolean) {
    this.#scanner = scanner;
    this.#sink = sink;
    this.#urls = urls;
    this.#strict = strict;
  }

  /** Why there is no root. */
  get failure(): {
    readonly code: "content.html" | "content.unknown-root";
    readonly detail: string | undefined;
  } {
    return this.#html
      ? { code: "content.html", detail: undefined }
      : { code: "content.unknown-root", detail: this.#firstOther };
  }

  open(element: ElementName): void {
    const { key } = element;
    const local = key.slice(key.indexOf(":") + 1);
    switch (local) {
      case "urlset":
        return this.#adopt(element, { kind: "pages", format: "xml" });
      case "sitemapindex":
        return this.#adopt(element, { kind: "index", format: "xml" });
      case "rss":
      case "rdf":
        return this.#adopt(element, { kind: "pages", format: "rss" });
      case "feed":
        return this.#adopt(element, { kind: "pages", format: "atom" });
    }
    if (this.#scanner.depth === 1 && (key === "url" || key === "sitemap")) {
      // Lenient: entries without a root (X28).
      return this.#adopt(
        element,
        key === "url" ? { kind: "pages", format: "xml" } : { kind: "index", format: "xml" },
      );
    }
    this.#junk = true;
    this.#firstOther ??= local;
    if (local === "html" || (this.#scanner.depth === 1 && HTML_NAMES.has(local))) {
      this.#html = true;
      if (PAGE_NAMES.has(local)) this.#scanner.stop();
    }
  }

  close(): void {}

  looseText(): boolean {
    this.#junk = true;
    return false;
  }

  doctype(name: string): void {
    if (name === "html") this.#html = true;
  }

  #adopt(root: ElementName, format: XmlFormat): void {
    const scanner = this.#scanner;
    if (this.#junk) this.#sink.report("xml.leading-junk", undefined, scanner.line);
    this.found = format;
    scanner.adoptRoot(root);
    scanner.reader =
      format.format === "xml"
        ? new SitemapReader(scanner, this.#sink, this.#urls, {
            root: format.kind === "index" ? "sitemapindex" : "urlset",
            strict: this.#strict,
          })
        : new FeedReader(scanner, this.#sink, this.#urls, format.format);
    // The root is the reader's first element, whatever namespace it came with.
    const local = root.key.slice(root.key.indexOf(":") + 1);
    scanner.reader.open({ ...root, key: local });
  }
}
