/**
 * Text sitemaps: one URL per line (https://www.sitemaps.org/protocol.html#otherformats). Lenient: comments,
 * columns after the URL, several URLs on a line, relative URLs and URLs without a scheme. Strict mode accepts
 * only plain URLs.
 *
 * Any text might be such a list, so lines are held back until one starts with an http URL or 100 lines have
 * passed. Markup never gets here (detect-format.ts).
 */

import { FAST } from "#shortcuts";
import { writtenText } from "../../escape/userinfo.ts";
import { PARSE_LIMITS } from "../../model/generated/limits.ts";
import type { DateValue } from "../../model/model.ts";
import { omitUndefined } from "../../model/omit-undefined.ts";
import { readDate } from "../values/parse-date.ts";
import { FILE_NAME, looksLikeHost, trimUrl, type UrlReader } from "../values/url.ts";
import type { EntrySink } from "./entry-sink.ts";
import { LineSplitter } from "./line-splitter.ts";
import { findHeader, type Header, splitRow } from "./url-list-row.ts";

export interface TextSitemapOptions {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly strict: boolean;
  /**
   * Stops a file without line ends that fills memory. Long enough for many URLs on a line (T10). @default
   * 65_536
   */
  readonly lineLength?: number;
}

/** A text without a URL in its first 100 lines, not counting blank ones, is not a sitemap. */
const MAX_PENDING_LINES = 100;
/** Maximum number of characters in lines that are held back. Stops 100 long lines that fill memory. */
const MAX_PENDING_LENGTH = 65_536;

interface PendingLine {
  /** The trimmed text. Undefined for a line that is too long. */
  readonly text: string | undefined;
  readonly number: number;
}

export class TextSitemapReader {
  readonly #sink: EntrySink;
  readonly #urls: UrlReader;
  readonly #options: TextSitemapOptions;
  readonly #lines: LineSplitter;
  readonly #ownHost: string | undefined;
  #isSitemap: boolean | undefined;
  #pending: PendingLine[] = [];
  #pendingLength = 0;
  /** Column names, from a line before the first URL. */
  #header: Header | undefined;
  #hasPages = false;

