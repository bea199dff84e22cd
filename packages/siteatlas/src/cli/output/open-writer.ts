/** Opens the output for pages in any format. Writers with large dependencies are loaded on demand. */

import { terminalText } from "../../escape/terminal.ts";
import { defaultFields, type FieldName } from "../../output/page-fields.ts";
import { type Format, isBinary } from "../config/output-formats.ts";
import { OutputError } from "../process/output-error.ts";
import { type ByteOutput, isGzipName, openStdout, openTextOutput } from "./buffered-output.ts";
import type { PageWriter } from "./page-writer.ts";
import { readFields } from "./parse-field-names.ts";
import { openSqliteWriter } from "./sqlite-writer.ts";
import { TargetFile } from "./target-file.ts";
import {
  createTextWriter,
  delimitedForm,
  jsonForm,
  ndjsonForm,
  type TextForm,
  urlsForm,
} from "./text-formats.ts";

export interface WriterOptions {
  readonly format: Format;
  /** The file to write. @default stdout */
  readonly file?: string | undefined;
  readonly force?: boolean | undefined;
  readonly fields?: readonly string[] | undefined;
  /** Whether pages belong to several sites, so that the column `site` is written by default. */
  readonly hasManySites?: boolean | undefined;
  /** Whether llms.txt is read. */
  readonly hasLlmsTxt?: boolean | undefined;
  /** For CSV and TSV: true writes formulas as they are, false escapes them. */
  readonly csvRaw?: boolean | undefined;
  /**
   * Facts about the run. Some formats can store them in the file. They are read when the file is completed, and may
   * change until then.
   */
  readonly meta: Readonly<Record<string, string>>;
}

/**
 * Opens a writer for any format except `tree`, which needs the complete tree.
 *
 * @throws {OutputError} if the output cannot be written
 */
export async function openWriter(options: WriterOptions): Promise<PageWriter> {
  const { format, file, force } = options;
  const fields = fieldsOf(options);
  if (isBinary(format) && file !== undefined && isGzipName(file)) {
    throw new OutputError(`cannot write ${terminalText(file)}: only text formats can be compressed`, {
      exitCode: 2,
      hint: "Remove .gz. Parquet files are already compressed.",
    });
  }
  if (format === "parquet") return openParquet(options, fields);
  if (format === "sqlite") {
    if (file === undefined) throw needsFile("SQLite");
    return openSqliteWriter(file, fields, { force });
  }
  const form = textForm(options, fields);
  return createTextWriter(await openTextOutput({ file, force }), form);
}

function textForm(
  { format, file, csvRaw: raw = false }: WriterOptions,
  fields: readonly FieldName[],
): TextForm {
  const terminal = file === undefined && process.stdout.isTTY === true;
  switch (format) {
    case "urls":
      return urlsForm;
    case "ndjson":
      return ndjsonForm(fields);
    case "json":
      return jsonForm(fields);
    case "csv":
      return delimitedForm(fields, { delimiter: ",", raw, terminal });
    case "tsv":
      return delimitedForm(fields, { delimiter: "\t", raw, terminal });
    default:
      throw new TypeError(`Cannot write pages one by one as ${format}`);
  }
}

async function openParquet(
  { file, force, meta }: WriterOptions,
  fields: readonly FieldName[],
): Promise<PageWriter> {
  if (file === undefined && process.stdout.isTTY) throw needsFile("Parquet");
  const [{ createParquetWriter }, output] = await Promise.all([
    import("./parquet-writer.ts"),
    file === undefined ? openStdout() : (TargetFile.open(file, { force }) as Promise<ByteOutput>),
  ]);
  return createParquetWriter(output, file ?? "stdout", fields, meta);
}

function needsFile(name: string): OutputError {
  const where = name === "Parquet" ? "a terminal" : "stdout";
  return new OutputError(`cannot write ${name} to ${where}`, {
    exitCode: 2,
    hint: "Write to a file with -o FILE.",
  });
}

/**
 * The fields that the user chose, or all fields. Columns for the precision of dates are written only in formats that
 * have a date type.
 */
function fieldsOf({
  format,
  fields,
  hasManySites = false,
  hasLlmsTxt = false,
}: WriterOptions): readonly FieldName[] {
  if (fields !== undefined) return readFields(fields.join(","));
  return defaultFields({ isTyped: format === "parquet", hasManySites, hasLlmsTxt });
}
