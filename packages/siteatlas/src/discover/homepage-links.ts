/**
 * What a homepage says about sitemaps and feeds: `<link rel="sitemap">` in its head, the feeds beside it,
 * and the `Link` header of its response (RFC 8288).
 *
 * The reader follows the tokenizer of HTML (https://html.spec.whatwg.org/#tokenization) as far as a head
 * needs it, takes its text in chunks cut anywhere, and never throws. Shortcuts: no tree is built, so a
 * link in a `<template>` counts, and a script ends at the first `</script>`. What comes after the head is
 * not read. Longer than most files: one method per state.
 */
import { decodeReferences } from "../parse/entities.ts";

/** Heads are at its beginning or nowhere. Stops the homepage that never ends. */
const MAX_HTML_LENGTH: number = 512 * 1024;
/** Stops a homepage that sends its readers to a million places. */
const MAX_LINKS = 100;
/** As in sitemaps; stops attributes that fill memory. */
const MAX_VALUE_LENGTH = 8192;
/** Names are cut here, which is longer than every one that is looked for. */
const MAX_NAME_LENGTH = 16;

const FEED_TYPES: ReadonlySet<string> = new Set([
  "application/rss+xml",
  "application/atom+xml",
  "application/feed+json",
]);

/** Their content is text up to the end tag of the same name. */
const RAW_TEXT: ReadonlySet<string> = new Set(
  "script style title textarea xmp iframe noembed noframes".split(" "),
);

/** The attributes that say something here. */
const ATTRIBUTES: ReadonlySet<string> = new Set(["rel", "href", "type"]);

const BLANK = /[\t\n\f\r ]+/;
const ENDS_TAG_NAME = /[\t\n\f\r />]/g;
const ENDS_ATTRIBUTE_NAME = /[\t\n\f\r />=]/g;
const ENDS_UNQUOTED = /[\t\n\f\r >]/g;
const NOT_BLANK = /[^\t\n\f\r ]/g;
const NOT_BLANK_OR_SLASH = /[^\t\n\f\r /]/g;

/** A comment is over: `--`, or `--!` behind more than the two dashes that opened it (marked by NUL). */
const ENDS_COMMENT = /--$|[^\0]--!$/;

/** Takes text from a place on, as far as its state goes; gives the place where the next state begins. */
type State = (text: string, from: number) => number;

/** Reads the links of a homepage's head. */
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
  /** The element whose text is being passed over. */
  #rawText = "";
  #attribute = "";
  #attributes = new Map<string, string>();
  /** The value of the attribute, if it is one that counts. */
  #value: string | undefined;
  #quote = "";
  /** The last characters of a comment, or the first ones of what starts with `<!`. */
  #seen = "";

  /** `url` is that of the homepage after redirects. */
  constructor(url: string) {
    this.#url = url;
  }

  /** The head is over: what follows need not be fetched. */
  get done(): boolean {
    return this.#done;
  }

  /** What `<link rel="sitemap">` names, as absolute URLs, each once, in order. */
  get links(): string[] {
    return resolveAll(this.#sitemapHrefs, this.#base);
  }

  /** The same for `<link rel="alternate">` to RSS, Atom and JSON feeds. */
  get feeds(): string[] {
    return resolveAll(this.#feedHrefs, this.#base);
  }

  /** Takes the next part of the document, cut anywhere. */
  push(text: string): void {
    const part = text.slice(0, MAX_HTML_LENGTH - this.#read);
    this.#read += part.length;
    for (let at = 0; at < part.length && !this.#done; ) at = this.#state(part, at);
    if (this.#read === MAX_HTML_LENGTH) this.end();
  }

  /** There is no more; a tag that was cut counts as absent. */
  end(): void {
    this.#done = true;
  }

  /** The first `<base>` counts for the whole document, also for what stands before it. */
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

  /** After `<` */
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

  /** After `</` */
  #endTagOpen(text: string, from: number): number {
    return this.#startTagName(text, from, text.charAt(from) === ">" ? this.#data : this.#bogusComment);
  }

  #startTagName(text: string, from: number, otherwise: State): number {
    this.#tag = "";
    this.#state = /[a-z]/i.test(text.charAt(from)) ? this.#tagName : otherwise;
    return from;
  }

  /** After `<!`: a comment only if two dashes follow. */
  #declaration(text: string, from: number): number {
    const character = text.charAt(from);
    if (character !== "-") {
      this.#state = this.#bogusComment;
      return from;
    }
    this.#seen += character;
    if (this.#seen === "--") {
      // The dashes count as those of the end: `<!-->` and `<!--->` are whole comments.
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

  /** `<!doctype html>`, `<?xml …>`, `<![if !IE]>` */
  #bogusComment(text: string, from: number): number {
    const at = text.indexOf(">", from);
    if (at < 0) return text.length;
    this.#state = this.#data;
    return at + 1;
  }

  /** Inside `<script>` and its like. */
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

  /** After `</` in a script: its own name and what may follow a name make an end tag. */
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
    // An equals sign here is the first character of a name.
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

  /** At the `>` of a tag. */
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
 * The targets of the sitemap links in a `Link` header, as absolute URLs, each once, in order. Several
 * headers are joined with commas beforehand. A link with an `anchor` is about another document and left
 * out, as RFC 8288 section 3.2 allows.
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
  /** Names in lower case; of several with one name the first counts (section 3.3). */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * `<target>; name=value; name="value", <target>…` by the algorithm of RFC 8288, appendix B.2, except that
 * what is no link value is passed over up to the next comma instead of ending the list.
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

/** Goes through a header once, from the left. */
class HeaderScanner {
  readonly #text: string;
  #at = 0;
  /** No `>` is left, so that a header of a million `<` is searched for it only once. */
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

  /** `<target>` */
  takeTarget(): string | undefined {
    if (this.#noTargets || !this.takeCharacter("<")) return undefined;
    const end = this.#text.indexOf(">", this.#at);
    this.#noTargets = end < 0;
    if (end < 0) return undefined;
    const target = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return target;
  }

  /** A token or a quoted string, whose backslashes take the next character as it is. */
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
    // An empty one would be the page itself.
    const url = href.trim() === "" ? undefined : resolve(href, base);
    if (url !== undefined) urls.add(url);
  }
  return [...urls];
}

/** An http or https URL without credentials and fragment. */
function resolve(href: string, base: string): string | undefined {
  if (href.length > MAX_VALUE_LENGTH || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href;
}

/** Where the next character of this kind is; the end of the text when there is none. */
function search(kind: RegExp, text: string, from: number): number {
  kind.lastIndex = from;
  return kind.exec(text)?.index ?? text.length;
}

function isMatch(kind: RegExp, character: string): boolean {
  return search(kind, character, 0) === 0;
}

/** Appends part of a text up to a length: what is longer than that only has to be seen to be so. */
function lengthen(start: string, text: string, from: number, end: number, maxLength: number): string {
  return start + text.slice(from, Math.min(end, from + maxLength - start.length));
}
