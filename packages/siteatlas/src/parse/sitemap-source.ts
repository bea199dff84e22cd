/** Accepts a document in all the types that a caller can pass to the parser, and turns it into chunks of bytes. */
import { FAST } from "#shortcuts";
import { argumentError } from "./values/option-rules.ts";

/** The properties of a `Response` of `fetch` that are used. */
export interface ResponseLike {
  readonly url: string;
  /** Tells the compiler that a `Request`, which has no `status`, is not accepted. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The properties of a `Blob` or `File` that are used. */
export interface BlobLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A piece of a document, as text or bytes. */
export type SitemapChunk = string | Uint8Array;

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
  | AsyncIterable<SitemapChunk>
  | Iterable<SitemapChunk>;

/** A document after `openSource` has detected its type. */
export interface DocumentSource {
  /** Whether the document is text. If not, it is bytes in some encoding. */
  readonly isText: boolean;
  readonly chunks: AsyncIterable<SitemapChunk> | Iterable<SitemapChunk>;
  readonly url?: string | undefined;
  readonly contentType?: string | undefined;
}

const SOURCES =
  "a string, a Uint8Array, an ArrayBuffer, a Blob, a Response, a stream or an iterable of chunks";

/** Detects the type of a document. @throws {TypeError} if it is not a `SitemapSource` */
export function openSource(caller: string, source: SitemapSource): DocumentSource {
  if (typeof source === "string") return { isText: true, chunks: piecesOf(source) };
  const isText = false;
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength } = source;
    return { isText, chunks: [new Uint8Array(buffer, byteOffset, byteLength)] };
  }
  if (typeof source === "object" && source !== null) {
    if (source instanceof ArrayBuffer) return { isText, chunks: [new Uint8Array(source)] };
    // Do not accept a `Request`. It also has `arrayBuffer`, but its body is sent to a server.
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
 * Yields the bytes of a `Response` or `Blob`. In Node, they are streamed. In browsers, where the parser has to be
 * small, all bytes are read before parsing starts. To stream in browsers, pass `response.body`.
 */
async function* readAll(source: Response | Blob): AsyncGenerator<Uint8Array> {
  if (FAST) yield* (("stream" in source ? source.stream() : source.body) ?? []) as AsyncIterable<Uint8Array>;
  else yield new Uint8Array(await source.arrayBuffer());
}

/** Yields the chunks as bytes. Strings are encoded as UTF-8. @throws {TypeError} for a chunk of another type */
export async function* bytesOf(
  caller: string,
  chunks: Iterable<SitemapChunk> | AsyncIterable<SitemapChunk>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // If a chunk ends inside a surrogate pair, the first half of the pair is kept here for the next chunk.
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

/** Number of characters of a text that are encoded at a time. */
const TEXT_STEP = 64 * 1024;

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += TEXT_STEP) yield text.slice(from, from + TEXT_STEP);
}
