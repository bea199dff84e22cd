/**
 * The functions of `#platform` for Node. No other file of decode/ imports Node built-ins.
 *
 * Gunzip of node:zlib discards its output if the checksum is wrong, if the data is truncated, or if other bytes follow.
 * To keep all data that can be decompressed, this file reads gzip headers and trailers itself. It passes only the
 * deflate data to zlib, which works on the thread pool of libuv, not on the main thread.
 */
import { Buffer, isAscii as isAsciiBuffer, isUtf8 as isUtf8Buffer } from "node:buffer";
import { crc32, createInflateRaw } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import { concatBytes } from "./concat-bytes.ts";
import { readGzipTrailer, skip, skipHeader, startsWithGzip } from "./gzip-frame.ts";
import type { InflateEvents, Platform } from "./platform.ts";
import { MAX_SURPLUS, ZlibFeed } from "./zlib-feed.ts";

/** Size of output chunks. With the default of 16 KiB, decompression takes 40 % more time (sec-E02). */
const CHUNK_SIZE = 256 * 1024;

/**
 * Maximum number of compressed bytes of a member that are kept in memory. If the damage is in these bytes, `salvage`
 * decompresses them again.
 */
const SALVAGE_LIMIT = 1024 * 1024;

type Slice = (this: Uint8Array, start: number, end: number) => string;
const { latin1Slice, utf8Slice } = Buffer.prototype as unknown as { latin1Slice: Slice; utf8Slice: Slice };

export const isUtf8: Platform["isUtf8"] = (bytes) => isUtf8Buffer(bytes);
export const isAscii: Platform["isAscii"] = (bytes) => isAsciiBuffer(bytes);
export const asciiText: Platform["asciiText"] = (bytes, start, end) => latin1Slice.call(bytes, start, end);
export const utf8Text: Platform["utf8Text"] = (bytes, start, end) => utf8Slice.call(bytes, start, end);

export const inflate: Platform["inflate"] = async function* (input, format, events) {
  const { report, onCut, onInput, maxMembers } = events;
  for (let members = 0, maxSurplus = MAX_SURPLUS; ; members++) {
    // Stop a file with millions of empty members: each member needs a zlib stream. The limit still allows blocked gzip
    // (bgzip), which has one member per 64 KiB: a thousand members contain 62 MiB.
    if (members >= maxMembers) {
      report("gzip.corrupt");
      return onCut();
    }
    const member = new Member(onInput, maxSurplus);
    const header = await skipHeader(input, format);
    const whole = header && (yield* member.inflate(input));
    maxSurplus -= member.surplus;
    if (member.broken || header === undefined) {
      report("gzip.corrupt");
      return onCut();
    }
    const trailer = whole && (format === "zlib" ? await skip(input, 4) : await readGzipTrailer(input));
    if (!trailer) {
      report("gzip.truncated");
      return onCut();
    }
    // Lenient: a wrong CRC in gzip is only reported (G09). The Adler-32 checksum of zlib is not checked (G11).
    if (trailer !== true && (trailer.crc !== member.crc || trailer.length !== member.length)) {
      report("gzip.crc");
    }
    const rest = await input.peek(3);
    if (rest.length === 0) return;
    // Lenient: data after the last member is ignored (G07).
    if (format === "zlib" || !startsWithGzip(rest)) return report("gzip.trailing-junk");
  }
};

class Member {
  crc = 0;
  /** Length of the output modulo 2^32, to compare it with the gzip trailer. */
  length = 0;
  broken = false;
  /** Number of bytes by which the compressed data was larger than its output. */
  surplus = 0;
  readonly #onInput: InflateEvents["onInput"];
  readonly #maxSurplus: number;

  constructor(onInput: InflateEvents["onInput"], maxSurplus: number) {
    this.#onInput = onInput;
    this.#maxSurplus = maxSurplus;
  }

  /**
   * Decompresses up to the end of the deflate data. `input` then continues after this data. Returns false if `input`
   * ends early.
   */
  async *inflate(input: ByteReader): AsyncGenerator<Uint8Array, boolean> {
    const engine = rawInflate(this.#maxSurplus);
    const early: Uint8Array[] = [];
    let given = 0;
    let used = 0;
    try {
      for (;;) {
        const bytes = await input.next();
        if (bytes === undefined) return false;
        if (engine.consumed <= SALVAGE_LIMIT) early.push(new Uint8Array(bytes));
        else early.length = 0;
        engine.write(bytes);
        for (;;) {
          const output = await engine.next();
          if (output === undefined) break;
          given += output.length;
          this.#onInput?.(engine.used - used);
          used = engine.used;
          yield this.#sum(output);
        }
        if (engine.failure !== undefined) {
          this.broken = true;
          if (engine.consumed > SALVAGE_LIMIT) return false;
          yield* await salvage(concatBytes(early), engine.consumed, given);
          return false;
        }
        const unused = engine.written - engine.consumed;
        if (unused === 0) continue;
        input.unread(bytes.subarray(bytes.length - unused));
        return true;
      }
    } finally {
      this.surplus = engine.surplus;
      engine.destroy();
    }
  }

  #sum(output: Uint8Array): Uint8Array {
    this.crc = crc32(output, this.crc);
    this.length = (this.length + output.length) >>> 0;
    return output;
  }
}

/**
 * Returns the output that zlib has dropped because of damaged data. At an error, zlib drops up to `CHUNK_SIZE` bytes of
 * finished output, which may be the whole document. This function decompresses the same bytes again: first up to the
 * last good position (`sound`), then in smaller and smaller steps up to the damage. The result does not depend on how
 * the input is split into chunks.
 */
async function salvage(bytes: Uint8Array, sound: number, given: number): Promise<Uint8Array[]> {
  let lost: Uint8Array[] = [];
  for (const step of [4096, 64, 1]) {
    const engine = rawInflate();
    let length = 0;
    lost = [];
    for (let from = 0, to = sound > 0 ? sound : step; from < bytes.length; to = from + step) {
      engine.write(bytes.subarray(from, to));
      for (;;) {
        const output = await engine.next();
        if (output === undefined) break;
        length += output.length;
        if (length > given) lost.push(output.subarray(-Math.min(output.length, length - given)));
      }
      if (engine.failure !== undefined) break;
      from = to;
      sound = to;
    }
    engine.destroy();
  }
  return lost;
}

function rawInflate(maxSurplus?: number): ZlibFeed {
  return new ZlibFeed(createInflateRaw({ chunkSize: CHUNK_SIZE }), maxSurplus);
}
