/**
 * Reads byte chunks from an asynchronous source. Can look ahead (`peek`), to recognize magic bytes and gzip headers.
 * Takes linear time, even for chunks of one byte.
 */
import { concatBytes } from "./concat-bytes.ts";

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Uint8Array | undefined;
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns the next bytes, at least one, or undefined at the end of the input. */
  async next(): Promise<Uint8Array | undefined> {
    const held = this.#held;
    if (held === undefined) return this.#pull();
    this.#held = undefined;
    return held;
  }

  /** Puts back the unused end of the last bytes from `next`. */
  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#held = this.#held === undefined ? bytes : concatBytes([bytes, this.#held]);
  }

  /** Returns the next `count` bytes or more, or fewer if the input ends. `next` returns the same bytes again. */
  async peek(count: number): Promise<Uint8Array> {
    if (this.#held !== undefined && this.#held.length >= count) return this.#held;
    const parts: Uint8Array[] = [];
    for (let length = 0; length < count; ) {
      const bytes = await this.next();
      if (bytes === undefined) break;
      length += bytes.length;
      // If another chunk is needed, copy this chunk, because the source may reuse its memory.
      parts.push(length < count ? new Uint8Array(bytes) : bytes);
    }
    this.unread(concatBytes(parts));
    return this.#held ?? new Uint8Array(0);
  }

  async close(): Promise<void> {
    this.#held = undefined;
    if (this.#ended) return;
    this.#ended = true;
    await this.#source.return?.();
  }

  async #pull(): Promise<Uint8Array | undefined> {
    while (!this.#ended) {
      const { done, value } = await this.#source.next();
      if (done) this.#ended = true;
      else if (value.length > 0) return value;
    }
    return undefined;
  }
}
