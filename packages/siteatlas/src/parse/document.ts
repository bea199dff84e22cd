/**
 * One document, from its bytes to its entries: decodes, sniffs the format, feeds the reader for it, drops
 * repeated URLs, and says at the end what the document was. Synchronous and push-driven; decompression,
 * which is not, comes before it (parse-sitemap.ts).
 *
 * The format is decided by the content: `<` is XML, `{` may be a JSON Feed, the rest is a list of URLs;
 * only `/robots.txt` is known by its name.
 */
import { utf8Text } from "#platform";
import { Transcoder } from "../decode/encoding.ts";
import { IssueLog, type Report } from "../issue-log.ts";
import { type IssueCode, refusals } from "../issues.ts";
import type { IndexFormat, Issue, Page, PagesFormat, SubSitemap } from "../model.ts";
import { JsonFeedReader } from "./json-feed.ts";
import { type RobotsContent, readRobots } from "./robots.ts";
import { MAX_ROBOTS_BYTES } from "./robots-lines.ts";
import { ENTRY_TAG, ROOT_TAG, RootFinder } from "./root-finder.ts";
import { XmlScanner } from "./scanner.ts";
import type { SitemapSink } from "./sink.ts";
import { TextSitemapReader } from "./text.ts";
import { UrlReader } from "./url.ts";
import { UrlSet } from "./url-set.ts";

export interface DocumentOptions {
  readonly url: string;
  readonly contentType?: string | undefined;
  readonly strict: boolean;
  /**
   * It was asked for as robots.txt, whatever its URL says after redirects.
   * @default whether the path ends with `/robots.txt`
   */
  readonly isRobots?: boolean | undefined;
  /** The source is text already: there is no encoding to find out. */
  readonly isText: boolean;
  /** The pages of an earlier reading: they count as repeated ones. */
  readonly pageUrls?: UrlSet | undefined;
  readonly onPage: (page: Page) => void;
  readonly onChild: (child: SubSitemap) => void;
  readonly onIssue?: (issue: Issue) => void;
}

export type DocumentKind =
  | { readonly kind: "index"; readonly format: IndexFormat }
  | { readonly kind: "pages"; readonly format: PagesFormat }
  | InvalidKind;

type InvalidKind = { readonly kind: "invalid"; readonly code: IssueCode; readonly reason: string };

/** A name that may be repeated in a reason: not one with escape sequences, not one of a megabyte (sec-O01). */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** How far into a text that is not XML a root element is looked for (X06). */
const SNIFF_SIZE = 4096;
/** robots.txt is read whole, and one byte more than is used: then it is known to have been cut (R32). */
const MAX_ROBOTS_SIZE: number = MAX_ROBOTS_BYTES + 1;

/** What reads a document once its format is known. */
interface FormatReader {
  push(bytes: Uint8Array): void;
  /** What the document was. `cut`: the source ended before the document did. */
  end(cut: boolean): DocumentKind;
  /** Nothing more will come of it. */
  readonly done: boolean;
  readonly partial: boolean;
}

export class DocumentParser {
  readonly log: IssueLog;
  /** What robots.txt says, once it was read. */
  robots: RobotsContent | undefined;
  readonly #options: DocumentOptions;
  readonly #transcoder: Transcoder | undefined;
  readonly #sink: SitemapSink;
  readonly #pages: UrlSet;
  readonly #children: UrlSet;
  readonly #isRobots: boolean;

  #reader: FormatReader | undefined;
  /** The first bytes, while they do not yet tell the format. */
  #head: Uint8Array = new Uint8Array(0);
  #leadingLines = 0;
  #leadingBlank = false;

