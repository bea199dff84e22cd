/**
 * Finds the root of an XML document, and starts the reader for this root. The content decides the format. The file name
 * and the media type do not matter. Anything before the root (a PHP warning, a comment, text) is skipped (X05, X06). An
 * HTML page is recognized at its first tag, and its rest is not read (X32, X33).
 */

import type { UrlReader } from "../values/url.ts";
import type { ElementName } from "../xml/element-names.ts";
import type { XmlReader, XmlScanner } from "../xml/scanner.ts";
import type { SitemapSink } from "./entry-sink.ts";
import { FeedReader } from "./feed-xml.ts";
import { SitemapReader } from "./sitemap-xml.ts";

export type XmlFormat =
  | { readonly kind: "pages"; readonly format: "xml" | "rss" | "atom" }
  | { readonly kind: "index"; readonly format: "xml" };

/** Elements that only an HTML page has. After one of them, the rest of the document is not read. */
const PAGE_NAMES: ReadonlySet<string> = new Set(["html", "head", "body"]);
const HTML_NAMES: ReadonlySet<string> = new Set([
  ...PAGE_NAMES,
  ..."title meta script center h1 p".split(" "),
]);

export class RootFinder implements XmlReader {
  readonly #scanner: XmlScanner;
  readonly #sink: SitemapSink;
  readonly #urls: UrlReader;
  readonly #strict: boolean;
  #junk = false;
  #html = false;
  #firstOther: string | undefined;
  found: XmlFormat | undefined;

  constructor(scanner: XmlScanner, sink: SitemapSink, urls: UrlReader, strict: boolean) {
    this.#scanner = scanner;
    this.#sink = sink;
    this.#urls = urls;
    this.#strict = strict;
  }

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
    // A document may consist of a single Atom entry (RFC 4287, section 2).
    if (this.#scanner.depth === 1 && key === "atom:entry")
      return this.#adopt(element, { kind: "pages", format: "atom" });
    if (this.#scanner.depth === 1 && (key === "url" || key === "sitemap")) {
      // Lenient: a document may consist of entries without a root (X28).
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
    // The root is the first element that the reader gets. The reader expects its name without a namespace.
    const local = root.key.slice(root.key.indexOf(":") + 1);
    scanner.reader.open({ ...root, key: local });
  }
}
