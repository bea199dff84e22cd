/** The URLs of a document: with the library, with its scanner alone, and with htmlparser2 instead. */
import { Transcoder } from "../../src/decode/encoding.ts";
import type { Report } from "../../src/model/issue-log.ts";
import { DocumentParser } from "../../src/parse/document.ts";
import { UrlSet } from "../../src/parse/fast/seen-urls.ts";
import type { SitemapSink } from "../../src/parse/formats/entry-sink.ts";
import { RootFinder } from "../../src/parse/formats/xml-root.ts";
import { UrlReader } from "../../src/parse/values/url.ts";
import { XmlScanner } from "../../src/parse/xml/scanner.ts";
import { Htmlparser2Scanner } from "./htmlparser2-scanner.ts";

const ORIGIN = "https://www.example.com/";
const URL_OF_DOCUMENT = `${ORIGIN}sitemap.xml`;

const silent: Report = () => {};

export function ourUrls(bytes: Uint8Array): Set<string> {
  const urls = new Set<string>();
  const parser = new DocumentParser({
    url: URL_OF_DOCUMENT,
    strict: false,
    isText: false,
    onPage: ({ url }) => urls.add(url),
    onChild: ({ url }) => urls.add(url),
  });
  parser.push(bytes);
  parser.end(false);
  return urls;
}

/** The URLs of the same readers with htmlparser2. */
export function theirUrls(bytes: Uint8Array, options: { readonly closeAtEnd: boolean }): Set<string> {
  const urls = new Set<string>();
  const sink: SitemapSink = {
    pageUrls: new UrlSet(ORIGIN),
    childUrls: new UrlSet(ORIGIN),
    page: ({ url }) => urls.add(url),
    newPage: ({ url }) => urls.add(url),
    child: ({ url }) => urls.add(url),
    newChild: ({ url }) => urls.add(url),
    report: silent,
  };
  const reader = new UrlReader(URL_OF_DOCUMENT, silent, { strict: false, escapeCode: "url.double-escaped" });
  const scanner = new Htmlparser2Scanner(silent);
  scanner.reader = new RootFinder(scanner.asScanner(), sink, reader, false);
  scanner.read(decode(bytes), options.closeAtEnd);
  return urls;
}

export interface EntryOptions {
  /** With or without the markup cache. */
  readonly learn: boolean;
  readonly chunks?: (bytes: Uint8Array) => Iterable<Uint8Array>;
  /** URL of the document. */
  readonly url?: string | undefined;
}

/** Every page, sitemap and issue of an XML document, in order. */
export function readEntries(bytes: Uint8Array, options: EntryOptions): unknown[] {
  const entries: unknown[] = [];
  const report: Report = (...issue) => entries.push(issue);
  const pageUrls = new UrlSet(ORIGIN);
  const sink: SitemapSink = {
    pageUrls,
    childUrls: new UrlSet(ORIGIN),
    page: (page) => pageUrls.add(page.url) && entries.push(page),
    newPage: (page) => entries.push(page),
    child: (child) => entries.push(child),
    newChild: (child) => entries.push(child),
    report,
  };
  const urls = new UrlReader(options.url ?? URL_OF_DOCUMENT, report, {
    strict: false,
    escapeCode: "url.double-escaped",
  });
  const scanner = new XmlScanner({ open() {}, close() {}, looseText: () => false, doctype() {} }, report, {
    learn: options.learn,
  });
  scanner.reader = new RootFinder(scanner, sink, urls, false);
  for (const chunk of options.chunks?.(bytes) ?? [bytes]) scanner.feed(chunk);
  entries.push(scanner.end());
  return entries;
}

/** Decoded as in the library, so that the encoding makes no difference. */
function decode(bytes: Uint8Array): string {
  const transcoder = new Transcoder({ report: silent });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const first = decoder.decode(transcoder.push(bytes), { stream: true });
  return first + decoder.decode(transcoder.end());
}
