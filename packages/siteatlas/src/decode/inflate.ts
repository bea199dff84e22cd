/**
 * Decompresses gzip (RFC 1952) and zlib (RFC 1950), up to three layers. They are recognized by their magic
 * bytes, never by name or media type. Anything else passes unchanged, but a ZIP archive is reported and yields
 * nothing. Brotli and zstd exist only as HTTP content codings, see fetch/content-coding.ts.
 *
 * Lenient: yields all data that can be read, also from truncated, damaged and mislabeled streams (G02-G09, G11).
 */
import { inflate } from "#platform";
import { PARSE_LIMITS } from "../model/generated/limits.ts";
import type { Report } from "../model/issue-log.ts";
import type { IssueCode } from "../model/issue-severity.ts";
import { ByteReader } from "./byte-reader.ts";
import { startsWithGzip } from "./gzip-frame.ts";
import type { Compression } from "./platform.ts";
import { isWellFormedUtf8Start } from "./utf8-sequence.ts";

/** This many bytes are read to distinguish a zlib stream from text that starts with "x". */
const TEXT_PROBE = 64;

export interface DecompressOptions {
  readonly report: Report;
  /** URL of the document. If its path ends with `.gz`, the document is expected to be compressed. */
  readonly url: string;
  readonly contentType?: string | undefined;
  /** Called if the compressed data is truncated or damaged, so that the result is incomplete. */
  onCut(): void;
  /** @default 3 */
  readonly maxLayers?: number | undefined;
  /** @default 1000 */
  readonly maxMembers?: number | undefined;
  /**
   * Called with the number of bytes that the outermost layer used for its next output. Not in browsers.
   */
  onInput?(bytes: number): void;
  /** Called before each output of a layer (from 0 on) is used. If it returns false, the data ends there. */
  mayInflate?(bytes: number, layer: number): boolean;
}

/** Yields the decompressed document. If the caller ends the generator early, the source is closed. */
export async function* decompress(
  source: AsyncIterable<Uint8Array>,
  options: DecompressOptions,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(source);
  try {
    yield* unwrap(reader, { ...options, report: reportOnce(options.report) }, 0);
  } finally {
    await reader.close();
  }
}

async function* unwrap(
  reader: ByteReader,
  options: DecompressOptions,
  layer: number,
): AsyncGenerator<Uint8Array> {
  const { report, maxLayers = PARSE_LIMITS.compressionLayers } = options;
  const { maxMembers = PARSE_LIMITS.gzipMembers } = options;
  const label = layer === 0 ? labelOf(options) : "none";
  const format = await sniff(reader, label === "gzip");
  if (format === "zip") return report("content.zip");
  if (format === "plain" || format === "empty") {
    if (format === "plain" && label === "gzip") report("gzip.not-gzip");
    for (;;) {
      const bytes = await reader.next();
      if (bytes === undefined) return;
      yield bytes;
    }
  }
  if (layer >= maxLayers) return report("gzip.too-deep");
  if (layer > 0) report("gzip.nested");
  if (format === "zlib") report("gzip.deflate");
  else if (label === "other") report("gzip.unlabelled");
  const { onCut, onInput } = options;
  const events = { report, onCut, maxMembers, ...(layer === 0 && onInput && { onInput }) };
  const inner = new ByteReader(bounded(inflate(reader, format, events), options, layer));
  try {
    yield* unwrap(inner, options, layer + 1);
  } finally {
    await inner.close();
  }
}

async function* bounded(
  pieces: AsyncGenerator<Uint8Array>,
  options: DecompressOptions,
  layer: number,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (options.mayInflate?.(piece.length, layer) === false) return options.onCut();
    yield piece;
  }
}

async function sniff(
  reader: ByteReader,
  namedGzip: boolean,
): Promise<Compression | "zip" | "plain" | "empty"> {
  const bytes = await reader.peek(4);
  if (bytes.length === 0) return "empty";
  if (startsWithGzip(bytes)) return "gzip";
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04) return "zip";
  if (!startsWithZlib(bytes)) return "plain";
  const probe = (await reader.peek(TEXT_PROBE)).subarray(0, TEXT_PROBE);
  return looksLikeText(probe, namedGzip) ? "plain" : "zlib";
}

/** Accepts a 32 KiB window and any of the four compression levels, without a preset dictionary. */
function startsWithZlib(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return first === 0x78 && (second === 0x01 || second === 0x5e || second === 0x9c || second === 0xda);
}

/**
 * A text "x^2…" starts like a zlib stream, and so does "xЪ…" in windows-1251. But text contains no control
 * characters. If the name says gzip, the bytes must also be UTF-8 to pass as text (G11).
 */
function looksLikeText(probe: Uint8Array, namedGzip: boolean): boolean {
  const control = probe.some((byte) => byte === 0x7f || (byte < 0x20 && (byte < 0x09 || byte > 0x0d)));
  return !control && (!namedGzip || isWellFormedUtf8Start(probe));
}

/** The compression that the name and the media type of the document declare: gzip, none, or another one. */
function labelOf({ url, contentType }: DecompressOptions): "gzip" | "none" | "other" {
  const path = url.split(/[?#]/, 1)[0]!.toLowerCase();
  const type = contentType?.replace(/;.*/s, "").trim().toLowerCase();
  if (path.endsWith(".gz") || type?.includes("gzip")) return "gzip";
  const unsaid = type === undefined ? url === "" : type.endsWith("/octet-stream");
  return unsaid ? "none" : "other";
}

/** Reports each code once, because many members or layers can repeat one fault many times. */
function reportOnce(report: Report): Report {
  const seen = new Set<IssueCode>();
  return (code, value, line) => {
    if (seen.has(code)) return;
    seen.add(code);
    report(code, value, line);
  };
}
