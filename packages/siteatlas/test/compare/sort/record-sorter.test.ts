import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { RecordBlock } from "../../../src/compare/sort/record-block.ts";
import { RecordSorter } from "../../../src/compare/sort/record-sorter.ts";
import { RunHeap } from "../../../src/compare/sort/run-cursor.ts";
import { TemporaryFolder } from "../../../src/files/temporary-folder.ts";
import { seed } from "../../support/runs.ts";
import { Random } from "../random-inputs.ts";

const folder = mkdtempSync(join(tmpdir(), "siteatlas-sorter-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sorted(records: readonly string[]): string[] {
  const block = new RecordBlock();
  for (const record of records) block.add(record);
  return [...block.sort()].map((start) =>
    block.bytes.toString("latin1", start, start + block.lengthAt(start)),
  );
}

const byBytes = (records: readonly string[]): string[] => [...records].sort();

describe("RecordBlock", () => {
  it("sorts random records with long common starts and many repetitions", () => {
    for (let at = 0; at < 300; at++) {
      const random = new Random(seed + at);
      const start = "https://www.example.com/".slice(0, random.below(24)) + "x".repeat(random.below(50));
      const letters = random.pick(["ab", "abcdefghijk/.", "\x01a"]);
      const records = Array.from({ length: 1 + random.below(400) }, () =>
        Array.from({ length: random.below(12) }, () => random.pick([...letters])).reduce(
          (text, letter) => text + letter,
          start,
        ),
      );
      expect(sorted(records), `seed ${seed + at}`).toEqual(byBytes(records));
    }
  });

  it("sorts the longest records without a deep stack", () => {
    const long = "x".repeat(60_000);
    const records = Array.from({ length: 40 }, (_, at) => `${long}${at % 20}`);
    expect(sorted(records)).toEqual(byBytes(records));
  });

  it("sorts 200,000 records in any order without quadratic time", () => {
    const records = Array.from({ length: 200_000 }, (_, at) => `https://example.com/${at}`);
    const started = process.cpuUsage();
    for (const order of [records, [...records].reverse(), records.map(() => records[0]!)]) sorted(order);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(10);
  });
});

async function readAll(sorter: RecordSorter): Promise<string[]> {
  const heap = new RunHeap();
  await heap.start(await sorter.cursors());
  const records: string[] = [];
  for (let top = heap.top; top !== undefined; top = heap.top) {
    records.push(top.bytes.toString("latin1", top.start, top.end));
    await heap.next();
  }
  return records;
}

describe("RecordSorter", () => {
  it("merges runs of several levels, with records that are longer than a buffer is filled", async () => {
    const runFolder = await TemporaryFolder.choose("compare", folder);
    const sorter = new RecordSorter(runFolder, { memory: 1e9, records: 7, runs: 3 });
    const random = new Random(seed);
    const records = Array.from(
      { length: 500 },
      () => `${random.below(1e6)}${"y".repeat(random.below(60_000))}`,
    );
    for (const record of records) await sorter.add(record);
    expect([...new Set(await readAll(sorter))]).toEqual([...new Set(byBytes(records))]);
    expect(readdirSync(folder)).toHaveLength(1);
    await runFolder.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("writes no file for few records", async () => {
    const runFolder = await TemporaryFolder.choose("compare", folder);
    const sorter = new RecordSorter(runFolder);
    sorter.add("b");
    sorter.add("a");
    expect(await readAll(sorter)).toEqual(["a", "b"]);
    expect(readdirSync(folder)).toEqual([]);
    await runFolder.remove();
  });
});
