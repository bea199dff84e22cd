/** Splits text into lines, in batches. A line that is too long is dropped and counted, so that memory is limited. */
import type { FactCounts } from "../source-facts.ts";

/** Maximum length of a line, or of a row of a table, in UTF-16 units. */
export const MAX_LINE: number = 1024 * 1024;

/** Minimum length of a chunk, except for the last one. The first chunk decides what a file is. */
export const SAMPLE_LENGTH: number = 64 * 1024;

/** A line ends with `\n`, `\r\n` or `\r`. A `\r` at the end of a chunk may be the first half of `\r\n`. */
const LINE_END = /\r\n|\n|\r(?!$)/;

export async function* linesOf(
  texts: AsyncIterable<string>,
  facts: FactCounts,
): AsyncGenerator<readonly string[]> {
  let held = "";
  let isTooLong = false;
  for await (const text of texts) {
    const all = held + text;
    // Most files have no carriage returns, and a search for a single character is several times faster.
    const lines = all.includes("\r") ? all.split(LINE_END) : all.split("\n");
    held = lines.pop()!;
    if (lines.length > 0) {
      if (isTooLong) {
        lines.shift();
        facts.drop("too-long");
        isTooLong = false;
      }
      yield lines;
    }
    if (held.length <= MAX_LINE) continue;
    isTooLong = true;
    held = "";
  }
  if (isTooLong) facts.drop("too-long");
  else if (held !== "") yield [held.replace(/\r$/, "")];
}
