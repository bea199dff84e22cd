/**
 * Writes pages into a SQLite database with one table, `pages`. Uses the SQLite of Node (22.13 and later).
 *
 * Dates are ISO 8601 strings: SQLite's date functions read them, and they sort by time. Nested values are JSON strings.
 */

import { FIELDS, type FieldName, type FieldType } from "../../output/page-fields.ts";
import { OutputError, toOutputError } from "../process/output-error.ts";
import type { PageWriter } from "./page-writer.ts";
import { type Cell, readCell } from "./table-cells.ts";
import { TargetFile } from "./target-file.ts";

/** Number of rows per transaction. Large transactions are faster, but signals are handled only between two of them. */
const ROWS_PER_TRANSACTION = 2000;

const TYPES: Readonly<Record<FieldType, string>> = {
  string: "TEXT",
  number: "REAL",
  boolean: "INTEGER",
  date: "TEXT",
  json: "TEXT",
};

/** The part of `node:sqlite` that is used. */
interface Sqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: (string | number | null)[]): unknown };
  close(): void;
}

/** Opens a database for writing. @throws {OutputError} if this version of Node has no SQLite */
export async function openSqliteWriter(
  file: string,
  fields: readonly FieldName[],
  { force }: { readonly force?: boolean | undefined },
): Promise<PageWriter> {
  const sqlite = loadSqlite();
  if (sqlite === undefined) {
    throw new OutputError(`cannot write ${file}: SQLite needs Node 22.13 or later`, {
      exitCode: 2,
      hint: `Update Node (you have ${process.version.slice(1)}), or write .parquet, .csv or .ndjson.`,
    });
  }
  const target = await TargetFile.open(file, { force, byName: true });
  try {
    return createSqliteWriter(target, new sqlite.DatabaseSync(target.writtenPath), fields);
  } catch (error) {
    await target.discard();
    throw toOutputError(error, file);
  }
}

function createSqliteWriter(
  target: TargetFile,
  database: Database,
  fields: readonly FieldName[],
): PageWriter {
  const columns = fields.map((name) => `${name} ${TYPES[FIELDS[name].type]}`);
  // No protection against a crash is needed, because the file is renamed only when complete. journal_mode OFF would be
  // enough, but newer versions of Node ignore it and leave a journal file behind.
  database.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
  database.exec(`CREATE TABLE pages (${columns.join(", ")})`);
  const insert = database.prepare(`INSERT INTO pages VALUES (${fields.map(() => "?").join(", ")})`);
  database.exec("BEGIN");
  let rowCount = 0;
  const abort = async (): Promise<void> => {
    try {
      database.close();
    } catch {
      // Ignore the error: the database is already closed or damaged.
    }
    await target.discard();
  };
  return {
    write: (record) => {
      try {
        insert.run(...fields.map((name) => toSql(readCell(record, name))));
        if (++rowCount % ROWS_PER_TRANSACTION === 0) database.exec("COMMIT; BEGIN");
      } catch (error) {
        throw sqliteError(error, target.path);
      }
    },
    end: async (isCut) => {
      try {
        database.exec("COMMIT");
        database.close();
      } catch (error) {
        await abort();
        throw sqliteError(error, target.path);
      }
      return target.commit(isCut);
    },
    abort,
  };
}

function toSql(cell: Cell): string | number | null {
  if (cell === undefined) return null;
  return typeof cell === "boolean" ? Number(cell) : cell;
}

/**
 * Error codes of SQLite (https://www.sqlite.org/rescode.html), and the codes of the operating system with the same
 * meaning.
 */
const SQLITE_CODES: Readonly<Record<number, string>> = { 10: "EIO", 13: "ENOSPC", 14: "EACCES", 8: "EROFS" };

function sqliteError(error: unknown, path: string): Error {
  const { errcode = 0 } = error as { errcode?: number };
  // The lower byte is the error code. The other bytes are details.
  const code = SQLITE_CODES[errcode & 0xff];
  return toOutputError(code === undefined ? error : Object.assign(new Error(String(error)), { code }), path);
}

/**
 * Loads `node:sqlite`. Not with `import`, because Node 20 does not have it. Hides the warning that it is experimental.
 */
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
