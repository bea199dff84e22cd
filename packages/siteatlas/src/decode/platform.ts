/**
 * What the decode layer needs from the runtime. `#platform` resolves to platform-node.ts or
 * platform-web.ts by package condition; both export exactly these names, and one test suite runs on both.
 */
import type { Report } from "../issue-log.ts";
import type { ByteReader } from "./byte-reader.ts";

/** `gzip` is RFC 1952, `zlib` is RFC 1950 (what HTTP calls deflate). */
export type Compression = "gzip" | "zlib";

export interface InflateEvents {
  readonly report: Report;
  /** The compressed data ended early or broke; everything before that was given. */
  onCut(): void;
  /** Of a gzip file. Only where the runtime lets us count them. */
  readonly maxMembers: number;
  /** So many bytes more of the input went into what was given. Only where the runtime tells. */
  onInput?(bytes: number): void;
}

export interface Platform {
  /** Whether the bytes are well-formed UTF-8 to their last byte. */
  isUtf8(bytes: Uint8Array): boolean;
  isAscii(bytes: Uint8Array): boolean;
  /** The text of bytes known to be ASCII: a string of its own that keeps no larger one alive. */
  asciiText(bytes: Uint8Array, start: number, end: number): string;
  /** The text of well-formed UTF-8; U+FEFF is kept like any other character. */
  utf8Text(bytes: Uint8Array, start: number, end: number): string;
  /**
   * Inflates `input`, which stands at the magic bytes of `format`. Damage is reported, never thrown;
   * only a failure of the source itself is.
   */
  inflate(input: ByteReader, format: Compression, events: InflateEvents): AsyncGenerator<Uint8Array>;
}