  constructor(options: DocumentOptions) {
    this.#options = options;
    const prefix = URL.canParse(options.url) ? `${new URL(options.url).origin}/` : "";
    this.#pages = options.pageUrls ?? new UrlSet(prefix);
    this.#children = new UrlSet(prefix);
    this.log = new IssueLog(options.url, options.strict);
    this.log.onIssue = options.onIssue;
    this.#isRobots = options.isRobots ?? /\/robots\.txt$/i.test(pathOf(options.url));
    const { report } = this.log;
    if (!options.isText) {
      this.#transcoder = new Transcoder({
        report: this.#isRobots ? renameEncoding(report) : report,
        contentType: options.contentType,
      });
    }
    this.#sink = {
      report,
      pageUrls: this.#pages,
      childUrls: this.#children,
      newPage: (page) => {
        if (this.log.failure === undefined) options.onPage(page);
      },
      newChild: (child) => {
        if (this.log.failure === undefined) options.onChild(child);
      },
      page: (page) => {
        if (this.#pages.add(page.url)) this.#sink.newPage(page);
      },
      child: (child) => {
        if (this.#children.add(child.url)) this.#sink.newChild(child);
      },
    };
  }

  /** Takes what is found while unwrapping the bytes: an issue, or that nothing can be made of them. */
  readonly reportFrame: Report = (code, value) => {
    if (code === "content.zip" || code === "gzip.too-deep") this.#reader = new Refusal(code);
    else this.log.report(code, value);
  };

  /** Whether more bytes could make a difference. */
  get done(): boolean {
    return this.log.failure !== undefined || (this.#reader?.done ?? false);
  }

  get partial(): boolean {
    return this.#reader?.partial ?? false;
  }

  /** The pages so far. */
  get pageUrls(): UrlSet {
    return this.#pages;
  }

  get duplicateCount(): number {
    return this.#pages.duplicates + this.#children.duplicates;
  }

  push(bytes: Uint8Array): void {
    if (this.done) return;
    const plain = plainBytes(bytes);
    this.#pushDecoded(this.#transcoder === undefined ? plain : this.#transcoder.push(plain));
  }

  /** The source is at its end. `cut`: it should have gone on. */
  end(cut: boolean): DocumentKind {
    if (!this.done) this.#pushDecoded(this.#transcoder?.end());
    if (this.#reader === undefined && this.#head.length > 0) this.#decide();
    if (this.log.failure !== undefined) return strictFailure(this.log.failure);
    const kind = this.#reader?.end(cut) ?? refuse("content.empty");
    const { failure } = this.log;
    if (failure !== undefined) return strictFailure(failure);
    if (kind.kind === "invalid") this.log.report(kind.code);
    return kind;
  }

  #pushDecoded(bytes: Uint8Array | undefined): void {
    if (bytes === undefined || bytes.length === 0) return;
    if (this.#reader !== undefined) {
      this.#reader.push(bytes);
      return;
    }
    const rest = this.#head.length === 0 ? this.#skipBlank(bytes) : bytes;
    if (rest.length === 0) return;
    const first = this.#head[0] ?? rest[0]!;
    const head = new Uint8Array(this.#head.length + rest.length);
    head.set(this.#head);
    head.set(rest, this.#head.length);
    this.#head = head;
    if ((first === 0x3c && !this.#isRobots) || head.length >= SNIFF_SIZE) this.#decide();
  }

  #skipBlank(bytes: Uint8Array): Uint8Array {
    let at = 0;
    for (; at < bytes.length && isBlank(bytes[at]!); at++) {
      if (bytes[at] === 0x0a) this.#leadingLines++;
    }
    if (at > 0) this.#leadingBlank = true;
    return bytes.subarray(at);
  }

  /** The first bytes are here: picks the reader and gives them to it. */
  #decide(): void {
    const head = this.#head;
    this.#head = new Uint8Array(0);
    this.#reader = this.#readerFor(head);
    this.#reader.push(head);
  }

  #readerFor(head: Uint8Array): FormatReader {
    const isMarkup = head[0] === 0x3c;
    if (isMarkup && !this.#isRobots) return this.#xml();
    const start = utf8Text(head, 0, Math.min(head.length, SNIFF_SIZE));
    // Before the roots are looked for: a tar archive holds one, and is not unpacked (sec-E15).
    if (!this.#isRobots && isBinary(start)) return new Refusal("content.binary");
    if (ROOT_TAG.test(start)) return this.#xml();
    if (this.#isRobots) return this.#robots();
    if (ENTRY_TAG.test(start)) return this.#xml();
    if (head[0] === 0x7b) return this.#json();
    return this.#text();
  }

  #xml(): FormatReader {
    const { strict, url } = this.#options;
    const { report } = this.log;
    const urls = new UrlReader(url, report, { strict, escapeCode: "url.double-escaped" });
    return new XmlDocument(this.#sink, urls, {
      strict,
      leadingBlank: this.#leadingBlank,
      leadingLines: this.#leadingLines,
    });
  }

  #plainUrls(): UrlReader {
    const { strict, url } = this.#options;
    return new UrlReader(url, this.log.report, { strict, escapeCode: "url.html-escaped" });
  }

  #robots(): FormatReader {
    const { strict, url } = this.#options;
    return new RobotsDocument((text, cut) => {
      this.robots = readRobots(text, { url, strict, cut, report: this.log.report });
      for (const sitemap of this.robots.sitemaps) this.#sink.child(sitemap);
    });
  }

  #json(): FormatReader {
    const reader = new JsonFeedReader(this.#sink, this.#plainUrls());
    return new DecodedDocument(reader, (cut) => {
      reader.end(cut);
      return reader.isFeed === true ? { kind: "pages", format: "json" } : refuse("content.json");
    });
  }

  #text(): FormatReader {
    const { strict, url, contentType } = this.#options;
    const reader = new TextSitemapReader(this.#sink, this.#plainUrls(), { url, contentType, strict });
    return new DecodedDocument(reader, (cut) => {
      reader.end(cut);
      return reader.isSitemap === true ? { kind: "pages", format: "text" } : refuse("content.no-urls");
    });
  }
}

class XmlDocument implements FormatReader {
  readonly #scanner: XmlScanner;
  readonly #finder: RootFinder;
  readonly #report: Report;
  partial = false;

  constructor(
    sink: SitemapSink,
    urls: UrlReader,
    options: { readonly strict: boolean; readonly leadingBlank: boolean; readonly leadingLines: number },
  ) {
    this.#report = sink.report;
    // The scanner and its first reader need each other.
    const scanner = new XmlScanner(
      { open() {}, close() {}, looseText: () => false, doctype() {} },
      sink.report,
    );
    this.#scanner = scanner;
    this.#finder = new RootFinder(scanner, sink, urls, options.strict);
    scanner.reader = this.#finder;
    if (options.leadingBlank) scanner.skipLeadingBlank(options.leadingLines);
  }

  get done(): boolean {
    return this.#scanner.stopped;
  }

  push(bytes: Uint8Array): void {
    this.#scanner.feed(bytes);
  }

  end(cut: boolean): DocumentKind {
    const endedInside = this.#scanner.end();
    const format = this.#finder.found;
    if (format === undefined) {
      if (this.#scanner.endlessDoctype) {
        return { kind: "invalid", code: "xml.doctype", reason: "The DOCTYPE does not end" };
      }
      const { code, detail } = this.#finder.failure;
      const isPlain = detail !== undefined && PLAIN_NAME.test(detail);
      return refuse(code, isPlain ? `root element <${detail}>` : undefined);
    }
    if (endedInside || cut) {
      this.partial = true;
      this.#report("xml.truncated", undefined, this.#scanner.line);
    }
    return format;
  }
}

/** Formats that are read as text. */
class DecodedDocument implements FormatReader {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #reader: { push(text: string): void };
  readonly #end: (cut: boolean) => DocumentKind;
  readonly done = false;
  partial = false;

  constructor(reader: { push(text: string): void }, end: (cut: boolean) => DocumentKind) {
    this.#reader = reader;
    this.#end = end;
  }

  push(bytes: Uint8Array): void {
    this.#reader.push(this.#decoder.decode(bytes, { stream: true }));
  }

  end(cut: boolean): DocumentKind {
    this.partial = cut;
    return this.#end(cut);
  }
}

class RobotsDocument implements FormatReader {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #read: (text: string, cut: boolean) => void;
  #text = "";
  #size = 0;
  partial = false;

  constructor(read: (text: string, cut: boolean) => void) {
    this.#read = read;
  }

  get done(): boolean {
    return this.#size >= MAX_ROBOTS_SIZE;
  }

  push(bytes: Uint8Array): void {
    const room = bytes.subarray(0, MAX_ROBOTS_SIZE - this.#size);
    this.#size += room.length;
    this.#text += this.#decoder.decode(room, { stream: true });
  }

  end(cut: boolean): DocumentKind {
    this.partial = cut || this.done;
    this.#read(this.#text, cut);
    return { kind: "index", format: "robots" };
  }
}

/** A document that nothing can be made of. */
class Refusal implements FormatReader {
  readonly #code: keyof typeof refusals;
  readonly done = true;
  readonly partial = false;

  constructor(code: keyof typeof refusals) {
    this.#code = code;
  }

  push(): void {}

  end(): DocumentKind {
    return refuse(this.#code);
  }
}

export function refuse(code: keyof typeof refusals, detail?: string): InvalidKind {
  const reason = refusals[code];
  return { kind: "invalid", code, reason: detail ? `${reason} (${detail})` : reason };
}

function strictFailure(code: IssueCode): InvalidKind {
  return { kind: "invalid", code, reason: `Ended by strict mode: ${code}` };
}

/** A Buffer as the Uint8Array that it is: its `slice` would share memory, and mixed classes are slow. */
function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array
    ? bytes
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** robots.txt has one code for whatever is wrong with its encoding. */
function renameEncoding(report: Report): Report {
  return (code, value, line) => report(code.startsWith("encoding.") ? "robots.encoding" : code, value, line);
}

/** One control character in twenty, or the signature of a PDF, is no list of URLs. */
function isBinary(start: string): boolean {
  if (start.startsWith("%PDF-")) return true;
  const controls = start.match(/[\x00-\x08\x0e-\x1f\ufffd]/g)?.length ?? 0;
  return 20 * controls > start.length;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function pathOf(url: string): string {
  try {
    return new URL(url).pathname;
  } catch {
    return "";
  }
}
