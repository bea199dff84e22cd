/**
 * Opens the output of pages in any format. Writers with something heavy behind them are loaded when they are
 * asked for.
 */

import { FIELD_NAMES, FIELDS, type FieldName, type PageRecord } from "../../output/page-record.ts";
import { terminalText } from "../../sinks/terminal.ts";
import { type Format, isBinary } from "./file-format.ts";
import { OutputError } from "./output-error.ts";
import { readFields } from "./read-fields.ts";
import { openSqliteWriter } from "./sqlite-writer.ts";
import { TargetFile } from "./target-file.ts";
import { delimitedForm, jsonForm, ndjsonForm, type TextForm, urlsForm } from "./text-forms.ts";
import { type ByteSink, isGzipName, openStdout, openTextOutput } from "./text-output.ts";
import { TextWriter } from "./text-writer.ts";

/** Takes pages one by one. All three throw `OutputError`, or `ClosedPipeError` when the reader is gone. */
export interface PageWriter {
  /** Waits, where it gives a promise, until there is room for more. */
  write(record: PageRecord): void | Promise<void>;
  /** Ends the file properly: whole records, footer, rename. What `isCut` does and what comes back: see `TextOutput`. */
  end(isCut?: boolean): Promise<string | undefined>;
  /** Drops a file that is not whole; what is on stdout stays as it is. */
  abort(): Promise<void>;
}

export interface WriterOptions {
  readonly format: Format;
  /** Without it: stdout. */
  readonly file?: string | undefined;
  /** Overwrite an existing file. */
  readonly force?: boolean | undefined;
  readonly fields?: readonly string[] | undefined;
  /** CSV and TSV: leave texts that look like a formula as they are. */
  readonly csvRaw?: boolean | undefined;
  /** Facts about the run, for formats that have a place for them. Read at the end: it may still be filled. */
  readonly meta: Readonly<Record<string, string>>;
}

/**
 * The writer for one output of pages. `tree` is none of these formats: it is written from a whole tree.
 *
 * @throws {OutputError} when it can be known now that it cannot be written
 */
export async function openWriter(options: WriterOptions): Promise<PageWriter> {
  const { format, file, force } = options;
  const fields = fieldsOf(options);
  if (isBinary(format) && file !== undefined && isGzipName(file)) {
    throw new OutputError(`Cannot write ${terminalText(file)}: only formats of text are compressed as .gz`, {
      exitCode: 2,
      hint: "Parquet is compressed already",
    });
  }
  if (format === "parquet") return openParquet(options, fields);
  if (format === "sqlite") {
    if (file === undefined) throw needsFile("SQLite");
    return openSqliteWriter(file, fields, { force });
  }
  const form = textForm(options, fields);
  return new TextWriter(await openTextOutput({ file, force }), form);
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
  const [{ ParquetPageWriter }, sink] = await Promise.all([
    import("./parquet-writer.ts"),
    file === undefined ? openStdout() : (TargetFile.open(file, { force }) as Promise<ByteSink>),
  ]);
  return new ParquetPageWriter(sink, file ?? "stdout", fields, meta);
}

function needsFile(name: string): OutputError {
  const where = name === "Parquet" ? "a terminal" : "stdout";
  return new OutputError(`Cannot write ${name} to ${where}`, {
    exitCode: 2,
    hint: "name a file with -o FILE",
  });
}

/** Those asked for, or all: a column of a date's precision only where the date does not show it itself. */
function fieldsOf({ format, fields }: WriterOptions): readonly FieldName[] {
  if (fields !== undefined) return readFields(fields.join(","));
  return format === "parquet" ? FIELD_NAMES : FIELD_NAMES.filter((name) => FIELDS[name].typedOnly !== true);
}
