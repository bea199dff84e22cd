/**
 * Splits the text of stdin into lines. Node's `readline` is not used, because it holds a line of any length in memory.
 */

/** Maximum length of a line in UTF-16 units. No host or homepage URL is longer. */
export const MAX_LINE = 8192;

/**
 * A line ends with `\r\n`, `\n` or `\r`. A `\r` at the end of a chunk does not match yet, because the next chunk may
 * start with `\n`.
 */
const LINE_END = /\r\n|\n|\r(?!$)/;

/** Yields each line, or undefined for a line that is longer than `MAX_LINE`. */
export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string | undefined> {
  let held = "";
  let isTooLong = false;
  for await (const chunk of chunks) {
    const lines = (held + chunk).split(LINE_END);
    held = lines.pop()!;
    for (const line of lines) {
      yield isTooLong || line.length > MAX_LINE ? undefined : line;
      isTooLong = false;
    }
    if (held.length <= MAX_LINE) continue;
    isTooLong = true;
    held = "";
  }
  if (isTooLong) yield undefined;
  else if (held !== "") yield held;
}
