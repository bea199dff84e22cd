/**
 * Parses one document from bytes to entries: decodes it, detects its format, passes it to the reader for this format,
 * and drops repeated URLs. The parser is synchronous: the caller pushes bytes, and the parser calls back with entries.
 * Decompression is asynchronous and happens before (parse-sitemap.ts).
 */

import { FAST, keepSpecimens, UrlSet } from "#shortcuts";
import { concatBytes } from "../decode/concat-bytes.ts";
import { Transcoder } from "../decode/encoding.ts";
import { type FilledLimits, PARSE_LIMITS, type ParseLimits } from "../model/generated/limits.ts";
import { IssueLog, type Report } from "../model/issue-log.ts";
import { type IssueCode, refusals } from "../model/issue-severity.ts";
import type { IndexFormat, InvalidSitemap, Issue, Page, PagesFormat, SubSitemap } from "../model/model.ts";
import { binaryType, detectFormat, SNIFF_SIZE } from "./formats/detect-format.ts";
import type { SitemapSink } from "./formats/entry-sink.ts";
import { JsonFeedReader } from "./formats/json-feed.ts";
import type { ByteDecoder, LinkFormats } from "./formats/link-formats.ts";
import { TextSitemapReader } from "./formats/url-list.ts";
import { RootFinder } from "./formats/xml-root.ts";
import { type RobotsContent, readRobots } from "./robots/robots.ts";
import { robotsSize } from "./robots/robots-lines.ts";
import { isRobotsUrl } from "./robots/robots-url.ts";
import { parseUrl } from "./values/parse-url.ts";
import { UrlReader, type UrlReaderOptions } from "./values/url.ts";
import { type XmlReader, XmlScanner } from "./xml/scanner.ts";

export interface DocumentOptions {
  readonly url: string;
  readonly contentType?: string | undefined;
  readonly strict: boolean;
  readonly limits?: FilledLimits<ParseLimits>;
  /**
   * Whether the document was requested as robots.txt. After a redirect, its URL may have another name.
   * @default the path ends with `/robots.txt`
   */
  readonly isRobots?: boolean | undefined;
  /** Whether the source is decoded text, without an encoding to detect. */
  readonly isText: boolean;
  /** URLs of pages from an earlier attempt to read this document. They count as repeated. */
  readonly pageUrls?: UrlSet | undefined;
  readonly onPage: (page: Page) => void;
  readonly onChild: (child: SubSitemap) => void;
  readonly onIssue?: (issue: Issue) => void;
}

export type DocumentKind =
  | { readonly kind: "index"; readonly format: IndexFormat }
  | { readonly kind: "pages"; readonly format: PagesFormat }
  | InvalidKind;

type InvalidKind = Pick<InvalidSitemap, "kind" | "code" | "reason" | "cause">;

/**
 * Returns the real cause of a failure, whose issue was already reported. Undefined if the code of the parser is the real
 * cause. `isUnknown`: the document ended before its format was known.
 */
export type CauseOf = (
  code: IssueCode,
  isUnknown: boolean,
) => Pick<InvalidSitemap, "code" | "reason"> | undefined;

/** Matches root names that a message may quote: they are short and have no escape sequences (sec-O01). */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** The reader for the detected format. */
interface FormatReader {
  push(bytes: Uint8Array): void;
  /**
   * Ends the document. `cut`: it is incomplete. `left`: the caller stopped reading, so `xml.truncated` is not reported.
   */
  end(cut: boolean, left: boolean): DocumentKind;
  /** Whether no more bytes are needed. */
  readonly done: boolean;
}

export class DocumentParser {
  readonly log: IssueLog;
  robots: RobotsContent | undefined;
  /** Set by `end`: whether the document is incomplete. */
  partial = false;
  /** Reads HTML sitemaps and llms.txt. Without it, an HTML page is rejected. Only used in Node. */
  declare linkFormats: LinkFormats | undefined;
  /** Returns the real cause of a failure. Only used in Node. */
  declare causeOf: CauseOf | undefined;
  readonly #options: DocumentOptions;
  readonly #limits: FilledLimits<ParseLimits>;
  #transcoder: ByteDecoder | undefined;
  readonly #sink: SitemapSink;
  readonly #pages: UrlSet;
  readonly #children: UrlSet;
  readonly #isRobots: boolean;
  /** Whether an invalid document ended before its format was known. Only used in Node. */
  declare private endedUnknown: boolean | undefined;

  #reader: FormatReader | undefined;
  /** The first bytes, until the format is detected. */
  #head: Uint8Array = new Uint8Array(0);
  #leadingLines = 0;
  #leadingBlank = false;

