/** Splits streamed text into lines. Node's `readline` is not used, because it holds a line of any length in memory. */

/**
 * Maximum length of a line in UTF-16 units. The rest of a longer line is dropped. No host or homepage URL is longer.
 */
const MAX_LINE = 8192;

/**
 * A line ends with `\r\n`, `\n` or `\r`. A `\r` at the end of a chunk does not match yet, because the next chunk may
 * start with `\n`.
 */
const LINE_END = /\r\n|\n|\r(?!$)/;

interface Line {
  /** The line, or its first 8,192 characters if it is longer. */
  readonly text: string;
  readonly isCut: boolean;
}

export async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let held = "";
  let isCut = false;
  for await (const chunk of chunks) {
    const lines = (held + chunk).split(LINE_END);
    held = lines.pop()!;
    for (const line of lines) {
      yield { text: line.slice(0, MAX_LINE), isCut: isCut || line.length > MAX_LINE };
      isCut = false;
    }
    if (held.length <= MAX_LINE) continue;
    isCut = true;
    held = held.slice(0, MAX_LINE);
  }
  if (held !== "") yield { text: held, isCut };
}
