/** Repaired lines in the format of `diff -u`, which `git apply` and `patch` read. */
import { terminalText } from "../../../escape/terminal.ts";
import type { FixedLine } from "../../../lint/fix-document.ts";

/** Number of unchanged lines before and after a change. */
const CONTEXT = 3;

const NO_LINE_BREAK = "\\ No newline at end of file";

/** Yields the lines of a diff, without their line breaks. */
export function* unifiedDiff(file: string, lines: readonly FixedLine[]): Generator<string> {
  const name = terminalText(file.replace(/^(?:\.?\/)+/, ""));
  // `patch` reads the name up to a tab, if it contains spaces.
  const end = name.includes(" ") ? "\t" : "";
  yield `--- a/${name}${end}`;
  yield `+++ b/${name}${end}`;
  let removed = 0;
  for (const { from, part } of hunksOf(lines)) {
    const gone = part.filter(({ after }) => after === undefined).length;
    yield `@@ -${from + 1},${part.length} +${from + 1 - removed},${part.length - gone} @@`;
    removed += gone;
    for (const line of part) yield* diffLines(line);
  }
}

interface Hunk {
  /** Position of the first line, from 0. */
  readonly from: number;
  readonly part: readonly FixedLine[];
}

/** Yields the changed lines with their context. Changes whose contexts meet are one hunk. */
function* hunksOf(lines: readonly FixedLine[]): Generator<Hunk> {
  let first = -1;
  let last = -1;
  const hunk = (): Hunk => {
    const from = Math.max(0, first - CONTEXT);
    return { from, part: lines.slice(from, last + 1 + CONTEXT) };
  };
  for (const [at, { before, after }] of lines.entries()) {
    if (before === after) continue;
    if (first >= 0 && at - last > 2 * CONTEXT) {
      yield hunk();
      first = at;
    }
    if (first < 0) first = at;
    last = at;
  }
  if (first >= 0) yield hunk();
}

function* diffLines({ before, after }: FixedLine): Generator<string> {
  if (before === after) yield* diffLine(" ", before);
  else {
    yield* diffLine("-", before);
    if (after !== undefined) yield* diffLine("+", after);
  }
}

/** A line of the file, safe for a terminal. Tabs, a byte order mark and `\r` stay: `git apply` compares them. */
function* diffLine(sign: string, line: string): Generator<string> {
  const [, mark = "", content = "", lineBreak = ""] = /^(\ufeff?)(.*?)(\r?\n?)$/s.exec(line)!;
  const shown = content.split("\t").map(terminalText).join("\t");
  yield `${sign}${mark}${shown}${lineBreak.replace("\n", "")}`;
  if (!lineBreak.endsWith("\n")) yield NO_LINE_BREAK;
}
