/** Splits bytes into lines. Lines have a maximum length. */
import { isUtf8 } from "node:buffer";
import { TreeError } from "./tree-error.ts";
import { MAX_LINE_BYTES } from "./tree-file.ts";

const LINE_FEED = 0x0a;
const REPLACEMENT = "\ufffd";

/**
 * Yields the complete lines of each chunk. The text after the last line feed also counts as a line.
 *
 * @param allowed returns the maximum number of bytes in all chunks. It is called for each chunk, because the maximum
 * may grow
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  allowed: () => number,
): AsyncGenerator<readonly string[]> {
  /** The start of a line that the next chunk continues. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const maxBytes = allowed();
    if (bytes > maxBytes) {
      throw new TreeError("too-large", `it has more than ${maxBytes} bytes: raise maxBytes to read it`);
    }
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, end);
      lines.push(decode(held.length === 0 ? line : Buffer.concat([...held, line])));
      held = [];
      heldBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      // Make a copy, because zlib may reuse the memory of the chunk.
      held.push(Buffer.from(chunk.subarray(start)));
      heldBytes += chunk.length - start;
    }
    if (heldBytes > MAX_LINE_BYTES) {
      throw new TreeError("too-large", `it has a line of more than ${MAX_LINE_BYTES} bytes`);
    }
    yield lines;
  }
  if (held.length > 0) yield [decode(Buffer.concat(held))];
}

function decode(line: Buffer): string {
  const text = line.toString();
  // Check the bytes only if the text has a replacement character: invalid bytes are decoded to it.
  if (text.includes(REPLACEMENT) && !isUtf8(line)) {
    throw new TreeError("damaged", "it has bytes that are not UTF-8");
  }
  return text;
}