  constructor(options: DocumentOptions) {
    if (FAST) keepSpecimens((specimen) => new DocumentParser(specimen));
    this.#options = options;
    this.#limits = options.limits ?? PARSE_LIMITS;
    const url = parseUrl(options.url);
    const prefix = url === undefined ? "" : `${url.origin}/`;
    this.#pages = options.pageUrls ?? new UrlSet(prefix);
    this.#children = new UrlSet(prefix);
    this.log = new IssueLog(options.url, options.strict, this.#limits.issues);
    this.log.onIssue = options.onIssue;
    this.#isRobots = options.isRobots ?? (url !== undefined && isRobotsUrl(url.href));
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
        if (!this.log.failure) options.onPage(page);
      },
      newChild: (child) => {
        if (!this.log.failure) options.onChild(child);
      },
      page: (page) => {
        if (this.#pages.add(page.url)) this.#sink.newPage(page);
      },
      child: (child) => {
        if (this.#children.add(child.url)) this.#sink.newChild(child);
      },
    };
  }

  /** Receives the issues of decompression. Two of them reject the document. */
  readonly reportFrame: Report = (code, value) => {
    if (code === "content.zip" || code === "gzip.too-deep") this.#reader = refusal(code);
    else this.log.report(code, value);
  };

  /** Whether no more bytes are needed. */
  get done(): boolean {
    return this.log.failure !== undefined || (this.#reader?.done ?? false);
  }

  get pageUrls(): UrlSet {
    return this.#pages;
  }

  get duplicateCount(): number {
    return this.#pages.duplicates + this.#children.duplicates;
  }

  push(bytes: Uint8Array): void {
    if (this.done) return;
    const plain = plainBytes(bytes);
    // Replace the decoder before the first bytes: HTML pages may declare their encoding.
    if (FAST && this.linkFormats !== undefined && this.#transcoder instanceof Transcoder && !this.#isRobots) {
      const { contentType } = this.#options;
      this.#transcoder =
        this.linkFormats.decoder({ report: this.log.report, contentType }) ?? this.#transcoder;
    }
    this.#pushDecoded(this.#transcoder === undefined ? plain : this.#transcoder.push(plain));
  }

  /**
   * Ends the document. `cut`: it is incomplete. `left`: the caller stopped reading, so `xml.truncated` is not reported.
   */
  end(cut: boolean, left = false): DocumentKind {
    if (!this.done) this.#pushDecoded(this.#transcoder?.end());
    // An empty robots.txt is valid. It has no rules, like a robots.txt with only a comment.
    if (this.#reader === undefined && (this.#head.length > 0 || (this.#isRobots && !cut))) this.#decide();
    if (this.log.failure !== undefined) return strictFailure(this.log.failure);
    const kind = this.#reader?.end(cut, left) ?? refuse("content.empty");
    const { failure } = this.log;
    if (failure !== undefined) return strictFailure(failure);
    if (kind.kind === "invalid") {
      if (FAST) {
        const isUnknown = this.endedUnknown === true || /^content\.(?:empty|no-urls)$/.test(kind.code);
        const cause = this.causeOf?.(kind.code, isUnknown);
        if (cause !== undefined) return { kind: "invalid", ...cause };
      }
      this.log.report(kind.code);
    }
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
    for (; at < bytes.length && isAsciiSpace(bytes[at]!); at++) {
      if (bytes[at] === 0x0a) this.#leadingLines++;
    }
    if (at > 0) this.#leadingBlank = true;
    return bytes.subarray(at);
  }

  /** Detects the format and passes the first bytes to its reader. */
  #decide(): void {
    const head = this.#head;
    this.#head = new Uint8Array(0);
    this.#reader = this.#readerFor(head);
    this.#reader.push(head);
  }

  #readerFor(head: Uint8Array): FormatReader {
    const format = detectFormat(head, this.#isRobots);
    if (FAST && !this.#isRobots) {
      const reader = this.linkFormats?.({
        format,
        head,
        url: this.#options.url,
        contentType: this.#options.contentType,
        sink: this.#sink,
        limits: this.#limits,
        xml: () => this.#xml(),
        text: () => this.#text(),
        decoded: (reader, code, format) =>
          this.#decoded(reader, () => {
            const found = format();
            return found === undefined ? refuse(code) : { kind: "pages", format: found };
          }),
      });
      if (reader !== undefined) return reader;
    }
    switch (format) {
      case "xml":
        return this.#xml();
      case "robots":
        return this.#robots();
      case "json":
        return this.#json();
      case "text":
        return this.#text();
      case "binary":
        return binaryRefusal(binaryType(head));
    }
  }

