/** When a snapshot is written: not without pages, and never over the snapshot of a concurrent sync. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_EVIDENCE } from "../../../src/sync/revalidate/validator-trust.ts";
import { readSnapshot } from "../../../src/sync/snapshot/read-snapshot.ts";
import type { SnapshotFacts } from "../../../src/sync/snapshot/snapshot-format.ts";
import { type SitemapEntry, SnapshotWriter } from "../../../src/sync/snapshot/write-snapshot.ts";
import { SiteWatch } from "../../../src/sync/watch/watch-sites.ts";
import { LivingSite } from "../living-site.ts";
import { NOTHING, syncOnce, TestClock, type Told } from "../support.ts";

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

/** Runs a complete sync after the next one has read the snapshot, and before that one starts to write. */
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

test("the result of a sync that ends while another one runs is not overwritten", async () => {
  const a = site.add("a", ["/a"]);
  await sync();
  a.pages.set("/b", {});
  const { other } = syncInBetween();
  await expect(sync()).rejects.toMatchObject({ code: "replaced" });
  expect(await other).toMatchObject({ ...NOTHING, added: ["/b"] });
  expect(await readdir(folder)).toEqual(["s.gz"]);
  expect(await sync()).toMatchObject(NOTHING);
});

test("the result of a first sync is also not overwritten", async () => {
  site.add("a", ["/a"]);
  const { other } = syncInBetween();
  await expect(sync()).rejects.toMatchObject({ code: "replaced" });
  expect((await other).added).toEqual(["/a"]);
  expect(await sync()).toMatchObject(NOTHING);
});

test("a site without pages gets no snapshot: the sync that finds the first page is the first sync", async () => {
  site.add("a", ["/a"]);
  site.indexMood = "down";
  const nothing = await sync();
  expect(nothing.summary).toMatchObject({ isFirst: true, pageCount: 0 });
  expect(await readdir(folder)).toEqual([]);
  site.indexMood = "well";
  const first = await sync();
  expect(first).toMatchObject({ ...NOTHING, added: ["/a"], summary: { isFirst: true } });
});

test("a watch also writes no snapshot without pages", async () => {
  site.add("a", ["/a"]);
  site.indexMood = "down";
  const stop = new AbortController();
  const firsts: boolean[] = [];
  await new SiteWatch({
    everyMs: 10,
    limits: { backoffMs: 1 },
    signal: stop.signal,
    onChange: async (_, change) => {
      if (change.kind !== "summary") return;
      firsts.push(change.isFirst);
      site.indexMood = "well";
      if (change.pageCount === 1 && !change.isFirst) stop.abort();
    },
  }).run([{ start: site.url, snapshot }]);
  expect(firsts).toEqual([true, true, false]);
});

test("a snapshot is written when all pages disappeared, and keeps them for a day", async () => {
  const clock = new TestClock();
  const a = site.add("a", ["/a"]);
  await sync();
  a.pages.clear();
  expect(await sync()).toMatchObject({
    ...NOTHING,
    pending: ["/a"],
    summary: { isFirst: false, pending: 1 },
  });
  clock.pass(23);
  expect(await sync()).toMatchObject({ ...NOTHING, summary: { pending: 1 } });
  clock.pass(2);
  expect(await sync()).toMatchObject({ ...NOTHING, removed: ["/a"], summary: { pending: 0 } });
  expect(await sync()).toMatchObject(NOTHING);
});

test("a temporary file that could not be opened does not count as in use", async () => {
  const path = join(folder, "later", "s.gz");
  const error = await SnapshotWriter.create(path, undefined).catch((reason: unknown) => reason);
  const temporary = { code: "ENOENT", path: expect.stringMatching(/\.sections$/) };
  expect(error).toMatchObject({ code: "ENOENT", cause: temporary });
  await mkdir(dirname(path));
  await writeFile((error as { cause: { path: string } }).cause.path.replace(/sections$/, "new"), "");
  const writer = await SnapshotWriter.create(path, undefined);
  await writer.discard();
  expect(await readdir(dirname(path))).toEqual([]);
});

