/**
 * Writes text to stdout or a file in chunks of about 256 KB. If the output is slow, callers wait, so that memory does
 * not grow. On stdout, the first record is written immediately, and no record waits longer than 100 ms.
 */
import { fstatSync, write as writeFd } from "node:fs";
import { createGzip } from "node:zlib";
import { toOutputError } from "../process/output-error.ts";
import { TargetFile, takeFileSizeErrors } from "./target-file.ts";

/** An output for text. All methods throw `OutputError`, or `ClosedPipeError` if the reader closed the pipe. */
export interface TextOutput {
  /** Writes text. If it returns a promise, wait for it before you write more. */
  write(text: string): void | Promise<void>;
  /** Resolves when all text is written. */
  flush(): Promise<void>;
  /** Completes the output. If the run was interrupted (`isCut`), the file gets another name, which is returned. */
  end(isCut?: boolean): Promise<string | undefined>;
  /** Deletes an unfinished file. */
  abort(): Promise<void>;
}

interface TextOutputOptions {
  /** The file to write. It is compressed if its name ends in `.gz`. @default stdout */
  readonly file?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Length of a chunk in UTF-16 units. Larger chunks are not faster and need more memory. */
const CHUNK_LENGTH = 256 * 1024;
const MAX_WAIT_MS = 100;

export async function openTextOutput({ file, force }: TextOutputOptions = {}): Promise<TextOutput> {
  if (file === undefined) return new BatchedText(openStdout(), true);
  const target = await TargetFile.open(file, { force });
  return new BatchedText(isGzipName(file) ? createGzipOutput(target) : target, false);
}

export function isGzipName(file: string): boolean {
  return /\.gz$/i.test(file);
}

export interface ByteOutput {
  write(bytes: Uint8Array): Promise<void>;
  /** Completes the output, like `TextOutput.end`. */
  commit(isCut?: boolean): Promise<string | undefined>;
  discard(): Promise<void>;
}

class BatchedText implements TextOutput {
  readonly #output: ByteOutput;
  readonly #isLive: boolean;
  #text = "";
  #hasWritten = false;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when all previous chunks are written. Never rejects. */
  #written: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(output: ByteOutput, isLive: boolean) {
    this.#output = output;
    this.#isLive = isLive;
  }

  write(text: string): void | Promise<void> {
    this.#check();
    this.#text += text;
    if (this.#text.length >= CHUNK_LENGTH) return this.#room();
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
      await this.#output.discard();
      throw this.#failure;
    }
    return this.#output.commit(isCut);
  }

  async abort(): Promise<void> {
    clearTimeout(this.#timer);
    // The last record may be half written. Write the rest of it.
    if (this.#isLive) this.#flush();
    await this.#written;
    await this.#output.discard();
  }

  #room(): Promise<void> {
    const room = this.#flush().then(() => this.#check());
    // Errors are not lost: a caller that does not wait for this promise gets the error from its next call.
    room.catch(() => {});
    return room;
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Starts to write the current chunk. Resolves when the chunk before it is written, so that one chunk is being written
   * while the next one is filled. Never rejects.
   */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const before = this.#written;
    if (this.#text === "") return before;
    this.#hasWritten = true;
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    this.#written = before.then(() => this.#writeChunk(bytes));
    return before;
  }

  async #writeChunk(bytes: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await this.#output.write(bytes);
    } catch (error) {
      this.#failure = error;
    }
  }
}

/** Compresses the output with gzip. The compressed bytes of a chunk are written before the next chunk is compressed. */
function createGzipOutput(target: ByteOutput): ByteOutput {
  const gzip = createGzip();
  let compressed: Buffer[] = [];
  gzip.on("data", (bytes: Buffer) => compressed.push(bytes));
  const pass = async (): Promise<void> => {
    const chunks = compressed;
    compressed = [];
    for (const bytes of chunks) await target.write(bytes);
  };
  return {
    write: async (bytes) => {
      await new Promise<void>((resolve, reject) => {
        gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
      await pass();
    },
    commit: async (isCut) => {
      try {
        const ended = new Promise((resolve) => gzip.once("end", resolve));
        gzip.end();
        await ended;
        await pass();
      } catch (error) {
        await target.discard();
        throw error;
      }
      return target.commit(isCut);
    },
    discard: () => {
      gzip.destroy();
      return target.discard();
    },
  };
}

export function openStdout(): ByteOutput {
  return isFileOrDevice(1) ? fileStdout : streamStdout;
}

/** The end of an output to stdout. Does nothing, because stdout stays open. */
const stdoutEnd = {
  commit: async (): Promise<undefined> => undefined,
  discard: async (): Promise<void> => {},
};

/**
 * The output if stdout is a pipe or a terminal. Node's stream does not block, so Ctrl-C works even if a pager does not
 * read.
 */
const streamStdout: ByteOutput = {
  write(bytes) {
    const { stdout } = process;
    // The callback gets the errors. But without a listener, they would also end the process.
    if (stdout.listenerCount("error") === 0) stdout.on("error", () => {});
    return new Promise((resolve, reject) => {
      stdout.write(bytes, (error) => (error ? reject(toOutputError(error, "stdout")) : resolve()));
    });
  },
  ...stdoutEnd,
};

/**
 * The output if stdout is a file (`> pages.txt`). Node's stream is not used, because it would treat a partial write as
 * complete.
 */
const fileStdout: ByteOutput = {
  async write(bytes) {
    takeFileSizeErrors();
    for (let from = 0; from < bytes.length; ) from += await writeOnce(bytes, from);
  },
  ...stdoutEnd,
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
