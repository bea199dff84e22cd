/**
 * The functions of `#platform` for browsers and edge workers. Uses DecompressionStream and TextDecoder, no Node
 * built-in.
 *
 * DecompressionStream does not report where its data ended, and discards output when it fails. So this file cannot
 * repair as much as platform-node.ts. The document ends with gzip.corrupt or gzip.truncated at bytes after the end
 * (G07), at a second member (G08), at a wrong checksum (G09), and at damaged zlib data (G11). The data before the fault
 * is kept, and no error is thrown.
 */
import type { ByteReader } from "./byte-reader.ts";
import type { Platform } from "./platform.ts";

/** Number of bytes that are written at a time. It is small, because the output of damaged bytes is lost. */
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

// windows-1252 has one byte per character, and its first 128 characters are ASCII.
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
    // Do not await these calls: they may wait for a pending write, which never ends if its output is not read.
    void output.cancel().catch(nothing);
    void abort();
  }
};

function nothing(): undefined {}

/** Writes the input to the stream. Returns an issue code if the stream rejects the data. Throws if the source fails. */
async function feed(
  input: ByteReader,
  writer: WritableStreamDefaultWriter<BufferSource>,
): Promise<"gzip.truncated" | "gzip.corrupt" | undefined> {
  for (;;) {
    const bytes = await input.next();
    try {
      if (bytes === undefined) {
        // An empty write waits until all output was read. Without this write, an error of `close` would discard the
        // last output.
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
