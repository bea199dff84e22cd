/**
 * Finds links from a homepage to sitemaps and feeds: `<link>` elements in the HTML head, and the `Link` header of the
 * response (RFC 8288).
 *
 * The reader implements the part of the HTML tokenizer (https://html.spec.whatwg.org/#tokenization) that the head
 * needs. It accepts text in any chunks and never throws. It does not read the text after the head. Two simplifications:
 * links inside a `<template>` count, because no tree is built, and a script ends at the first `</script>`. The file is
 * long because each state of the tokenizer is a method.
 */
import { decodeReferences } from "../parse/xml/entities.ts";

/** Maximum number of characters that are read, because some homepages never end. */
const MAX_HTML_LENGTH: number = 512 * 1024;
/** Maximum number of links of each kind, because a homepage may have a million links. */
const MAX_LINKS = 100;
/** Maximum length of an attribute value, so that attributes cannot fill the memory. Sitemaps have the same limit. */
const MAX_VALUE_LENGTH = 8192;
/** Tag and attribute names are cut to this length. The names that the reader looks for are shorter. */
const MAX_NAME_LENGTH = 16;

const FEED_TYPES: ReadonlySet<string> = new Set([
  "application/rss+xml",
  "application/atom+xml",
  "application/feed+json",
]);

/** Elements whose content is plain text up to the end tag of the same name. */
const RAW_TEXT: ReadonlySet<string> = new Set(
  "script style title textarea xmp iframe noembed noframes".split(" "),
);

const ATTRIBUTES: ReadonlySet<string> = new Set(["rel", "href", "type"]);

const BLANK = /[\t\n\f\r ]+/;
const ENDS_TAG_NAME = /[\t\n\f\r />]/g;
const ENDS_ATTRIBUTE_NAME = /[\t\n\f\r />=]/g;
const ENDS_UNQUOTED = /[\t\n\f\r >]/g;
const NOT_BLANK = /[^\t\n\f\r ]/g;
const NOT_BLANK_OR_SLASH = /[^\t\n\f\r /]/g;

/**
 * Matches the end of a comment, without its `>`: `--` or `--!`. `<!--!>` does not end a comment: its dashes belong to
 * `<!--`. `#seen` has a NUL before these dashes.
 */
const ENDS_COMMENT = /--$|[^\0]--!$/;

/**
 * A state of the tokenizer. Reads the text from position `from` on. Returns the position where the next state starts.
 */
type State = (text: string, from: number) => number;

export class HomepageLinkReader {
  readonly #url: string;
  #done = false;
  #read = 0;
  #baseHref: string | undefined;
  readonly #sitemapHrefs: string[] = [];
  readonly #feedHrefs: string[] = [];

  #state: State = this.#data;
  #tag = "";
  #isEndTag = false;
  #rawText = "";
  #attribute = "";
  #attributes = new Map<string, string>();
  /** The value of the current attribute, if its name is in `ATTRIBUTES`. */
  #value: string | undefined;
  #quote = "";
  /**
   * Characters that may be split over two chunks: the end of a comment, the dashes after `<!`, the name of an end tag.
   */
  #seen = "";

  /** `url`: the URL of the homepage after redirects. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Whether the head has ended. If it has, the rest of the homepage need not be fetched. */
  get done(): boolean {
    return this.#done;
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
    for (let at = 0; at < part.length && !this.#done; ) at = this.#state(part, at);
    if (this.#read === MAX_HTML_LENGTH) this.end();
  }

  /** Ends the document. Ignores an incomplete tag at the end. */
  end(): void {
    this.#done = true;
  }

  /** The URL that links are relative to. The first `<base>` applies to the whole document, also to links before it. */
  get #base(): string {
    return (this.#baseHref !== undefined && resolve(this.#baseHref, this.#url)) || this.#url;
  }

  // ---------------------------------------------------------------- text

  #data(text: string, from: number): number {
    const at = text.indexOf("<", from);
    if (at < 0) return text.length;
    this.#state = this.#tagOpen;
    return at + 1;
  }

  /** Called after `<`. */
  #tagOpen(text: string, from: number): number {
    const character = text.charAt(from);
    this.#isEndTag = character === "/";
    if (this.#isEndTag) this.#state = this.#endTagOpen;
    else if (character === "!") {
      this.#seen = "";
      this.#state = this.#declaration;
    } else if (character === "?") this.#state = this.#bogusComment;
    else return this.#startTagName(text, from, this.#data);
    return from + 1;
  }

  /** Called after `</`. */
  #endTagOpen(text: string, from: number): number {
    return this.#startTagName(text, from, text.charAt(from) === ">" ? this.#data : this.#bogusComment);
  }

