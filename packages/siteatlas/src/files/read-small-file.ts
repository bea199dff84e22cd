/** Reads files that must not be larger than a limit. */
import { closeSync, openSync, readSync } from "node:fs";

const CHUNK = 64 * 1024;

/** Returns the text of a file without its byte order mark, or undefined if the file has more than `maxBytes`. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  const bytes = readSmallBytes(path, maxBytes);
  return bytes && withoutMark(bytes.toString());
}

/**
 * Returns the bytes of a file, or undefined if the file has more than `maxBytes`.
 *
 * Counts the bytes while it reads. `stat` cannot be used: it reports size 0 for all files of /proc, even for
 * /proc/self/pagemap with 128 GiB.
 *
 * @throws the error of the file system
 */
export function readSmallBytes(path: string, maxBytes: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  const file = openSync(path, "r");
  try {
    while (length <= maxBytes) {
      const chunk = Buffer.alloc(CHUNK);
      const bytes = readSync(file, chunk);
      if (bytes === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, bytes));
      length += bytes;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Removes the byte order mark that Windows editors put before the text. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
