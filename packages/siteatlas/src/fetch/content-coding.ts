/**
 * Decodes the content codings (RFC 9110 section 8.4.1) whose data does not start with known magic bytes: brotli (RFC
 * 7932), and deflate without a zlib header. This file leaves gzip and zlib to decode/, which finds them by their magic
 * bytes and can also repair damaged data. Exception: this file decodes gzip if there is brotli inside.
 *
 * Lenient: a body that is plain text in spite of its Content-Encoding passes unchanged (H21).
 */
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { ByteReader } from "../decode/byte-reader.ts";
import { isWellFormedUtf8Start } from "../decode/utf8-sequence.ts";
import { ZlibFeed, type ZlibStream } from "../decode/zlib-feed.ts";

/** Maximum number of codings. Stops a header with a thousand codings: each would need a decompressor. */
export const MAX_CODINGS = 2;

/** Size of the output buffer of zlib. With the default of 16 KiB, decompression takes 40% more time. */
const CHUNK_SIZE = 64 * 1024;

/** Number of bytes that are checked to distinguish text from compressed data. */
const TEXT_PROBE = 16;

/** Minimum length of a text. Shorter data may be compressed: in brotli, `;` is an empty document. */
const MIN_TEXT = 4;

/** Thrown if the body is not encoded as its Content-Encoding says, or has too many codings. */
class ContentCodingError extends Error {
  override readonly name = "ContentCodingError";
  readonly code = "SITEATLAS_CODING";
}

export interface DecodedBody {
  readonly body: AsyncIterable<Uint8Array>;
  /** The codings that are left for decode/, as a Content-Encoding header. Undefined if there are none. */
  readonly contentEncoding: string | undefined;
  /** Number of decoded codings. */
  readonly codings: number;
  /** Whether the body contradicts its Content-Encoding header. Valid after the first chunk of the body was read. */
  readonly isMiscoded: () => boolean;
  /** Number of encoded bytes that were needed to decode the chunks yielded so far. */
  readonly usedBytes: () => number;
}

type Coding = "br" | "deflate" | "gzip";

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["br", "br"],
  ["deflate", "deflate"],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
]);

export function readCodings(header: string | undefined): string[] {
  return (header ?? "")
    .split(",", 100)
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
}

/** Reserves memory for the windows of a body, before the body is decoded. Returns a function that frees this memory. */
export type HoldWindow = (bytes: number) => Promise<() => void>;

/**
 * Removes content codings from a body. Reads nothing itself: the body is read when the returned `body` is read.
 *
 * @param holdWindow is called at most once per body: if two bodies each waited for a second window, neither could end
 */
export function undoCodings(
  header: string | undefined,
  body: AsyncIterable<Uint8Array>,
  holdWindow?: HoldWindow,
): DecodedBody {
  const names = readCodings(header);
  const isTooMany = names.length > MAX_CODINGS;
  let decoded = isTooMany ? refuse(body, names.length) : body;
  let isMiscoded = isTooMany;
  let codings = 0;
  let usedBytes = 0;
  let isHeld = false;
  for (; !isTooMany && isUndoable(names); codings++) {
    const isOutermost = codings === 0;
    const coding = CODINGS.get(names.pop()!)!;
    const hold = coding === "br" && !isHeld ? holdWindow : undefined;
    if (coding === "br") isHeld = true;
    // The size of the window of an inner brotli stream is not known yet. Reserve the largest size.
    const innerWindow = names.some((name) => CODINGS.get(name) === "br") ? MAX_WINDOW : 0;
    decoded = undo(decoded, coding, {
      holdWindow: (start) => hold?.(windowSize(start) + innerWindow),
      onMiscoded() {
        isMiscoded = true;
      },
      onInput(bytes) {
        if (isOutermost) usedBytes = bytes;
      },
    });
  }
  const contentEncoding = names.length > 0 ? names.join(", ") : undefined;
  return {
    body: decoded,
    contentEncoding,
    codings,
    isMiscoded: () => isMiscoded,
    usedBytes: () => usedBytes,
  };
}

/**
 * Whether `undoCodings` decodes the outermost coding, which is the last name. True for brotli and deflate, and for gzip
 * with brotli inside. False for other gzip, which decode/ finds by its magic bytes.
 */
function isUndoable(names: readonly string[]): boolean {
  const codings = names.map((name) => CODINGS.get(name));
  const last = codings.at(-1);
  if (last === "br" || last === "deflate") return true;
  return last === "gzip" && codings.includes("br");
}

