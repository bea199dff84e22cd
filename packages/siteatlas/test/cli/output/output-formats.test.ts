/** The same pages in every format: reading a file back gives the written pages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Format, formatOfFile } from "../../../src/cli/config/output-formats.ts";
import { openWriter, type WriterOptions } from "../../../src/cli/output/open-writer.ts";
import { readFields } from "../../../src/cli/output/parse-field-names.ts";
import { dateText } from "../../../src/model/format-date.ts";
import { FIELD_NAMES, lazyRecord, type PageRecord } from "../../../src/output/page-fields.ts";
import { testFolder } from "../support/folder.ts";
import { difficultPages, ordinaryPages } from "../support/output-records.ts";
import {
  expectedRow,
  type Row,
  readDelimited,
  readNdjson,
  readParquet,
  readSqlite,
  sqlite,
} from "../support/read-outputs.ts";

const SITEMAP = "https://www.example.com/sitemap.xml";

const records: readonly PageRecord[] = [
  ...difficultPages.map((page) => lazyRecord(page, SITEMAP)),
  ...Array.from(ordinaryPages(500), ({ page, sitemap }) => lazyRecord(page, sitemap)),
];
const expected: readonly Row[] = records.map(expectedRow);

async function write(
  options: Partial<WriterOptions> & { format: Format; name?: string },
  written: Iterable<PageRecord> = records,
): Promise<string> {
  const file = join(testFolder(), options.name ?? `pages.${options.format}`);
  const writer = await openWriter({ meta: {}, file, ...options });
  for (const record of written) await writer.write(record);
  await writer.end();
  return file;
}

const text = (file: string) => readFileSync(file, "utf8");

describe("the same records are read back from", () => {
  it("ndjson", async () => {
    expect(readNdjson(text(await write({ format: "ndjson" })))).toEqual(expected);
  });

  it("json", async () => {
    expect(JSON.parse(text(await write({ format: "json" })))).toEqual(expected);
  });

  it("csv, as RFC 4180 defines it", async () => {
    expect(readDelimited(text(await write({ format: "csv", csvRaw: true })), ",")).toEqual(expected);
  });

  it("tsv", async () => {
    expect(readDelimited(text(await write({ format: "tsv", csvRaw: true })), "\t")).toEqual(expected);
  });

  it("parquet", async () => {
    const { rows, codecs } = await readParquet(await write({ format: "parquet" }));
    expect(rows).toEqual(expected);
    expect(codecs).toEqual(new Set(["zstdCompressSync" in (await import("node:zlib")) ? "ZSTD" : "SNAPPY"]));
  });

  it.skipIf(sqlite === undefined)("sqlite (skipped: this Node has no node:sqlite)", async () => {
    expect(readSqlite(await write({ format: "sqlite" }))).toEqual(expected);
  });

  it("urls", async () => {
    const urls = text(await write({ format: "urls" })).split("\n");
    expect(urls).toEqual([...records.map(({ url }) => url), ""]);
  });

  it.each(["ndjson", "json", "csv", "tsv", "urls"] as const)("%s.gz", async (format) => {
    const plain = readFileSync(await write({ format }));
    const compressed = readFileSync(await write({ format, name: `pages.${format}.gz` }));
    expect(gunzipSync(compressed).equals(plain)).toBe(true);
    expect(compressed.length).toBeLessThan(plain.length / 4);
  });
});

describe("the exact text of", () => {
  const two = [
    lazyRecord(
      {
        url: "https://www.example.com/a",
        lastModified: { text: "2024-05", value: new Date("2024-05-01T00:00:00Z"), precision: "month" },
        priority: 0.5,
        title: "=1+1, \u001b\u2028",
      },
      SITEMAP,
    ),
    lazyRecord({ url: "https://www.example.com/b", mobile: true }, SITEMAP),
  ];
  const fields = ["url", "lastmod", "priority", "title", "mobile"];

  it("ndjson: no control characters, one line per page, no absent values", async () => {
    expect(text(await write({ format: "ndjson", fields }, two))).toBe(
      '{"url":"https://www.example.com/a","lastmod":"2024-05","priority":0.5,"title":"=1+1, \\u001b\\u2028"}\n' +
        '{"url":"https://www.example.com/b","mobile":true}\n',
    );
  });

  it("json", async () => {
    expect(text(await write({ format: "json", fields: ["url"] }, two))).toBe(
      '[\n{"url":"https://www.example.com/a"},\n{"url":"https://www.example.com/b"}\n]\n',
    );
  });

  it("csv: a title that is a formula gets an apostrophe (sec-O02)", async () => {
    expect(text(await write({ format: "csv", fields }, two))).toBe(
      "url,lastmod,priority,title,mobile\r\n" +
        'https://www.example.com/a,2024-05,0.5,"\'=1+1, \u001b\u2028",\r\n' +
        "https://www.example.com/b,,,,true\r\n",
    );
  });

  it("csv with --csv-raw", async () => {
    expect(text(await write({ format: "csv", fields: ["title"], csvRaw: true }, two.slice(0, 1)))).toBe(
      'title\r\n"=1+1, \u001b\u2028"\r\n',
    );
  });

  it("tsv", async () => {
    expect(text(await write({ format: "tsv", fields: ["lastmod", "url"] }, two))).toBe(
      "lastmod\turl\n2024-05\thttps://www.example.com/a\n\thttps://www.example.com/b\n",
    );
  });

  it.each([
    ["urls", ""],
    ["ndjson", ""],
    ["json", "[]\n"],
    ["csv", "url,title\r\n"],
    ["tsv", "url\ttitle\n"],
  ] as const)("%s without any page", async (format, whole) => {
    expect(text(await write({ format, fields: ["url", "title"] }, []))).toBe(whole);
  });
});

describe("parquet", () => {
  it("can be empty", async () => {
    expect((await readParquet(await write({ format: "parquet" }, []))).rows).toEqual([]);
  });

  it("is written in row groups, with metadata that is known at the end", async () => {
    const file = join(testFolder(), "pages.parquet");
    const meta: Record<string, string> = { tool: "siteatlas" };
    const writer = await openWriter({ format: "parquet", file, meta });
    for (const { page, sitemap } of ordinaryPages(60_000)) await writer.write(lazyRecord(page, sitemap));
    meta["partial"] = "true";
    await writer.end();
    const { rows, rowGroups, meta: written } = await readParquet(file);
    expect(rowGroups).toEqual([50_000, 10_000]);
    expect(rows.length).toBe(60_000);
    expect(rows[59_999]?.url).toBe("https://www.example.com/help/article-59999-about-something-that-matters");
    expect(written).toEqual({ tool: "siteatlas", partial: "true" });
  });

  it("has fewer pages in a row group if they have much text", async () => {
    const caption = "x".repeat(1_000_000);
    const pages = Array.from({ length: 70 }, (_, i) => ({
      url: `https://www.example.com/${i}`,
      images: [{ url: "https://www.example.com/1.jpg", caption }],
    }));
    const file = await write(
      { format: "parquet" },
      pages.map((page) => lazyRecord(page, SITEMAP)),
    );
    expect((await readParquet(file)).rowGroups).toEqual([34, 34, 2]);
  });

  it("has only the given fields, in their order", async () => {
    const { rows } = await readParquet(await write({ format: "parquet", fields: ["sitemap", "url"] }));
    expect(Object.keys(rows[0] as Row).sort()).toEqual(["sitemap", "url"]);
  });
});

describe("fields", () => {
  it("are read from a list, without duplicates", () => {
    expect(readFields("url, lastmod,url")).toEqual(["url", "lastmod"]);
  });

  it.each([
    ["url,lastmdo", 'unknown field "lastmdo"', "Did you mean lastmod?"],
    ["loc", 'unknown field "loc"', "Did you mean url?"],
    ["constructor", 'unknown field "constructor"', "Fields: url, lastmod, "],
    [" , ", "--fields must name at least one field", "Fields: url, lastmod, "],
  ])("%j is a usage error", (list, message, hint) => {
    expect(() => readFields(list)).toThrow(
      expect.objectContaining({ message, exitCode: 2, hint: expect.stringContaining(hint) }),
    );
  });

  it("are exactly the properties of a record", () => {
    const record = records[0] as PageRecord;
    const own = [
      ...Object.keys(record),
      ...Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(record))),
    ];
    expect(own.filter((name) => name !== "constructor").sort()).toEqual(FIELD_NAMES.toSorted());
  });
});

it("writes dates with the precision of the site", () => {
  const value = new Date("2024-05-06T07:08:09.000Z");
  expect(dateText(value, "year")).toBe("2024");
  expect(dateText(value, "month")).toBe("2024-05");
  expect(dateText(value, "day")).toBe("2024-05-06");
  expect(dateText(value, "time")).toBe("2024-05-06T07:08:09Z");
  expect(dateText(new Date("2024-05-06T07:08:09.010Z"))).toBe("2024-05-06T07:08:09.010Z");
  expect(dateText(new Date(Date.UTC(12024, 0, 1)), "year")).toBe("+012024");
});

it.each([
  ["pages.csv", "csv"],
  ["a/b.c/PAGES.NDJSON.GZ", "ndjson"],
  ["pages.jsonl", "ndjson"],
  ["pages.txt.gz", "urls"],
  ["pages.parquet", "parquet"],
  ["pages.parquet.gz", undefined],
  ["pages.db", "sqlite"],
  ["pages.tree", "tree"],
  ["pages.gz", undefined],
  ["pages", undefined],
  ["pages.constructor", undefined],
  ["csv", undefined],
])("detects the format of %s as %s", (path, format) => {
  expect(formatOfFile(path)).toBe(format);
});