test("a damaged section is not copied into the next snapshot, even if nothing changed", async () => {
  site.add("a", ["/a", "/b"]);
  await sync();
  const bytes = await readFile(snapshot);
  // After the 10-byte header of the last member.
  const at = bytes.lastIndexOf(Buffer.from([0x1f, 0x8b, 0x08])) + 12;
  bytes[at] = bytes[at]! ^ 1;
  await writeFile(snapshot, bytes);
  await expect(sync()).rejects.toMatchObject({
    code: "damaged",
    message: expect.stringMatching(/s\.gz is damaged in the section of http:\S+\/a\.xml$/),
  });
  expect(await readFile(snapshot)).toEqual(bytes);
});

test("a truncated snapshot is not opened, and no summary is reported", async () => {
  site.add("a", ["/a", "/b"]);
  await sync();
  const bytes = await readFile(snapshot);
  await writeFile(snapshot, bytes.subarray(0, -1));
  await expect(readSnapshot(snapshot)).rejects.toMatchObject({
    code: "truncated",
    message: expect.stringMatching(/s\.gz is truncated$/),
  });
  await expect(sync()).rejects.toMatchObject({
    code: "truncated",
    message: expect.stringMatching(/s\.gz is truncated$/),
  });
});

test("70,000 sitemaps whose index has a URL of 8 KB: their entries do not fit into one string", async () => {
  const index = entryOf(`https://a.example/${"x".repeat(8000)}.xml`, []);
  const children = Array.from({ length: 70_000 }, (_, n) =>
    entryOf(`https://a.example/${n}.xml`, [index.url]),
  );
  const other = entryOf("https://b.example/b.xml", ["https://b.example/not-in-the-snapshot.xml"]);
  const writer = await SnapshotWriter.create(snapshot, undefined);
  await writer.finish(FACTS, [...children, index, other]);
  await writer.commit();
  const written = await readSnapshot(snapshot);
  await written.close();
  expect(written.sitemaps).toHaveLength(70_002);
  expect(written.find("https://a.example/69999.xml")).toEqual(children.at(-1));
  expect(written.find(other.url)).toEqual(other);
  expect((await stat(snapshot)).size).toBeLessThan(2_000_000);
});

test("an index whose URLs consist of backslashes can be read again: JSON doubles them", async () => {
  const children = Array.from(
    { length: 6600 },
    (_, n) => [`https://a.example/?${n}${"\\".repeat(8000)}`] as const,
  );
  const writer = await SnapshotWriter.create(snapshot, undefined);
  await writer.finish(FACTS, [{ ...entryOf("https://a.example/index.xml", []), kind: "index", children }]);
  await writer.commit();
  const written = await readSnapshot(snapshot);
  await written.close();
  expect(written.sitemaps[0]?.children).toHaveLength(6600);
});

test.each<[string, (writer: SnapshotWriter) => Promise<unknown>]>([
  ["a sitemap URL of 2 MiB", (writer) => writer.finish(FACTS, [entryOf(longUrl(), [])])],
  ["a page URL of 2 MiB", (writer) => writer.write("https://a.example/a.xml", [[longUrl()]])],
])("%s, which raised limits allow, is not written because it could not be read", async (_name, write) => {
  const writer = await SnapshotWriter.create(snapshot, undefined);
  await expect(write(writer)).rejects.toMatchObject({ name: "SnapshotError", code: "too-large" });
  await writer.discard();
  expect(await readdir(folder)).toEqual([]);
});

const longUrl = (): string => `https://a.example/${"x".repeat(2 * 1024 * 1024)}`;

const FACTS: SnapshotFacts = {
  format: "siteatlas-snapshot",
  version: 1,
  homepage: "https://a.example/",
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:01.000Z",
  pageCount: 0,
  runCount: 1,
  runs: [],
  absent: [],
};

function entryOf(url: string, parents: readonly string[]): SitemapEntry {
  const kind = { kind: "pages", format: "xml", children: [], pageCount: 0 } as const;
  return { url, source: "sitemap", parents, ...kind, seenAt: FACTS.startedAt, evidence: NO_EVIDENCE };
}

test("a missing folder is named before the first request", async () => {
  const path = join(folder, "missing", "s.gz");
  await expect(syncOnce(site, path)).rejects.toMatchObject({
    code: "ENOENT",
    message: `${path} cannot be written: its folder does not exist`,
  });
  expect(site.requests).toEqual([]);
});
