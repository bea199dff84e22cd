/**
 * Reads the two formats that only list links: HTML sitemaps and llms.txt. They are off by default, and siteatlas/parse
 * does not contain them, because the parser for browsers has to be small. So the caller of `DocumentParser` passes
 * `linkFormats`.
 *
 * Decides between these formats and XML by the first tags: a sitemap or a feed with an HTML error message before its
 * root is read as XML.
 */
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

interface TextReader {
  push(text: string): void;
  end(cut: boolean): void;
}

/** The parts of `DocumentParser` that this file needs. */
interface LinkContext<Kind> {
  /** The format by the first byte. */
  readonly format: "xml" | "robots" | "json" | "text" | "binary";
  readonly url: string;
  readonly sink: EntrySink;
  readonly limits: FilledLimits<ParseLimits>;
  /** Reads the document as XML. */
  xml(): ByteReader<Kind>;
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

/** Returns a reader for a document that may list links. Undefined if its format has another reader. */
export type LinkFormats = <Kind>(context: LinkContext<Kind>) => ByteReader<Kind> | undefined;

export function linkFormats({ html, llms, isOwnHost }: LinkFormatOptions): LinkFormats {
  return (context) => {
    const { format, url, sink, limits } = context;
    const { urlLength, textLength, tokenBytes } = limits;
    const options = { url, sink, isOwnHost, urlLength, textLength };
    const readLlms = (): ReturnType<typeof context.xml> => {
      const reader = new LlmsTxtReader(options, tokenBytes);
      return context.decoded(reader, "content.no-urls", () => (reader.isLlmsTxt ? "llms" : undefined));
    };
    const readHtml = (): ReturnType<typeof context.xml> => {
      const reader = new HtmlLinkReader(options, html === "titled");
      return context.decoded(reader, "content.html", () => (reader.hasPages ? "html" : undefined));
    };
    if (format === "text") return llms ? readLlms() : undefined;
    if (format !== "xml") return undefined;
    return new TagSniffer((markup) => {
      if (markup === "root") return context.xml();
      // An HTML page in place of llms.txt counts as absent.
      if (llms) return markup === "page" ? context.xml() : readLlms();
      return html !== "none" && markup !== "other" ? readHtml() : context.xml();
    });
  };
}

/** Number of bytes in which the root of an XML document is searched. */
const MAX_SNIFFED = 16_384;

const ROOTS: ReadonlySet<string> = new Set("urlset sitemapindex rss rdf feed url sitemap entry".split(" "));
const PAGE_TAGS: ReadonlySet<string> = new Set(["html", "head", "body"]);
/**
 * Tags that may come first in an HTML document that has no `<html>`, `<head>` and `<body>` tags. HTML allows to omit
 * them.
 */
const HTML_TAGS: ReadonlySet<string> = new Set(
  "title meta link base style script center h1 h2 h3 p div ul ol dl table nav main header section article a".split(
    " ",
  ),
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
  readonly #choose: (markup: Markup) => ByteReader<Kind>;
  readonly #decoder = new TextDecoder();
  readonly #tokenizer: HtmlTokenizer;
  #held: Uint8Array[] = [];
  #size = 0;
  #hasDoctype = false;
  #first: string | undefined;
  #reader: ByteReader<Kind> | undefined;

  constructor(choose: (markup: Markup) => ByteReader<Kind>) {
    this.#choose = choose;
    this.#tokenizer = new HtmlTokenizer(
      {
        startTag: (name) => {
          const local = name.slice(name.indexOf(":") + 1);
          this.#first ??= local;
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
    this.#reader = this.#choose(markup);
    this.#tokenizer.done = true;
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.#reader!.push(bytes);
  }
}
