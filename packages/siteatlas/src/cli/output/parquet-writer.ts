/**
 * Writes pages as a Parquet file: row groups of up to 50,000 pages, one at a time, then the footer. Nothing
 * else is held, but a row group is worked on at once: this format takes more memory than those of text.
 *
 * Dates are TIMESTAMP (milliseconds, UTC), nested values are JSON, repeated texts (sitemap, kind, lang) become
 * dictionaries. Compressed with ZSTD where Node has it (22.15), otherwise with SNAPPY. The pages keep the order
 * in which the site declares them.
 */
import * as zlib from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { jsonLine } from "../../sinks/json.ts";
import type { PageWriter } from "./open-writer.ts";
import { toOutputError } from "./output-error.ts";
import { FIELDS, type FieldName, type FieldType, type PageRecord } from "./record.ts";
import type { ByteSink } from "./text-output.ts";

/** Larger ones compress hardly better and take more memory. */
const ROWS_PER_GROUP = 50_000;
/** In UTF-16 units. A page can have a thousand images: fewer of those make a row group. */
const TEXT_PER_GROUP = 32 * 1024 * 1024;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];
type ColumnData = Parameters<ParquetWriter["write"]>[0]["columnData"];
type Compress = (bytes: Uint8Array) => Uint8Array;

const TYPES: Readonly<Record<FieldType, Partial<SchemaElement>>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  date: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  json: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
};

/** Every page has them. */
const REQUIRED: ReadonlySet<FieldName> = new Set(["url", "sitemap", "kind"]);

/**
 * Texts that may hold any character. They are encoded here, because the least and the greatest value of a
 * column, by which readers skip row groups, must be found by bytes: by UTF-16 units the order is another one.
 */
const FREE_TEXT: ReadonlySet<FieldName> = new Set([
  "title",
  "lang",
  "lastmod_text",
  "published_text",
  "url_text",
]);

export class ParquetPageWriter implements PageWriter {
  readonly #sink: ByteSink;
  readonly #target: string;
  readonly #fields: readonly FieldName[];
  readonly #meta: Readonly<Record<string, string>>;
  readonly #parquet: ParquetWriter;
  #columns: unknown[][];
  #rowCount = 0;
  #textLength = 0;

  constructor(
    sink: ByteSink,
    target: string,
    fields: readonly FieldName[],
    meta: Readonly<Record<string, string>>,
  ) {
    this.#sink = sink;
    this.#target = target;
    this.#fields = fields;
    this.#meta = meta;
    this.#columns = fields.map(() => []);
    const root: SchemaElement = { name: "page", num_children: fields.length };
    this.#parquet = new ParquetWriter({
      writer: new SinkWriter(sink),
      schema: [root, ...fields.map(schemaElement)],
      ...chooseCodec(),
    });
  }

  write(record: PageRecord): void | Promise<void> {
    for (const [i, name] of this.#fields.entries()) this.#columns[i]!.push(this.#value(record, name));
    this.#rowCount++;
    if (this.#rowCount >= ROWS_PER_GROUP || this.#textLength >= TEXT_PER_GROUP) return this.#writeGroup();
  }

  async end(isCut?: boolean): Promise<string | undefined> {
    try {
      await this.#writeGroup();
      // Known at the end only, such as whether the run was cut short.
      this.#parquet.kvMetadata = Object.entries(this.#meta).map(([key, value]) => ({ key, value }));
      await this.#parquet.finish();
    } catch (error) {
      await this.abort();
      throw toOutputError(error, this.#target);
    }
    return this.#sink.commit(isCut);
  }

  abort(): Promise<void> {
    return this.#sink.discard();
  }

  /** Absent is `undefined` here and null in the file. */
  #value(record: PageRecord, name: FieldName): unknown {
    const value = record[name];
    if (value === undefined) return undefined;
    if (typeof value === "string") {
      this.#textLength += value.length;
      return FREE_TEXT.has(name) ? Buffer.from(value) : value;
    }
    if (FIELDS[name].type !== "json") return value;
    // Through the sink and back: the library writes its own JSON, which would keep lone surrogates.
    const json = jsonLine(value);
    this.#textLength += json.length;
    return JSON.parse(json);
  }

  async #writeGroup(): Promise<void> {
    const columns = this.#columns;
    const rowCount = this.#rowCount;
    this.#columns = this.#fields.map(() => []);
    this.#rowCount = 0;
    this.#textLength = 0;
    if (rowCount === 0) return;
    const columnData = this.#fields.map((name, i) => ({ name, data: columns[i]! })) as ColumnData;
    await this.#parquet.write({ columnData, rowGroupSize: rowCount });
  }
}

function schemaElement(name: FieldName): SchemaElement {
  const repetition_type = REQUIRED.has(name) ? "REQUIRED" : "OPTIONAL";
  return { name, repetition_type, ...TYPES[FIELDS[name].type] };
}

function chooseCodec(): { codec: "ZSTD" | "SNAPPY"; compressors?: { ZSTD: Compress } } {
  const { zstdCompressSync } = zlib as { zstdCompressSync?: Compress };
  if (zstdCompressSync === undefined) return { codec: "SNAPPY" };
  return { codec: "ZSTD", compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) } };
}

/** Gives the sink what a row group came to. The library waits for it, so the buffer can be used again. */
class SinkWriter extends ByteWriter {
  readonly #sink: ByteSink;

  constructor(sink: ByteSink) {
    super(1024 * 1024);
    this.#sink = sink;
  }

  async flush(): Promise<void> {
    await this.#sink.write(this.getBytes());
    this.index = 0;
  }

  override async finish(): Promise<void> {
    await this.flush();
  }
}
