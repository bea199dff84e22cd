/**
 * The decode layer for browsers and edge workers: DecompressionStream and TextDecoder, no Node built-in.
 *
 * DecompressionStream does not say where its data ended and withholds what it inflated when it fails. So the
 * repairs of the Node side are not all made here: trailing junk (G07), further members (G08), a wrong checksum
 * (G09) or a damaged zlib stream (G11) end the document as gzip.corrupt or gzip.truncated with what came
 * before. Nothing a document contains throws.
 */
import type { ByteReader } from "./byte-reader.ts";
import type { Platform } from "./platform.ts";

/** Input goes in by small pieces, because the output of the piece that fails is lost. */
const PIECE_SIZE = 4096;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const singleByte = new TextDecoder("windows-1252");
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

export const isUtf8: Platform["isUtf8"] = (bytes) => {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
};

export const isAscii: Platform["isAscii"] = (bytes) => {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return false;
  return true;
};

export const utf8Text: Platform["utf8Text"] = (bytes, start, end) =>
  lenient.decode(bytes.subarray(start, end));

// One character for each byte, also where a caller cuts ASCII out of something longer.
export const asciiText: Platform["asciiText"] = (bytes, start, end) =>
  singleByte.decode(bytes.subarray(start, end));

export const inflate: Platform["inflate"] = async function* (input, format, { report, onCut }) {
  const stream = new DecompressionStream(format === "zlib" ? "deflate" : "gzip");
  const output = stream.readable.getReader();
  const writer = stream.writable.getWriter();
  writer.closed.catch(nothing);
  const abort = (): Promise<void> => writer.abort().catch(nothing);
  const fed = feed(input, writer);
  // The source failed: there will be no more output.
  fed.catch(abort);
  try {
    for (;;) {
      const { done, value } = await output.read().catch(() => ({ done: true, value: undefined }) as const);
      if (done) break;
      yield value;
    }
    const fault = await fed;
    if (fault === undefined) return;
    report(fault);
    onCut();
  } finally {
    // Neither is waited for: both may stand behind a write that nobody takes the output of.
    void output.cancel().catch(nothing);
    void abort();
  }
};

function nothing(): undefined {}

/** Moves the input into the stream, and gives why it was not taken. Only a failure of the source is thrown. */
async function feed(
  input: ByteReader,
  writer: WritableStreamDefaultWriter<BufferSource>,
): Promise<"gzip.truncated" | "gzip.corrupt" | undefined> {
  for (;;) {
    const bytes = await input.next();
    try {
      if (bytes === undefined) {
        // Taken when all output before it was: an error of the close would throw away what was not.
        await writer.write(new Uint8Array(0));
        await writer.close();
        return undefined;
      }
      for (let at = 0; at < bytes.length; at += PIECE_SIZE) {
        // A copy: the stream reads it later than it takes it. The `slice` of a Buffer is none.
        await writer.write(new Uint8Array(bytes.subarray(at, at + PIECE_SIZE)));
      }
    } catch {
      return bytes === undefined ? "gzip.truncated" : "gzip.corrupt";
    }
  }
}
