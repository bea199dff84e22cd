/**
 * Finds links from a homepage to sitemaps and feeds: `<link>` elements in the HTML head, and the `Link` header of the
 * response (RFC 8288).
 *
 * The reader does not read the text after the head. Links inside a `<template>` count, because no tree is built.
 */
import {
  type AttributeReader,
  HtmlTokenizer,
  MAX_VALUE_LENGTH,
  NOT_BLANK,
  search,
} from "../parse/formats/html-tokenizer.ts";
import { resolveLink } from "../parse/formats/page-link.ts";

/** Maximum number of characters that are read, because some homepages never end. */
const MAX_HTML_LENGTH: number = 512 * 1024;
/** Maximum number of links of each kind, because a homepage may have a million links. */
const MAX_LINKS = 100;

const FEED_TYPES: ReadonlySet<string> = new Set([
  "application/rss+xml",
  "application/atom+xml",
  "application/feed+json",
]);

const BLANK = /[\t\n\f\r ]+/;

export class HomepageLinkReader {
  readonly #url: string;
  #read = 0;
  #baseHref: string | undefined;
  readonly #sitemapHrefs: string[] = [];
  readonly #feedHrefs: string[] = [];

  readonly #tokenizer: HtmlTokenizer = new HtmlTokenizer(
    {
      startTag: (tag, attribute) => this.#startTag(tag, attribute),
      endTag: (tag) => {
        if (tag === "head" || tag === "html") this.end();
      },
    },
    ["rel", "href", "type"],
  );

  /** `url`: the URL of the homepage after redirects. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Whether the head has ended. If it has, the rest of the homepage need not be fetched. */
  get done(): boolean {
    return this.#tokenizer.done;
  }

  /** Returns the targets of `<link rel="sitemap">` as absolute URLs, without duplicates, in order. */
  get links(): string[] {
    return resolveAll(this.#sitemapHrefs, this.#base);
  }

  /**
   * Returns the targets of `<link rel="alternate">` to RSS, Atom and JSON feeds as absolute URLs, without duplicates,
   * in order.
   */
  get feeds(): string[] {
    return resolveAll(this.#feedHrefs, this.#base);
  }

  push(text: string): void {
    const part = text.slice(0, MAX_HTML_LENGTH - this.#read);
    this.#read += part.length;
    this.#tokenizer.push(part);
    if (this.#read === MAX_HTML_LENGTH) this.end();
  }

  /** Ends the document. Ignores an incomplete tag at the end. */
  end(): void {
    this.#tokenizer.done = true;
  }

  /** The URL that links are relative to. The first `<base>` applies to the whole document, also to links before it. */
  get #base(): string {
    return (this.#baseHref !== undefined && resolve(this.#baseHref, this.#url)) || this.#url;
  }

  #startTag(tag: string, attribute: AttributeReader): void {
    if (tag === "link") this.#addLink(attribute);
    else if (tag === "base") this.#baseHref ??= attribute("href");
    else if (tag === "body" || tag === "frameset") this.end();
  }

  #addLink(attribute: AttributeReader): void {
    const href = attribute("href");
    if (href === undefined) return;
    const relations = splitRelations(attribute("rel") ?? "");
    if (relations.includes("sitemap") && this.#sitemapHrefs.length < MAX_LINKS) this.#sitemapHrefs.push(href);
    if (relations.includes("alternate") && this.#feedHrefs.length < MAX_LINKS) {
      const type = (attribute("type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
      if (FEED_TYPES.has(type)) this.#feedHrefs.push(href);
    }
  }
}

/**
 * Returns the targets of the sitemap links in a `Link` header as absolute URLs, without duplicates, in order. The
 * caller must join several headers with commas. Skips links with an `anchor`, because they belong to another document
 * (RFC 8288 section 3.2 allows this).
 */
export function parseLinkHeader(header: string | undefined, base: string): string[] {
  const targets: string[] = [];
  for (const { target, parameters } of readLinkValues(header ?? "")) {
    if (targets.length === MAX_LINKS) break;
    const isSitemap = splitRelations(parameters.get("rel") ?? "").includes("sitemap");
    if (isSitemap && !parameters.has("anchor")) targets.push(target);
  }
  return resolveAll(targets, base);
}

export interface LinkValue {
  readonly target: string;
  /** Parameters by their name in lower case. If a name is repeated, the first value counts (RFC 8288 section 3.3). */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Parses `<target>; name=value; name="value", <target>…` by the algorithm of RFC 8288, appendix B.2. Lenient: an
 * invalid link is skipped up to the next comma, and the list continues.
 */
export function* readLinkValues(header: string): Generator<LinkValue> {
  const scanner = new HeaderScanner(header);
  while (!scanner.atEnd) {
    scanner.skip(NOT_BLANK_OR_COMMA);
    const target = scanner.takeTarget();
    const parameters = new Map<string, string>();
    for (;;) {
      scanner.take(SEMICOLON_OR_COMMA);
      if (!scanner.takeCharacter(";")) break;
      scanner.skip(NOT_BLANK);
      const name = scanner.take(ENDS_PARAMETER_NAME).trim().toLowerCase();
      const value = scanner.takeCharacter("=") ? scanner.takeValue() : "";
      if (!parameters.has(name)) parameters.set(name, value);
    }
    if (target !== undefined) yield { target, parameters };
  }
}

const NOT_BLANK_OR_COMMA = /[^\t\n\f\r ,]/g;
const SEMICOLON_OR_COMMA = /[;,]/g;
const ENDS_PARAMETER_NAME = /[=;,]/g;

/** Reads a header from left to right. */
class HeaderScanner {
  readonly #text: string;
  #at = 0;
  /** True if the rest of the header has no `>`. Saves repeated searches in a header with a million `<`. */
  #noTargets = false;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(until: RegExp): void {
    this.#at = search(until, this.#text, this.#at);
  }

  take(until: RegExp): string {
    const from = this.#at;
    this.skip(until);
    return this.#text.slice(from, this.#at);
  }

  takeCharacter(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false;
    this.#at++;
    return true;
  }

  /** Reads `<target>`. Returns undefined if the text at this position is not a target. */
  takeTarget(): string | undefined {
    if (this.#noTargets || !this.takeCharacter("<")) return undefined;
    const end = this.#text.indexOf(">", this.#at);
    this.#noTargets = end < 0;
    if (end < 0) return undefined;
    const target = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return target;
  }

  /** Reads a token or a quoted string. In a quoted string, a backslash escapes the next character. */
  takeValue(): string {
    this.skip(NOT_BLANK);
    if (!this.takeCharacter('"')) return this.take(SEMICOLON_OR_COMMA).trim();
    let value = "";
    while (!this.atEnd && !this.takeCharacter('"')) {
      this.takeCharacter("\\");
      value += this.#text.charAt(this.#at++);
    }
    return value;
  }
}

export function splitRelations(rel: string): string[] {
  return rel.toLowerCase().split(BLANK);
}

function resolveAll(hrefs: readonly string[], base: string): string[] {
  const urls = new Set<string>();
  for (const href of hrefs) {
    // Drop an empty href, because it links to the homepage itself.
    const url = href.trim() === "" ? undefined : resolve(href, base);
    if (url !== undefined) urls.add(url);
  }
  return [...urls];
}

/** Returns an http or https URL without credentials and fragment. Undefined for all other URLs. */
function resolve(href: string, base: string): string | undefined {
  return href.length > MAX_VALUE_LENGTH ? undefined : resolveLink(href, base)?.href;
}
