/**
 * The first gzip member of a snapshot. An extra field of gzip stores its length, so that a reader finds the sections
 * after it (https://www.rfc-editor.org/rfc/rfc1952, 2.3). Other gzip tools ignore the field.
 */
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Number of bytes of the gzip header, the length of the extra field, and its one subfield (header 4, content 8). */
export const PREAMBLE_LENGTH: number = 10 + 2 + 4 + 8;
const FLAG_EXTRA = 4;
const FLAGS_AT = 3;
const SUBFIELD = Buffer.from("SA");
const LENGTH_AT: number = PREAMBLE_LENGTH - 8;
/** Size of the output buffer of zlib. */
const CHUNK = 64 * 1024;

/**
 * Writes the lines to the start of an empty file. There may be 500 MB of lines, so they are not all in memory at the
 * same time.
 */
export async function writeHeader(file: FileHandle, lines: Iterable<string | Buffer>): Promise<void> {
  let length = 0;
  await pipeline(lines, createGzip({ chunkSize: CHUNK }), async (packed: AsyncIterable<Buffer>) => {
    for await (const bytes of packed) {
      const part = length === 0 ? withExtraField(bytes) : bytes;
      length += part.length;
      // `appendFile` writes all bytes or throws. `write` may write only a part.
      await file.appendFile(part);
    }
  });
  const field = Buffer.alloc(8);
  field.writeBigUInt64LE(BigInt(length));
  await file.write(field, 0, field.length, LENGTH_AT);
}

/** Inserts the extra field into the first bytes of a gzip member. The length is written later. */
function withExtraField(start: Buffer): Buffer {
  const extra = Buffer.alloc(PREAMBLE_LENGTH - 10);
  extra.writeUInt16LE(4 + 8, 0);
  SUBFIELD.copy(extra, 2);
  extra.writeUInt16LE(8, 4);
  const bytes = Buffer.concat([start.subarray(0, 10), extra, start.subarray(10)]);
  bytes[FLAGS_AT] = FLAG_EXTRA;
  return bytes;
}

/** Returns the length of the first member; undefined if the file is not a snapshot. */
export function headerLength(preamble: Buffer): number | undefined {
  const isSnapshot =
    preamble.length === PREAMBLE_LENGTH &&
    preamble.readUInt16BE(0) === 0x1f8b &&
    preamble[FLAGS_AT] === FLAG_EXTRA &&
    preamble.subarray(12, 14).equals(SUBFIELD);
  return isSnapshot ? Number(preamble.readBigUInt64LE(LENGTH_AT)) : undefined;
}
