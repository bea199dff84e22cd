/**
 * A stream of node:zlib driven by hand: write some input, then take output until there is none, then write
 * more. Piped, it would drop what is ready when it meets damage or an early end.
 *
 * Knows the stream by its shape alone, so that it can be read without Node.
 */

export interface ZlibStream {
  /** Input that it has taken. */
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

/** Chunks that wait for the consumer; more stop the stream: 800 bytes of brotli can hold a gigabyte. */
const MAX_READY = 3;

/**
 * Compressed data may be so much larger than what it holds. Stops the stream of blocks that hold nothing, each
 * of which takes its time: 100 MiB of them would be 14 seconds, and can be 100 KB in a further layer.
 */
export const MAX_SURPLUS: number = 256 * 1024;

export class ZlibFeed {
  /** What was wrong with the data. What came before it is given first. */
  failure: Error | undefined;
  /** The data said that it is over, and all of it was given. */
  ended = false;
  /** Input so far. */
  written = 0;
  /** Input that went into what `next` gave. */
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

  /** How much input zlib took; less than was written once the data has ended. */
  get consumed(): number {
    return this.#zlib.bytesWritten;
  }

  /** How much more it took than it gave. */
  get surplus(): number {
    return Math.max(0, this.consumed - this.#given);
  }

  /** Takes the next input, undefined at its end; the one before must be used up (`next` gave undefined). */
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

  /** The next output; undefined when the input written so far has given all of it. */
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
        if (this.surplus > this.#maxSurplus) this.failure = new Error("The data holds too little");
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
