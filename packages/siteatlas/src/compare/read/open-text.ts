/**
 * Turns the bytes of a file into text: decompresses gzip, and decodes UTF-8, UTF-16, UTF-32 and windows-1252. A
 * truncated or damaged file gives all text that can be read, and counts as partial.
 */
import { Transcoder } from "../../decode/encoding.ts";
import { decompress } from "../../decode/inflate.ts";
import { headerLength, PREAMBLE_LENGTH } from "../../sync/snapshot/snapshot-header.ts";
import type { FactCounts } from "../source-facts.ts";
import { SAMPLE_LENGTH } from "./text-lines.ts";

/** Issues which mean that the file is not text, or not one that siteatlas reads. */
const NOT_TEXT: ReadonlySet<string> = new Set(["content.zip", "gzip.too-deep"]);

/** Yields text in chunks of at least 64 KiB. Many small chunks would be slow. Only the last one may be shorter. */
export async function* openText(bytes: AsyncIterable<Uint8Array>, facts: FactCounts): AsyncGenerator<string> {
  let held = "";
  for await (const text of decoded(decompressed(bytes, facts))) {
    held += text;
    if (held.length < SAMPLE_LENGTH) continue;
    yield held;
    held = "";
  }
  if (held !== "") yield held;
}

async function* decompressed(
  bytes: AsyncIterable<Uint8Array>,
  facts: FactCounts,
): AsyncGenerator<Uint8Array> {
  const source = withoutSnapshot(bytes, facts);
  yield* decompress(source, {
    report: (code) => {
      if (NOT_TEXT.has(code)) facts.problem ??= "binary";
    },
    url: "",
    // A log is often put together from thousands of compressed pieces.
    maxMembers: Number.POSITIVE_INFINITY,
    onCut: () => {
      facts.isPartial = true;
    },
  });
}

/** Ends a snapshot at its start. Its text is not a list of URLs, and its pages can only be read from a file. */
async function* withoutSnapshot(
  bytes: AsyncIterable<Uint8Array>,
  facts: FactCounts,
): AsyncGenerator<Uint8Array> {
  let isStart = true;
  for await (const chunk of bytes) {
    if (isStart && isSnapshotStart(chunk)) {
      facts.problem = "snapshot-stream";
      return;
    }
    isStart = false;
    yield chunk;
  }
}

/** Whether a file with these first bytes is a snapshot. */
export function isSnapshotStart(bytes: Uint8Array): boolean {
  return (
    bytes.length >= PREAMBLE_LENGTH &&
    headerLength(Buffer.from(bytes.subarray(0, PREAMBLE_LENGTH))) !== undefined
  );
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const transcoder = new Transcoder({ report: () => {} });
  for await (const chunk of bytes) {
    const utf8 = transcoder.push(chunk);
    if (utf8 !== undefined) yield textOf(utf8);
  }
  const rest = transcoder.end();
  if (rest !== undefined) yield textOf(rest);
}

function textOf(utf8: Uint8Array): string {
  return Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength).toString("utf8");
}
