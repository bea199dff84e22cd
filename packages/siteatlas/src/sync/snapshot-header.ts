/**
 * The first gzip member of a snapshot, with its own length in an extra field, so that a reader finds the
 * sections behind it (https://www.rfc-editor.org/rfc/rfc1952, 2.3). Every gzip tool skips the field.
 */
import { gunzipSync, gzipSync } from "node:zlib";

/** The member begins with: 10 bytes of gzip header, 2 of length of the extra field, 4 + 8 of the one subfield. */
export const PREAMBLE_LENGTH: number = 10 + 2 + 4 + 8;
const FLAG_EXTRA = 4;
const FLAGS_AT = 3;
const SUBFIELD = Buffer.from("SA");

export function packHeader(text: string): Buffer {
  const plain = gzipSync(text);
  const extra = Buffer.alloc(PREAMBLE_LENGTH - 10);
  extra.writeUInt16LE(4 + 8, 0);
  SUBFIELD.copy(extra, 2);
  extra.writeUInt16LE(8, 4);
  extra.writeBigUInt64LE(BigInt(plain.length + extra.length), 6);
  const packed = Buffer.concat([plain.subarray(0, 10), extra, plain.subarray(10)]);
  packed[FLAGS_AT] = FLAG_EXTRA;
  return packed;
}

/** How long the first member is; undefined when this is no snapshot of ours. */
export function headerLength(preamble: Buffer): number | undefined {
  const isOurs =
    preamble.length === PREAMBLE_LENGTH &&
    preamble.readUInt16BE(0) === 0x1f8b &&
    preamble[FLAGS_AT] === FLAG_EXTRA &&
    preamble.subarray(12, 14).equals(SUBFIELD);
  return isOurs ? Number(preamble.readBigUInt64LE(16)) : undefined;
}

export function unpackHeader(packed: Buffer): string {
  return gunzipSync(packed).toString();
}
