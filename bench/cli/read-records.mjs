/**
 * Reads a file of pages back and prints how many there are and a digest of them:
 * `node bench/cli/read-records.mjs pages.parquet DIST`. The digest does not depend on the order, which differs
 * from run to run, and is the same for the same records in any format.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import * as zlib from "node:zlib";

const [, , file = "", dist = ""] = process.argv;
const load = (name) => import(pathToFileURL(`${dist}/${name}.js`).href);
const { FIELD_NAMES, FIELDS } = await load("record");
const { dateText } = await load("date-text");
const names = FIELD_NAMES.filter((name) => FIELDS[name].typedOnly !== true);

let count = 0;
const sums = new Uint32Array(4);

/** What a record says, whatever it was written in: values that are absent stay absent. */
function add(value) {
  const row = names.map((name) => value(name) ?? null);
  const hash = createHash("md5").update(JSON.stringify(row)).digest();
  for (let i = 0; i < 4; i++) sums[i] += hash.readUInt32LE(4 * i);
  count++;
}

async function readNdjson() {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const record = JSON.parse(line);
    add((name) => record[name]);
  }
}

/** Line by line: no value of this site holds a line break. */
async function readCsv() {
  let columns;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const cells = splitCells(line);
    if (columns === undefined) {
      columns = new Map(cells.map((name, i) => [name, i]));
      continue;
    }
    add((name) => {
      const cell = cells[columns.get(name)];
      if (cell === "") return undefined;
      const { type } = FIELDS[name];
      return type === "string" || type === "date" ? cell : JSON.parse(cell);
    });
  }
}

function splitCells(line) {
  if (!line.includes('"')) return line.split(",");
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}

async function readParquet() {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import("hyparquet");
  const source = await asyncBufferFromFile(file);
  const metadata = await parquetMetadataAsync(source);
  const compressors = zlib.zstdDecompressSync && { ZSTD: (bytes) => zlib.zstdDecompressSync(bytes) };
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rows);
    const options = { file: source, metadata, rowStart, rowEnd, ...(compressors && { compressors }) };
    for (const record of await parquetReadObjects(options)) {
      add((name) => {
        const value = record[name] ?? undefined;
        if (value === undefined || FIELDS[name].type !== "date") return value;
        return dateText(value, record[`${name}_precision`]);
      });
    }
    rowStart = rowEnd;
  }
}

async function readSqlite() {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file);
  for (const record of database.prepare("SELECT * FROM pages").iterate()) {
    add((name) => {
      const value = record[name] ?? undefined;
      if (value === undefined) return undefined;
      const { type } = FIELDS[name];
      return type === "json" ? JSON.parse(value) : type === "boolean" ? value === 1 : value;
    });
  }
  database.close();
}

const readers = { ndjson: readNdjson, csv: readCsv, parquet: readParquet, sqlite: readSqlite };
await readers[file.slice(file.lastIndexOf(".") + 1)]();
console.log(JSON.stringify({ count, digest: Buffer.from(sums.buffer).toString("hex") }));
