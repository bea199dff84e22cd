/**
 * Reads the header and trailer around deflate data, in gzip (RFC 1952) and zlib (RFC 1950). A gzip file consists of one
 * or more members, each with a header and a trailer. Header fields are skipped and not checked.
 */
import type { ByteReader } from "./byte-reader.ts";
import type { Compression } from "./platform.ts";

const FHCRC = 0x02;
const FEXTRA = 0x04;
const FNAME = 0x08;
const FCOMMENT = 0x10;

export function startsWithGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
}

/** Maximum length of a file name or comment in a header. Brotli can compress a name of 1 GB to 1 KB (sec-E10). */
const MAX_FIELD = 64 * 1024;

/** Skips the header. Returns false if the input ends inside the header, undefined if a field of it is too long. */
export async function skipHeader(input: ByteReader, format: Compression): Promise<boolean | undefined> {
  if (format === "zlib") return skip(input, 2);
  const flags = (await input.peek(10))[3] ?? 0;
  if (!(await skip(input, 10))) return false;
  if (flags & FEXTRA) {
    const size = await input.peek(2);
    if (size.length < 2 || !(await skip(input, 2 + size[0]! + size[1]! * 256))) return false;
  }
  for (const field of [FNAME, FCOMMENT]) {
    const passed = flags & field ? await skipPastNul(input) : true;
    if (!passed) return passed;
  }
  return !(flags & FHCRC) || skip(input, 2);
}

export interface Trailer {
  readonly crc: number;
  /** Length of the decompressed data modulo 2^32. */
  readonly length: number;
}

/** Reads the trailer of a gzip member, which has eight bytes. Returns undefined if the input ends inside it. */
export async function readGzipTrailer(input: ByteReader): Promise<Trailer | undefined> {
  const bytes = await input.peek(8);
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const trailer: Trailer = { crc: view.getUint32(0, true), length: view.getUint32(4, true) };
  await skip(input, 8);
  return trailer;
}

/** Skips `count` bytes. Returns false if the input has fewer bytes. */
export async function skip(input: ByteReader, count: number): Promise<boolean> {
  for (let left = count; left > 0; ) {
    const bytes = await input.next();
    if (bytes === undefined) return false;
    input.unread(bytes.subarray(left));
    left -= bytes.length;
  }
  return true;
}

/**
 * Skips all bytes up to and including a NUL. Returns false if the NUL is missing, undefined if the field is too long.
 */
async function skipPastNul(input: ByteReader): Promise<boolean | undefined> {
  for (let length = 0; length <= MAX_FIELD; ) {
    const bytes = await input.next();
    if (bytes === undefined) return false;
    const at = bytes.indexOf(0);
    length += at === -1 ? bytes.length : at;
    if (at === -1 || length > MAX_FIELD) continue;
    input.unread(bytes.subarray(at + 1));
    return true;
  }
  return undefined;
}
