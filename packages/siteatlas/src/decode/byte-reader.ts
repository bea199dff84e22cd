/**
 * Reads an asynchronous source of byte chunks with look-ahead: what the sniffing of magic bytes and the
 * gzip framing need. Chunk boundaries carry no meaning to its users. Costs linear time for one-byte chunks.
 */
import { concatBytes } from "./concat-bytes.ts";

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Bytes that were taken from the source and not yet given out. */
  #held: Uint8Array | undefined;
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next bytes, never empty, as they come; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const held = this.#held;
    if (held === undefined) return this.#pull();
    this.#held = undefined;
    return held;
  }

  /** Puts back the unused end of what `next` gave last. */
  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#held = this.#held === undefined ? bytes : concatBytes([bytes, this.#held]);
  }

  /** At least `count` bytes, fewer only where the input ends; they stay unread. */
  async peek(count: number): Promise<Uint8Array> {
    if (this.#held !== undefined && this.#held.length >= count) return this.#held;
    const parts: Uint8Array[] = [];
    for (let length = 0; length < count; ) {
      const bytes = await this.next();
      if (bytes === undefined) break;
      length += bytes.length;
      // The source may use its memory again for the next one.
      parts.push(length < count ? new Uint8Array(bytes) : bytes);
    }
    this.unread(concatBytes(parts));
    return this.#held ?? new Uint8Array(0);
  }

  /** Lets go of the source. */
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
