/**
 * Front coding: stores each text as its difference from the previous text. The difference consists of the length of the
 * start that both texts share, the length of the end that both texts share, and the bytes of the new text between them.
 * URLs, dates and other texts have separate writers, each with its own previous text. At the start of a block the
 * previous text is empty, so that each block can be read without the others.
 */
import { utf8Text } from "#platform";
import { type BlockReader, type BlockWriter, enlarged } from "./block.ts";

/** The kind of text. Texts of the kind `url` are also compressed with url-code.ts. */
export type TextKind = "url" | "any";

/**
 * First byte of a text that is stored as JSON, because UTF-8 cannot encode a lone surrogate. 0xff never occurs in
 * UTF-8.
 */
const JSON_MARK = 0xff;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Minimum length of a shared end. A shorter one would save nothing, because storing its length takes one byte. */
const MIN_SHARED_END = 2;

const FIRST_CAPACITY = 256;

const utf8Encoder = new TextEncoder();

export class TextWriter {
  readonly #isUrl: boolean;
  #previous: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #previousLength = 0;
  #current: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #length = 0;

  /** The `TextReader` of these texts must use the same `kind`. */
  constructor(kind: TextKind) {
    this.#isUrl = kind === "url";
  }

  reset(): void {
    this.#previousLength = 0;
  }

  write(text: string, block: BlockWriter): void {
    this.#encode(text);
    const previous = this.#previous;
    const current = this.#current;
    const length = this.#length;
    const shared = Math.min(length, this.#previousLength);
    let start = 0;
    while (start < shared && current[start] === previous[start]) start++;
    let end = 0;
    const moved = this.#previousLength - length;
    while (end < shared - start && current[length - 1 - end] === previous[length - 1 - end + moved]) end++;
    if (end < MIN_SHARED_END) end = 0;
    block.integer(start);
    block.integer(2 * (length - end - start) + (end > 0 ? 1 : 0));
    if (end > 0) block.integer(end);
    if (this.#isUrl) block.urlBytes(current, start, length - end);
    else block.bytes(current, start, length - end);
    this.#current = previous;
    this.#previous = current;
    this.#previousLength = length;
  }

  /** Like `write`, for a text that equals the previous text. Takes constant time, except at the start of a block. */
  repeat(text: string, block: BlockWriter): void {
    if (this.#previousLength === 0) return this.write(text, block);
    block.integer(this.#previousLength);
    block.integer(0);
  }

  #encode(text: string): void {
    const { length } = text;
    if (length > this.#current.length) this.#current = enlarged(this.#current, length);
    const bytes = this.#current;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return this.#encodeUtf8(text);
      bytes[i] = code;
    }
    this.#length = length;
  }

  #encodeUtf8(text: string): void {
    const isJson = LONE_SURROGATE.test(text);
    const encoded = utf8Encoder.encode(isJson ? JSON.stringify(text) : text);
    const from = isJson ? 1 : 0;
    this.#length = from + encoded.length;
    if (this.#length > this.#current.length) this.#current = enlarged(this.#current, this.#length);
    this.#current[0] = JSON_MARK;
    this.#current.set(encoded, from);
  }
}

export class TextReader {
  readonly #isUrl: boolean;
  #bytes: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #length = 0;
  #text = "";

  /** The `TextWriter` of these texts must have used the same `kind`. */
  constructor(kind: TextKind) {
    this.#isUrl = kind === "url";
  }

  read(block: BlockReader): string {
    const start = block.integer();
    const own = block.integer();
    // The text equals the previous text.
    if (own === 0 && start === this.#length) return this.#text;
    const end = own % 2 === 1 ? block.integer() : 0;
    const ownEnd = start + Math.floor(own / 2);
    const length = ownEnd + end;
    if (length > this.#bytes.length) this.#bytes = enlarged(this.#bytes, length);
    if (end > 0) this.#bytes.copyWithin(ownEnd, this.#length - end, this.#length);
    if (this.#isUrl) block.urlBytes(this.#bytes, start, ownEnd);
    else block.bytes(this.#bytes, start, ownEnd);
    this.#length = length;
    const isJson = this.#bytes[0] === JSON_MARK && length > 0;
    this.#text = isJson ? JSON.parse(utf8Text(this.#bytes, 1, length)) : utf8Text(this.#bytes, 0, length);
    return this.#text;
  }
}
