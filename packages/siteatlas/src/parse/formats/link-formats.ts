/**
 * Reads the two formats that only list links: HTML sitemaps and llms.txt. They are off by default, and siteatlas/parse
 * does not contain them, because the parser for browsers has to be small. So the caller of `DocumentParser` passes
 * `linkFormats`.
 *
 * Decides between these formats and XML by the first tags: a sitemap or a feed with an HTML error message before its
 * root is read as XML. Also decodes HTML pages that declare their encoding.
 */
import { concatBytes } from "../../decode/concat-bytes.ts";
import { charsetOf, encodingOf } from "../../decode/declared-encoding.ts";
import { Transcoder, type TranscoderOptions } from "../../decode/encoding.ts";
import type { FilledLimits, ParseLimits } from "../../model/generated/limits.ts";
import type { PagesFormat } from "../../model/model.ts";
import type { EntrySink } from "./entry-sink.ts";
import { HtmlLinkReader } from "./html-links.ts";
import { HtmlTokenizer } from "./html-tokenizer.ts";
import { LlmsTxtReader } from "./llms-txt.ts";

/** Which HTML pages are HTML sitemaps. `titled`: those whose title says so. */
export type HtmlPages = "none" | "titled" | "all";

/** The formats of links that a document may have. */
export interface LinkFormatOptions {
  readonly html: HtmlPages;
  /** Whether the document was requested as llms.txt. */
  readonly llms: boolean;
  /** Whether a host belongs to the site. Links to other hosts are left out. */
  isOwnHost(hostname: string): boolean;
}

/** A reader of bytes, as in document.ts. */
interface ByteReader<Kind> {
  push(bytes: Uint8Array): void;
  end(cut: boolean, left: boolean): Kind;
  readonly done: boolean;
}

/** A decoder of bytes, as in document.ts. */
export type ByteDecoder = Pick<Transcoder, "push" | "end">;

interface TextReader {
  push(text: string): void;
  end(cut: boolean): void;
}

/** The parts of `DocumentParser` that this file needs. */
interface LinkContext<Kind> {
  /** The format by the first byte. */
  readonly format: "xml" | "robots" | "json" | "text" | "binary";
  /** The first bytes. */
  readonly head: Uint8Array;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly sink: EntrySink;
  readonly limits: FilledLimits<ParseLimits>;
  /** Reads the document as XML. */
  xml(): ByteReader<Kind>;
  /** Reads the document as a list of URLs. */
  text(): ByteReader<Kind>;
  /**
   * Wraps a reader of text. `format` is called at the end of the document and returns its format. If it returns
   * undefined, the document is rejected with `code`.
   */
  decoded(
    reader: TextReader,
    code: "content.html" | "content.no-urls",
    format: () => PagesFormat | undefined,
  ): ByteReader<Kind>;
}

export interface LinkFormats {
  /** Returns a reader for a document that may list links. Undefined if its format has another reader. */
  <Kind>(context: LinkContext<Kind>): ByteReader<Kind> | undefined;
  /** Creates a decoder that also reads the `<meta charset>` of HTML. Undefined if the document cannot be HTML. */
  decoder(options: TranscoderOptions): ByteDecoder | undefined;
}

