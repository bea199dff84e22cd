/** Files take their place when they are whole, and never the place of something else. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Format } from "../../src/cli/output/file-format.ts";
import { openWriter, type PageWriter } from "../../src/cli/output/open-writer.ts";
import { openTextOutput } from "../../src/cli/output/text-output.ts";
import { toRecord } from "../../src/output/page-record.ts";
import { testFolder } from "./support/folder.ts";
import { sqlite } from "./support/read-outputs.ts";

const record = toRecord({ url: "https://www.example.com/a" }, "https://www.example.com/sitemap.xml");
const formats: readonly Format[] = [
  "urls",
  "ndjson",
  "json",
  "csv",
  "tsv",
  "parquet",
  ...(sqlite ? ["sqlite" as const] : []),
];

const open = (file: string, format: Format = "urls", force = false): Promise<PageWriter> =>
  openWriter({ format, file, force, meta: {} });

const refusal = (message: string, hint?: string) =>
  expect.objectContaining({ name: "OutputError", message, exitCode: 2, hint });

describe.each(formats)("%s", (format) => {
  it("has no file by its name before its end", async () => {
    const folder = testFolder();
    const file = join(folder, "pages.out");
    const writer = await open(file, format);
    await writer.write(record);
    expect(existsSync(file)).toBe(false);
    await writer.end();
    expect(readdirSync(folder)).toEqual(["pages.out"]);
    expect(statSync(file).size).toBeGreaterThan(10);
  });

  it("leaves nothing behind when it is given up", async () => {
    const folder = testFolder();
    const writer = await open(join(folder, "pages.out"), format);
    await writer.write(record);
    await writer.abort();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps what was there when it is given up", async () => {
    const file = join(testFolder(), "pages.out");
    writeFileSync(file, "before");
    const writer = await open(file, format, true);
    await writer.write(record);
    await writer.abort();
    expect(readFileSync(file, "utf8")).toBe("before");
  });

  it("is refused where there is a file already, and is not with --force", async () => {
    const file = join(testFolder(), "pages.out");
    writeFileSync(file, "before");
    await expect(open(file, format)).rejects.toEqual(
      refusal(`Cannot write ${file}: it exists already`, "--force overwrites it"),
    );
    const writer = await open(file, format, true);
    await writer.write(record);
    await writer.end();
    expect(readFileSync(file, "latin1")).toContain("www.example.com/a");
  });
});

it("does not replace a file that came in the meantime", async () => {
  const folder = testFolder();
  const file = join(folder, "pages.txt");
  const writer = await open(file);
  writer.write(record);
  writeFileSync(file, "came first");
  await expect(writer.end()).rejects.toMatchObject({ message: `Cannot write ${file}: it exists already` });
  expect(readFileSync(file, "utf8")).toBe("came first");
  expect(readdirSync(folder)).toEqual(["pages.txt"]);
});

it("replaces a symbolic link, and does not follow it", async () => {
  const folder = testFolder();
  const [file, victim] = [join(folder, "pages.txt"), join(folder, "victim")];
  writeFileSync(victim, "mine");
  symlinkSync(victim, file);
  await expect(open(file)).rejects.toEqual(
    refusal(`Cannot write ${file}: it exists already`, "--force overwrites it"),
  );
  const writer = await open(file, "urls", true);
  await writer.write(record);
  await writer.end();
  expect(readFileSync(victim, "utf8")).toBe("mine");
  expect(lstatSync(file).isFile()).toBe(true);
});

it("refuses a link that leads nowhere, too", async () => {
  const file = join(testFolder(), "pages.txt");
  symlinkSync("nowhere", file);
  await expect(open(file)).rejects.toMatchObject({ message: `Cannot write ${file}: it exists already` });
});

it("names what is wrong with a path", async () => {
  const folder = testFolder();
  mkdirSync(join(folder, "pages.csv"));
  writeFileSync(join(folder, "file"), "");
  const cases: [string, string][] = [
    [join(folder, "pages.csv"), "it is a directory"],
    [join(folder, "none", "pages.csv"), "no such directory"],
    [join(folder, "file", "pages.csv"), "a part of the path is no directory"],
    [join(folder, `${"x".repeat(300)}.csv`), "the name is too long"],
  ];
  for (const [file, reason] of cases) {
    await expect(open(file)).rejects.toEqual(refusal(`Cannot write ${file}: ${reason}`));
  }
});

it("follows the umask", async () => {
  const folder = testFolder();
  const before = process.umask(0o027);
  try {
    const writer = await open(join(folder, "pages.txt"));
    await writer.end();
  } finally {
    process.umask(before);
  }
  expect(statSync(join(folder, "pages.txt")).mode & 0o777).toBe(0o640);
});

it("does not compress what is compressed already", async () => {
  const file = join(testFolder(), "pages.parquet.gz");
  await expect(open(file, "parquet")).rejects.toEqual(
    refusal(
      `Cannot write ${file}: only formats of text are compressed as .gz`,
      "Parquet is compressed already",
    ),
  );
});

it("writes SQLite into files only", async () => {
  await expect(openWriter({ format: "sqlite", meta: {} })).rejects.toEqual(
    refusal("Cannot write SQLite to stdout", "name a file with -o FILE"),
  );
});

it.skipIf(sqlite !== undefined)("says what SQLite needs (skipped: this Node has it)", async () => {
  const file = join(testFolder(), "pages.sqlite");
  await expect(open(file, "sqlite")).rejects.toEqual(
    refusal(
      `Cannot write ${file}: SQLite needs Node 22.13 or later, this is ${process.version}`,
      "write .parquet, .csv or .ndjson with this Node",
    ),
  );
});

it.skipIf(sqlite === undefined)(
  "writes no SQLite into a device (skipped: this Node has no node:sqlite)",
  async () => {
    await expect(open("/dev/null", "sqlite")).rejects.toEqual(
      refusal("Cannot write /dev/null: it is no file"),
    );
  },
);

it("writes into a device as it is, without --force", async () => {
  const writer = await open("/dev/null", "csv");
  await writer.write(record);
  await writer.end();
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

it.each(["urls", "csv", "json", "parquet"] as const)("tells of a full disk: %s", async (format) => {
  const writer = await open("/dev/full", format);
  await writer.write(record);
  await expect(writer.end()).rejects.toMatchObject({
    name: "OutputError",
    exitCode: 1,
    message: "Cannot write /dev/full: no space left on the device",
  });
});

it("writes any text, in order, however large", async () => {
  const file = join(testFolder(), "text");
  const output = await openTextOutput({ file });
  const pieces = Array.from({ length: 3000 }, (_, i) => `${i} ${"ä😀".repeat(i % 300)}\n`);
  for (const piece of pieces) await output.write(piece);
  await output.end();
  expect(readFileSync(file, "utf8")).toBe(pieces.join(""));
});
