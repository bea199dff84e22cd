/**
 * Reads the records of a sorted run, one at a time: from memory, or from a part of a file. A record in a file has its
 * length in front of it, in two bytes.
 */
import type { FileHandle } from "node:fs/promises";
import { LENGTH_BYTES, type RecordBlock } from "./record-block.ts";

/** The current record is `bytes` from `start` to `end`. It is valid until the next call of `next`. */
export interface RunCursor {
  readonly bytes: Buffer;
  start: number;
  end: number;
  isDone: boolean;
  /** Goes to the next record. Returns a promise only when it reads from the file. */
  next(): Promise<void> | undefined;
}

/** The records of a run in memory. */
export class MemoryCursor implements RunCursor {
  readonly bytes: Buffer;
  start = 0;
  end = 0;
  isDone = false;
  readonly #block: RecordBlock;
  readonly #order: Uint32Array;
  #at = 0;

  constructor(block: RecordBlock) {
    this.#block = block;
    this.#order = block.sort();
    this.bytes = block.bytes;
  }

  next(): undefined {
    if (this.#at === this.#order.length) {
      this.isDone = true;
      return;
    }
    this.start = this.#order[this.#at++]!;
    this.end = this.start + this.#block.lengthAt(this.start);
  }
}

export interface FileRun {
  readonly file: FileHandle;
  readonly start: number;
  readonly end: number;
}

/** The records of a run in a file. */
export class FileCursor implements RunCursor {
  readonly bytes: Buffer;
  start = 0;
  end = 0;
  isDone = false;
  readonly #run: FileRun;
  /** Position in the file of the next byte to read. */
  #position: number;
  /** Number of bytes in the buffer. */
  #filled = 0;

  /** @param size size of the buffer, at least `MAX_RECORD + LENGTH_BYTES` */
  constructor(run: FileRun, size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.#run = run;
    this.#position = run.start;
  }

  next(): Promise<void> | undefined {
    if (this.#take()) return undefined;
    return this.#refill();
  }

  /** Returns false if the buffer does not have the whole next record. */
  #take(): boolean {
    const at = this.end;
    if (at + LENGTH_BYTES > this.#filled) return false;
    const start = at + LENGTH_BYTES;
    const end = start + this.bytes[at]! + 256 * this.bytes[at + 1]!;
    if (end > this.#filled) return false;
    this.start = start;
    this.end = end;
    return true;
  }

  async #refill(): Promise<void> {
    const { file, end } = this.#run;
    this.bytes.copy(this.bytes, 0, this.end, this.#filled);
    this.#filled -= this.end;
    this.end = 0;
    while (!this.#take()) {
      const length = Math.min(this.bytes.length - this.#filled, end - this.#position);
      if (length === 0) {
        this.isDone = true;
        return;
      }
      const { bytesRead } = await file.read(this.bytes, this.#filled, length, this.#position);
      if (bytesRead === 0) throw new Error("A temporary file of siteatlas was truncated");
      this.#filled += bytesRead;
      this.#position += bytesRead;
    }
  }
}

/** Whether the record of `a` sorts before the record of `b`. */
function isBefore(a: RunCursor, b: RunCursor): boolean {
  const [x, y] = [a.bytes, b.bytes];
  const lengthA = a.end - a.start;
  const lengthB = b.end - b.start;
  const common = lengthA < lengthB ? lengthA : lengthB;
  for (let i = a.start, j = b.start, end = i + common; i < end; i++, j++) {
    if (x[i] !== y[j]) return x[i]! < y[j]!;
  }
  return lengthA < lengthB;
}

/** Merges sorted runs. `top` is the cursor whose record sorts first. */
export class RunHeap<Cursor extends RunCursor> {
  readonly #heap: Cursor[] = [];

  /** Goes to the first record of each run. */
  async start(cursors: readonly Cursor[]): Promise<void> {
    for (const cursor of cursors) {
      await cursor.next();
      if (!cursor.isDone) this.#heap.push(cursor);
    }
    this.#heap.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  /** Undefined if no records are left. */
  get top(): Cursor | undefined {
    return this.#heap[0];
  }

  /** Goes to the next record. Returns a promise only when it reads from a file. */
  next(): Promise<void> | undefined {
    const busy = this.#heap[0]!.next();
    if (busy !== undefined) return busy.then(() => this.#settle());
    this.#settle();
    return undefined;
  }

  /** Moves the top down to its place, or removes it at its end. */
  #settle(): void {
    const heap = this.#heap;
    if (heap[0]!.isDone) {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      heap[0] = last;
    }
    const top = heap[0]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, top)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = top;
  }
}
