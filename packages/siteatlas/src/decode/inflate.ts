/**
 * Decompresses gzip (RFC 1952) and zlib (RFC 1950), up to three layers. Compressed data is recognized by its magic
 * bytes, never by its name or media type. A ZIP archive is reported and yields nothing. Other data passes unchanged.
 * Brotli is only an HTTP content coding: see fetch/content-coding.ts.
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

/** Number of bytes that are checked to distinguish zlib data from text that starts with "x". */
const TEXT_PROBE = 64;

export interface DecompressOptions {
  readonly report: Report;
  /** URL of the document. If its path ends with `.gz`, the document is expected to be compressed. */
  readonly url: string;
  readonly contentType?: string | undefined;
  /** Called if the compressed data is truncated or damaged, so that the result is incomplete. */
  onCut(): void;
  /** Maximum number of compression layers. @default 3 */
  readonly maxLayers?: number | undefined;
  /** Maximum number of members in a gzip file. @default 1000 */
  readonly maxMembers?: number | undefined;
  /**
   * Called before each output of the outermost layer, with the number of compressed bytes that the output needed. Not
   * called in browsers.
   */
  onInput?(bytes: number): void;
  /**
   * Called with the size of each output of a layer. The outermost layer is 0. If this function returns false, the data
   * ends before this output.
   */
  mayInflate?(bytes: number, layer: number): boolean;
}

/** Yields the decompressed document. Closes the source, even if the caller ends the generator early. */
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

/** Whether the data has a common zlib header: a 32 KiB window, any compression level, and no preset dictionary. */
function startsWithZlib(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return first === 0x78 && (second === 0x01 || second === 0x5e || second === 0x9c || second === 0xda);
}

/**
 * Whether data with a zlib header is text. "x^2…", or "xЪ…" in windows-1251, starts like zlib data. But text contains
 * no control characters. If the name or media type says gzip, only valid UTF-8 counts as text (G11).
 */
function looksLikeText(probe: Uint8Array, namedGzip: boolean): boolean {
  const control = probe.some((byte) => byte === 0x7f || (byte < 0x20 && (byte < 0x09 || byte > 0x0d)));
  return !control && (!namedGzip || isWellFormedUtf8Start(probe));
}

/**
 * The type that the name or the media type of the document declares. "other": not gzip. "none": they declare no type.
 */
function labelOf({ url, contentType }: DecompressOptions): "gzip" | "none" | "other" {
  const path = url.split(/[?#]/, 1)[0]!.toLowerCase();
  const type = contentType?.replace(/;.*/s, "").trim().toLowerCase();
  if (path.endsWith(".gz") || type?.includes("gzip")) return "gzip";
  const unsaid = type === undefined ? url === "" : type.endsWith("/octet-stream");
  return unsaid ? "none" : "other";
}

/** Reports each code only once, because every member and layer could repeat the same fault. */
function reportOnce(report: Report): Report {
  const seen = new Set<IssueCode>();
  return (code, value, line) => {
    if (seen.has(code)) return;
    seen.add(code);
    report(code, value, line);
  };
}
