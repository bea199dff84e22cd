/**
 * Cuts streamed text into lines. CR, LF and CRLF end a line, also when the two are in different chunks.
 * Knows nothing of what is on a line. Time is linear in the text however it is cut, and no more than one
 * line of the longest allowed length is held.
 */

export interface LineSplitterOptions {
  /** In characters. Stops a file without line ends from being held whole: a longer line is skipped. */
  readonly maxLength: number;
  /** Takes a line without its end; the first has number 1. */
  onLine(line: string, lineNumber: number): void;
  /** Takes the place of `onLine` for a line that is too long. */
  onTooLong(lineNumber: number): void;
  /** Also end lines at U+0085, U+2028 and U+2029. */
  readonly unicodeBreaks?: boolean;
}

const CR = 0x0d;
const LF = 0x0a;

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  readonly #lineEnd: RegExp;
  /** What earlier chunks held of the current line. */
  #started = "";
  /** The current line is too long and goes by. */
  #skipping = false;
  /** The last character was a CR: an LF now belongs to it. */
  #afterCr = false;
  #number = 1;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
    this.#lineEnd = options.unicodeBreaks ? /[\n\r\u0085\u2028\u2029]/g : /[\n\r]/g;
  }

  push(text: string): void {
    if (text === "") return;
    let start = this.#afterCr && text.charCodeAt(0) === LF ? 1 : 0;
    this.#afterCr = false;
    const lineEnd = this.#lineEnd;
    lineEnd.lastIndex = start;
    while (lineEnd.test(text)) {
      const end = lineEnd.lastIndex;
      this.#add(text, start, end - 1);
      this.#finish();
      start = end;
      if (text.charCodeAt(end - 1) === CR) {
        if (end === text.length) this.#afterCr = true;
        else if (text.charCodeAt(end) === LF) start = end + 1;
      }
      lineEnd.lastIndex = start;
    }
    this.#add(text, start, text.length);
  }

  /** Gives the last line if it has no end. */
  end(): void {
    if (this.#started !== "" || this.#skipping) this.#finish();
  }

  /** Drops the last line if it has no end: the text was cut, and half a line may be half a URL. */
  abort(): void {
    this.#started = "";
    this.#skipping = false;
  }

  #add(text: string, start: number, end: number): void {
    if (this.#skipping) return;
    if (this.#started.length + end - start > this.#options.maxLength) {
      this.#started = "";
      this.#skipping = true;
      this.#options.onTooLong(this.#number);
    } else {
      this.#started += text.slice(start, end);
    }
  }

  #finish(): void {
    const line = this.#started;
    this.#started = "";
    const number = this.#number++;
    if (this.#skipping) this.#skipping = false;
    else this.#options.onLine(line, number);
  }
}
