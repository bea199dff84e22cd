/** What is written and when: nothing for nothing, nothing over what another sync has put there. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readSnapshot } from "../../src/sync/read-snapshot.ts";
import { watchSites } from "../../src/sync/watch-sites.ts";
import { SnapshotWriter } from "../../src/sync/write-snapshot.ts";
import { LivingSite } from "./living-site.ts";
import { NOTHING, syncOnce, type Told } from "./support.ts";

let site: LivingSite;
let folder: string;
let snapshot: string;

beforeEach(async () => {
  site = await LivingSite.start();
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  snapshot = join(folder, "s.gz");
});

afterEach(async () => {
  vi.restoreAllMocks();
  await site.close();
  await rm(folder, { recursive: true });
});

const sync = (): Promise<Told> => syncOnce(site, snapshot);

/** Another sync comes to its end when the next one has read the snapshot and has not begun to write. */
function syncInBetween(): { other: Promise<Told> } {
  const create = SnapshotWriter.create;
  const { promise: other, resolve } = withResolvers<Told>();
  vi.spyOn(SnapshotWriter, "create").mockImplementationOnce(async (...args) => {
    resolve(await sync());
    return create(...args);
  });
  return { other };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("a sync that ends between the reading and the writing of another one is not undone", async () => {
  const a = site.add("a", ["/a"]);
  await sync();
  a.pages.set("/b", {});
  const { other } = syncInBetween();
  await expect(sync()).rejects.toThrow("was replaced by another sync");
  expect(await other).toMatchObject({ ...NOTHING, added: ["/b"] });
  expect(await readdir(folder)).toEqual(["s.gz"]);
  expect(await sync()).toMatchObject(NOTHING);
});

test("neither is one that is the first", async () => {
  site.add("a", ["/a"]);
  const { other } = syncInBetween();
  await expect(sync()).rejects.toThrow("was replaced by another sync");
  expect((await other).added).toEqual(["/a"]);
  expect(await sync()).toMatchObject(NOTHING);
});

test("a site without any page is not remembered: the sync that finds the first is the first", async () => {
  site.add("a", ["/a"]);
  site.indexMood = "down";
  const nothing = await sync();
  expect(nothing.summary).toMatchObject({ isFirst: true, pageCount: 0 });
  expect(nothing.summary.sitemapCount).toBeGreaterThan(0);
  expect(await readdir(folder)).toEqual([]);
  site.indexMood = "well";
  const first = await sync();
  expect(first).toMatchObject({ ...NOTHING, added: ["/a"], summary: { isFirst: true } });
});

test("nor by a watch", async () => {
  site.add("a", ["/a"]);
  site.indexMood = "down";
  const stop = new AbortController();
  const firsts: boolean[] = [];
  await watchSites([{ url: site.url, snapshot }], {
    everyMs: 10,
    limits: { backoffMs: 1 },
    signal: stop.signal,
    onChange: async (_, change) => {
      if (change.kind !== "summary") return;
      firsts.push(change.isFirst);
      site.indexMood = "well";
      if (change.pageCount === 1 && !change.isFirst) stop.abort();
    },
  });
  expect(firsts).toEqual([true, true, false]);
});

test("pages that went all at once are remembered as gone", async () => {
  const a = site.add("a", ["/a"]);
  await sync();
  a.pages.clear();
  expect((await sync()).removed).toEqual(["/a"]);
  expect(await sync()).toMatchObject({ ...NOTHING, summary: { isFirst: false } });
});

test("a file that could not be opened is not taken for one in use", async () => {
  // Long enough that `.new` still has a place in a folder, and `.sections` has not.
  const name = "s".repeat(255 - `..${process.pid}-01234567.new`.length);
  const path = join(folder, name);
  const error = await SnapshotWriter.create(path, undefined).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "ENAMETOOLONG", path: expect.stringMatching(/\.sections$/) });
  const leftover = (error as { path: string }).path.replace(/sections$/, "new");
  await writeFile(leftover, "");
  await expect(SnapshotWriter.create(path, undefined)).rejects.toThrow("ENAMETOOLONG");
  expect(await readdir(folder)).toEqual([]);
});

test("a snapshot whose section is damaged is not passed on, though nothing changed", async () => {
  site.add("a", ["/a", "/b"]);
  await sync();
  const bytes = await readFile(snapshot);
  // Behind the 10 bytes of the last member's header.
  const at = bytes.lastIndexOf(Buffer.from([0x1f, 0x8b, 0x08])) + 12;
  bytes[at] = bytes[at]! ^ 1;
  await writeFile(snapshot, bytes);
  await expect(sync()).rejects.toThrow(/s\.gz is damaged in the section of http:\S+\/a\.xml$/);
  expect(await readFile(snapshot)).toEqual(bytes);
});

test("a snapshot that is cut off is not opened, and no summary is told", async () => {
  site.add("a", ["/a", "/b"]);
  await sync();
  const bytes = await readFile(snapshot);
  await writeFile(snapshot, bytes.subarray(0, -1));
  await expect(readSnapshot(snapshot)).rejects.toThrow(/s\.gz is cut off$/);
  await expect(sync()).rejects.toThrow(/s\.gz is cut off$/);
});
