/**
 * Writes one chunk of input to a stream of node:zlib, reads all its output, and then writes the next chunk. In a pipe,
 * the stream would drop finished output if the data is damaged or truncated.
 *
 * `ZlibStream` is declared here, so that this file needs no Node import.
 */

export interface ZlibStream {
  /** Number of input bytes that zlib has used. */
  readonly bytesWritten: number;
  readonly readableLength: number;
  on(event: "data", listener: (output: Uint8Array) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  write(input: Uint8Array, callback: () => void): unknown;
  end(): unknown;
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
  destroy(): unknown;
}

/** Number of unread chunks at which the stream is paused, because 800 bytes of brotli can contain a gigabyte. */
const MAX_READY = 3;

/**
 * Maximum number of bytes by which compressed data may be larger than its content. Stops data that consists of empty
 * blocks: 100 MiB of empty blocks take 14 seconds, and another layer of compression shrinks them to 100 KB.
 */
export const MAX_SURPLUS: number = 256 * 1024;

export class ZlibFeed {
  /** Set if the data is damaged. `next` still returns the output before the damage. */
  failure: Error | undefined;
  /** True if zlib has read the end mark of the data and has emitted all output. */
  ended = false;
  written = 0;
  /** Number of input bytes that zlib needed for all output up to the last result of `next`. */
  used = 0;
  readonly #zlib: ZlibStream;
  readonly #maxSurplus: number;
  readonly #ready: { readonly output: Uint8Array; readonly consumed: number }[] = [];
  #given = 0;
  #busy = false;
  #wake: (() => void) | undefined;

  constructor(zlib: ZlibStream, maxSurplus: number = MAX_SURPLUS) {
    this.#zlib = zlib;
    this.#maxSurplus = maxSurplus;
    zlib.on("data", (output) => {
      if (this.#ready.push({ output, consumed: this.consumed }) >= MAX_READY) zlib.pause();
      this.#wake?.();
    });
    zlib.on("error", (error) => {
      this.failure = error;
      this.#wake?.();
    });
    zlib.on("end", () => {
      this.ended = true;
      this.#busy = false;
      this.#wake?.();
    });
  }

  /** Number of input bytes that zlib has used. Less than `written` if bytes follow the compressed data. */
  get consumed(): number {
    return this.#zlib.bytesWritten;
  }

  get surplus(): number {
    return Math.max(0, this.consumed - this.#given);
  }

  /** Writes input. Pass undefined at the end of the input. Call this only after `next` has returned undefined. */
  write(input: Uint8Array | undefined): void {
    this.#busy = true;
    if (input === undefined) {
      this.#zlib.end();
      return;
    }
    this.written += input.length;
    this.#zlib.write(input, () => {
      this.#busy = false;
      this.#wake?.();
    });
  }

  /** Returns the next output, or undefined if more input is needed or the data has ended. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const ready = this.#ready.shift();
      if (ready !== undefined) {
        if (this.#ready.length <= 1 && this.#zlib.isPaused()) this.#zlib.resume();
        this.used = ready.consumed;
        this.#given += ready.output.length;
        return ready.output;
      }
      if (this.failure !== undefined) return undefined;
      if (!this.#busy && this.#zlib.readableLength === 0) {
        if (this.surplus > this.#maxSurplus)
          this.failure = new Error("The compressed data is larger than its decompressed content");
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  destroy(): void {
    this.#zlib.destroy();
  }
}
