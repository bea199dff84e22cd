/**
 * The decode layer for browsers and edge workers: DecompressionStream and TextDecoder, no Node built-in.
 *
 * DecompressionStream does not report where its data ended, and discards output when it fails. So this file
 * cannot repair all that platform-node.ts repairs. After trailing junk (G07), further members (G08), a wrong
 * checksum (G09) and a damaged zlib stream (G11), the document ends with gzip.corrupt or gzip.truncated. The
 * data before the fault is kept, and nothing is thrown.
 */
import type { ByteReader } from "./byte-reader.ts";
import type { Platform } from "./platform.ts";

/** Bytes that are written at a time. Small, because the output of the piece that fails is lost. */
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

// Decodes one character per byte.
export const asciiText: Platform["asciiText"] = (bytes, start, end) =>
  singleByte.decode(bytes.subarray(start, end));

export const inflate: Platform["inflate"] = async function* (input, format, { report, onCut }) {
  const stream = new DecompressionStream(format === "zlib" ? "deflate" : "gzip");
  const output = stream.readable.getReader();
  const writer = stream.writable.getWriter();
  writer.closed.catch(nothing);
  const abort = (): Promise<void> => writer.abort().catch(nothing);
  const fed = feed(input, writer);
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
    // Do not await these calls: they may wait for a pending write, which never ends if no one reads its output.
    void output.cancel().catch(nothing);
    void abort();
  }
};

function nothing(): undefined {}

/** Writes the input to the stream. Returns an issue if the stream rejects it. Throws if the source fails. */
async function feed(
  input: ByteReader,
  writer: WritableStreamDefaultWriter<BufferSource>,
): Promise<"gzip.truncated" | "gzip.corrupt" | undefined> {
  for (;;) {
    const bytes = await input.next();
    try {
      if (bytes === undefined) {
        // Wait until all output was read, because an error of `close` would discard the rest.
        await writer.write(new Uint8Array(0));
        await writer.close();
        return undefined;
      }
      for (let at = 0; at < bytes.length; at += PIECE_SIZE) {
        // Copy the piece, because the stream reads it later. `slice` does not copy if `bytes` is a Buffer.
        await writer.write(new Uint8Array(bytes.subarray(at, at + PIECE_SIZE)));
      }
    } catch {
      return bytes === undefined ? "gzip.truncated" : "gzip.corrupt";
    }
  }
}
