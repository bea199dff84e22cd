/** Finds line, column and excerpt of an occurrence in the text of its document. */
import { showInvisible } from "../../escape/invisible.ts";
import { MASK, maskUserinfo } from "../../escape/userinfo.ts";
import type { Excerpt, FindingPlace } from "../finding.ts";
import type { Occurrence } from "../rule.ts";

/** Maximum length of an excerpt. Sitemaps without line breaks have lines of megabytes. */
const MAX_EXCERPT = 160;
/** Number of characters that an excerpt shows before the problem, if the line is long. */
const BEFORE = 40;

type Position = Pick<FindingPlace, "line" | "column" | "excerpt">;

export class DocumentLines {
  /** The text of the document. */
  readonly text: string;
  /** The last line that was looked up. Occurrences are usually in document order. */
  #line = 1;
  #start = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the position of an occurrence, as far as it is known. */
  locate({ line, value, find = value }: Occurrence): Position {
    return line === undefined ? this.#search(find) : this.#inLine(line, find);
  }

  #search(find: string | undefined): Position {
    if (find === undefined || find === "") return {};
    for (const written of spellings(find)) {
      const at = this.#wholeValue(written);
      if (at < 0) continue;
      const line = this.#lineAt(at);
      return this.#position(line, at, written.length);
    }
    return {};
  }

  /**
   * The index of a complete value: `https://example.com/a` is not found in `https://example.com/ab`. If only longer
   * values contain it, the index in the first of them.
   */
  #wholeValue(written: string): number {
    const text = this.text;
    const first = text.indexOf(written);
    let at = first;
    for (let tries = 0; at >= 0 && tries < 1000; tries++) {
      const next = text.charAt(at + written.length);
      if (next === "" || /[\s<>"'\]]/.test(next)) return at;
      at = text.indexOf(written, at + 1);
    }
    return first;
  }

  #inLine(line: number, find: string | undefined): Position {
    const start = this.#startOf(line);
    if (start === undefined) return { line };
    const end = this.#endOf(start);
    const content = this.text.slice(start, end);
    for (const written of find === undefined ? [] : spellings(find)) {
      const at = indexInLine(content, written);
      if (at >= 0) return this.#position(line, start + at, written.length);
    }
    const blank = /^\s*/.exec(content)![0].length;
    const trimmed = content.trim().length;
    if (trimmed === 0) return { line };
    // The place in the line is unknown: underline all of it, unless it is too long to help.
    return this.#position(line, start + blank, trimmed > MAX_EXCERPT ? 1 : trimmed, false);
  }

  #position(line: number, at: number, length: number, isExact = true): Position {
    const start = this.#startOf(line)!;
    const end = this.#endOf(start);
    const excerpt = excerptOf(this.text.slice(start, end), at - start, length);
    return { line, ...(isExact && { column: at - start + 1 }), excerpt };
  }

  /** The index of the first character of a line. Undefined if the text has fewer lines. */
  #startOf(line: number): number | undefined {
    if (line < this.#line) {
      this.#line = 1;
      this.#start = 0;
    }
    while (this.#line < line) {
      const next = this.text.indexOf("\n", this.#start);
      if (next < 0) return undefined;
      this.#start = next + 1;
      this.#line++;
    }
    return this.#start;
  }

  #endOf(start: number): number {
    const end = this.text.indexOf("\n", start);
    return end < 0 ? this.text.length : end;
  }

  #lineAt(at: number): number {
    if (at < this.#start) {
      this.#line = 1;
      this.#start = 0;
    }
    for (;;) {
      const next = this.text.indexOf("\n", this.#start);
      if (next < 0 || next >= at) return this.#line;
      this.#start = next + 1;
      this.#line++;
    }
  }
}

/** The index of a value in a line. A whole text or attribute is preferred: a priority of 7 is not the 7 of a URL. */
function indexInLine(line: string, value: string): number {
  for (const [before, after] of [
    [">", "<"],
    ['"', '"'],
  ]) {
    const at = line.indexOf(`${before}${value}${after}`);
    if (at >= 0) return at + 1;
  }
  return line.indexOf(value);
}

/** The ways in which a document may write a value: as it is, or escaped for XML. */
function spellings(text: string): string[] {
  const ampersands = text.replaceAll("&", "&amp;");
  const brackets = ampersands.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quotes = brackets.replaceAll('"', "&quot;").replaceAll("'", "&apos;");
  return [...new Set([quotes, brackets, ampersands, text])];
}

/** A part of the line around the problem. Its text is safe to print. */
function excerptOf(line: string, at: number, length: number): Excerpt {
  const masked = maskUserinfo(line.slice(Math.max(0, at - MAX_EXCERPT), at + 2 * MAX_EXCERPT));
  // A line with a password: show the masked text. The columns of the document do not fit it.
  if (masked.includes(MASK)) return { text: safe(masked.slice(0, MAX_EXCERPT)), from: 0, length: 1 };
  const isLong = line.length > MAX_EXCERPT;
  const from = isLong ? Math.max(0, Math.min(at - BEFORE, line.length - MAX_EXCERPT)) : 0;
  const shown = line.slice(from, from + MAX_EXCERPT).replace(/\r$/, "");
  const before = safe(shown.slice(0, at - from));
  const marked = safe(shown.slice(at - from, at - from + length));
  const text = before + marked + safe(shown.slice(at - from + length));
  return { text, from: before.length, length: Math.max(1, marked.length) };
}

function safe(text: string): string {
  return showInvisible(text.replaceAll("\t", " "));
}