export function linkFormats({ html, llms, isOwnHost }: LinkFormatOptions): LinkFormats {
  const isHtmlRead = html !== "none";
  const choose = <Kind>(context: LinkContext<Kind>): ByteReader<Kind> | undefined => {
    const { format, head, url, contentType = "", sink, limits } = context;
    const { urlLength, textLength, tokenBytes } = limits;
    const options = { url, sink, isOwnHost, urlLength, textLength };
    const readLlms = (): ByteReader<Kind> => {
      const reader = new LlmsTxtReader(options, tokenBytes);
      return context.decoded(reader, "content.no-urls", () => (reader.isLlmsTxt ? "llms" : undefined));
    };
    const readHtml = (): ByteReader<Kind> => {
      const reader = new HtmlLinkReader(options, html === "titled");
      return context.decoded(reader, "content.html", () => (reader.hasPages ? "html" : undefined));
    };
    const isHtmlType = HTML_TYPE.test(contentType);
    if (format === "text") {
      if (llms) return readLlms();
      if (!isHtmlRead || URL_START.test(new TextDecoder().decode(head.subarray(0, 8)))) return undefined;
      return new TagSniffer((markup, hasLink) => {
        const isHtml = markup === "page" || (markup !== "root" && isHtmlType && hasLink);
        return isHtml ? readHtml() : context.text();
      });
    }
    if (format !== "xml") return undefined;
    return new TagSniffer((markup, hasLink) => {
      if (markup === "root") return context.xml();
      // An HTML page in place of llms.txt counts as absent.
      if (llms) return markup === "page" ? context.xml() : readLlms();
      return isHtmlRead && (markup !== "other" || (isHtmlType && hasLink)) ? readHtml() : context.xml();
    });
  };
  return Object.assign(choose, {
    decoder: (options: TranscoderOptions) => (isHtmlRead && !llms ? new HtmlDecoder(options) : undefined),
  });
}

/** Matches the media types of HTML pages. */
const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
/** Matches the start of a list of URLs. */
const URL_START = /^https?:\/\//i;

/** Number of bytes in which the root of an XML document is searched. */
const MAX_SNIFFED = 16_384;

const ROOTS: ReadonlySet<string> = new Set("urlset sitemapindex rss rdf feed url sitemap entry".split(" "));
const PAGE_TAGS: ReadonlySet<string> = new Set(["html", "head", "body"]);
/**
 * Tags that may come first in an HTML document that has no `<html>`, `<head>` and `<body>` tags. HTML allows to omit
 * them. `<br>` and `<b>` are not in the list: PHP starts its warnings with them, also before an XML sitemap.
 */
const HTML_TAGS: ReadonlySet<string> = new Set(
  (
    "title meta link base style script noscript template center h1 h2 h3 h4 h5 h6 p div span ul ol dl table nav main " +
    "header footer aside section article form figure img hr button iframe a"
  ).split(" "),
);

/**
 * The result of the first tags. `root`: the document is a sitemap or a feed. `page`: it is a complete HTML page. `fragment`:
 * it has tags of HTML only. `other`: it has other tags.
 */
type Markup = "root" | "page" | "fragment" | "other";

/**
 * Holds the first bytes of a document until its tags show the format. Then passes all bytes to the reader for this
 * format.
 */
class TagSniffer<Kind> implements ByteReader<Kind> {
  readonly #choose: (markup: Markup, hasLink: boolean) => ByteReader<Kind>;
  readonly #decoder = new TextDecoder();
  readonly #tokenizer: HtmlTokenizer;
  #held: Uint8Array[] = [];
  #size = 0;
  #hasDoctype = false;
  #first: string | undefined;
  #hasLink = false;
  #reader: ByteReader<Kind> | undefined;

  /** `choose` also receives whether a link (`<a>`) was found before the decision. */
  constructor(choose: (markup: Markup, hasLink: boolean) => ByteReader<Kind>) {
    this.#choose = choose;
    this.#tokenizer = new HtmlTokenizer(
      {
        startTag: (name) => {
          const local = name.slice(name.indexOf(":") + 1);
          this.#first ??= local;
          this.#hasLink ||= local === "a";
          if (this.#reader !== undefined) return;
          if (ROOTS.has(local)) this.#decide("root");
          else if (PAGE_TAGS.has(local)) this.#decide("page");
        },
        endTag() {},
        doctype: () => {
          this.#hasDoctype = true;
        },
      },
      [],
    );
  }

  get done(): boolean {
    return this.#reader?.done ?? false;
  }

