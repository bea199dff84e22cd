/**
 * The functions of the runtime that decode/ needs. The import `#platform` resolves to platform-node.ts in Node and to
 * platform-web.ts elsewhere (`imports` in package.json). Both files export exactly these functions and pass the same
 * tests.
 */
import type { Report } from "../model/issue-log.ts";
import type { ByteReader } from "./byte-reader.ts";

/** A compression format: `gzip` is RFC 1952, `zlib` is RFC 1950 (called deflate in HTTP). */
export type Compression = "gzip" | "zlib";

export interface InflateEvents {
  readonly report: Report;
  /** Called if the compressed data is truncated or damaged. All data before the damage was already yielded. */
  onCut(): void;
  /** Maximum number of members in a gzip file. Not checked in browsers. */
  readonly maxMembers: number;
  /** Called before each output, with the number of compressed bytes that the output needed. Not called in browsers. */
  onInput?(bytes: number): void;
}

export interface Platform {
  /** Whether the bytes are valid UTF-8. An incomplete character at the end is not valid. */
  isUtf8(bytes: Uint8Array): boolean;
  isAscii(bytes: Uint8Array): boolean;
  /** Returns the text of ASCII bytes. The result is an independent string, so it keeps no larger string in memory. */
  asciiText(bytes: Uint8Array, start: number, end: number): string;
  /** Returns the text of valid UTF-8. A byte order mark (U+FEFF) is kept. */
  utf8Text(bytes: Uint8Array, start: number, end: number): string;
  /**
   * Decompresses `input`, which starts with the magic bytes of `format`. Reports damage. Throws only if the
   * source fails.
   */
  inflate(input: ByteReader, format: Compression, events: InflateEvents): AsyncGenerator<Uint8Array>;
}
