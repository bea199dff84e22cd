/**
 * The text formats, and one writer for all of them. All values are escaped (`escape/`), so no value can end a line, a
 * cell or a string, or start a formula.
 *
 * - `urls`: one URL per line
 * - `ndjson`: one object per line, without absent values
 * - `json`: an array of the same objects, one per line
 * - `csv`: RFC 4180 with CR LF and a header line
 * - `tsv`: the same with tabs, and LF, which `cut` and `awk` expect
 */

import { csvCell } from "../../escape/csv.ts";
import { jsonLine } from "../../escape/json.ts";
import { terminalText } from "../../escape/terminal.ts";
import { FIELDS, type FieldName, isPlainRecord, type PageRecord } from "../../output/page-fields.ts";
import type { TextOutput } from "./buffered-output.ts";
import type { PageWriter } from "./page-writer.ts";
import { readCell, readDate } from "./table-cells.ts";

export interface TextForm {
  /** Text before the first record. */
  readonly head: string;
  readonly between: string;
  readonly tail: string;
  /** The complete output if there are no records. */
  readonly empty: string;
  readonly row: (record: PageRecord) => string;
}

export function createTextWriter(output: TextOutput, form: TextForm): PageWriter {
  let hasRecords = false;
  return {
    write: (record) => {
      const before = hasRecords ? form.between : form.head;
      hasRecords = true;
      return output.write(before + form.row(record));
    },
    end: async (isCut) => {
      try {
        await output.write(hasRecords ? form.tail : form.empty);
      } catch (error) {
        await output.abort();
        throw error;
      }
      return output.end(isCut);
    },
    abort: () => output.abort(),
  };
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
 * Creates a function that writes a record as JSON. It does not use `JSON.stringify` for the whole record, which would
 * take longer than parsing the page.
 */
function jsonRow(fields: readonly FieldName[]): (record: PageRecord) => string {
  const columns = fields.map((name) => ({
    name,
    key: `${JSON.stringify(name)}:`,
    isDate: FIELDS[name].type === "date",
  }));
  const plainColumns = columns.filter(({ name }) => FIELDS[name].isRare !== true);
  const sitemapJson = remember(jsonLine);
  return (record) => {
    let row = "";
    for (const { name, key, isDate } of isPlainRecord(record) ? plainColumns : columns) {
      const value = isDate ? readDate(record, name) : record[name];
      if (value === undefined) continue;
      const json = name === "sitemap" ? sitemapJson(record.sitemap) : jsonLine(value);
      row += (row === "" ? key : `,${key}`) + json;
    }
    return `{${row}}`;
  };
}

/** Remembers the last result: the pages of a sitemap follow each other. */
function remember(write: (text: string) => string): (text: string) => string {
  let last: string | undefined;
  let written = "";
  return (text) => {
    if (text !== last) {
      last = text;
      written = write(text);
    }
    return written;
  };
}

interface DelimitedOptions {
  readonly delimiter: "," | "\t";
  /**
   * Whether to write values as they are. If false, a value that a spreadsheet could run as a formula gets an
   * apostrophe. @default false
   */
  readonly raw?: boolean;
  /** Whether the text is for a terminal, so that escape sequences are disabled (sec-O01). */
  readonly terminal?: boolean;
}

export function delimitedForm(
  fields: readonly FieldName[],
  { delimiter, raw = false, terminal = false }: DelimitedOptions,
): TextForm {
  const lineEnd = delimiter === "," ? "\r\n" : "\n";
  const head = fields.join(delimiter) + lineEnd;
  const options = { raw };
  const columns = fields.map((name) => ({ name, isRare: FIELDS[name].isRare === true }));
  const row = (record: PageRecord): string => {
    let line = "";
    let before = "";
    const isPlain = isPlainRecord(record);
    for (const { name, isRare } of columns) {
      // `csvCell` is also used for TSV: it puts quotes around values with tabs.
      const cell = isPlain && isRare ? undefined : readCell(record, name);
      line += before + csvCell(terminal && typeof cell === "string" ? terminalText(cell) : cell, options);
      before = delimiter;
    }
    return line + lineEnd;
  };
  return { head, between: "", tail: "", empty: head, row };
}
