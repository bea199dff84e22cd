/**
 * One document, from its bytes to its entries: decodes, sniffs the format, feeds the reader for it, drops
 * repeated URLs, and says at the end what the document was. Synchronous and push-driven; decompression,
 * which is not, comes before it (parse-sitemap.ts).
 *
 * The format is decided by the content: `<` is XML, `{` may be a JSON Feed, the rest is a list of URLs;
 * only `/robots.txt` is known by its name.
 */
import { utf8Text } from "#platform";
import { UrlSet } from "#shortcuts";
import { concatBytes } from "../decode/concat-bytes.ts";
import { Transcoder } from "../decode/encoding.ts";
import { IssueLog, type Report } from "../issue-log.ts";
import { type IssueCode, refusals } from "../issues.ts";
import { PARSE_LIMITS, type ParseLimits } from "../limits.ts";
import type { IndexFormat, Issue, Page, PagesFormat, SubSitemap } from "../model.ts";
import { JsonFeedReader } from "./json-feed.ts";
import { type RobotsContent, readRobots } from "./robots.ts";
import { robotsSize } from "./robots-lines.ts";
import { ENTRY_TAG, ROOT_TAG, RootFinder } from "./root-finder.ts";
import { type XmlReader, XmlScanner } from "./scanner.ts";
import type { SitemapSink } from "./sink.ts";
import { TextSitemapReader } from "./text.ts";
import { UrlReader, type UrlReaderOptions } from "./url.ts";

export interface DocumentOptions {
  readonly url: string;
  readonly contentType?: string | undefined;
  readonly strict: boolean;
  /** With their defaults. */
  readonly limits?: Required<ParseLimits>;
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

/** What reads a document once its format is known. */
interface FormatReader {
  push(bytes: Uint8Array): void;
  /** What the document was. `cut`: the source ended before the document did; `left`: because we left it. */
  end(cut: boolean, left: boolean): DocumentKind;
  /** Nothing more will come of it. */
  readonly done: boolean;
}

export class DocumentParser {
  readonly log: IssueLog;
  /** What robots.txt says, once it was read. */
  robots: RobotsContent | undefined;
  /** At the end: the document goes on, but was not read. */
  partial = false;
  readonly #options: DocumentOptions;
  readonly #limits: Required<ParseLimits>;
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
    this.#limits = options.limits ?? PARSE_LIMITS;
    const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
    const prefix = url === undefined ? "" : `${url.origin}/`;
    this.#pages = options.pageUrls ?? new UrlSet(prefix);
    this.#children = new UrlSet(prefix);
    this.log = new IssueLog(options.url, options.strict, this.#limits.issues);
    this.log.onIssue = options.onIssue;
    this.#isRobots = options.isRobots ?? /\/robots\.txt$/i.test(url?.pathname ?? "");
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
    if (code === "content.zip" || code === "gzip.too-deep") this.#reader = refusal(code);
    else this.log.report(code, value);
  };

  /** Whether more bytes could make a difference. */
  get done(): boolean {
    return this.log.failure !== undefined || (this.#reader?.done ?? false);
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

  /** The source is at its end. `cut`: it should have gone on; `left`: it did, but is not read: nothing is wrong with it. */
  end(cut: boolean, left = false): DocumentKind {
    if (!this.done) this.#pushDecoded(this.#transcoder?.end());
    if (this.#reader === undefined && this.#head.length > 0) this.#decide();
    if (this.log.failure !== undefined) return strictFailure(this.log.failure);
    const kind = this.#reader?.end(cut, left) ?? refuse("content.empty");
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
    const head = concatBytes([this.#head, rest]);
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
    if (!this.#isRobots && isBinary(start)) return refusal("content.binary");
    if (ROOT_TAG.test(start)) return this.#xml();
    if (this.#isRobots) return this.#robots();
    if (ENTRY_TAG.test(start)) return this.#xml();
    if (head[0] === 0x7b) return this.#json();
    return this.#text();
  }

  #urls(escapeCode: UrlReaderOptions["escapeCode"]): UrlReader {
    const { strict, url } = this.#options;
    const { urlLength } = this.#limits;
    return new UrlReader(url, this.log.report, { strict, escapeCode, urlLength });
  }

  #xml(): FormatReader {
    const { report } = this.log;
    const scanner = new XmlScanner(NOBODY, report, { limits: this.#limits });
    const urls = this.#urls("url.double-escaped");
    const finder = new RootFinder(scanner, this.#sink, urls, this.#options.strict);
    scanner.reader = finder;
    if (this.#leadingBlank) scanner.skipLeadingBlank(this.#leadingLines);
    return {
      push: (bytes) => scanner.feed(bytes),
      end: (cut, left) => {
        const endedInside = scanner.end();
        if (finder.found === undefined) return whyNoRoot(scanner, finder);
        this.partial = endedInside || cut;
        if (this.partial && !left) report("xml.truncated", undefined, scanner.line);
        return finder.found;
      },
      get done() {
        return scanner.stopped;
      },
    };
  }

  #json(): FormatReader {
    const reader = new JsonFeedReader(this.#sink, this.#urls("url.html-escaped"), this.#limits.textLength);
    return this.#decoded(reader, () =>
      reader.isFeed === true ? { kind: "pages", format: "json" } : refuse("content.json"),
    );
  }

  #text(): FormatReader {
    const { strict, url, contentType } = this.#options;
    const options = { url, contentType, strict, lineLength: this.#limits.tokenBytes };
    const reader = new TextSitemapReader(this.#sink, this.#urls("url.html-escaped"), options);
    return this.#decoded(reader, () =>
      reader.isSitemap === true ? { kind: "pages", format: "text" } : refuse("content.no-urls"),
    );
  }

  /** For formats that are read as text. */
  #decoded(
    reader: { push(text: string): void; end(cut: boolean): void; readonly brokeOff?: boolean },
    kind: () => DocumentKind,
  ): FormatReader {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return {
      done: false,
      push: (bytes) => reader.push(decoder.decode(bytes, { stream: true })),
      end: (cut) => {
        reader.end(cut);
        this.partial = cut || reader.brokeOff === true;
        return kind();
      },
    };
  }

  #robots(): FormatReader {
    const { strict, url } = this.#options;
    const limits = this.#limits;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    // One byte more than is used: then it is known to have been cut (R32).
    let room = robotsSize(limits) + 1;
    let text = "";
    return {
      get done() {
        return room === 0;
      },
      push: (bytes) => {
        const read = bytes.subarray(0, room);
        room -= read.length;
        text += decoder.decode(read, { stream: true });
      },
      end: (cut) => {
        this.partial = cut || room === 0;
        this.robots = readRobots(text, { url, strict, cut, limits, report: this.log.report });
        for (const sitemap of this.robots.sitemaps) this.#sink.child(sitemap);
        return { kind: "index", format: "robots" };
      },
    };
  }
}

/** The scanner and its first reader need each other; this one stands in between. */
const NOBODY: XmlReader = { open() {}, close() {}, looseText: () => false, doctype() {} };

function whyNoRoot({ endlessDoctype }: XmlScanner, { failure }: RootFinder): InvalidKind {
  if (endlessDoctype) return { kind: "invalid", code: "xml.doctype", reason: "The DOCTYPE does not end" };
  const { code, detail } = failure;
  const isPlain = detail !== undefined && PLAIN_NAME.test(detail);
  return refuse(code, isPlain ? `root element <${detail}>` : undefined);
}

/** A document that nothing can be made of. */
function refusal(code: keyof typeof refusals): FormatReader {
  return { done: true, push() {}, end: () => refuse(code) };
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
