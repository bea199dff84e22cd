import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSnapshot } from "../../../src/sync/snapshot/read-snapshot.ts";
import { writeHeader } from "../../../src/sync/snapshot/snapshot-header.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  path = join(folder, "s.gz");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function writeHeaderOf(text: string): Promise<void> {
  const file = await open(path, "wx");
  await writeHeader(file, [text]);
  await file.close();
}

test("another kind of file is not a snapshot", async () => {
  await writeFile(path, "something else");
  await expect(readSnapshot(path)).rejects.toMatchObject({ name: "SnapshotError", code: "not-a-snapshot" });
});

test("a snapshot of a later version is not read", async () => {
  await writeHeaderOf('{"format":"siteatlas-snapshot","version":2}\n');
  await expect(readSnapshot(path)).rejects.toMatchObject({ code: "unsupported-version" });
});

test("a header that cannot be decompressed is damaged", async () => {
  await writeHeaderOf('{"format":"siteatlas-snapshot","version":1}\n');
  const packed = await readFile(path);
  packed.fill(0xff, 24, packed.length - 8);
  await writeFile(path, packed);
  await expect(readSnapshot(path)).rejects.toMatchObject({ code: "damaged" });
});

test("a missing file gives the error of the file system", async () => {
  await expect(readSnapshot(path)).rejects.toMatchObject({ code: "ENOENT" });
});
