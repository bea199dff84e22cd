/**
 * Sorts records in constant memory. Up to 24 MiB stay in memory. If there are more, they are written to a file in
 * sorted runs. 128 runs are merged into one longer run, so that the number of runs stays small for any input.
 *
 * A record is text of ASCII characters. Records are sorted by their bytes, and equal records in a run are kept once.
 */
import type { FileHandle } from "node:fs/promises";
import type { TemporaryFolder } from "../../files/temporary-folder.ts";
import { LENGTH_BYTES, MAX_RECORD, RecordBlock } from "./record-block.ts";
import { FileCursor, type FileRun, MemoryCursor, type RunCursor, RunHeap } from "./run-cursor.ts";

export interface SortLimits {
  /** Memory for records, in bytes. */
  readonly memory: number;
  /** Maximum number of records in memory. Each takes 14 bytes in addition to its text. */
  readonly records: number;
  /** Number of runs that are merged into one. */
  readonly runs: number;
}

const LIMITS: SortLimits = { memory: 24 * 1024 * 1024, records: 400_000, runs: 128 };
/** Total size of the buffers that read the runs of one sorter, in bytes. */
const READ_BYTES = 16 * 1024 * 1024;
const WRITE_BYTES = 256 * 1024;

/** Runs of about the same length, in one file. */
interface Level {
  readonly file: FileHandle;
  length: number;
  runs: FileRun[];
}

export class RecordSorter {
  readonly #folder: TemporaryFolder;
  readonly #limits: SortLimits;
  readonly #block: RecordBlock = new RecordBlock();
  /** A run of level 1 has the records of `limits.runs` runs of level 0, and so on. */
  readonly #levels: Level[] = [];

  constructor(folder: TemporaryFolder, limits: SortLimits = LIMITS) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Adds a record. Returns a promise only when it writes to a file. */
  add(record: string): Promise<void> | undefined {
    this.#block.add(record);
    const { memory, records } = this.#limits;
    const isFull = this.#block.size >= memory || this.#block.count >= records;
    return isFull ? this.#writeMemory() : undefined;
  }

  /** Call this once, when all records were added. The cursors are before their first record. */
  async cursors(): Promise<RunCursor[]> {
    if (this.#levels.length === 0) return [new MemoryCursor(this.#block)];
    if (this.#block.count > 0) await this.#writeMemory();
    return openRuns(this.#levels.flatMap(({ runs }) => runs));
  }

  async #writeMemory(): Promise<void> {
    const cursor = new MemoryCursor(this.#block);
    await this.#writeRun(0, [cursor]);
    this.#block.clear();
  }

  /** Merges runs into one new run of a level. */
  async #writeRun(number: number, cursors: readonly RunCursor[]): Promise<void> {
    const level = await this.#level(number);
    const start = level.length;
    const heap = new RunHeap();
    await heap.start(cursors);
    const buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
    let filled = 0;
    /** Position of the last record in the buffer. */
    let [last, lastEnd] = [0, 0];
    for (let top = heap.top; top !== undefined; top = heap.top) {
      const length = top.end - top.start;
      const isSame =
        lastEnd - last === length && isEqual(buffer, last, top.bytes, top.start, length) && lastEnd > 0;
      if (!isSame) {
        if (filled + LENGTH_BYTES + length > WRITE_BYTES) {
          await append(level, buffer.subarray(0, filled));
          filled = 0;
        }
        buffer.writeUInt16LE(length, filled);
        last = filled + LENGTH_BYTES;
        lastEnd = last + length;
        filled = lastEnd;
        copyBytes(top.bytes, top.start, top.end, buffer, last);
      }
      const busy = heap.next();
      if (busy !== undefined) await busy;
    }
    await append(level, buffer.subarray(0, filled));
    level.runs.push({ file: level.file, start, end: level.length });
    if (level.runs.length < this.#limits.runs) return;
    await this.#writeRun(number + 1, openRuns(level.runs));
    level.runs = [];
    level.length = 0;
    await level.file.truncate();
  }

  async #level(number: number): Promise<Level> {
    const known = this.#levels[number];
    if (known !== undefined) return known;
    const level = { file: await this.#folder.createFile(), length: 0, runs: [] };
    this.#levels[number] = level;
    return level;
  }
}

function openRuns(runs: readonly FileRun[]): FileCursor[] {
  const share = Math.min(WRITE_BYTES, Math.ceil(READ_BYTES / runs.length));
  const size = Math.max(MAX_RECORD + LENGTH_BYTES, share);
  return runs.map((run) => new FileCursor(run, size));
}

async function append(level: Level, bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await level.file.write(bytes, from, bytes.length - from, level.length);
    from += bytesWritten;
    level.length += bytesWritten;
  }
}

/** Copies bytes. `Buffer.copy` is slower for the short records of URLs. */
export function copyBytes(
  source: Buffer,
  start: number,
  end: number,
  target: Buffer,
  position: number,
): void {
  for (let i = start, j = position; i < end; i++, j++) target[j] = source[i]!;
}

export function isEqual(
  one: Buffer,
  start: number,
  other: Buffer,
  otherStart: number,
  length: number,
): boolean {
  for (let i = length - 1; i >= 0; i--) if (one[start + i] !== other[otherStart + i]) return false;
  return true;
}
