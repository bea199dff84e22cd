/**
 * Writes rows of any table as a Parquet file: row groups of up to 50,000 rows, then the footer. One row group at a time
 * is in memory. Text formats need less memory.
 *
 * Dates are written as TIMESTAMP (milliseconds, UTC), nested values as JSON, and repeated values with dictionaries. The
 * compression is ZSTD if Node has it (22.15 and later), otherwise SNAPPY. Rows keep their order.
 *
 * `add` is synchronous, so callbacks can call it without waiting. The call that fills a row group encodes it and passes
 * it to the sink. With a synchronous sink, memory stays limited even if the caller never waits. With a slow sink, row
 * groups queue up in memory unless the caller awaits `add`. The first table of a process loads hyparquet-writer, and
 * its row groups wait until the package is loaded. To avoid this wait, await `ParquetTable.load` first.
 */
import * as zlib from "node:zlib";
import type { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { checkArgument, checkOptions, type OptionRules } from "../check/check-options.ts";
import { listOf, type Rule, rule, STRING } from "../check/rules.ts";
import { jsonLine } from "../escape/json.ts";
import type { FieldType } from "./page-fields.ts";
import { loadedParquetPackage, loadParquetPackage, type ParquetPackage } from "./parquet-package.ts";

/** Maximum number of rows in a row group. Larger row groups need more memory and hardly compress better. */
const ROWS_PER_GROUP = 50_000;
/** Maximum length of all texts in a row group, in UTF-16 units. It is reached if pages have a thousand images. */
const TEXT_PER_GROUP = 32 * 1024 * 1024;

/** The type of a column. `number` is a double, `integer` is a 64-bit integer. */
export type ColumnType = FieldType | "integer";

/** A column of a Parquet file. */
export interface ParquetColumn<Row> {
  /** Name of the column. All columns must have different names. */
  readonly name: string;
  /** Type of the values. */
  readonly type: ColumnType;
  /** Whether every row has a value. Otherwise `undefined` and `null` become null in the file. */
  readonly isRequired?: boolean;
  /**
   * Whether all texts are ASCII. ASCII is faster to write. Other texts must be encoded before they can be compared by
   * bytes. The comparison finds the smallest and the largest text of each row group, which readers use to skip groups.
   */
  readonly isAscii?: boolean;
  /** Returns the value: a string, a number, a boolean or a Date. Also a bigint for `integer`, any value for `json`. */
  readonly value: (row: Row) => unknown;
}

/** Receives the bytes of a file in order. `write` must write all bytes or throw. */
export interface ParquetSink {
  /** Writes the bytes. They are valid until `write` returns or its promise settles, because the buffer is reused. */
  write(bytes: Uint8Array): void | Promise<void>;
}

/** Options of `ParquetTable`. */
export interface ParquetTableOptions {
  /** Name of the schema's root, for example "page". @default "row" */
  readonly name?: string | undefined;
  /** Key-value metadata of the file. `end` reads it, so the caller may add entries until then. @default none */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];
type ColumnData = Parameters<ParquetWriter["write"]>[0]["columnData"];
type Compress = (bytes: Uint8Array) => Uint8Array;

const TYPES: Readonly<Record<ColumnType, Partial<SchemaElement>>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  integer: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
  date: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  json: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
};

const SINK: Rule<ParquetSink> = rule(
  "an object with a method write",
  (value) => typeof (value as Partial<ParquetSink> | null | undefined)?.write === "function",
);

const COLUMN: Rule<ParquetColumn<never>> = rule(
  `a column { name, type, value }, with a type of ${Object.keys(TYPES).join(", ")}`,
  (value) => {
    const { name, type, value: read } = (value ?? {}) as Partial<ParquetColumn<never>>;
    return typeof name === "string" && Object.hasOwn(TYPES, type ?? "") && typeof read === "function";
  },
);

const COLUMNS: Rule<readonly ParquetColumn<never>[]> = listOf(COLUMN, "an array of columns");

