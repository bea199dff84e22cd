/** Writes Parquet from callbacks that do not wait, to sinks that are slow or fail. */
import * as zlib from "node:zlib";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import {
  FIELD_NAMES,
  type PageRecord,
  type ParquetColumn,
  type ParquetSink,
  ParquetTable,
  pageColumns,
  toRecord,
} from "../../src/output/index.ts";

interface Row {
  readonly id: number | bigint;
  readonly name?: string | null;
  readonly at?: Date;
  readonly more?: unknown;
}

const columns: readonly ParquetColumn<Row>[] = [
  { name: "id", type: "integer", isRequired: true, value: ({ id }) => id },
  { name: "name", type: "string", value: ({ name }) => name },
  { name: "at", type: "date", value: ({ at }) => at },
  { name: "more", type: "json", value: ({ more }) => more },
];

const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array };
const compressors =
  zstdDecompressSync === undefined ? {} : { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) };

/** A synchronous sink. Copies the bytes, because the table reuses its buffer. */
class Memory implements ParquetSink {
  readonly pieces: Uint8Array[] = [];

  write(bytes: Uint8Array): void | Promise<void> {
    this.pieces.push(bytes.slice());
  }

  get file(): ArrayBuffer {
    const bytes = Buffer.concat(this.pieces);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  }
}

/** Copies each piece one turn of the event loop later. */
class SlowMemory extends Memory {
  override async write(bytes: Uint8Array): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    super.write(bytes);
  }
}

const read = (file: ArrayBuffer) => parquetReadObjects({ file, compressors });

it("a record is a plain object with every field", () => {
  const record = toRecord({ url: "https://a.example/", priority: 0.5 }, "https://a.example/sitemap.xml");
  expect(Object.keys(record)).toEqual(FIELD_NAMES);
  expect(JSON.parse(JSON.stringify(record))).toEqual({
    url: "https://a.example/",
    priority: 0.5,
    sitemap: "https://a.example/sitemap.xml",
    kind: "page",
  });
});

describe("a table", () => {
  it("has the same rows when it is read back", async () => {
    const sink = new Memory();
    const metadata: Record<string, string> = { tool: "test" };
    const table = new ParquetTable(sink, columns, { name: "thing", metadata });
    const at = new Date("2024-05-01T10:00:00.123Z");
    table.add({ id: 1, name: "\u{1F600} and \uFFFD", at, more: { a: [1, "b"] } });
    table.add({ id: 2n ** 62n, name: null });
    metadata["late"] = "yes";
    await table.end();
    expect(await read(sink.file)).toEqual([
      { id: 1n, name: "\u{1F600} and \uFFFD", at, more: { a: [1, "b"] } },
      { id: 2n ** 62n, name: null, at: null, more: null },
    ]);
    const { schema, key_value_metadata } = parquetMetadata(sink.file);
    expect(schema.map(({ name, repetition_type }) => [name, repetition_type])).toEqual([
      ["thing", undefined],
      ["id", "REQUIRED"],
      ["name", "OPTIONAL"],
      ["at", "OPTIONAL"],
      ["more", "OPTIONAL"],
    ]);
    expect(key_value_metadata).toEqual([
      { key: "tool", value: "test" },
      { key: "late", value: "yes" },
    ]);
    expect(table.rowCount).toBe(2);
    expect(table.byteCount).toBe(sink.file.byteLength);
  });

  it("may be empty", async () => {
    const sink = new Memory();
    await new ParquetTable(sink, columns).end();
    expect(await read(sink.file)).toEqual([]);
  });

  it("compares texts by bytes, not by UTF-16 units, for the statistics of a column", async () => {
    const sink = new Memory();
    const table = new ParquetTable(sink, columns);
    // U+1F600 is greater than U+FFFD, its first half (U+D83D) is less.
    for (const name of ["\uFFFD", "\u{1F600}"]) table.add({ id: 1, name });
    await table.end();
    const { statistics } = parquetMetadata(sink.file).row_groups[0]!.columns[1]!.meta_data!;
    expect(statistics).toMatchObject({ min_value: "\uFFFD", max_value: "\u{1F600}" });
  });

  it("can combine its own columns with those of a page", async () => {
    interface Wide {
      readonly site: string;
      readonly page: PageRecord;
    }
    const sink = new Memory();
    const site: ParquetColumn<Wide> = { name: "site", type: "string", value: (row) => row.site };
    const table = new ParquetTable(sink, [site, ...pageColumns((row: Wide) => row.page, ["url", "kind"])]);
    table.add({ site: "a", page: toRecord({ url: "https://a.example/" }, "https://a.example/sitemap.xml") });
    await table.end();
    expect(await read(sink.file)).toEqual([{ site: "a", url: "https://a.example/", kind: "page" }]);
  });
});

