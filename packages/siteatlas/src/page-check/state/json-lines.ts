/** Reads files with one JSON value per line. */
import type { FileHandle } from "node:fs/promises";

const CHUNK = 256 * 1024;
const LINE_FEED = 0x0a;
/** Maximum length of a line in bytes. A page with 200 language links stays below it. */
const MAX_LINE = 4 * 1024 * 1024;

/** A line of a file, with the position of its end. */
export interface Line {
  readonly text: string;
  /** Position of the byte after its line feed. */
  readonly end: number;
}

/**
 * Yields the complete lines. A last line without a line feed is left out: the program that wrote it was killed.
 *
 * @throws {RangeError} if a line is longer than 4 MiB
 */
export async function* completeLines(file: FileHandle, from = 0): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(CHUNK);
  let held: Buffer = Buffer.alloc(0);
  for (let position = from; ; ) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) return;
    const bytes = Buffer.concat([held, chunk.subarray(0, bytesRead)]);
    const start = position - held.length;
    let at = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, at)) {
      yield { text: bytes.toString("utf8", at, end), end: start + end + 1 };
      at = end + 1;
    }
    held = bytes.subarray(at);
    if (held.length > MAX_LINE) throw new RangeError("a line is longer than 4 MiB");
    position += bytesRead;
  }
}
