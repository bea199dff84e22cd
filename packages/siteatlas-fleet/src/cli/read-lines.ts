/** Splits streamed text into lines. `readline` holds a line of any length in memory. */

/** In UTF-16 units. No host or homepage URL is longer. */
const MAX_LINE = 8192;

/** A lone carriage return also ends a line. One at the end of a chunk may belong to a line feed in the next chunk. */
const LINE_END = /\r\n|\n|\r(?!$)/;

interface Line {
  /** The line, or its first 8,192 characters. */
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
