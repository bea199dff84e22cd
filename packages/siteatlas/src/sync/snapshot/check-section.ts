/**
 * Checks the text of a section while it is decompressed. The first line has the URL of the sitemap. Then there is one
 * line per page, as many as the header says. The file is untrusted: a line must not contain an escape character or
 * credentials, and must not fill the memory.
 */
import { LINE_AFTER_ORIGIN } from "./page-line.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { MAX_PAGE_LINE, MAX_SECTION_BYTES, type SectionOwner, sectionTitle } from "./snapshot-format.ts";

/** The origin of a URL, at the start of a line. */
const ORIGIN = /https?:\/\/[!-.0-?A-~]+\//y;

export class SectionChecker {
  readonly #owner: SectionOwner;
  readonly #name: string;
  /** The start of a line that the next text continues. */
  #rest = "";
  #length = 0;
  /** Number of complete lines, including the first one, which has the URL of the sitemap. */
  #lines = 0;
  /** The origin of the last page: most pages have the same one. */
  #origin: string | undefined;

  /** @param name the file, for messages */
  constructor(owner: SectionOwner, name: string) {
    this.#owner = owner;
    this.#name = name;
  }

  /** Checks a piece and returns its complete lines. An incomplete line at its end is returned with the next piece. */
  add(piece: string): string {
    this.#length += piece.length;
    if (this.#length > MAX_SECTION_BYTES) throw this.#tooLarge();
    const text = this.#rest + piece;
    const whole = text.lastIndexOf("\n") + 1;
    let start = 0;
    if (this.#lines === 0 && whole > 0) start = this.#takeTitle(text);
    const pages = text.slice(start, whole);
    while (start < whole) start = this.#takePage(text, start);
    this.#rest = text.slice(whole);
    if (this.#rest.length > MAX_PAGE_LINE) throw this.#tooLarge();
    return pages;
  }

  end(): void {
    if (this.#rest !== "" || this.#lines !== this.#owner.pageCount + 1)
      throw this.#invalid("number of pages");
  }

  #takeTitle(text: string): number {
    const title = sectionTitle(this.#owner.url);
    if (!text.startsWith(title)) throw this.#invalid("first line");
    this.#lines++;
    return title.length;
  }

  /** Returns the start of the next line. */
  #takePage(text: string, start: number): number {
    if (this.#lines > this.#owner.pageCount) throw this.#invalid("number of pages");
    if (this.#origin === undefined || !text.startsWith(this.#origin, start)) this.#takeOrigin(text, start);
    LINE_AFTER_ORIGIN.lastIndex = start + this.#origin!.length;
    if (!LINE_AFTER_ORIGIN.test(text)) throw this.#invalid(`line ${this.#lines + 1}`);
    this.#lines++;
    return LINE_AFTER_ORIGIN.lastIndex;
  }

  #takeOrigin(text: string, start: number): void {
    ORIGIN.lastIndex = start;
    const [origin = ""] = ORIGIN.exec(text) ?? [];
    if (!URL.canParse(origin)) throw this.#invalid(`line ${this.#lines + 1}`);
    this.#origin = origin;
  }

  #invalid(what: string): SnapshotError {
    const { url } = this.#owner;
    return new SnapshotError(
      "invalid",
      `${this.#name} is not valid: in the section of ${url}, ${what} is wrong`,
    );
  }

  #tooLarge(): SnapshotError {
    const { url } = this.#owner;
    return new SnapshotError("too-large", `${this.#name} is too large: the pages of ${url} exceed a limit`);
  }
}
