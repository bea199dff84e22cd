/**
 * Writes pages as a SQLite database with one table, `pages`, by the SQLite that comes with Node (22.13 and
 * later). Pages go in by transactions of some thousand; the database takes its place when it is whole, so
 * its journal need not outlive the process.
 *
 * Dates are texts of ISO 8601, which SQLite's date functions read and which sort by time; nested values are
 * texts of JSON, for its JSON functions.
 */

import { FIELDS, type FieldName, type FieldType, type PageRecord } from "../../output/page-record.ts";
import { type Cell, readCell } from "./cells.ts";
import type { PageWriter } from "./open-writer.ts";
import { OutputError, toOutputError } from "./output-error.ts";
import { TargetFile } from "./target-file.ts";

/** Enough that a transaction costs nothing, few enough that the process hears its signals in between. */
const ROWS_PER_TRANSACTION = 2000;

const TYPES: Readonly<Record<FieldType, string>> = {
  string: "TEXT",
  number: "REAL",
  boolean: "INTEGER",
  date: "TEXT",
  json: "TEXT",
};

/** As much of `node:sqlite` as is used. */
interface Sqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: (string | number | null)[]): unknown };
  close(): void;
}

/** @throws {OutputError} before anything is written, when this Node has no SQLite */
export async function openSqliteWriter(
  file: string,
  fields: readonly FieldName[],
  { force }: { readonly force?: boolean | undefined },
): Promise<PageWriter> {
  const sqlite = loadSqlite();
  if (sqlite === undefined) {
    throw new OutputError(
      `Cannot write ${file}: SQLite needs Node 22.13 or later, this is ${process.version}`,
      {
        exitCode: 2,
        hint: "write .parquet, .csv or .ndjson with this Node",
      },
    );
  }
  const target = await TargetFile.open(file, { force, byName: true });
  try {
    return new SqliteWriter(target, new sqlite.DatabaseSync(target.writtenPath), fields);
  } catch (error) {
    await target.discard();
    throw toOutputError(error, file);
  }
}

class SqliteWriter implements PageWriter {
  readonly #target: TargetFile;
  readonly #database: Database;
  readonly #fields: readonly FieldName[];
  readonly #insert: ReturnType<Database["prepare"]>;
  #rowCount = 0;

  constructor(target: TargetFile, database: Database, fields: readonly FieldName[]) {
    this.#target = target;
    this.#database = database;
    this.#fields = fields;
    const columns = fields.map((name) => `${name} ${TYPES[FIELDS[name].type]}`);
    // Nobody sees the database before it is whole: what is lost when the power fails is lost either way. OFF
    // would do, but newer Nodes refuse it silently and leave a journal beside the file.
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    database.exec(`CREATE TABLE pages (${columns.join(", ")})`);
    this.#insert = database.prepare(`INSERT INTO pages VALUES (${fields.map(() => "?").join(", ")})`);
    database.exec("BEGIN");
  }

  write(record: PageRecord): void {
    try {
      this.#insert.run(...this.#fields.map((name) => toSql(readCell(record, name))));
      if (++this.#rowCount % ROWS_PER_TRANSACTION === 0) this.#database.exec("COMMIT; BEGIN");
    } catch (error) {
      throw sqliteError(error, this.#target.path);
    }
  }

  async end(isCut?: boolean): Promise<string | undefined> {
    try {
      this.#database.exec("COMMIT");
      this.#database.close();
    } catch (error) {
      await this.abort();
      throw sqliteError(error, this.#target.path);
    }
    return this.#target.commit(isCut);
  }

  async abort(): Promise<void> {
    try {
      this.#database.close();
    } catch {
      // It is closed already, or is beyond help.
    }
    await this.#target.discard();
  }
}

function toSql(cell: Cell): string | number | null {
  if (cell === undefined) return null;
  return typeof cell === "boolean" ? Number(cell) : cell;
}

/** https://www.sqlite.org/rescode.html */
const SQLITE_CODES: Readonly<Record<number, string>> = { 10: "EIO", 13: "ENOSPC", 14: "EACCES", 8: "EROFS" };

function sqliteError(error: unknown, path: string): Error {
  const { errcode = 0 } = error as { errcode?: number };
  // The lower byte says what it is, the rest where it happened.
  const code = SQLITE_CODES[errcode & 0xff];
  return toOutputError(code === undefined ? error : Object.assign(new Error(String(error)), { code }), path);
}

/** Not by `import`: it is absent from Node 20. It announces itself as experimental, which helps nobody here. */
function loadSqlite(): Sqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith("SQLite")) Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule("node:sqlite") as Sqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