  #urls(escapeCode: UrlReaderOptions["escapeCode"]): UrlReader {
    const { strict, url } = this.#options;
    const { urlLength } = this.#limits;
    return new UrlReader(url, this.log.report, { strict, escapeCode, urlLength });
  }

  #xml(): FormatReader {
    const { report } = this.log;
    const scanner = new XmlScanner(NO_READER, report, { limits: this.#limits });
    const urls = this.#urls("url.double-escaped");
    const finder = new RootFinder(scanner, this.#sink, urls, this.#options.strict);
    scanner.reader = finder;
    if (this.#leadingBlank) scanner.skipLeadingBlank(this.#leadingLines);
    return {
      push: (bytes) => scanner.feed(bytes),
      end: (cut, left) => {
        const endedInside = scanner.end();
        if (finder.found === undefined) {
          if (FAST) {
            // A limit can also be the reason why no element was read.
            const isCutByLimit = this.log.kept.some(({ code }) => /^xml\.too-/.test(code));
            this.endedUnknown = isWithoutRoot(finder) && !isCutByLimit;
            if (this.endedUnknown && !scanner.endlessDoctype) return TRUNCATED;
          }
          return whyNoRoot(scanner, finder);
        }
        this.partial = endedInside || cut;
        if (endedInside && !left) report("xml.truncated", undefined, scanner.line);
        return finder.found;
      },
      get done() {
        return scanner.stopped;
      },
    };
  }

  #json(): FormatReader {
    const reader = new JsonFeedReader(this.#sink, this.#urls("url.html-escaped"), this.#limits.textLength);
    return this.#decoded(reader, () => {
      if (reader.isFeed) return { kind: "pages", format: "json" };
      return FAST && reader.isTruncated
        ? { kind: "invalid", code: "json.invalid", reason: "The JSON ends early" }
        : refuse("content.json");
    });
  }

  #text(): FormatReader {
    const { strict, url, contentType } = this.#options;
    const options = { url, contentType, strict, lineLength: this.#limits.tokenBytes };
    const reader = new TextSitemapReader(this.#sink, this.#urls("url.html-escaped"), options);
    return this.#decoded(reader, () =>
      reader.isSitemap ? { kind: "pages", format: "text" } : refuse("content.no-urls"),
    );
  }

  /** Wraps a reader that expects text instead of bytes. */
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
        this.partial = cut || !!reader.brokeOff;
        if (FAST) this.endedUnknown = reader.brokeOff === true;
        return kind();
      },
    };
  }

  #robots(): FormatReader {
    const { strict, url } = this.#options;
    const limits = this.#limits;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    // Read one byte more than is used, to detect a longer file (R32).
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

/**
 * A placeholder until the first reader exists: the scanner needs a reader when it is created, and the reader needs the
 * scanner.
 */
const NO_READER: XmlReader = { open() {}, close() {}, looseText: () => false, doctype() {} };

/** Whether no element was read. */
function isWithoutRoot({ failure }: RootFinder): boolean {
  return failure.code === "content.unknown-root" && failure.detail === undefined;
}

/**
 * The document has nothing but an XML declaration, a comment, or the start of a tag. The parser for browsers has to be
 * small, so it reports an unknown root.
 */
const TRUNCATED: InvalidKind = {
  kind: "invalid",
  code: "xml.truncated",
  reason: "The document ends before its root element",
};

function whyNoRoot({ endlessDoctype }: XmlScanner, { failure }: RootFinder): InvalidKind {
  if (endlessDoctype) return { kind: "invalid", code: "xml.doctype", reason: "The DOCTYPE does not end" };
  const { code, detail } = failure;
  const isPlain = detail !== undefined && PLAIN_NAME.test(detail);
  return refuse(code, isPlain ? `root element <${detail}>` : undefined);
}

function refusal(code: keyof typeof refusals): FormatReader {
  return { done: true, push() {}, end: () => refuse(code) };
}

function binaryRefusal(type: string | undefined): FormatReader {
  const kind = refuse("content.binary", type && `${type} file`);
  return { done: true, push() {}, end: () => (type === undefined ? kind : { ...kind, cause: type }) };
}

export function refuse(code: keyof typeof refusals, detail?: string): InvalidKind {
  const reason = refusals[code];
  return { kind: "invalid", code, reason: detail ? `${reason} (${detail})` : reason };
}

function strictFailure(code: IssueCode): InvalidKind {
  return { kind: "invalid", code, reason: `Ended by strict mode: ${code}` };
}

/**
 * Turns a Buffer into a Uint8Array, because `slice` of a Buffer shares memory, and code that gets both classes is
 * slower.
 */
function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array
    ? bytes
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reports all encoding issues of robots.txt with one issue code. */
function renameEncoding(report: Report): Report {
  return (code, value, line) => report(code.startsWith("encoding.") ? "robots.encoding" : code, value, line);
}

function isAsciiSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