  constructor(sink: EntrySink, urls: UrlReader, options: TextSitemapOptions) {
    this.#sink = sink;
    this.#urls = urls;
    this.#options = options;
    this.#ownHost = urls.base?.hostname;
    this.#lines = new LineSplitter({
      maxLength: options.lineLength ?? PARSE_LIMITS.tokenBytes,
      unicodeBreaks: !options.strict,
      onLine: (line, number) => this.#line(trimUrl(line), number),
      onTooLong: (number) => this.#line(undefined, number),
    });
  }

  /** Whether the text is a sitemap. Undefined until this is decided, at the latest by `end`. */
  get isSitemap(): boolean | undefined {
    return this.#isSitemap;
  }

  push(text: string): void {
    if (this.#isSitemap !== false) this.#lines.push(text);
  }

  /** `cut`: the document is incomplete. Its last line may be half a URL and is dropped. */
  end(cut: boolean): void {
    if (cut) this.#lines.abort();
    else this.#lines.end();
    if (this.#isSitemap === undefined) this.#decide(this.#isListWithoutSchemes());
  }

  #line(text: string | undefined, number: number): void {
    if (text === "" || this.#isSitemap === false) return;
    if (this.#isSitemap) {
      this.#take(text, number);
      return;
    }
    this.#pending.push({ text, number });
    this.#pendingLength += text?.length ?? MAX_PENDING_LENGTH;
    if (text !== undefined && WEB_URL.test(text)) this.#decide(true);
    else if (this.#pending.length >= MAX_PENDING_LINES || this.#pendingLength >= MAX_PENDING_LENGTH) {
      this.#decide(this.#isListWithoutSchemes());
    }
  }

  #decide(isSitemap: boolean): void {
    this.#isSitemap = isSitemap;
    const pending = this.#pending;
    this.#pending = [];
    if (!isSitemap) return;
    const { url, contentType } = this.#options;
    const isNamedXml = /\.xml(?:\.gz)?$/i.test(this.#urls.base?.pathname ?? "");
    const label = isXmlType(contentType) ? contentType : isNamedXml ? url : undefined;
    if (label !== undefined) this.#sink.report("content.type-mismatch", label);
    for (const { text, number } of pending) this.#take(text, number);
  }

  /**
   * Whether lines without any scheme are URLs. Lenient: they are if each line looks like a host with a path (T12). In
   * a document with the name `.txt` and the type `text/plain`, lines that look like paths also count (T09).
   */
  #isListWithoutSchemes(): boolean {
    if (this.#options.strict) return false;
    const pathsCount =
      /^text\/plain\b/i.test(this.#options.contentType?.trim() ?? "") &&
      /\.txt$/i.test(this.#urls.base?.pathname ?? "");
    let found = false;
    for (const { text } of this.#pending) {
      if (text === undefined) return false;
      if (text.startsWith("#") || findHeader(text) !== undefined) continue;
      const first = splitRow(text)[0]?.text ?? "";
      if (!isHostLine(first, this.#ownHost) && !(pathsCount && isPathLine(first))) return false;
      found = true;
    }
    return found;
  }

  #take(text: string | undefined, number: number): void {
    if (text === undefined) this.#sink.report("text.line-too-long", undefined, number);
    else if (text.startsWith("#")) this.#sink.report("text.comment", text, number);
    else if (SEPARATOR.test(text)) this.#takeRow(text, number);
    else if (this.#isUrl(text)) this.#takeUrl(text, undefined, number);
    else this.#sink.report("text.non-url-line", text, number);
  }

  /** A line with blanks, commas or other characters that may be part of a URL or separate columns. */
  #takeRow(text: string, number: number): void {
    const cells = splitRow(text, this.#header);
    const first = cells[0]?.text ?? "";
    if (!this.#isUrl(first)) {
      if (!this.#hasPages) this.#header ??= findHeader(text);
      this.#sink.report("text.non-url-line", text, number);
      return;
    }
    if (cells.length === 1) {
      // Passes the complete text, so that quotes around it are reported.
      this.#takeUrl(text, undefined, number);
      return;
    }
    const urlCount = cells.filter(({ kind }) => kind === "url").length;
    if (urlCount > 1) this.#sink.report("text.multiple-urls", text, number);
    if (urlCount < cells.length) this.#sink.report("text.extra-columns", text, number);
    if (this.#options.strict) return;
    for (const [index, cell] of cells.entries()) {
      const next = cells[index + 1];
      const dateText = next?.kind === "date" ? next.text : undefined;
      if (cell.kind === "url") this.#takeUrl(cell.text, dateText, number);
    }
  }

  #isUrl(text: string): boolean {
    if (WEB_URL.test(text)) return true;
    // A shortcut for texts with millions of words, which cannot be URLs (sec-T09).
    if (FAST && !URL_SIGN.test(text)) return text.toLowerCase() === this.#ownHost;
    return isHostLine(text, this.#ownHost) || isPathLine(text) || OTHER_URL.test(text);
  }

  #takeUrl(text: string, dateText: string | undefined, number: number): void {
    this.#hasPages = true;
    const url = this.#urls.resolve(text, "page", number);
    if (url === undefined) return;
    const lastModified = dateText === undefined ? undefined : this.#readDate(dateText, number);
    // Nearly every line is a plain URL.
    const isPlain = url === text && lastModified === undefined;
    this.#sink.page(
      isPlain ? { url } : omitUndefined({ url, urlText: writtenText(url, text), lastModified }),
    );
  }

  /** Reads a date column. A column may contain anything, so issues are reported only for a valid date. */
  #readDate(text: string, number: number): DateValue | undefined {
    if (!DATE_LIKE.test(text)) return undefined;
    const issues: Parameters<EntrySink["report"]>[] = [];
    const date = readDate(text, "sitemap", (...issue) => issues.push(issue), number);
    if (date.value === undefined) return undefined;
    for (const issue of issues) this.#sink.report(...issue);
    return date;
  }
}

/** An http URL, possibly after a quote or bracket. */
const WEB_URL = /^["'<]?https?:[/\\]/i;
/** A URL with another scheme. It is recognized in order to be dropped as `url.unsupported-scheme`. */
const OTHER_URL = /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|(?:mailto|javascript|data|tel|urn):)\S+$/i;
/** Every URL contains one of these characters, except a bare host name. */
const URL_SIGN = /[./:?#\\]/;
/** Characters that may separate a URL from other text on its line. */
const SEPARATOR = /[\s,;|"]/;
/** Text that may be a date. Excludes a number of four digits, which is more often a count than a year. */
const DATE_LIKE = /\d\D+\d|\d{8}/;

function isXmlType(contentType: string | undefined): boolean {
  return (
    contentType !== undefined && /^\s*(?:text|application)\/(?:[\w.-]+\+)?xml\s*(?:;|$)/i.test(contentType)
  );
}

function isHostLine(text: string, ownHost: string | undefined): boolean {
  return !/\s/.test(text) && looksLikeHost(text, ownHost);
}

/** `/a`, `../a`, `?id=1`, `a.html`, `blog/a`. Not a single word, `N/A` or `01/02/2024`. */
function isPathLine(text: string): boolean {
  if (/[\s<>{}"`]/.test(text)) return false;
  if (text.startsWith("//")) return /^\/\/[^/.]+\.[^/]/.test(text);
  if (/^(?:\/|\?|\.\.?\/)/.test(text)) return true;
  if (text.includes(":") || !/\p{L}/u.test(text) || /^n\/a$/i.test(text)) return false;
  return /^[^/.][^/]*\//.test(text) || FILE_NAME.test(text.replace(/\?.*/s, ""));
}
