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
  const feed = new Feed(input, stream.writable.getWriter());
  try {
    for (;;) {
      const { done, value } = await output.read().catch(() => ({ done: true, value: undefined }) as const);
      if (done) break;
      yield value;
    }
    await feed.stopped;
    if (feed.sourceFailed) throw feed.sourceError;
    if (feed.complete) return;
    report(feed.sourceEnded ? "gzip.truncated" : "gzip.corrupt");
    onCut();
  } finally {
    // Neither is waited for: both may stand behind a write that nobody takes the output of.
    void output.cancel().catch(() => undefined);
    feed.stop();
  }
};

/** Moves the input into the stream until it ends or the stream fails. */
class Feed {
  sourceEnded = false;
  sourceFailed = false;
  sourceError: unknown;
  /** The stream took all of the input and was satisfied. */
  complete = false;
  readonly stopped: Promise<void>;
  readonly #writer: WritableStreamDefaultWriter<BufferSource>;

  constructor(input: ByteReader, writer: WritableStreamDefaultWriter<BufferSource>) {
    this.#writer = writer;
    writer.closed.catch(() => undefined);
    this.stopped = this.#run(input);
  }

  stop(): void {
    if (!this.complete) void this.#writer.abort().catch(() => undefined);
  }

  async #run(input: ByteReader): Promise<void> {
    for (;;) {
      const bytes = await input.next().catch((error: unknown) => this.#failSource(error));
      if (this.sourceFailed) return this.stop();
      try {
        if (bytes === undefined) {
          this.sourceEnded = true;
          // Taken when all output before it was: an error of the close would throw away what was not.
          await this.#writer.write(new Uint8Array(0));
          await this.#writer.close();
          this.complete = true;
          return;
        }
        for (let at = 0; at < bytes.length; at += PIECE_SIZE) {
          await this.#writer.write(bytes.slice(at, at + PIECE_SIZE));
        }
      } catch {
        return;
      }
    }
  }

  #failSource(error: unknown): undefined {
    this.sourceFailed = true;
    this.sourceError = error;
  }
}
