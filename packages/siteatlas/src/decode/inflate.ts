/**
 * Unwraps compressed documents by their magic bytes, never by name or media type: gzip (RFC 1952), zlib
 * (RFC 1950), both up to three times over; everything else passes through untouched. ZIP archives are
 * reported and give nothing. Brotli and zstd exist only as HTTP content codings and are the fetch layer's.
 *
 * Lenient: cut, damaged, mislabelled and over-long streams give what they hold (G02-G09, G11).
 */
import { inflate } from "#platform";
import type { Report } from "../issue-log.ts";
import type { IssueCode } from "../issues.ts";
import { PARSE_LIMITS } from "../limits.ts";
import { ByteReader } from "./byte-reader.ts";
import { startsWithGzip } from "./gzip-frame.ts";
import type { Compression } from "./platform.ts";
import { isWellFormedUtf8Start } from "./utf8-sequence.ts";

/** How many bytes are looked at to tell a zlib stream from text that starts with "x". */
const TEXT_PROBE = 64;

export interface DecompressOptions {
  readonly report: Report;
  /** Where the document came from; its path may name gzip. */
  readonly url: string;
  readonly contentType?: string | undefined;
  /** Called when the compressed data ended early or broke. */
  onCut(): void;
  /** @default 3 */
  readonly maxLayers?: number | undefined;
  /** @default 1000 */
  readonly maxMembers?: number | undefined;
  /** The outermost layer took so many bytes more for what it gave. Not called in browsers. */
  onInput?(bytes: number): void;
  /** Asked of each piece that a layer gave, from 0 on, before it is used; false ends the data there. */
  mayInflate?(bytes: number, layer: number): boolean;
}

/** Gives the document without its compression. Ending it early frees the source. */
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

/** 32 KiB window, any of the four compression levels, no preset dictionary; the header's check bits hold. */
function startsWithZlib(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return first === 0x78 && (second === 0x01 || second === 0x5e || second === 0x9c || second === 0xda);
}

/**
 * "x^2…" has the header of a zlib stream, and so has "xЪ…" in windows-1251. Control characters are in no
 * text; bytes that are not UTF-8 count against it only where the name promised compression (G11).
 */
function looksLikeText(probe: Uint8Array, namedGzip: boolean): boolean {
  const control = probe.some((byte) => byte === 0x7f || (byte < 0x20 && (byte < 0x09 || byte > 0x0d)));
  return !control && (!namedGzip || isWellFormedUtf8Start(probe));
}

/** What name and media type say: gzip, nothing at all, or something else. */
function labelOf({ url, contentType }: DecompressOptions): "gzip" | "none" | "other" {
  const path = url.split(/[?#]/, 1)[0]!.toLowerCase();
  const type = contentType?.replace(/;.*/s, "").trim().toLowerCase();
  if (path.endsWith(".gz") || type?.includes("gzip")) return "gzip";
  const unsaid = type === undefined ? url === "" : type.endsWith("/octet-stream");
  return unsaid ? "none" : "other";
}

/** A stream of many members or layers has one fault many times over; it is told once. */
function reportOnce(report: Report): Report {
  const seen = new Set<IssueCode>();
  return (code, value, line) => {
    if (seen.has(code)) return;
    seen.add(code);
    report(code, value, line);
  };
}
