/**
 * Where text goes: stdout or a file, in pieces of some 256 KB, with back-pressure, so that memory does not
 * grow with what is written. On stdout the first record appears at once and nothing waits longer than
 * 100 ms: people and slow pipelines want to see something.
 */
import { fstatSync, write as writeFd } from "node:fs";
import { createGzip } from "node:zlib";
import { toOutputError } from "./output-error.ts";
import { TargetFile, takeFileSizeErrors } from "./target-file.ts";

/** Throws `OutputError`, or `ClosedPipeError` when the reader is gone. */
export interface TextOutput {
  /** Waits, where it gives a promise, until there is room for more. */
  write(text: string): void | Promise<void>;
  /** Settles when all that was given is written. */
  flush(): Promise<void>;
  /**
   * Ends it properly. Of a run that was interrupted (`isCut`) the file does not take the place of an earlier
   * one: where it is then comes back.
   */
  end(isCut?: boolean): Promise<string | undefined>;
  /** Drops a file; on stdout leaves what is there. */
  abort(): Promise<void>;
}

export interface TextOutputOptions {
  /** Without it: stdout. A name that ends in `.gz` is compressed. */
  readonly file?: string | undefined;
  readonly force?: boolean | undefined;
}

/** In UTF-16 units. Larger pieces are not faster, and are more to hold. */
const PIECE_LENGTH = 256 * 1024;
/** Nothing waits longer than this on stdout. */
const MAX_WAIT_MS = 100;

export async function openTextOutput({ file, force }: TextOutputOptions = {}): Promise<TextOutput> {
  if (file === undefined) return new BatchedText(openStdout(), true);
  const target = await TargetFile.open(file, { force });
  return new BatchedText(isGzipName(file) ? new GzipSink(target) : target, false);
}

export function isGzipName(file: string): boolean {
  return /\.gz$/i.test(file);
}

/** What takes bytes, one piece after the other. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  /** See `TextOutput.end`. */
  commit(isCut?: boolean): Promise<string | undefined>;
  discard(): Promise<void>;
}

class BatchedText implements TextOutput {
  readonly #sink: ByteSink;
  readonly #isLive: boolean;
  #text = "";
  #hasWritten = false;
  #timer: NodeJS.Timeout | undefined;
  /** Settles when all that was given to the sink is written; never rejects. */
  #written: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(sink: ByteSink, isLive: boolean) {
    this.#sink = sink;
    this.#isLive = isLive;
  }

  write(text: string): void | Promise<void> {
    this.#check();
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) return this.#room();
    if (!this.#isLive) return;
    if (!this.#hasWritten) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), MAX_WAIT_MS);
  }

  async flush(): Promise<void> {
    this.#flush();
    await this.#written;
    this.#check();
  }

  async end(isCut?: boolean): Promise<string | undefined> {
    this.#flush();
    await this.#written;
    if (this.#failure !== undefined) {
      await this.#sink.discard();
      throw this.#failure;
    }
    return this.#sink.commit(isCut);
  }

  async abort(): Promise<void> {
    clearTimeout(this.#timer);
    // What is on its way is let through: half a piece may be written already.
    if (this.#isLive) this.#flush();
    await this.#written;
    await this.#sink.discard();
  }

  #room(): Promise<void> {
    const room = this.#flush().then(() => this.#check());
    // Who does not wait is told by the next call.
    room.catch(() => {});
    return room;
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Gives away what there is, and settles when the piece before it is written: one is on its way while the
   * next is made. Never rejects.
   */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const before = this.#written;
    if (this.#text === "") return before;
    this.#hasWritten = true;
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    this.#written = before.then(() => this.#give(bytes));
    return before;
  }

  async #give(bytes: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await this.#sink.write(bytes);
    } catch (error) {
      this.#failure = error;
    }
  }
}

/** Compresses on the way. What a piece gave is written before the next one is taken. */
class GzipSink implements ByteSink {
  readonly #target: ByteSink;
  readonly #gzip = createGzip();
  #compressed: Buffer[] = [];

  constructor(target: ByteSink) {
    this.#target = target;
    this.#gzip.on("data", (bytes: Buffer) => this.#compressed.push(bytes));
  }

  async write(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await this.#pass();
  }

  async commit(isCut?: boolean): Promise<string | undefined> {
    try {
      const ended = new Promise((resolve) => this.#gzip.once("end", resolve));
      this.#gzip.end();
      await ended;
      await this.#pass();
    } catch (error) {
      await this.#target.discard();
      throw error;
    }
    return this.#target.commit(isCut);
  }

  async discard(): Promise<void> {
    this.#gzip.destroy();
    await this.#target.discard();
  }

  async #pass(): Promise<void> {
    const compressed = this.#compressed;
    this.#compressed = [];
    for (const bytes of compressed) await this.#target.write(bytes);
  }
}

/** stdout as a sink: ended by nobody, as others may write to it after us. */
export function openStdout(): ByteSink {
  return isFileOrDevice(1) ? fileStdout : streamStdout;
}

/**
 * A pipe or a terminal: Node's own stream, which waits without holding up the process, so that Ctrl-C is heard
 * while a pager sits on the other end.
 */
const streamStdout: ByteSink = {
  write(bytes) {
    const { stdout } = process;
    // The callback tells of errors; without a listener they would end the process, too.
    if (stdout.listenerCount("error") === 0) stdout.on("error", () => {});
    return new Promise((resolve, reject) => {
      stdout.write(bytes, (error) => (error ? reject(toOutputError(error, "stdout")) : resolve()));
    });
  },
  async commit() {
    return undefined;
  },
  async discard() {},
};

/** A file (`> pages.txt`): Node's stream for it takes a part that was written for the whole of it. */
const fileStdout: ByteSink = {
  async write(bytes) {
    takeFileSizeErrors();
    for (let from = 0; from < bytes.length; ) from += await writeOnce(bytes, from);
  },
  async commit() {
    return undefined;
  },
  async discard() {},
};

function writeOnce(bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    writeFd(1, bytes, from, bytes.length - from, null, (error, written) =>
      error === null ? resolve(written) : reject(toOutputError(error, "stdout")),
    );
  });
}

function isFileOrDevice(fd: number): boolean {
  if (process.stdout.isTTY) return false;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() || stats.isCharacterDevice();
  } catch {
    return false;
  }
}
