/**
 * Splits an HTML page into tags and text. Implements the part of the HTML tokenizer
 * (https://html.spec.whatwg.org/#tokenization) that readers of links need. Accepts text in any chunks, takes linear
 * time, holds at most one attribute value and never throws. The content of a `<template>` is left out, because browsers do
 * not show it. One simplification: a script ends at the first `</script>`. The file is long because each state of the
 * tokenizer is a method.
 */
import { decodeReferences } from "../xml/entities.ts";

/** Maximum length of an attribute value, so that attributes cannot fill the memory. Sitemaps have the same limit. */
export const MAX_VALUE_LENGTH = 8192;
/** Tag and attribute names are cut to this length. The names that the readers look for are shorter. */
const MAX_NAME_LENGTH = 32;

/** Elements whose content is plain text up to the end tag of the same name. */
const RAW_TEXT: ReadonlySet<string> = new Set(
  "script style title textarea xmp iframe noembed noframes".split(" "),
);

/** Elements of other languages. Inside them, no element has raw text, and `<title/>` has no content. */
const FOREIGN: ReadonlySet<string> = new Set(["svg", "math"]);
/** Elements that end an `<svg>` or `<math>` without an end tag (https://html.spec.whatwg.org/#parsing-main-inforeign). */
const ENDS_FOREIGN: ReadonlySet<string> = new Set([
  ..."b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img".split(" "),
  ..."li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split(
    " ",
  ),
]);

/** The start of a declaration that only HTML pages have: `<!doctype html>`. */
const DOCTYPE = "doctype html";

const ENDS_TAG_NAME = /[\t\n\f\r />]/g;
const ENDS_ATTRIBUTE_NAME = /[\t\n\f\r />=]/g;
const ENDS_UNQUOTED = /[\t\n\f\r >]/g;
export const NOT_BLANK: RegExp = /[^\t\n\f\r ]/g;
const NOT_BLANK_OR_SLASH = /[^\t\n\f\r /]/g;

/**
 * Matches the end of a comment, without its `>`: `--` or `--!`. `<!--!>` does not end a comment: its dashes belong to
 * `<!--`. `#seen` has a NUL before these dashes.
 */
const ENDS_COMMENT = /--$|[^\0]--!$/;

/** Returns the value of an attribute, with its references decoded. Undefined if it is absent or too long. */
export type AttributeReader = (name: string) => string | undefined;

/** Receives the parts of a page, in order. */
export interface HtmlHandler {
  /** Receives a start tag. Its name is in lower case. */
  startTag(name: string, attribute: AttributeReader): void;
  /** Receives an end tag. */
  endTag(name: string): void;
  /** Receives a piece of text, with its references not decoded. The content of a script is not text. */
  text?(text: string, from: number, end: number): void;
  /** Called for `<!doctype html>`. */
  doctype?(): void;
}

/**
 * A state of the tokenizer. Reads the text from position `from` on. Returns the position where the next state starts.
 */
type State = (text: string, from: number) => number;

export class HtmlTokenizer {
  /** Set this to true to skip the rest of the page. A handler may also set it. */
  done = false;
  readonly #handler: HtmlHandler;
  /** Names of the attributes whose values are kept. */
  readonly #names: ReadonlySet<string>;

  #state: State = this.#data;
  #tag = "";
  #isEndTag = false;
  /** Whether the tag ends with `/>`. */
  #isSelfClosing = false;
  /** Number of open `<svg>` and `<math>` elements. */
  #foreign = 0;
  /** Number of open `<template>` elements. */
  #templates = 0;
  #rawText = "";
  #attribute = "";
  #attributes = new Map<string, string>();
  /** The value of the current attribute, if its name is in `#names`. */
  #value: string | undefined;
  #quote = "";
  /**
   * Characters that may be split over two chunks: the end of a comment, the dashes after `<!`, the name of an end tag.
   */
  #seen = "";

  constructor(handler: HtmlHandler, names: readonly string[]) {
    this.#handler = handler;
    this.#names = new Set(names);
  }

  push(text: string): void {
    for (let at = 0; at < text.length && !this.done; ) at = this.#state(text, at);
  }