describe("row groups", () => {
  it("reach a synchronous sink before the call that filled them returns", async () => {
    await ParquetTable.load();
    const sink = new Memory();
    const table = new ParquetTable(sink, columns);
    for (let id = 0; id < 49_999; id++) table.add({ id });
    expect(sink.pieces.length).toBe(0);
    expect(table.add({ id: 49_999 })).toBeUndefined();
    expect(sink.pieces.length).toBe(1);
    expect(table.byteCount).toBe(sink.file.byteLength);
    table.add({ id: 50_000 });
    await table.end();
    expect(parquetMetadata(sink.file).row_groups.map(({ num_rows }) => num_rows)).toEqual([50_000n, 1n]);
  });

  it.each([true, false])("reach a slow sink in order (caller waits: %j)", async (waits) => {
    const sink = new SlowMemory();
    const table = new ParquetTable(sink, columns);
    for (let id = 0; id < 170_000; id++) {
      const room = table.add({ id });
      if (waits) await room;
    }
    await table.end();
    const { row_groups } = parquetMetadata(sink.file);
    expect(row_groups.map(({ num_rows }) => num_rows)).toEqual([50_000n, 50_000n, 50_000n, 20_000n]);
    const rows = await read(sink.file);
    expect(rows.findIndex(({ id }, i) => id !== BigInt(i))).toBe(-1);
    expect(rows.length).toBe(170_000);
  });
});

describe("a failure", () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const sinks: readonly (readonly [string, () => void | Promise<void>])[] = [
    [
      "a synchronous sink",
      () => {
        throw full;
      },
    ],
    ["a slow sink", () => new Promise((_, reject) => setTimeout(() => reject(full), 5))],
  ];

  it.each(sinks)("of %s is thrown by end, even if no call of add was awaited", async (_, write) => {
    const table = new ParquetTable({ write }, columns);
    for (let id = 0; id < 120_000; id++) table.add({ id });
    await expect(table.end()).rejects.toBe(full);
    expect(table.failure).toBe(full);
  });

  it.each(sinks)("of %s rejects the promise of add, and the sink is not called again", async (_, write) => {
    let calls = 0;
    const counted = () => {
      calls++;
      return write();
    };
    const table = new ParquetTable({ write: counted }, columns);
    for (let id = 0; id < 49_999; id++) table.add({ id });
    await expect(table.add({ id: 1 })).rejects.toBe(full);
    expect(table.failure).toBe(full);
    await expect(table.add({ id: 2 })).rejects.toBe(full);
    await expect(table.end()).rejects.toBe(full);
    expect(calls).toBe(1);
  });

  it.each(sinks)("of %s at the footer is thrown by end", async (_, write) => {
    await expect(new ParquetTable({ write }, columns).end()).rejects.toBe(full);
  });

  it("caused by a value of the wrong type is thrown by end", async () => {
    const table = new ParquetTable<Row>(new Memory(), [{ name: "id", type: "number", value: () => "one" }]);
    table.add({ id: 1 });
    await expect(table.end()).rejects.toThrow("parquet expected number value");
  });
});

describe("misuse", () => {
  it("is a row without a required value: only this row is rejected", async () => {
    const sink = new Memory();
    const required: ParquetColumn<Row> = {
      name: "name",
      type: "string",
      isRequired: true,
      value: (row) => row.name,
    };
    const table = new ParquetTable(sink, [columns[0]!, required]);
    table.add({ id: 1, name: "a" });
    expect(() => table.add({ id: 2 })).toThrow(
      new TypeError("Cannot add a row without the required column name"),
    );
    table.add({ id: 3, name: "c" });
    await table.end();
    expect(await read(sink.file)).toEqual([
      { id: 1n, name: "a" },
      { id: 3n, name: "c" },
    ]);
  });

  it("is a row after the end", async () => {
    const table = new ParquetTable(new Memory(), columns);
    await table.end();
    expect(() => table.add({ id: 1 })).toThrow(TypeError);
    await expect(table.end()).rejects.toThrow(TypeError);
  });

  it.each([[[]], [[columns[0]!, columns[0]!]]])("is a table without columns, or with one twice", (wrong) => {
    expect(() => new ParquetTable(new Memory(), wrong)).toThrow(TypeError);
  });
});
