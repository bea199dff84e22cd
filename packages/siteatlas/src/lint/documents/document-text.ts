/** Decodes the kept bytes of a document, in the same way as the parser, so that its lines can be shown. */
import { Transcoder } from "../../decode/encoding.ts";
import { decompress } from "../../decode/inflate.ts";
import type { RecordedResponse } from "./response-recorder.ts";

/** Maximum number of decoded bytes. Stops a body that is small only because it is compressed. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;
/** Number of decoded bytes that rules about tags look at. */
const HEAD_BYTES = 64 * 1024;

/** Returns the first 64 KiB of the document as text. */
export function headOf(response: RecordedResponse | undefined): Promise<string> {
  return response === undefined ? Promise.resolve("") : decode(response, HEAD_BYTES);
}

/** Returns the whole document as text, or its first 32 MiB. */
export function textOf(response: RecordedResponse): Promise<string> {
  return decode(response, MAX_TEXT_BYTES);
}

/** Decodes the bytes of a file. */
export function decodeDocument(bytes: Uint8Array): Promise<string> {
  return decode({ chunks: [bytes], headers: {} }, 2 * MAX_TEXT_BYTES);
}

async function decode(
  { chunks, headers }: Pick<RecordedResponse, "chunks" | "headers">,
  maxBytes: number,
): Promise<string> {
  const contentType = headers["content-type"];
  const transcoder = new Transcoder({ report: () => {}, contentType });
  const decoder = new TextDecoder("utf-8");
  let text = "";
  let size = 0;
  const add = (bytes: Uint8Array | undefined): void => {
    if (bytes === undefined) return;
    text += decoder.decode(bytes.subarray(0, maxBytes - size), { stream: true });
    size += Math.min(bytes.length, maxBytes - size);
  };
  const source = decompress(each(chunks), { report: () => {}, url: "", contentType, onCut: () => {} });
  for await (const chunk of source) {
    add(transcoder.push(plain(chunk)));
    if (size >= maxBytes) return text;
  }
  add(transcoder.end());
  return text;
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Turns a Buffer into a Uint8Array, because `slice` of a Buffer shares memory. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