  push(bytes: Uint8Array): void {
    if (this.#reader !== undefined) return this.#reader.push(bytes);
    // Copy the bytes, because the caller may reuse their memory.
    const held = bytes.slice();
    this.#held.push(held);
    const sniffed = held.subarray(0, MAX_SNIFFED - this.#size);
    this.#size += sniffed.length;
    this.#tokenizer.push(this.#decoder.decode(sniffed, { stream: true }));
    if (this.#size >= MAX_SNIFFED) this.#decideByFirst();
    if (this.#reader !== undefined) this.#release();
  }

  end(cut: boolean, left: boolean): Kind {
    if (this.#reader === undefined) {
      this.#decideByFirst();
      this.#release();
    }
    return this.#reader!.end(cut, left);
  }

  #decideByFirst(): void {
    const isFragment = this.#first !== undefined && HTML_TAGS.has(this.#first);
    this.#decide(this.#hasDoctype ? "page" : isFragment ? "fragment" : "other");
  }

  #decide(markup: Markup): void {
    if (this.#reader !== undefined) return;
    this.#reader = this.#choose(markup, this.#hasLink);
    this.#tokenizer.done = true;
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.#reader!.push(bytes);
  }
}

/** Number of bytes in which HTML requires the declaration (https://html.spec.whatwg.org/#charset). */
const DECLARATION_SIZE = 1024;

/** Matches the encoding in the `content` of a `<meta>`. HTML does not require the semicolon before it. */
const CHARSET = /charset\s*=\s*["']?([^\s"';]+)/i;

/**
 * Decodes a document that may be HTML. Works like `Transcoder`, and also reads the encoding that an HTML page declares in
 * its first bytes: `<meta charset="…">` or `<meta http-equiv="content-type" content="…; charset=…">`. A byte order mark
 * and the Content-Type header have priority.
 */
class HtmlDecoder implements ByteDecoder {
  readonly #options: TranscoderOptions;
  #held: Uint8Array = new Uint8Array(0);
  #decoder: ByteDecoder | undefined;

  constructor(options: TranscoderOptions) {
    this.#options = options;
    if (encodingOf(charsetOf(options.contentType)) !== undefined) this.#decoder = new Transcoder(options);
  }

  push(chunk: Uint8Array): Uint8Array | undefined {
    if (this.#decoder !== undefined) return this.#decoder.push(chunk);
    // This also copies the bytes. The caller may reuse the memory of its chunk.
    const held = concatBytes([this.#held, chunk.slice()]);
    this.#held = held;
    return held.length < DECLARATION_SIZE ? undefined : this.#decide().push(held);
  }

  end(): Uint8Array | undefined {
    if (this.#decoder !== undefined) return this.#decoder.end();
    const decoder = this.#decide();
    const start = decoder.push(this.#held)?.slice();
    const rest = decoder.end();
    return start === undefined || rest === undefined ? (start ?? rest) : concatBytes([start, rest]);
  }

  #decide(): ByteDecoder {
    const options = this.#options;
    const charset = declaredCharset(this.#held.subarray(0, DECLARATION_SIZE));
    this.#decoder = new Transcoder(
      charset === undefined
        ? options
        : {
            contentType: `text/html; charset=${charset}`,
            // The page has the wrong declaration, not the header.
            report: (code, value, line) =>
              options.report(
                code === "encoding.http-mismatch" ? "encoding.wrong-declaration" : code,
                value,
                line,
              ),
          },
    );
    return this.#decoder;
  }
}

/** Returns the encoding that the first `<meta>` with an encoding declares. Undefined for UTF-8, the default. */
function declaredCharset(start: Uint8Array): string | undefined {
  let charset: string | undefined;
  const tokenizer = new HtmlTokenizer(
    {
      startTag: (name, attribute) => {
        if (name !== "meta" || charset !== undefined) return;
        const isType = attribute("http-equiv")?.trim().toLowerCase() === "content-type";
        const label =
          attribute("charset") ?? (isType ? CHARSET.exec(attribute("content") ?? "")?.[1] : undefined);
        charset = encodingOf(label?.trim());
      },
      endTag() {},
    },
    ["charset", "http-equiv", "content"],
  );
  // The tags are ASCII in all encodings that a page can declare.
  tokenizer.push(new TextDecoder("windows-1252").decode(start));
  // HTML says that a page that declares UTF-16 in ASCII bytes is UTF-8.
  return charset === undefined || charset.startsWith("utf-") ? undefined : charset;
}