const TABLE_OPTIONS: OptionRules<ParquetTableOptions> = {
  name: STRING,
  metadata: rule("an object with strings", (value) => typeof value === "object" && value !== null),
};

/** Writes rows as a Parquet file. Call `add` for each row, and `end` once. */
export class ParquetTable<Row> {
  readonly #columns: readonly ParquetColumn<Row>[];
  readonly #metadata: Readonly<Record<string, string>>;
  /** Undefined until hyparquet-writer is loaded. */
  #parquet: ParquetWriter | undefined;
  #values: unknown[][];
  /** Number of rows in the current row group. `#textLength` is the length of their texts. */
  #rows = 0;
  #textLength = 0;
  #rowCount = 0;
  /** Settles when the sink has written all row groups. Never rejects. Undefined while the sink is idle. */
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly isOfPackage?: boolean } | undefined;
  #hasEnded = false;

  /**
   * Loads the package hyparquet-writer, which writes the bytes. The constructor also does this. Await `load` before you
   * create a table, to learn early whether the package is installed, and to write the first row groups without a wait.
   *
   * @throws {Error} if hyparquet-writer is not installed
   */
  static async load(): Promise<void> {
    await loadParquetPackage();
  }

  constructor(sink: ParquetSink, columns: readonly ParquetColumn<Row>[], options: ParquetTableOptions = {}) {
    checkArgument("ParquetTable", "sink", SINK, sink);
    checkArgument("ParquetTable", "columns", COLUMNS, columns);
    checkOptions("ParquetTable", TABLE_OPTIONS, options);
    const { name = "row", metadata = {} } = options;
    const names = new Set(columns.map((column) => column.name));
    if (names.size !== columns.length || names.size === 0) {
      throw new TypeError("Cannot write a table without columns or with duplicate column names");
    }
    this.#columns = columns;
    this.#metadata = metadata;
    this.#values = columns.map(() => []);
    const root: SchemaElement = { name, num_children: columns.length };
    const schema = [root, ...columns.map(schemaElement)];
    const open = (hyparquet: ParquetPackage): void => {
      const writer = createSinkWriter(hyparquet, sink);
      this.#parquet = new hyparquet.ParquetWriter({ writer, schema, ...chooseCodec() });
    };
    const loaded = loadedParquetPackage();
    if (loaded !== undefined) open(loaded);
    else this.#track(this.#load().then(open));
  }

  /** Number of rows so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Size of the file so far, without the current row group. */
  get byteCount(): number {
    return this.#parquet?.writer.offset ?? 0;
  }

  /** The first error of the sink or the encoder, for callers that do not await `add`. */
  get failure(): unknown {
    return this.#failure?.error;
  }

  /**
   * Adds a row. Its values are read before `add` returns. When a row group is full, `add` may return a promise, which
   * resolves when the sink has written the row group and rejects if the write fails. Await this promise to limit the
   * memory that a slow sink needs. This is optional: after a failure, rows are dropped, and `end` throws the error.
   *
   * @throws {TypeError} if a required value is missing or the table has ended. The row is not added
   * @throws {Error} if hyparquet-writer is not installed
   */
  add(row: Row): void | Promise<void> {
    if (this.#hasEnded) throw new TypeError("Cannot add a row: the table has ended");
    if (this.#failure?.isOfPackage) this.#check();
    if (this.#failure !== undefined) return this.#room();
    const values = this.#columns.map((column) => this.#read(column, row));
    for (const [i, value] of values.entries()) this.#values[i]!.push(value);
    this.#rowCount++;
    this.#rows++;
    if (this.#rows < ROWS_PER_GROUP && this.#textLength < TEXT_PER_GROUP) return;
    this.#giveGroup();
    return this.#room();
  }

  /**
   * Writes the remaining rows and the footer. Does not close the sink.
   *
   * @throws the first error of the sink or the encoder. After an error, the file is incomplete
   */
  async end(): Promise<void> {
    if (this.#hasEnded) throw new TypeError("Cannot end a table twice");
    this.#hasEnded = true;
    this.#giveGroup();
    await this.#writing;
    const parquet = this.#parquet;
    if (this.#failure === undefined && parquet !== undefined) {
      // Set the metadata last, because some entries are known only at the end, such as whether a run was complete.
      parquet.kvMetadata = Object.entries(this.#metadata).map(([key, value]) => ({ key, value }));
      this.#attempt(() => parquet.finish());
      await this.#writing;
    }
    this.#check();
  }

  async #load(): Promise<ParquetPackage> {
    try {
      return await loadParquetPackage();
    } catch (error) {
      this.#failure ??= { error, isOfPackage: true };
      throw error;
    }
  }

  #read({ name, type, isRequired, isAscii, value: read }: ParquetColumn<Row>, row: Row): unknown {
    const value = read(row) ?? undefined;
    if (value === undefined) {
      if (isRequired) throw new TypeError(`Cannot add a row without the required column ${name}`);
      return undefined;
    }
    if (type === "json") {
      // Serialize here, because hyparquet-writer would keep lone surrogates. jsonLine replaces them.
      const json = jsonLine(value);
      this.#textLength += json.length;
      return JSON.parse(json);
    }
    if (typeof value === "string") {
      this.#textLength += value.length;
      return isAscii ? value : Buffer.from(value);
    }
    return type === "integer" ? BigInt(value as number | bigint) : value;
  }

  #giveGroup(): void {
    const [values, rowGroupSize] = [this.#values, this.#rows];
    this.#values = this.#columns.map(() => []);
    this.#rows = 0;
    this.#textLength = 0;
    if (rowGroupSize === 0) return;
    const encode = (): void | Promise<void> => {
      if (this.#failure !== undefined) return;
      const columnData = this.#columns.map(({ name }, i) => ({ name, data: values[i]! })) as ColumnData;
      return this.#parquet?.write({ columnData, rowGroupSize });
    };
    // The encoder has only one buffer, so a row group waits until the sink has written the previous row groups.
    if (this.#writing === undefined) this.#attempt(encode);
    else this.#track(this.#writing.then(encode));
  }

  #attempt(write: () => void | Promise<void>): void {
    try {
      const written = write();
      if (written !== undefined) this.#track(written);
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #track(written: Promise<void>): void {
    const writing = written
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .then(() => {
        if (this.#writing === writing) this.#writing = undefined;
      });
    this.#writing = writing;
  }

  #room(): void | Promise<void> {
    if (this.#writing === undefined && this.#failure === undefined) return;
    const room = Promise.resolve(this.#writing).then(() => this.#check());
    // Ignore the rejection: a caller that does not await this promise gets the error from `end`.
    room.catch(() => {});
    return room;
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

function schemaElement<Row>({ name, type, isRequired }: ParquetColumn<Row>): SchemaElement {
  return { name, repetition_type: isRequired ? "REQUIRED" : "OPTIONAL", ...TYPES[type] };
}

function chooseCodec(): { codec: "ZSTD" | "SNAPPY"; compressors?: { ZSTD: Compress } } {
  const { zstdCompressSync } = zlib as { zstdCompressSync?: Compress };
  if (zstdCompressSync === undefined) return { codec: "SNAPPY" };
  return { codec: "ZSTD", compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) } };
}

/** Passes each encoded row group to the sink. hyparquet-writer awaits `flush`, so the buffer can be reused. */
function createSinkWriter(hyparquet: ParquetPackage, sink: ParquetSink): ByteWriter {
  class SinkWriter extends hyparquet.ByteWriter {
    flush(): void | Promise<void> {
      const written = sink.write(this.getBytes());
      if (written === undefined) {
        this.index = 0;
        return;
      }
      return written.then(() => {
        this.index = 0;
      });
    }

    override finish(): void | Promise<void> {
      return this.flush();
    }
  }
  // Start with a small buffer, because most files of siteatlas-fleet are small. The buffer grows when needed.
  return new SinkWriter(8 * 1024);
}
