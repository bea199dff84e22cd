/**
 * Splits streamed text into lines. CR, LF and CRLF end a line, even if CRLF is split between two chunks. Takes linear
 * time for chunks of any size, and holds at most one line of the maximum length.
 */
import { lineEnd } from "#shortcuts";

export interface LineSplitterOptions {
  /**
   * Maximum length of a line in characters. A longer line is skipped. Stops a file without line ends that fills
   * memory.
   */
  readonly maxLength: number;
  /** Called for each line, without its line end. Lines are numbered from 1. */
  onLine(line: string, lineNumber: number): void;
  /** Called instead of `onLine` for a line that is too long. */
  onTooLong(lineNumber: number): void;
  /** Whether lines also end at U+0085, U+2028 and U+2029. */
  readonly unicodeBreaks?: boolean;
}

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  /** The start of the current line, from earlier chunks. */
  #started = "";
  #skipping = false;
  /** Whether the last character was a CR. An LF after it belongs to the same line end. */
  #afterCr = false;
  #number = 1;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  push(chunk: string): void {
    if (chunk === "") return;
    const { unicodeBreaks = false } = this.#options;
    let start = this.#afterCr && chunk.startsWith("\n") ? 1 : 0;
    this.#afterCr = chunk.endsWith("\r");
    for (let at = lineEnd(chunk, start, unicodeBreaks); at < chunk.length; ) {
      this.#add(chunk.slice(start, at));
      this.#finish();
      start = chunk.startsWith("\r\n", at) ? at + 2 : at + 1;
      at = lineEnd(chunk, start, unicodeBreaks);
    }
    this.#add(chunk.slice(start));
  }

  /** Call this at the end of the text. Emits the last line if it has no line end. */
  end(): void {
    if (this.#started !== "" || this.#skipping) this.#finish();
  }

  /** Call this at the end of a truncated text. Drops a last line without a line end, because it may be half a URL. */
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
