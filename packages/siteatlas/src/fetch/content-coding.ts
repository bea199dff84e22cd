/**
 * Undoes the content codings (RFC 9110 section 8.4.1) that cannot be told from their bytes: brotli
 * (RFC 7932) and deflate without its zlib frame. gzip and zlib are left to decode/, which knows them by
 * their bytes and repairs them, unless one of the two lies beneath.
 *
 * Lenient: a body that is plain text in spite of its label passes as it is (H21).
 */
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { ByteReader } from "../decode/byte-reader.ts";
import { isWellFormedUtf8Start } from "../decode/utf8-sequence.ts";
import { ZlibFeed, type ZlibStream } from "../decode/zlib-feed.ts";

/** Stops the header that names a thousand codings, each of which would cost a decompressor. */
export const MAX_CODINGS = 2;

/** The default of 16 KiB costs 40 % more time. */
const CHUNK_SIZE = 64 * 1024;

/** How many bytes are looked at to tell text from compressed data. */
const TEXT_PROBE = 16;

/** Fewer bytes can be compressed data that reads as text: `;` is the empty document in brotli. */
const MIN_TEXT = 4;

/** The data does not follow its coding, or there are too many codings. */
export class ContentCodingError extends Error {
  override readonly name = "ContentCodingError";
  readonly code = "SITEATLAS_CODING";
}

export interface Uncoded {
  readonly body: AsyncIterable<Uint8Array>;
  /** What is left of the Content-Encoding header. */
  readonly contentEncoding: string | undefined;
  /** How many of its codings are undone. */
  readonly codings: number;
  /** Once the body was begun: whether one of these was not there. */
  readonly isMiscoded: () => boolean;
  /** How many bytes of the coded body went into what was given. */
  readonly usedBytes: () => number;
}

type Coding = "br" | "deflate" | "gzip";

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["br", "br"],
  ["deflate", "deflate"],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
]);

/** The codings of a Content-Encoding header, in lower case. */
export function readCodings(header: string | undefined): string[] {
  return (header ?? "")
    .split(",", 100)
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
}

/** Nothing is read before `body` is. */
export function undoCodings(header: string | undefined, body: AsyncIterable<Uint8Array>): Uncoded {
  const names = readCodings(header);
  let isMiscoded = false;
  if (names.length > MAX_CODINGS) {
    return {
      body: refuse(body, names.length),
      contentEncoding: header,
      codings: 0,
      isMiscoded: () => true,
      usedBytes: () => 0,
    };
  }
  let uncoded = body;
  let codings = 0;
  let usedBytes = 0;
  for (; isUndoable(names); codings++) {
    const isOutermost = codings === 0;
    uncoded = undo(uncoded, CODINGS.get(names.pop()!)!, {
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
    body: uncoded,
    contentEncoding,
    codings,
    isMiscoded: () => isMiscoded,
    usedBytes: () => usedBytes,
  };
}

/** Whether the last coding must be undone here: it, or one that it lies over, has no mark of its own. */
function isUndoable(names: readonly string[]): boolean {
  const codings = names.map((name) => CODINGS.get(name));
  const last = codings.at(-1);
  if (last === "br" || last === "deflate") return true;
  return last === "gzip" && codings.includes("br");
}

// biome-ignore lint/correctness/useYield: it is a body that has nothing to give
async function* refuse(body: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  await body[Symbol.asyncIterator]().return?.();
  throw new ContentCodingError(`The body has ${count} content codings, more than ${MAX_CODINGS}`);
}

interface UndoEvents {
  onMiscoded(): void;
  /** So many bytes, all together, went into what is given next. */
  onInput(bytes: number): void;
}

async function* undo(
  body: AsyncIterable<Uint8Array>,
  coding: Coding,
  events: UndoEvents,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(body);
  try {
    const start = await reader.peek(TEXT_PROBE);
    const zlib = decompressor(coding, start);
    if (zlib !== undefined) return yield* decompressAll(reader, zlib, events);
    // What is left to decode/ is zlib, whatever else passes is not what the header says.
    if (start.length > 0 && (coding !== "deflate" || !hasZlibHeader(start))) events.onMiscoded();
    for (let used = 0; ; ) {
      const bytes = await reader.next();
      if (bytes === undefined) return;
      used += bytes.length;
      events.onInput(used);
      yield bytes;
    }
  } finally {
    await reader.close();
  }
}

/** What undoes a body that starts with these bytes; undefined when it passes as it is. */
function decompressor(coding: Coding, start: Uint8Array): ZlibStream | undefined {
  if (start.length === 0 || looksLikeText(start)) return undefined;
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  if (coding === "br") return createBrotliDecompress({ chunkSize: CHUNK_SIZE });
  if (coding === "gzip") return isGzip ? createGunzip({ chunkSize: CHUNK_SIZE }) : undefined;
  if (isGzip) return undefined;
  // "deflate" means a zlib stream, many servers send one without header and checksum (security.md 3.2).
  if (!hasZlibHeader(start)) return createInflateRaw({ chunkSize: CHUNK_SIZE });
  return start[0] === 0x78 ? undefined : createInflate({ chunkSize: CHUNK_SIZE });
}

/** RFC 1950 section 2.2. Bare deflate never looks so: it would start a stored block whose padding is not 0. */
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
 * All that can be decompressed is given before an error is thrown. What follows the end is left alone. An empty
 * piece stands for input that gave nothing, so that whoever counts it can end it.
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
