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
    this.#lineEnd = options.unicodeBreaks ? /\r\n|[\n\r\x85\u2028\u2029]/ : /\r\n|[\n\r]/;
  }

  push(chunk: string): void {
    if (chunk === "") return;
    const text = this.#afterCr && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    this.#afterCr = chunk.endsWith("\r");
    for (const [index, piece] of text.split(this.#lineEnd).entries()) {
      if (index > 0) this.#finish();
      this.#add(piece);
    }
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

  #add(piece: string): void {
    if (this.#skipping) return;
    this.#started += piece;
    if (this.#started.length > this.#options.maxLength) {
      this.#started = "";
      this.#skipping = true;
      this.#options.onTooLong(this.#number);
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
