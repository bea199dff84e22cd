/**
 * Reads the links of llms.txt (https://llmstxt.org): Markdown with a title, a summary, and sections that list links as
 * `- [title](url): notes`. Each link is a page, with its title and its section. The notes are not kept.
 *
 * Lenient: links count anywhere, not only in lists, and so do bare URLs and `<https://…>`. Up to the first heading of
 * level 2, deeper headings are sections. Images, code, comments and links to other sites are left out.
 *
 * This is not a Markdown parser: a link must be on one line, and links by reference (`[title][name]`) are not read.
 */
import { decodeReferences } from "../xml/entities.ts";
import { LineSplitter } from "./line-splitter.ts";
import { collapse, LinkedPages, type LinkOptions, type WrittenLink } from "./page-link.ts";
import { cutText } from "./xml-text-fields.ts";

/** Matches a heading. Its groups are the number signs and the text. */
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s;
/** Matches the start or the end of a block of code. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Matches an item of a list. */
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
/** Matches the indentation of code. */
const CODE_INDENT = /^(?: {4}| {0,3}\t)/;
/** Matches the definition of a link by reference: `[name]: url "title"`. A footnote (`[^name]:`) is not a definition. */
const DEFINITION = /^ {0,3}\[(?!\^)[^[\]]{1,999}\]:[ \t]*[^ \t]+[ \t]*(?:["'(].*)?$/s;
/**
 * Maximum number of bare URLs that are held until a heading or a Markdown link shows that the text is an llms.txt. Stops
 * a list of URLs that fills memory.
 */
const MAX_HELD = 1000;
/** Maximum nesting of brackets in a title, and of parentheses in a URL. CommonMark allows 32 in a URL. */
const MAX_NESTING = 32;

export class LlmsTxtReader {
  readonly #options: LinkOptions;
  readonly #pages: LinkedPages;
  readonly #lines: LineSplitter;
  /** Whether the text has a heading or a Markdown link. Bare URLs alone do not make an llms.txt. */
  #hasMarkdown = false;
  #hasHeading = false;
  /** Bare URLs before the first heading and the first Markdown link. */
  #held: WrittenLink[] = [];
  #hasSections = false;
  #section: string | undefined;
  /** The characters that end the current block of code. Undefined outside of code. */
  #fence: string | undefined;
  /**
   * The kind of the open comment. A `block` starts at the start of a line. An `inline` comment cannot contain a blank
   * line.
   */
  #comment: "block" | "inline" | undefined;
  #inList = false;
  /** Whether an indented line is code: it is not if a paragraph continues. */
  #codeMayStart = true;

  /** `lineLength`: maximum length of a line. Stops a file without line ends that fills memory. */
  constructor(options: LinkOptions, lineLength: number) {
    this.#options = options;
    this.#pages = new LinkedPages(options, "llms");
    this.#lines = new LineSplitter({
      maxLength: lineLength,
      onLine: (line, number) => this.#line(line, number),
      onTooLong: (number) => options.sink.report("text.line-too-long", undefined, number),
    });
  }

  /** Whether the text has a heading or links. The title is the only part that llmstxt.org requires. */
  get isLlmsTxt(): boolean {
    return this.#hasHeading || (this.#hasMarkdown && this.#pages.hasPages);
  }

  push(text: string): void {
    this.#lines.push(text);
  }

  /** Ends the text. Drops the last line of a truncated text, because it may be half a URL. */
  end(cut: boolean): void {
    if (cut) this.#lines.abort();
    else this.#lines.end();
  }

  #line(written: string, number: number): void {
    const fence = FENCE.exec(written)?.[1];
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence)) this.#fence = undefined;
      return;
    }
    if (fence !== undefined && this.#comment === undefined) {
      this.#fence = fence;
      return;
    }
    const isCode = this.#comment === undefined && this.#isIndentedCode(written);
    const line = isCode ? "" : this.#withoutComments(written);
    const heading = HEADING.exec(line);
    if (heading !== null) this.#heading(heading[1]!.length, heading[2] ?? "", number);
    this.#codeMayStart = heading !== null || line.trim() === "";
    if (DEFINITION.test(line)) return;
    for (const link of linksOf(line)) this.#link(link, number);
  }

  /** Whether a line is indented code. Inside a list, an indented line belongs to an item. */
  #isIndentedCode(line: string): boolean {
    if (line.trim() === "") return false;
    if (LIST_ITEM.test(line)) this.#inList = true;
    else if (/^\S/.test(line)) this.#inList = false;
    return this.#codeMayStart && !this.#inList && CODE_INDENT.test(line);
  }

  /** Removes comments, which may continue on the next line. In a code span, `<!--` is text. */
  #withoutComments(line: string): string {
    if (this.#comment === "inline" && line.trim() === "") this.#comment = undefined;
    let text = "";
    let at = 0;
    if (this.#comment !== undefined) {
      at = afterComment(line, 0);
      if (at < 0) return "";
      this.#comment = undefined;
    } else if (!line.includes("<!--")) return line;
    for (let from = at; ; ) {
      COMMENT_OR_CODE.lastIndex = from;
      const found = COMMENT_OR_CODE.exec(line);
      if (found === null) return text + line.slice(at);
      if (found[0] === "`") from = afterCode(line, found.index);
      else {
        text += line.slice(at, found.index);
        at = afterComment(line, found.index + 4);
        if (at < 0) {
          this.#comment = text.trim() === "" ? "block" : "inline";
          return text;
        }
        from = at;
      }
    }
  }

  #heading(level: number, text: string, line: number): void {
    this.#hasHeading = true;
    this.#recognize();
    if (level === 1) this.#section = undefined;
    else if (level === 2 || !this.#hasSections) {
      this.#hasSections ||= level === 2;
      const { textLength, sink } = this.#options;
      this.#section = cutText(headingText(text), textLength, sink.report, line) || undefined;
    }
  }

  #link({ href, title, isBare }: MarkdownLink, line: number): void {
    if (!isBare) this.#recognize();
    const link = { href, title: plainText(title), section: this.#section, line };
    if (this.#hasMarkdown) this.#pages.add(link);
    else if (this.#held.length < MAX_HELD) this.#held.push(link);
  }

  /** Called for a heading or a Markdown link: the text is Markdown, so the bare URLs before it count. */
  #recognize(): void {
    if (this.#hasMarkdown) return;
    this.#hasMarkdown = true;
    for (const link of this.#held) this.#pages.add(link);
    this.#held = [];
  }
}

const COMMENT_OR_CODE = /`|<!--/g;

/** Returns the position after the end of a comment, or -1. */
function afterComment(line: string, from: number): number {
  const end = line.indexOf("-->", from);
  return end < 0 ? end : end + 3;
}

interface MarkdownLink {
  readonly href: string;
  readonly title: string;
  readonly isBare: boolean;
}

/**
 * Yields the links of a line, from left to right. Takes linear time: the ends of all brackets and of all targets are
 * found in one pass each.
 */
function* linksOf(line: string): Generator<MarkdownLink> {
  if (!/[[:<]/.test(line)) return;
  const ends = matchBrackets(line);
  const targetEnds = ends.size === 0 ? ends : matchTargets(line);
  for (let at = 0; at < line.length; ) {
    const character = line.charAt(at);
    if (character === "\\") at += 2;
    else if (character === "`") at = afterCode(line, at);
    else if (character === "[") {
      const close = ends.get(at);
      const target = close === undefined ? undefined : readTarget(line, close + 1, targetEnds);
      if (target === undefined) at++;
      else {
        // Skip a link with a space in its URL, and an image that is not inside a link.
        const { href } = target;
        if (href !== undefined && line.charAt(at - 1) !== "!")
          yield { href, title: line.slice(at + 1, close), isBare: false };
        at = target.end;
      }
    } else if (character === "<" || character === "h" || character === "H") {
      const bare = readBareUrl(line, at);
      if (bare === undefined) at++;
      else {
        yield { href: bare.href, title: "", isBare: true };
        at = bare.end;
      }
    } else at++;
  }
}