  #startTagName(text: string, from: number, otherwise: State): number {
    this.#tag = "";
    this.#state = /[a-z]/i.test(text.charAt(from)) ? this.#tagName : otherwise;
    return from;
  }

  /** Called after `<!`. If two dashes follow, a comment starts. */
  #declaration(text: string, from: number): number {
    const character = text.charAt(from);
    if (character !== "-") {
      this.#state = this.#bogusComment;
      return from;
    }
    this.#seen += character;
    if (this.#seen === "--") {
      // These dashes can also end the comment: `<!-->` and `<!--->` are complete comments.
      this.#seen = "\0--";
      this.#state = this.#comment;
    }
    return from + 1;
  }

  #comment(text: string, from: number): number {
    const found = text.indexOf(">", from);
    const end = found < 0 ? text.length : found;
    this.#seen = (this.#seen + text.slice(Math.max(from, end - 4), end)).slice(-4);
    if (found < 0) return end;
    if (ENDS_COMMENT.test(this.#seen)) this.#state = this.#data;
    else this.#seen += ">";
    return end + 1;
  }

  /** Skips `<!doctype html>`, `<?xml …>`, `<![if !IE]>` and similar. */
  #bogusComment(text: string, from: number): number {
    const at = text.indexOf(">", from);
    if (at < 0) return text.length;
    this.#state = this.#data;
    return at + 1;
  }

  /** Skips the text inside of `<script>` and similar elements. */
  #rawTextData(text: string, from: number): number {
    const at = text.indexOf("<", from);
    if (at < 0) return text.length;
    this.#state = this.#rawTextOpen;
    return at + 1;
  }

  #rawTextOpen(text: string, from: number): number {
    const isEnd = text.charAt(from) === "/";
    this.#seen = "";
    this.#state = isEnd ? this.#rawTextEnd : this.#rawTextData;
    return isEnd ? from + 1 : from;
  }

  /** Called after `</` in the text of a script. This is an end tag only if the full name of the element follows. */
  #rawTextEnd(text: string, from: number): number {
    const character = text.charAt(from);
    if (this.#seen.length < this.#rawText.length) {
      this.#seen += character.toLowerCase();
      if (this.#rawText.startsWith(this.#seen)) return from + 1;
    } else if (isMatch(ENDS_TAG_NAME, character)) {
      this.#tag = this.#rawText;
      this.#isEndTag = true;
      this.#rawText = "";
      this.#state = this.#beforeAttribute;
      return from;
    }
    this.#state = this.#rawTextData;
    return from;
  }

  // ---------------------------------------------------------------- tags

  #tagName(text: string, from: number): number {
    const end = search(ENDS_TAG_NAME, text, from);
    this.#tag = lengthen(this.#tag, text, from, end, MAX_NAME_LENGTH);
    if (end < text.length) {
      this.#tag = this.#tag.toLowerCase();
      this.#attributes.clear();
      this.#state = this.#beforeAttribute;
    }
    return end;
  }

  #beforeAttribute(text: string, from: number): number {
    const at = search(NOT_BLANK_OR_SLASH, text, from);
    if (at === text.length) return at;
    if (text.charAt(at) === ">") return this.#endTag(at);
    // An equals sign at this position is part of the attribute name.
    this.#attribute = text.charAt(at);
    this.#state = this.#attributeName;
    return at + 1;
  }

  #attributeName(text: string, from: number): number {
    const end = search(ENDS_ATTRIBUTE_NAME, text, from);
    this.#attribute = lengthen(this.#attribute, text, from, end, MAX_NAME_LENGTH);
    if (end < text.length) this.#state = this.#afterAttributeName;
    return end;
  }

  #afterAttributeName(text: string, from: number): number {
    const at = search(NOT_BLANK, text, from);
    if (at === text.length) return at;
    const isValue = text.charAt(at) === "=";
    this.#state = isValue ? this.#beforeValue : this.#beforeAttribute;
    return isValue ? at + 1 : at;
  }

  #beforeValue(text: string, from: number): number {
    const at = search(NOT_BLANK, text, from);
    if (at === text.length) return at;
    const character = text.charAt(at);
    if (character === ">") return this.#endTag(at);
    const name = this.#attribute.toLowerCase();
    this.#value = ATTRIBUTES.has(name) && !this.#attributes.has(name) ? "" : undefined;
    const isQuoted = character === '"' || character === "'";
    this.#quote = character;
    this.#state = isQuoted ? this.#quotedValue : this.#unquotedValue;
    return isQuoted ? at + 1 : at;
  }

  #quotedValue(text: string, from: number): number {
    const found = text.indexOf(this.#quote, from);
    const end = found < 0 ? text.length : found;
    this.#extendValue(text, from, end);
    if (found < 0) return end;
    this.#endValue();
    return end + 1;
  }

  #unquotedValue(text: string, from: number): number {
    const end = search(ENDS_UNQUOTED, text, from);
    this.#extendValue(text, from, end);
    if (end < text.length) this.#endValue();
    return end;
  }

  #extendValue(text: string, from: number, end: number): void {
    if (this.#value !== undefined) {
      this.#value = lengthen(this.#value, text, from, end, MAX_VALUE_LENGTH + 1);
    }
  }

  #endValue(): void {
    if (this.#value !== undefined) this.#attributes.set(this.#attribute.toLowerCase(), this.#value);
    this.#state = this.#beforeAttribute;
  }

  #endTag(at: number): number {
    const tag = this.#tag;
    this.#state = this.#data;
    if (this.#isEndTag) {
      if (tag === "head" || tag === "html") this.end();
    } else if (tag === "link") this.#addLink();
    else if (tag === "base") this.#baseHref ??= this.#attributeValue("href");
    else if (tag === "body" || tag === "frameset" || tag === "plaintext") this.end();
    else if (RAW_TEXT.has(tag)) {
      this.#rawText = tag;
      this.#state = this.#rawTextData;
    }
    return at + 1;
  }

  #addLink(): void {
    const href = this.#attributeValue("href");
    if (href === undefined) return;
    const relations = splitRelations(this.#attributeValue("rel") ?? "");
    if (relations.includes("sitemap") && this.#sitemapHrefs.length < MAX_LINKS) this.#sitemapHrefs.push(href);
    if (relations.includes("alternate") && this.#feedHrefs.length < MAX_LINKS) {
      const type = (this.#attributeValue("type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
      if (FEED_TYPES.has(type)) this.#feedHrefs.push(href);
    }
  }

  #attributeValue(name: string): string | undefined {
    const written = this.#attributes.get(name);
    if (written === undefined || written.length > MAX_VALUE_LENGTH) return undefined;
    return decodeReferences(written, () => {}).text;
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

interface LinkValue {
  readonly target: string;
  /** Parameters by their name in lower case. If a name is repeated, the first value counts (RFC 8288 section 3.3). */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Parses `<target>; name=value; name="value", <target>…` by the algorithm of RFC 8288, appendix B.2. Lenient: an
 * invalid link is skipped up to the next comma, and the list continues.
 */
function* readLinkValues(header: string): Generator<LinkValue> {
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

function splitRelations(rel: string): string[] {
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
  if (href.length > MAX_VALUE_LENGTH || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href;
}

/** Returns the index of the next character that matches `kind`. If there is none, returns the length of the text. */
function search(kind: RegExp, text: string, from: number): number {
  kind.lastIndex = from;
  return kind.exec(text)?.index ?? text.length;
}

function isMatch(kind: RegExp, character: string): boolean {
  return search(kind, character, 0) === 0;
}

/** Appends a part of `text` to `start`, up to a maximum length. Drops the rest. */
function lengthen(start: string, text: string, from: number, end: number, maxLength: number): string {
  return start + text.slice(from, Math.min(end, from + maxLength - start.length));
}
