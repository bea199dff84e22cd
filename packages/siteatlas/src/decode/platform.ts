/**
 * The functions of the runtime that the decode layer needs. The import `#platform` resolves to platform-node.ts or
 * platform-web.ts, by the conditions in package.json. Both export exactly these names and pass the same tests.
 */
import type { Report } from "../model/issue-log.ts";
import type { ByteReader } from "./byte-reader.ts";

/** `gzip` is RFC 1952, `zlib` is RFC 1950 (called deflate in HTTP). */
export type Compression = "gzip" | "zlib";

export interface InflateEvents {
  readonly report: Report;
  /** Called if the compressed data is truncated or damaged, after everything before that was yielded. */
  onCut(): void;
  /** Maximum number of members in a gzip file. Not checked in browsers. */
  readonly maxMembers: number;
  /** Called with the number of compressed bytes used for the next output. Not in browsers. */
  onInput?(bytes: number): void;
}

export interface Platform {
  /** Whether the bytes are well-formed UTF-8, including a complete last sequence. */
  isUtf8(bytes: Uint8Array): boolean;
  isAscii(bytes: Uint8Array): boolean;
  /** Returns the text of ASCII bytes, as a separate string that keeps no larger string in memory. */
  asciiText(bytes: Uint8Array, start: number, end: number): string;
  /** Returns the text of well-formed UTF-8. A byte order mark (U+FEFF) is kept. */
  utf8Text(bytes: Uint8Array, start: number, end: number): string;
  /**
   * Decompresses `input`, which starts with the magic bytes of `format`. Reports damage. Throws only if the
   * source fails.
   */
  inflate(input: ByteReader, format: Compression, events: InflateEvents): AsyncGenerator<Uint8Array>;
}
