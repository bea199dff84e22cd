/**
 * Reads text sitemaps, which have one URL per line (https://www.sitemaps.org/protocol.html#otherformats). Lenient:
 * there may be comments, columns after the URL, several URLs on a line, relative URLs and URLs without a scheme. Strict
 * mode accepts only plain URLs.
 *
 * Any text might be such a list. So lines are held back until one starts with an http URL, or until there are 100
 * lines. This reader never gets markup (detect-format.ts).
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
   * Maximum length of a line. Stops a file without line ends that fills memory. Long enough for many URLs on a line
   * (T10). @default 65_536
   */
  readonly lineLength?: number;
}

/**
 * Maximum number of lines that are held back, not counting blank lines. With these lines it is decided whether the text
 * is a sitemap.
 */
const MAX_PENDING_LINES = 100;
/** Maximum number of characters in lines that are held back. Stops 100 long lines that fill memory. */
const MAX_PENDING_LENGTH = 65_536;

interface PendingLine {
  /** The trimmed text of the line. Undefined if the line is too long. */
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
  /** The column names. They are in a line before the first URL. */
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

  /** Whether the text is a sitemap. Undefined as long as this is unknown. `end` decides at the latest. */
  get isSitemap(): boolean | undefined {
    return this.#isSitemap;
  }

  push(text: string): void {
    if (this.#isSitemap !== false) this.#lines.push(text);
  }

  /**
   * Call this at the end of the text.
   *
   * @param cut whether the document is incomplete. If it is, the last line is dropped, because it may be half a URL
   */
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
   * Whether the text is a list of URLs without schemes. Lenient: each line must look like a host with a path (T12). If
   * the file name ends in `.txt` and the type is `text/plain`, lines that look like paths also count (T09).
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

  /** Handles a line with a comma, a space or another character that may be a part of the URL or separate columns. */
  #takeRow(text: string, number: number): void {
    const cells = splitRow(text, this.#header);
    const first = cells[0]?.text ?? "";
    if (!this.#isUrl(first)) {
      if (!this.#hasPages) this.#header ??= findHeader(text);
      this.#sink.report("text.non-url-line", text, number);
      return;
    }
    if (cells.length === 1) {
      // Pass the complete line, so that quotes around the URL are reported.
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
    // A shortcut for texts with millions of words that cannot be URLs (sec-T09).
    if (FAST && !URL_SIGN.test(text)) return text.toLowerCase() === this.#ownHost;
    return isHostLine(text, this.#ownHost) || isPathLine(text) || OTHER_URL.test(text);
  }

  #takeUrl(text: string, dateText: string | undefined, number: number): void {
    this.#hasPages = true;
    const url = this.#urls.resolve(text, "page", number);
    if (url === undefined) return;
    const lastModified = dateText === undefined ? undefined : this.#readDate(dateText, number);
    // Nearly every line is a URL that needs no change. A page with only a URL is created faster.
    const isPlain = url === text && lastModified === undefined;
    this.#sink.page(
      isPlain ? { url } : omitUndefined({ url, urlText: writtenText(url, text), lastModified }),
    );
  }

  /**
   * Reads a column where a date is expected. The column may contain anything else, so its issues are reported only if
   * it is a valid date.
   */
  #readDate(text: string, number: number): DateValue | undefined {
    if (!DATE_LIKE.test(text)) return undefined;
    const issues: Parameters<EntrySink["report"]>[] = [];
    const date = readDate(text, "sitemap", (...issue) => issues.push(issue), number);
    if (date.value === undefined) return undefined;
    for (const issue of issues) this.#sink.report(...issue);
    return date;
  }
}

/** Matches an http URL, possibly after a quote or bracket. */
const WEB_URL = /^["'<]?https?:[/\\]/i;
/** Matches a URL with another scheme. It is dropped with the issue `url.unsupported-scheme`. */
const OTHER_URL = /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|(?:mailto|javascript|data|tel|urn):)\S+$/i;
/** Characters of which every URL contains at least one. The only exception is a host name alone. */
const URL_SIGN = /[./:?#\\]/;
/** Characters that may separate a URL from other text on the line. */
const SEPARATOR = /[\s,;|"]/;
/** Matches text that may be a date. Does not match four digits alone, which are more often a count than a year. */
const DATE_LIKE = /\d\D+\d|\d{8}/;

function isXmlType(contentType: string | undefined): boolean {
  return (
    contentType !== undefined && /^\s*(?:text|application)\/(?:[\w.-]+\+)?xml\s*(?:;|$)/i.test(contentType)
  );
}

function isHostLine(text: string, ownHost: string | undefined): boolean {
  return !/\s/.test(text) && looksLikeHost(text, ownHost);
}

/**
 * Whether a line is a path or a file: `/a`, `../a`, `?id=1`, `a.html`, `blog/a`. False for a single word, `N/A` or
 * `01/02/2024`.
 */
function isPathLine(text: string): boolean {
  if (/[\s<>{}"`]/.test(text)) return false;
  if (text.startsWith("//")) return /^\/\/[^/.]+\.[^/]/.test(text);
  if (/^(?:\/|\?|\.\.?\/)/.test(text)) return true;
  if (text.includes(":") || !/\p{L}/u.test(text) || /^n\/a$/i.test(text)) return false;
  return /^[^/.][^/]*\//.test(text) || FILE_NAME.test(text.replace(/\?.*/s, ""));
}
