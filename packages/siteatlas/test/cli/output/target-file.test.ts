/** Output files are renamed when complete, and never replace another file by accident. */
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
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Format } from "../../../src/cli/config/output-formats.ts";
import { openTextOutput } from "../../../src/cli/output/buffered-output.ts";
import { openWriter } from "../../../src/cli/output/open-writer.ts";
import type { PageWriter } from "../../../src/cli/output/page-writer.ts";
import { TargetFile } from "../../../src/cli/output/target-file.ts";
import { lazyRecord } from "../../../src/output/page-fields.ts";
import { testFolder } from "../support/folder.ts";
import { sqlite } from "../support/read-outputs.ts";

const record = lazyRecord({ url: "https://www.example.com/a" }, "https://www.example.com/sitemap.xml");
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
  it("has its name only when it is complete", async () => {
    const folder = testFolder();
    const file = join(folder, "pages.out");
    const writer = await open(file, format);
    await writer.write(record);
    expect(existsSync(file)).toBe(false);
    await writer.end();
    expect(readdirSync(folder)).toEqual(["pages.out"]);
    expect(statSync(file).size).toBeGreaterThan(10);
  });

  it("leaves nothing behind after abort", async () => {
    const folder = testFolder();
    const writer = await open(join(folder, "pages.out"), format);
    await writer.write(record);
    await writer.abort();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps the earlier file after abort", async () => {
    const file = join(testFolder(), "pages.out");
    writeFileSync(file, "before");
    const writer = await open(file, format, true);
    await writer.write(record);
    await writer.abort();
    expect(readFileSync(file, "utf8")).toBe("before");
  });

  it("is refused if the file exists, unless --force is given", async () => {
    const file = join(testFolder(), "pages.out");
    writeFileSync(file, "before");
    await expect(open(file, format)).rejects.toEqual(
      refusal(`${file} already exists`, "Replace it with --force."),
    );
    const writer = await open(file, format, true);
    await writer.write(record);
    await writer.end();
    expect(readFileSync(file, "latin1")).toContain("www.example.com/a");
  });
});

it("does not replace a file that was created in the meantime", async () => {
  const folder = testFolder();
  const file = join(folder, "pages.txt");
  const writer = await open(file);
  writer.write(record);
  writeFileSync(file, "came first");
  await expect(writer.end()).rejects.toMatchObject({ message: `${file} already exists` });
  expect(readFileSync(file, "utf8")).toBe("came first");
  expect(readdirSync(folder)).toEqual(["pages.txt"]);
});

it("replaces a symbolic link without following it", async () => {
  const folder = testFolder();
  const [file, victim] = [join(folder, "pages.txt"), join(folder, "victim")];
  writeFileSync(victim, "mine");
  symlinkSync(victim, file);
  await expect(open(file)).rejects.toEqual(refusal(`${file} already exists`, "Replace it with --force."));
  const writer = await open(file, "urls", true);
  await writer.write(record);
  await writer.end();
  expect(readFileSync(victim, "utf8")).toBe("mine");
  expect(lstatSync(file).isFile()).toBe(true);
});

it("refuses a dangling link", async () => {
  const file = join(testFolder(), "pages.txt");
  symlinkSync("nowhere", file);
  await expect(open(file)).rejects.toMatchObject({ message: `${file} already exists` });
});

it("reports what is wrong with a path", async () => {
  const folder = testFolder();
  mkdirSync(join(folder, "pages.csv"));
  writeFileSync(join(folder, "file"), "");
  const cases: [string, string][] = [
    [join(folder, "pages.csv"), "it is a folder"],
    [join(folder, "none", "pages.csv"), `the folder ${join(folder, "none")} does not exist`],
    [join(folder, "file", "pages.csv"), "a part of the path is not a folder"],
    [join(folder, `${"x".repeat(300)}.csv`), "the name is too long"],
  ];
  for (const [file, reason] of cases) {
    await expect(open(file)).rejects.toMatchObject({
      message: `cannot write ${file}: ${reason}`,
      exitCode: 2,
    });
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

it("--force keeps the mode of the file that it replaces", async () => {
  const file = join(testFolder(), "pages.txt");
  writeFileSync(file, "before", { mode: 0o600 });
  const writer = await open(file, "urls", true);
  await writer.end();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each(["x".repeat(251), "ü".repeat(125)])(
  "an incomplete file with a long name gets a shorter one",
  async (name) => {
    const folder = testFolder();
    const target = await TargetFile.open(join(folder, `${name}.csv`), {});
    const path = await target.commit(true);
    expect(path).toMatch(/(?:x|ü){100,}\.partial\.csv$/);
    expect(readdirSync(folder)).toEqual([basename(path ?? "")]);
  },
);

it("does not compress binary formats", async () => {
  const file = join(testFolder(), "pages.parquet.gz");
  await expect(open(file, "parquet")).rejects.toEqual(
    refusal(
      `cannot write ${file}: only text formats can be compressed`,
      "Remove .gz. Parquet files are already compressed.",
    ),
  );
});

it("writes SQLite only to files", async () => {
  await expect(openWriter({ format: "sqlite", meta: {} })).rejects.toEqual(
    refusal("cannot write SQLite to stdout", "Write to a file with -o FILE."),
  );
});

it.skipIf(sqlite !== undefined)("reports what SQLite needs (skipped: this Node has it)", async () => {
  const file = join(testFolder(), "pages.sqlite");
  await expect(open(file, "sqlite")).rejects.toEqual(
    refusal(
      `cannot write ${file}: SQLite needs Node 22.13 or later`,
      `Update Node (you have ${process.versions.node}), or write .parquet, .csv or .ndjson.`,
    ),
  );
});

it.skipIf(sqlite === undefined)(
  "does not write SQLite to a device (skipped: this Node has no node:sqlite)",
  async () => {
    await expect(open("/dev/null", "sqlite")).rejects.toEqual(
      refusal("cannot write /dev/null: it is not a regular file"),
    );
  },
);

it("writes to a device without --force", async () => {
  const writer = await open("/dev/null", "csv");
  await writer.write(record);
  await writer.end();
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

it.each(["urls", "csv", "json", "parquet"] as const)("reports a full disk: %s", async (format) => {
  const writer = await open("/dev/full", format);
  await writer.write(record);
  await expect(writer.end()).rejects.toMatchObject({
    name: "OutputError",
    exitCode: 1,
    message: "cannot write /dev/full: no space left on the device",
  });
});

it("writes text of any size, in order", async () => {
  const file = join(testFolder(), "text");
  const output = await openTextOutput({ file });
  const pieces = Array.from({ length: 3000 }, (_, i) => `${i} ${"ä😀".repeat(i % 300)}\n`);
  for (const piece of pieces) await output.write(piece);
  await output.end();
  expect(readFileSync(file, "utf8")).toBe(pieces.join(""));
});
