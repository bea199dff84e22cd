/**
 * Writes rows of any table as a Parquet file: row groups of up to 50,000 rows, one at a time, then the footer.
 * Nothing else is held, but a row group is worked on at once: this format takes more memory than those of text.
 *
 * Dates are TIMESTAMP (milliseconds, UTC), nested values are JSON, repeated values become dictionaries.
 * Compressed with ZSTD where Node has it (22.15), otherwise with SNAPPY. Rows keep the order in which they came.
 *
 * Rows are taken synchronously, so that callbacks can give them: nobody has to wait. A row group is encoded within
 * the call of `add` that fills it, and if the sink takes bytes synchronously, too, it is also written within it:
 * memory stays bounded whoever waits. What a slow sink has not taken yet is held until it has.
 */
import * as zlib from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { jsonLine } from "../sinks/json.ts";
import type { FieldType } from "./page-record.ts";

/** Larger ones compress hardly better and take more memory. */
const ROWS_PER_GROUP = 50_000;
/** In UTF-16 units. A page can have a thousand images: fewer of those make a row group. */
const TEXT_PER_GROUP = 32 * 1024 * 1024;

/** What a column holds. `number` is a double, `integer` has 64 bits. */
export type ColumnType = FieldType | "integer";

export interface ParquetColumn<Row> {
  readonly name: string;
  readonly type: ColumnType;
  /** Every row has a value. Otherwise `undefined` and `null` are null in the file. */
  readonly isRequired?: boolean;
  /**
   * Its texts hold nothing but ASCII, as URLs and names of our own do: faster. Other texts are encoded here,
   * because the least and the greatest value of a column, by which readers skip row groups, must be found by
   * bytes: by UTF-16 units the order is another one.
   */
  readonly isAscii?: boolean;
  /** A string, a number (or bigint, for `integer`), a boolean, a Date, anything for `json`. */
  readonly value: (row: Row) => unknown;
}

/** Takes the bytes of a file, one piece after the other: all of a piece, or it throws. */
export interface ParquetSink {
  /** The bytes are valid until it returns or its promise settles: the buffer is used again. */
  write(bytes: Uint8Array): void | Promise<void>;
}

export interface ParquetTableOptions {
  /** What one row is, as the schema calls it. @default "row" */
  readonly name?: string;
  /** Facts about the file, as key and value. Read at the end: it may still be filled. */
  readonly metadata?: Readonly<Record<string, string>>;
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];
type ColumnData = Parameters<ParquetWriter["write"]>[0]["columnData"];
type Compress = (bytes: Uint8Array) => Uint8Array;

interface RowGroup {
  readonly columns: readonly unknown[][];
  readonly rowCount: number;
}

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

export class ParquetTable<Row> {
  readonly #columns: readonly ParquetColumn<Row>[];
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #parquet: ParquetWriter;
  #values: unknown[][];
  /** Of the row group that is being filled. */
  #rows = 0;
  #textLength = 0;
  #rowCount = 0;
  /** While the sink works on a row group: settles when it and those behind it are written. Never rejects. */
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;

  constructor(
    sink: ParquetSink,
    columns: readonly ParquetColumn<Row>[],
    { name = "row", metadata = {} }: ParquetTableOptions = {},
  ) {
    const names = new Set(columns.map((column) => column.name));
    if (names.size !== columns.length || names.size === 0) {
      throw new TypeError("Cannot write a table without columns, or with two of one name");
    }
    this.#columns = columns;
    this.#metadata = metadata;
    this.#values = columns.map(() => []);
    const root: SchemaElement = { name, num_children: columns.length };
    this.#parquet = new ParquetWriter({
      writer: new SinkWriter(sink),
      schema: [root, ...columns.map(schemaElement)],
      ...chooseCodec(),
    });
  }

  /** Rows so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Bytes of the file so far, without the row group that is being filled; after `end`, all of them. */
  get byteCount(): number {
    return this.#parquet.writer.offset;
  }

  /** What went wrong, for those who do not wait and want to know before the end. */
  get failure(): unknown {
    return this.#failure?.error;
  }

  /**
   * Takes a row: its values are read before this returns. Where it gives a promise, a row group is on its way to the
   * sink, and those who wait for it bound the memory that a slow sink costs; it rejects if that fails. Nobody has
   * to wait: nothing is thrown because of the sink, rows after a failure go nowhere, and `end` throws it.
   *
   * @throws {TypeError} when a required value is absent, or the table has ended; the row is not taken then
   */
  add(row: Row): void | Promise<void> {
    if (this.#hasEnded) throw new TypeError("Cannot add a row: the table has ended");
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
   * Writes what is left, and the footer. The sink is not closed.
   *
   * @throws what the sink or the encoder threw, now or earlier: the file is not whole then
   */
  async end(): Promise<void> {
    if (this.#hasEnded) throw new TypeError("Cannot end a table twice");
    this.#hasEnded = true;
    this.#giveGroup();
    await this.#writing;
    if (this.#failure === undefined) {
      // Known at the end only, such as whether a run was cut short.
      this.#parquet.kvMetadata = Object.entries(this.#metadata).map(([key, value]) => ({ key, value }));
      this.#attempt(() => this.#parquet.finish());
      await this.#writing;
    }
    this.#check();
  }

  #read({ name, type, isRequired, isAscii, value: read }: ParquetColumn<Row>, row: Row): unknown {
    const value = read(row) ?? undefined;
    if (value === undefined) {
      if (isRequired) throw new TypeError(`Cannot add a row without ${name}, which is required`);
      return undefined;
    }
    if (type === "json") {
      // Through the sink and back: the library writes its own JSON, which would keep lone surrogates.
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
    const group: RowGroup = { columns: this.#values, rowCount: this.#rows };
    this.#values = this.#columns.map(() => []);
    this.#rows = 0;
    this.#textLength = 0;
    if (group.rowCount === 0 || this.#failure !== undefined) return;
    if (this.#writing === undefined) this.#attempt(() => this.#encode(group));
    else this.#queue(this.#writing, group);
  }

  /** Behind those that a slow sink is still working on: encoded only then, as the encoder has one buffer. */
  #queue(before: Promise<void>, group: RowGroup): void {
    this.#track(before.then(() => (this.#failure === undefined ? this.#encode(group) : undefined)));
  }

  /** Synchronous up to the sink, and to its end if the sink is. */
  #encode({ columns, rowCount }: RowGroup): void | Promise<void> {
    const columnData = this.#columns.map(({ name }, i) => ({ name, data: columns[i]! })) as ColumnData;
    return this.#parquet.write({ columnData, rowGroupSize: rowCount });
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
    // Who does not wait is told by `end`.
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

/**
 * Gives the sink what a row group came to. The library waits for a promise, if there is one, so the buffer can be
 * used again; it asks for nothing else that is asynchronous.
 */
class SinkWriter extends ByteWriter {
  readonly #sink: ParquetSink;

  constructor(sink: ParquetSink) {
    // It grows; most parts of a fleet are small.
    super(8 * 1024);
    this.#sink = sink;
  }

  flush(): void | Promise<void> {
    const written = this.#sink.write(this.getBytes());
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
