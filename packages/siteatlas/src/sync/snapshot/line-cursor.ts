import { urlOfLine } from "./page-line.ts";

/** Reads lines that arrive in batches, one line at a time. */
export class LineCursor {
  /** The current line. Undefined before the first `next` and after the last line. */
  line: string | undefined;
  readonly #batches: AsyncIterator<readonly string[]>;
  #batch: readonly string[] = [];
  #at = 0;

  constructor(batches: AsyncIterable<readonly string[]>) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  /**
   * Goes to the next line. Returns a promise only when it needs another batch, because awaiting every line would be too
   * slow.
   */
  next(): Promise<void> | undefined {
    if (++this.#at >= this.#batch.length) return this.#refill();
    this.line = this.#batch[this.#at];
    return undefined;
  }

  /** Ends the source of the batches, also if not all lines were read. */
  async close(): Promise<void> {
    await this.#batches.return?.();
  }

  async #refill(): Promise<void> {
    this.line = undefined;
    do {
      const { done, value } = await this.#batches.next();
      if (done) return;
      this.#batch = value;
    } while (this.#batch.length === 0);
    this.#at = 0;
    this.line = this.#batch[0];
  }
}

/** Number of characters at which a batch is full. Small batches are cheap to garbage-collect. */
const BATCH_LENGTH = 64 * 1024;
/** Maximum number of lines in a batch. Needed for short lines, because an array takes 8 bytes per line. */
const BATCH_LINES = 1000;

/** Collects lines and returns them in batches. */
export class LineBatch {
  #lines: string[] = [];
  #length = 0;

  /** Adds a line. Returns whether the batch is full. */
  add(line: string): boolean {
    this.#lines.push(line);
    this.#length += line.length;
    return this.#length >= BATCH_LENGTH || this.#lines.length >= BATCH_LINES;
  }

  /** Returns the lines and empties the batch. */
  take(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#length = 0;
    return lines;
  }
}

export function* inBatches(lines: readonly string[]): Generator<readonly string[]> {
  const batch = new LineBatch();
  for (const line of lines) if (batch.add(line)) yield batch.take();
  const last = batch.take();
  if (last.length > 0) yield last;
}

/** Copies a text. Otherwise, a slice of a long string keeps the whole string in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

/** Splits texts into lines. Each text consists of complete lines. */
export async function* batchesOf(
  texts: AsyncIterable<string> | undefined,
): AsyncGenerator<readonly string[]> {
  if (texts === undefined) return;
  for await (const text of texts) yield text.slice(0, -1).split("\n");
}

/** Merges two sorted sequences of lines. If both have a line with the same URL, the line of `newer` is used. */
export async function* mergeByUrl(
  older: AsyncIterable<readonly string[]>,
  newer: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  const [old, young] = [new LineCursor(older), new LineCursor(newer)];
  const batch = new LineBatch();
  try {
    await old.next();
    await young.next();
    while (old.line !== undefined || young.line !== undefined) {
      const [oldUrl, youngUrl] = [old.line && urlOfLine(old.line), young.line && urlOfLine(young.line)];
      const isOld = youngUrl === undefined || (oldUrl !== undefined && oldUrl < youngUrl);
      const isFull = batch.add(isOld ? old.line! : young.line!);
      const isBoth = oldUrl === youngUrl;
      const busy = isOld || isBoth ? old.next() : undefined;
      if (busy !== undefined) await busy;
      const alsoBusy = isOld ? undefined : young.next();
      if (alsoBusy !== undefined) await alsoBusy;
      if (isFull) yield batch.take();
    }
    yield batch.take();
  } finally {
    await old.close();
    await young.close();
  }
}
