/**
 * Reads the links of llms.txt (https://llmstxt.org): Markdown with a title, a summary, and sections that list links as
 * `- [title](url): notes`. Each link is a page, with its title and its section. The notes are not kept.
 *
 * Lenient: links count anywhere, not only in lists, and so do bare URLs and `<https://…>`. In a file without headings of
 * level 2, deeper headings are sections. Images, code and links to other sites are left out.
 *
 * This is not a Markdown parser: a link must be on one line, and links by reference (`[title][name]`) are not read.
 */
import { decodeReferences } from "../xml/entities.ts";
import { LineSplitter } from "./line-splitter.ts";
import { collapse, LinkedPages, type LinkOptions } from "./page-link.ts";
import { cutText } from "./xml-text-fields.ts";

/** Matches a heading. Its groups are the number signs and the text. */
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s;
/** Matches the start or the end of a block of code. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Maximum nesting of brackets in a title, and of parentheses in a URL. CommonMark allows 32 in a URL. */
const MAX_NESTING = 32;

export class LlmsTxtReader {
  readonly #options: LinkOptions;
  readonly #pages: LinkedPages;
  readonly #lines: LineSplitter;
  #hasTitle = false;
  #hasSections = false;
  #section: string | undefined;
  /** The characters that end the current block of code. Undefined outside of code. */
  #fence: string | undefined;

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

  /** Whether the text has a title or a link. The title is the only part that llmstxt.org requires. */
  get isLlmsTxt(): boolean {
    return this.#hasTitle || this.#pages.hasPages;
  }

  push(text: string): void {
    this.#lines.push(text);
  }

  /** Ends the text. Drops the last line of a truncated text, because it may be half a URL. */
  end(cut: boolean): void {
    if (cut) this.#lines.abort();
    else this.#lines.end();
  }

  #line(line: string, number: number): void {
    const fence = FENCE.exec(line)?.[1];
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence)) this.#fence = undefined;
      return;
    }
    if (fence !== undefined) {
      this.#fence = fence;
      return;
    }
    const heading = HEADING.exec(line);
    if (heading !== null) this.#heading(heading[1]!.length, heading[2] ?? "", number);
    for (const { href, title } of linksOf(line)) {
      this.#pages.add({ href, title: plainText(title), section: this.#section, line: number });
    }
  }

  #heading(level: number, text: string, line: number): void {
    if (level === 1) {
      this.#hasTitle = true;
      this.#section = undefined;
    } else if (level === 2 || !this.#hasSections) {
      this.#hasSections ||= level === 2;
      const { textLength, sink } = this.#options;
      this.#section = cutText(headingText(text), textLength, sink.report, line) || undefined;
    }
  }
}

interface MarkdownLink {
  readonly href: string;
  readonly title: string;
}

/**
 * Yields the links of a line, from left to right. Takes linear time: the ends of all brackets are found in one pass.
 */
function* linksOf(line: string): Generator<MarkdownLink> {
  if (!/[[:<]/.test(line)) return;
  const ends = matchBrackets(line);
  for (let at = 0; at < line.length; ) {
    const character = line.charAt(at);
    if (character === "\\") at += 2;
    else if (character === "`") at = afterCode(line, at);
    else if (character === "[") {
      const close = ends.get(at);
      const target = close === undefined ? undefined : readTarget(line, close + 1);
      if (target === undefined) at++;
      // Skip an image that is not inside a link.
      else if (line.charAt(at - 1) === "!") at = target.end;
      else {
        yield { href: target.href, title: line.slice(at + 1, close) };
        at = target.end;
      }
    } else if (character === "<" || character === "h" || character === "H") {
      const bare = readBareUrl(line, at);
      if (bare === undefined) at++;
      else {
        yield { href: bare.href, title: "" };
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

/** Returns the position after a code span. A run of backquotes without an end is text. */
function afterCode(line: string, from: number): number {
  let start = from;
  while (line.charAt(start) === "`") start++;
  // Longer runs are rare. The bound keeps the searches of a line of backquotes linear.
  const end = start - from > 2 ? -1 : line.indexOf(line.slice(from, start), start);
  return end < 0 ? start : end + start - from;
}

interface Target {
  readonly href: string;
  /** The position after the link. */
  readonly end: number;
}

/** Reads `(url)`, `(<url>)` or `(url "title")` at this position. */
function readTarget(line: string, from: number): Target | undefined {
  if (line.charAt(from) !== "(") return undefined;
  let at = from + 1;
  while (isBlank(line, at)) at++;
  if (line.charAt(at) === "<") {
    ANGLE_URL.lastIndex = at;
    const match = ANGLE_URL.exec(line);
    return match === null
      ? undefined
      : { href: unescapeMarkdown(match[1]!), end: afterTitle(line, ANGLE_URL.lastIndex) };
  }
  const start = at;
  let depth = 0;
  for (; at < line.length && !isBlank(line, at); at++) {
    const character = line.charAt(at);
    if (character === "\\") at++;
    else if (character === "(") {
      if (++depth > MAX_NESTING) return undefined;
    } else if (character === ")" && depth-- === 0) break;
  }
  const href = unescapeMarkdown(line.slice(start, at));
  return at >= line.length ? undefined : { href, end: afterTitle(line, at) };
}

/** Matches a URL in angle brackets. The length is bounded, so that a line of `(<` takes linear time. */
const ANGLE_URL = /<([^<>]{0,8192})>/y;
/** Matches the title of a link, which is not kept, and the closing parenthesis. */
const LINK_TITLE = /[ \t]*(?:"[^"]{0,1000}"|'[^']{0,1000}'|\([^()]{0,1000}\))?[ \t]*\)/y;

function afterTitle(line: string, from: number): number {
  LINK_TITLE.lastIndex = from;
  return LINK_TITLE.test(line) ? LINK_TITLE.lastIndex : from;
}

/** Matches a URL in a text, without the punctuation after it. */
const BARE_URL = /<?(https?:\/\/[^\s<>"`[\]{}|\\^]+)>?/iy;

function readBareUrl(line: string, from: number): Target | undefined {
  if (/[a-z\d]/i.test(line.charAt(from - 1))) return undefined;
  BARE_URL.lastIndex = from;
  const match = BARE_URL.exec(line);
  if (match === null) return undefined;
  const isAngle = match[0].startsWith("<");
  return { href: isAngle ? match[1]! : trimPunctuation(match[1]!), end: BARE_URL.lastIndex };
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