// biome-ignore lint/correctness/useYield: a body without content
async function* refuse(body: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  await body[Symbol.asyncIterator]().return?.();
  throw new ContentCodingError(`The body has ${count} content codings, more than ${MAX_CODINGS}`);
}

interface UndoEvents {
  onMiscoded(): void;
  /** Called before a body with these first bytes is decompressed. */
  holdWindow(start: Uint8Array): Promise<() => void> | undefined;
  /** Called before each chunk, with the number of encoded bytes that all chunks up to this one needed. */
  onInput(bytes: number): void;
}

async function* undo(
  body: AsyncIterable<Uint8Array>,
  coding: Coding,
  events: UndoEvents,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(body);
  let release: (() => void) | undefined;
  try {
    const start = await reader.peek(TEXT_PROBE);
    const create = decompressor(coding, start);
    if (create !== undefined) {
      release = await events.holdWindow(start);
      return yield* decompressAll(reader, create(), events);
    }
    // The body is not decompressed in this function, so it contradicts its header. Exception: decode/ decompresses zlib
    // later.
    if (start.length > 0 && (coding !== "deflate" || !hasZlibHeader(start))) events.onMiscoded();
    for (let used = 0; ; ) {
      const bytes = await reader.next();
      if (bytes === undefined) return;
      used += bytes.length;
      events.onInput(used);
      yield bytes;
    }
  } finally {
    release?.();
    await reader.close();
  }
}

/**
 * The largest window of a brotli stream, in bytes. "Large window brotli" has larger windows, but node:zlib rejects it.
 */
const MAX_WINDOW = 2 ** 24;

/** The size of the window of a brotli stream in bytes (RFC 7932 section 9.1). */
function windowSize([first = 0]: Uint8Array): number {
  if ((first & 1) === 0) return 2 ** 16;
  const high = (first >> 1) & 7;
  if (high > 0) return 2 ** (17 + high);
  const low = (first >> 4) & 7;
  return 2 ** (low === 0 ? 17 : 8 + low);
}

/** Returns a function that creates the decompressor for a body that starts with these bytes. Undefined if the body is to be left unchanged. */
function decompressor(coding: Coding, start: Uint8Array): (() => ZlibStream) | undefined {
  if (start.length === 0 || looksLikeText(start)) return undefined;
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  if (coding === "br") return () => createBrotliDecompress({ chunkSize: CHUNK_SIZE });
  if (coding === "gzip") return isGzip ? () => createGunzip({ chunkSize: CHUNK_SIZE }) : undefined;
  if (isGzip) return undefined;
  // "deflate" means a zlib stream, but many servers omit the zlib header and checksum.
  if (!hasZlibHeader(start)) return () => createInflateRaw({ chunkSize: CHUNK_SIZE });
  return start[0] === 0x78 ? undefined : () => createInflate({ chunkSize: CHUNK_SIZE });
}

/**
 * Whether the body starts with a zlib header (RFC 1950 section 2.2). Raw deflate never starts with these two bytes:
 * they would be a stored block whose padding is not 0, and encoders always write 0.
 */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0;
}

function looksLikeText(start: Uint8Array): boolean {
  const probe = start.subarray(0, TEXT_PROBE);
  const control = probe.some(
    (byte) => byte === 0x7f || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d),
  );
  return probe.length >= MIN_TEXT && !control && isWellFormedUtf8Start(probe);
}

/**
 * Decompresses the body. Yields all data before an error, then throws the error. Ignores bytes after the end of the
 * compressed data. Yields an empty chunk for input without output, so that the caller can stop such a stream if it
 * never ends.
 */
async function* decompressAll(
  reader: ByteReader,
  zlib: ZlibStream,
  { onInput }: UndoEvents,
): AsyncGenerator<Uint8Array> {
  const engine = new ZlibFeed(zlib);
  try {
    while (!engine.ended) {
      const input = await reader.next();
      engine.write(input);
      let output = await engine.next();
      if (output === undefined && engine.failure === undefined) yield NOTHING;
      for (; output !== undefined; output = await engine.next()) {
        onInput(engine.used);
        yield output;
      }
      if (engine.failure !== undefined) {
        const { failure: cause } = engine;
        throw new ContentCodingError("The body does not follow its content coding", { cause });
      }
    }
  } finally {
    engine.destroy();
  }
}

const NOTHING = new Uint8Array(0);