/** Returns the position of the closing bracket of each `[`, by the position of the `[`. */
function matchBrackets(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\\") at++;
    else if (character === "[") {
      open.push(at);
      if (open.length > MAX_NESTING) open.shift();
    } else if (character === "]") {
      const start = open.pop();
      if (start !== undefined) ends.set(start, at);
    }
  }
  return ends;
}

/**
 * Returns the end of each target that starts with `(`, by the position of the `(`: the position of its `)`, or of the
 * first white space. Parentheses in a target must be balanced.
 */
function matchTargets(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  let open: number[] = [];
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\\") at++;
    else if (character === "(") {
      open.push(at);
      if (open.length > MAX_NESTING) open.shift();
      if (line.charAt(at - 1) === "]") while (isBlank(line, at + 1)) at++;
    } else if (character === ")") {
      const start = open.pop();
      if (start !== undefined) ends.set(start, at);
    } else if (isBlank(line, at) && open.length > 0) {
      ends.set(open.at(-1)!, at);
      open = [];
    }
  }
  return ends;
}

/** Returns the position after a code span. A run of backquotes without an end is text. */
function afterCode(line: string, from: number): number {
  let start = from;
  while (line.charAt(start) === "`") start++;
  // Longer runs are rare. The bound keeps the searches of a line of backquotes linear.
  const end = start - from > 2 ? -1 : line.indexOf(line.slice(from, start), start);
  return end < 0 ? start : end + start - from;
}

