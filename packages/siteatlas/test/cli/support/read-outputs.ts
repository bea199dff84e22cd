/**
 * Reads pages back from every format in one form: dates as strings with their precision, nested values as data,
 * no absent values.
 */
import { readFileSync } from "node:fs";
import * as zlib from "node:zlib";
import { type ParquetReadOptions, parquetMetadata, parquetReadObjects } from "hyparquet";
import { dateText } from "../../../src/model/format-date.ts";
import type { DatePrecision } from "../../../src/model/model.ts";
import { FIELD_NAMES, FIELDS, type FieldName, type PageRecord } from "../../../src/output/page-fields.ts";

export type Row = Partial<Record<FieldName, unknown>>;

/** The expected content of every format. Lone surrogates become U+FFFD. */
export function expectedRow(record: PageRecord): Row {
  const row: Row = {};
  for (const name of FIELD_NAMES) {
    if (FIELDS[name].typedOnly === true || record[name] === undefined) continue;
    row[name] = FIELDS[name].type === "date" ? readDate(record, name) : record[name];
  }
  return JSON.parse(
    JSON.stringify(row, (_, value) => (typeof value === "string" ? toWellFormed(value) : value)),
  );
}

function readDate(row: Row | PageRecord, name: FieldName): string {
  return dateText(row[name] as Date, row[`${name}_precision` as FieldName] as DatePrecision);
}

function toWellFormed(text: string): string {
  return Buffer.from(text).toString();
}

export function readNdjson(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

export function readDelimited(text: string, delimiter: "," | "\t"): Row[] {
  const [names, ...rows] = splitDelimited(text, delimiter);
  return rows.map((cells) => {
    if (cells.length !== names?.length) throw new Error(`${cells.length} cells: ${cells.join("|")}`);
    const pairs = names.map((name, i) => [name, cells[i]] as const).filter(([, cell]) => cell !== "");
    return Object.fromEntries(
      pairs.map(([name, cell]) => [name, readCell(name as FieldName, cell as string)]),
    );
  });
}

function readCell(name: FieldName, cell: string): unknown {
  const { type } = FIELDS[name];
  return type === "string" || type === "date" ? cell : JSON.parse(cell);
}

/** RFC 4180, section 2, strictly: only a quoted cell may contain a quote or a line break. */
function splitDelimited(text: string, delimiter: string): string[][] {
  const lineEnd = delimiter === "," ? "\r\n" : "\n";
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    let cell = "";
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error("A quoted cell has no end");
        if (text[at] === '"' && text[++at] !== '"') break;
        cell += text[at];
      }
    } else {
      while (at < text.length && text[at] !== delimiter && !text.startsWith(lineEnd, at)) cell += text[at++];
      if (/["\r\n]/.test(cell)) throw new Error(`A cell is not quoted: ${cell}`);
    }
    row.push(cell);
    if (text[at] === delimiter) at++;
    else if (text.startsWith(lineEnd, at)) {
      at += lineEnd.length;
      rows.push(row);
      row = [];
    } else throw new Error(`Something is behind a cell: ${text.slice(at, at + 20)}`);
  }
  if (row.length > 0) throw new Error("The last line has no end");
  return rows;
}

export interface ParquetFile {
  readonly rows: Row[];
  readonly codecs: ReadonlySet<string>;
  readonly rowGroups: readonly number[];
  readonly meta: Readonly<Record<string, string | undefined>>;
}

export async function readParquet(path: string): Promise<ParquetFile> {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array };
  const options: ParquetReadOptions = { file };
  if (zstdDecompressSync !== undefined) options.compressors = { ZSTD: (bytes) => zstdDecompressSync(bytes) };
  const rows = (await parquetReadObjects(options)) as Row[];
  return {
    rows: rows.map(plainRow),
    codecs: new Set(
      metadata.row_groups.flatMap(({ columns }) => columns.map((c) => c.meta_data?.codec ?? "")),
    ),
    rowGroups: metadata.row_groups.map(({ num_rows }) => Number(num_rows)),
    meta: Object.fromEntries(metadata.key_value_metadata?.map(({ key, value }) => [key, value]) ?? []),
  };
}

function plainRow(row: Row): Row {
  const plain: Row = {};
  for (const name of FIELD_NAMES) {
    const value = row[name];
    if (value === undefined || value === null || FIELDS[name].typedOnly === true) continue;
    plain[name] = FIELDS[name].type === "date" ? readDate(row, name) : value;
  }
  return plain;
}

interface Sqlite {
  readonly DatabaseSync: new (path: string) => { prepare(sql: string): { all(): Row[] }; close(): void };
}

export const sqlite: Sqlite | undefined = process.getBuiltinModule("node:sqlite") as Sqlite | undefined;

export function readSqlite(path: string): Row[] {
  const database = new sqlite!.DatabaseSync(path);
  const rows = database.prepare("SELECT * FROM pages").all();
  database.close();
  return rows.map((row) => {
    const pairs = Object.entries(row).filter(([, value]) => value !== null);
    return Object.fromEntries(
      pairs.map(([name, value]) => [name, readSqliteValue(name as FieldName, value)]),
    );
  });
}

function readSqliteValue(name: FieldName, value: unknown): unknown {
  const { type } = FIELDS[name];
  if (type === "boolean") return Boolean(value);
  return type === "json" ? JSON.parse(value as string) : value;
}
