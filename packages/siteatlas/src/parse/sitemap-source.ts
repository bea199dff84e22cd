/** The forms in which a caller can pass a document to the parser, and how they become chunks of bytes. */
import { FAST } from "#shortcuts";
import { argumentError } from "./values/option-rules.ts";

/** A `Response` of `fetch`. */
interface ResponseLike {
  readonly url: string;
  /** Distinguishes a `Response` from a `Request`. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A `Blob` or `File`. */
interface BlobLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A piece of a document. */
type Chunk = string | Uint8Array;

/**
 * A document: its text, its bytes (in any encoding, compressed or not), or chunks of either. A `Response` also
 * supplies its URL and its content type, unless the options set them. Its status does not matter. A stream must be
 * async iterable, as all Node streams are. In browsers that cannot iterate over a `ReadableStream`, pass `new
 * Response(stream)`.
 */
export type SitemapSource =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | BlobLike
  | ResponseLike
  | AsyncIterable<Chunk>
  | Iterable<Chunk>;

/** A source after `openSource` has detected its type. */
export interface DocumentSource {
  /** Whether the document is decoded text. Otherwise it is bytes in some encoding. */
  readonly isText: boolean;
  readonly chunks: AsyncIterable<Chunk> | Iterable<Chunk>;
  readonly url?: string | undefined;
  readonly contentType?: string | undefined;
}

const SOURCES =
  "a string, a Uint8Array, an ArrayBuffer, a Blob, a Response, a stream or an iterable of chunks";

/** @throws {TypeError} if the source has another type */
export function openSource(caller: string, source: SitemapSource): DocumentSource {
  if (typeof source === "string") return { isText: true, chunks: piecesOf(source) };
  const isText = false;
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength } = source;
    return { isText, chunks: [new Uint8Array(buffer, byteOffset, byteLength)] };
  }
  if (typeof source === "object" && source !== null) {
    if (source instanceof ArrayBuffer) return { isText, chunks: [new Uint8Array(source)] };
    // The body of a `Request` is sent to a server. It is not a document.
    if ("arrayBuffer" in source && !(FAST && "method" in source)) {
      const { headers, url, type } = source as Partial<ResponseLike> & BlobLike;
      if (FAST && ((source as Response).bodyUsed || (source as Response).body?.locked))
        throw argumentError(caller, "source", "a Response that was not read before", source);
      return {
        isText,
        chunks: readAll(source as Response),
        url,
        contentType: headers?.get("content-type") ?? type,
      };
    }
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return { isText, chunks: source };
  }
  throw argumentError(caller, "source", SOURCES, source);
}

/**
 * In Node, yields the source in chunks. In browsers, where the parser has to be small, only `response.body` is
 * streamed. Other sources are read at once.
 */
async function* readAll(source: Response | Blob): AsyncGenerator<Uint8Array> {
  if (FAST) yield* (("stream" in source ? source.stream() : source.body) ?? []) as AsyncIterable<Uint8Array>;
  else yield new Uint8Array(await source.arrayBuffer());
}

/** The chunks as bytes: strings are encoded as UTF-8. @throws {TypeError} for a chunk of another type */
export async function* bytesOf(
  caller: string,
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // If a chunk ends inside a surrogate pair, its first half is kept for the next chunk.
  let held = "";
  for await (const chunk of chunks) {
    if (typeof chunk !== "string") {
      if (FAST && !ArrayBuffer.isView(chunk))
        throw argumentError(caller, "each chunk of source", "a string or a Uint8Array", chunk);
      yield chunk;
      continue;
    }
    const text = held + chunk;
    const last = text.slice(-1);
    held = last >= "\ud800" && last < "\udc00" ? last : "";
    yield encoder.encode(text.slice(0, text.length - held.length));
  }
  if (held !== "") yield encoder.encode(held);
}

/** Characters of a text that are encoded at once. */
const TEXT_STEP = 64 * 1024;

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += TEXT_STEP) yield text.slice(from, from + TEXT_STEP);
}