  // ---------------------------------------------------------------- text

  #data(text: string, from: number): number {
    const found = text.indexOf("<", from);
    const end = found < 0 ? text.length : found;
    this.#giveText(text, from, end);
    if (found < 0) return end;
    this.#state = this.#tagOpen;
    return end + 1;
  }

  #giveText(text: string, from: number, end: number): void {
    if (end > from && this.#templates === 0) this.#handler.text?.(text, from, end);
  }

  /** Called after `<`. */
  #tagOpen(text: string, from: number): number {
    const character = text.charAt(from);
    this.#isEndTag = character === "/";
    if (this.#isEndTag) this.#state = this.#endTagOpen;
    else if (character === "!") {
      this.#seen = "";
      this.#state = this.#declaration;
    } else if (character === "?") {
      this.#seen = "?";
      this.#state = this.#bogusComment;
    } else {
      this.#startTagName(text, from, this.#data);
      // A `<` that does not start a tag is text.
      if (this.#state === this.#data) this.#giveText("<", 0, 1);
      return from;
    }
    return from + 1;
  }

  /** Called after `</`. */
  #endTagOpen(text: string, from: number): number {
    this.#seen = "/";
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
    const found = text.indexOf(">", from);
    const end = found < 0 ? text.length : found;
    this.#seen = lengthen(this.#seen, text, from, end, DOCTYPE.length);
    if (found < 0) return end;
    if (this.#seen.toLowerCase() === DOCTYPE) this.#handler.doctype?.();
    this.#state = this.#data;
    return end + 1;
  }

  /** Skips the text inside of `<script>` and similar elements, but not that of `<title>`. */
  #rawTextData(text: string, from: number): number {
    const found = text.indexOf("<", from);
    const end = found < 0 ? text.length : found;
    if (this.#rawText === "title") this.#giveText(text, from, end);
    if (found < 0) return end;
    this.#state = this.#rawTextOpen;
    return end + 1;
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
      this.#isSelfClosing = false;
      this.#state = this.#beforeAttribute;
    }
    return end;
  }

  #beforeAttribute(text: string, from: number): number {
    const at = search(NOT_BLANK_OR_SLASH, text, from);
    if (at > from) this.#isSelfClosing = text.charAt(at - 1) === "/";
    if (at === text.length) return at;
    if (text.charAt(at) === ">") return this.#endTag(at);
    this.#isSelfClosing = false;
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
    this.#value = this.#names.has(name) && !this.#attributes.has(name) ? "" : undefined;
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
    this.#state = this.#data;
    if (this.#isEndTag) this.#giveEndTag(this.#tag);
    else this.#giveStartTag(this.#tag);
    return at + 1;
  }

  #giveEndTag(tag: string): void {
    if (FOREIGN.has(tag)) this.#foreign = Math.max(0, this.#foreign - 1);
    if (tag === "template" && this.#foreign === 0) this.#templates = Math.max(0, this.#templates - 1);
    if (this.#templates === 0) this.#handler.endTag(tag);
  }

  #giveStartTag(tag: string): void {
    if (ENDS_FOREIGN.has(tag)) this.#foreign = 0;
    else if (FOREIGN.has(tag) && !this.#isSelfClosing) this.#foreign++;
    const isForeign = this.#foreign > 0;
    if (tag === "template" && !isForeign) this.#templates++;
    // Nothing can end the content of `<plaintext>`.
    if (tag === "plaintext" && !isForeign) this.done = true;
    if (this.#templates === 0) this.#handler.startTag(tag, this.#attributeValue);
    if (RAW_TEXT.has(tag) && !isForeign) {
      this.#rawText = tag;
      this.#state = this.#rawTextData;
    }
  }

  readonly #attributeValue: AttributeReader = (name) => {
    const written = this.#attributes.get(name);
    if (written === undefined || written.length > MAX_VALUE_LENGTH) return undefined;
    return decodeReferences(written, () => {}).text;
  };
}

/** Returns the index of the next character that matches `kind`. If there is none, returns the length of the text. */
export function search(kind: RegExp, text: string, from: number): number {
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