interface Target<Href = string> {
  readonly href: Href;
  /** The position after the link. */
  readonly end: number;
}

/**
 * Reads `(url)`, `(<url>)` or `(url "title")` at this position. `href` is undefined if other text follows the URL, as in
 * `(a b.md)`.
 */
function readTarget(
  line: string,
  from: number,
  ends: ReadonlyMap<number, number>,
): Target<string | undefined> | undefined {
  if (line.charAt(from) !== "(") return undefined;
  let at = from + 1;
  while (isBlank(line, at)) at++;
  if (line.charAt(at) === "<") {
    ANGLE_TARGET.lastIndex = at;
    const match = ANGLE_TARGET.exec(line);
    return match === null ? undefined : endTarget(line, match[1]!, ANGLE_TARGET.lastIndex);
  }
  const end = ends.get(from);
  return end === undefined ? undefined : endTarget(line, line.slice(at, end), end);
}

/** Matches a URL in angle brackets. The length is bounded, so that a line of `(<` takes linear time. */
const ANGLE_TARGET = /<([^<>]{0,8192})>/y;
/** Matches the title of a link, which is not kept, and the closing parenthesis. */
const LINK_TITLE = /[ \t]*(?:(?:"[^"]{0,1000}"|'[^']{0,1000}'|\([^()]{0,1000}\))[ \t]*)?\)/y;
/** Matches the start of a title. Lenient: the rest may be a title with quotes in it. */
const TITLE_START = /[ \t]+["']/y;

function endTarget(line: string, href: string, end: number): Target<string | undefined> {
  LINK_TITLE.lastIndex = end;
  if (LINK_TITLE.test(line)) return { href: unescapeMarkdown(href), end: LINK_TITLE.lastIndex };
  TITLE_START.lastIndex = end;
  return { href: TITLE_START.test(line) ? unescapeMarkdown(href) : undefined, end };
}

/** Matches a URL in a text. The punctuation of Chinese and Japanese ends it: no space follows there. */
const BARE_URL =
  /https?:\/\/[^\s<>"`[\]{}|\\^\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff61-\uff64]+/iy;
const ANGLE_URL = /<(https?:\/\/[^\s<>]+)>/iy;

function readBareUrl(line: string, from: number): Target | undefined {
  if (line.charAt(from) === "<") {
    ANGLE_URL.lastIndex = from;
    const href = ANGLE_URL.exec(line)?.[1];
    return href === undefined ? undefined : { href, end: ANGLE_URL.lastIndex };
  }
  if (/[a-z\d]/i.test(line.charAt(from - 1))) return undefined;
  BARE_URL.lastIndex = from;
  const match = BARE_URL.exec(line);
  return match === null ? undefined : { href: trimPunctuation(match[0]), end: BARE_URL.lastIndex };
}

/** Removes punctuation of the sentence from the end of a URL. A `)` stays if the URL contains its `(`. */
function trimPunctuation(url: string): string {
  let end = url.length;
  let open = url.split("(").length - url.split(")").length;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    if (last === ")" && open < 0) open++;
    else if (!/[.,;:!?'*_~]/.test(last)) break;
  }
  return url.slice(0, end);
}

function isBlank(line: string, at: number): boolean {
  const character = line.charAt(at);
  return character === " " || character === "\t";
}

/** Matches an escaped punctuation character. */
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

function unescapeMarkdown(text: string): string {
  return decodeReferences(text.replace(ESCAPED, "$1"), () => {}).text;
}

/** Matches an image. Its text is kept. `EMPHASIS` matches the marks of emphasis and code. */
const IMAGE = /!\[([^[\]]{0,1000})\]\([^()]{0,1000}\)/g;
const EMPHASIS = /\*{1,3}|`+|~~|(?<![\p{L}\p{N}])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}])/gu;

/** The text of a title without Markdown. */
function plainText(markdown: string): string {
  if (!/[!*`~_\\&]/.test(markdown)) return collapse(markdown);
  // Hide escaped characters from the search for emphasis, and restore them afterwards.
  const held: string[] = [];
  const masked = markdown.replace(ESCAPED, (_, character: string) => `\0${held.push(character) - 1}\0`);
  const bare = masked.replace(IMAGE, "$1").replace(EMPHASIS, "");
  const restored = bare.replace(/\0(\d+)\0/g, (_, index: string) => held[Number(index)] ?? "");
  return collapse(decodeReferences(restored, () => {}).text);
}

/** The text of a heading, without the number signs that may close it, and without links. */
function headingText(text: string): string {
  const open = text.trimEnd().replace(/(?:^|[ \t])#+$/, "");
  return plainText(open.replace(/\[([^[\]]{0,1000})\]\([^()]{0,1000}\)/g, "$1"));
}
