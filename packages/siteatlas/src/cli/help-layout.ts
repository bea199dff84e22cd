/** The layout of help texts: sections, paragraphs and tables, at most 80 columns wide. */
import { wrapWords } from "./terminal/format-text.ts";

export type Rows = readonly (readonly [term: string, text: string])[];

const MIN_WIDTH = 60;
/** Maximum width of help texts. Wider lines are harder to read, and a terminal of 80 columns would wrap them. */
const MAX_WIDTH = 80;
/** Maximum width of the first column. After a longer flag, the text starts on the next line. */
const MAX_TERM = 30;
/** Maximum width of the first column for examples, as a share of the whole width. Examples may be longer than flags. */
const MAX_EXAMPLE_SHARE = 0.65;

export function sections(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

export function paragraphs(texts: readonly string[], width: number, indent = ""): string[] {
  return texts.map((text) =>
    wrapWords(text, clamp(width) - indent.length)
      .map((line) => indent + line)
      .join("\n"),
  );
}

function clamp(width: number): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width));
}

/** The width of the first column. It fits the longest term, but terms longer than `max` do not count. */
export function columnOf(terms: readonly string[], max: number = MAX_TERM): number {
  return Math.max(0, ...terms.map((term) => term.length).filter((length) => length <= max));
}

/**
 * Draws a table of two columns. If a term is too long for its column, its text starts on the next line.
 *
 * @param column the width of the first column @default the result of `columnOf`
 */
export function table(rows: Rows, width: number, column?: number): string {
  const first =
    column ??
    columnOf(
      rows.map(([term]) => term),
      clamp(width) * MAX_EXAMPLE_SHARE,
    );
  const indent = " ".repeat(first + 4);
  return rows
    .map(([term, text]) => {
      const lines = wrapWords(text, clamp(width) - indent.length);
      const isBeside = term.length <= first;
      const start = isBeside ? `  ${term.padEnd(first)}  ${lines.shift() ?? ""}` : `  ${term}`;
      return [start, ...lines.map((line) => indent + line)].map((line) => line.trimEnd()).join("\n");
    })
    .join("\n");
}
