/**
 * How the formats of text look. Whatever a site says goes through the sinks on its way: no value ends a line,
 * a cell or a string, and no cell starts a formula.
 *
 * - `urls`: one URL on each line
 * - `ndjson`: one object on each line, without what the site did not say
 * - `json`: an array of the same objects, one on each line
 * - `csv`: RFC 4180 with its line ends (CR LF), a line of names first
 * - `tsv`: the same with tabs, and LF, which is what `cut` and `awk` expect
 */

import { FIELDS, type FieldName, type PageRecord } from "../../output/page-record.ts";
import { csvCell } from "../../sinks/csv.ts";
import { jsonLine } from "../../sinks/json.ts";
import { terminalText } from "../../sinks/terminal.ts";
import { readCell, readDate } from "./cells.ts";

export interface TextForm {
  /** Before the first record. */
  readonly head: string;
  readonly between: string;
  readonly tail: string;
  /** Instead of all when there is no record. */
  readonly empty: string;
  readonly row: (record: PageRecord) => string;
}

export const urlsForm: TextForm = {
  head: "",
  between: "",
  tail: "",
  empty: "",
  row: ({ url }) => `${terminalText(url)}\n`,
};

export function ndjsonForm(fields: readonly FieldName[]): TextForm {
  const toJson = jsonRow(fields);
  return { head: "", between: "", tail: "", empty: "", row: (record) => `${toJson(record)}\n` };
}

export function jsonForm(fields: readonly FieldName[]): TextForm {
  return { head: "[\n", between: ",\n", tail: "\n]\n", empty: "[]\n", row: jsonRow(fields) };
}

/**
 * Nested values stay nested here, dates are texts. Put together from its values: `JSON.stringify` of a whole
 * record takes longer than reading the page.
 */
function jsonRow(fields: readonly FieldName[]): (record: PageRecord) => string {
  const columns = fields.map((name) => ({
    name,
    key: `${JSON.stringify(name)}:`,
    isDate: FIELDS[name].type === "date",
  }));
  return (record) => {
    let row = "";
    for (const { name, key, isDate } of columns) {
      const value = isDate ? readDate(record, name) : record[name];
      if (value !== undefined) row += (row === "" ? key : `,${key}`) + jsonLine(value);
    }
    return `{${row}}`;
  };
}

export interface DelimitedOptions {
  readonly delimiter: "," | "\t";
  /** Texts exactly as they are: no apostrophe before what a spreadsheet would run. */
  readonly raw?: boolean;
  /** For the eyes: what a terminal would take for a command is written out (sec-O01). */
  readonly terminal?: boolean;
}

export function delimitedForm(
  fields: readonly FieldName[],
  { delimiter, raw = false, terminal = false }: DelimitedOptions,
): TextForm {
  const lineEnd = delimiter === "," ? "\r\n" : "\n";
  const head = fields.join(delimiter) + lineEnd;
  const options = { raw };
  const row = (record: PageRecord): string => {
    let line = "";
    let before = "";
    for (const name of fields) {
      // `csvCell` quotes tabs, too.
      const cell = readCell(record, name);
      line += before + csvCell(terminal && typeof cell === "string" ? terminalText(cell) : cell, options);
      before = delimiter;
    }
    return line + lineEnd;
  };
  return { head, between: "", tail: "", empty: head, row };
}
