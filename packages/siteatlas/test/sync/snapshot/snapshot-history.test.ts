/** Earlier snapshots: which are kept, under which names, and what a killed sync leaves. */
import { copyFile, link, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { diffSnapshots } from "../../../src/sync/diff-snapshots.ts";
import { readSnapshot } from "../../../src/sync/snapshot/read-snapshot.ts";
import { listHistory } from "../../../src/sync/snapshot/snapshot-history.ts";
import { LivingSite } from "../living-site.ts";
import { syncOnce, TestClock } from "../support.ts";

let site: LivingSite;
let folder: string;
let snapshot: string;

beforeEach(async () => {
  site = await LivingSite.start();
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  snapshot = join(folder, "a.snapshot.gz");
});

afterEach(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

const names = async (path = snapshot): Promise<string[]> =>
  (await listHistory(path)).map((kept) => basename(kept));

async function pagesOf(path: string): Promise<string[]> {
  const opened = await readSnapshot(path);
  const pages: string[] = [];
  for await (const { url } of opened.pages()) pages.push(url.replace(site.origin, ""));
  await opened.close();
  return pages;
}

test("the last snapshots that differ are kept, the newest first, and diff compares any two", async () => {
  const clock = new TestClock(Date.parse("2026-03-01T06:00:00Z"));
  const { pages } = site.add("a", ["/0"]);
  const days: string[] = [];
  for (let day = 0; day < 5; day++) {
    if (day > 0) pages.set(`/${day}`, {});
    await syncOnce(site, snapshot, { history: 3 });
    clock.pass(1);
    // A sync without a change keeps nothing, but moves the time of the snapshot.
    await syncOnce(site, snapshot, { history: 3 });
    days.unshift(new Date(clock.now).toISOString().replace(/[-:.]/g, ""));
    clock.pass(23);
  }
  expect(await names()).toEqual(days.slice(1, 4).map((stamp) => `a.snapshot.${stamp}.gz`));
  expect((await readdir(folder)).length).toBe(4);
  const [first = "", , third = ""] = await listHistory(snapshot);
  expect(await pagesOf(first)).toEqual(["/0", "/1", "/2", "/3"]);
  expect(await pagesOf(third)).toEqual(["/0", "/1"]);
  const [older, newer] = [await readSnapshot(third), await readSnapshot(snapshot)];
  const found: string[] = [];
  for await (const change of diffSnapshots(older, newer)) found.push(`${change.kind} ${change.url}`);
  await older.close();
  await newer.close();
  expect(found).toEqual(["/2", "/3", "/4"].map((path) => `added ${site.origin}${path}`));
});

test("a smaller number deletes old ones, even without a change; 0 leaves them", async () => {
  const clock = new TestClock();
  const { pages } = site.add("a", ["/0"]);
  for (let day = 0; day < 4; day++) {
    pages.set(`/${day}`, {});
    await syncOnce(site, snapshot, { history: 5 });
    clock.pass(24);
  }
  expect(await names()).toHaveLength(3);
  await syncOnce(site, snapshot);
  await syncOnce(site, snapshot, { history: 0 });
  expect(await names()).toHaveLength(3);
  await syncOnce(site, snapshot, { history: 1 });
  expect(await names()).toHaveLength(1);
});

test("a sync that was killed after it kept the old snapshot is repeated without a second copy", async () => {
  new TestClock(Date.parse("2026-03-01T06:00:00Z"));
  const { pages } = site.add("a", ["/0"]);
  await syncOnce(site, snapshot, { history: 3 });
  const kept = join(folder, "a.snapshot.20260301T060000000Z.gz");
  await link(snapshot, kept);
  expect(await names()).toEqual([]);
  pages.set("/1", {});
  await syncOnce(site, snapshot, { history: 3 });
  expect(await names()).toEqual([basename(kept)]);
  expect(await pagesOf(kept)).toEqual(["/0"]);
});

test("the order is that of the syncs, even if the clock was set back", async () => {
  const clock = new TestClock(Date.parse("2026-03-01T06:00:00Z"));
  const { pages } = site.add("a", ["/0"]);
  for (const [number, hours] of [24, 24, -240, 24, 24, 24].entries()) {
    pages.set(`/${number}`, {});
    await syncOnce(site, snapshot, { history: 3 });
    clock.pass(hours);
  }
  const counts: number[] = [];
  for (const kept of await listHistory(snapshot)) counts.push((await pagesOf(kept)).length);
  expect(counts).toEqual([5, 4, 3]);
  expect((await names())[0]).toBe("a.snapshot.20260303T060000002Z.gz");
});

test("other files in the folder are neither listed nor deleted", async () => {
  site.add("a", ["/0"]);
  await syncOnce(site, snapshot, { history: 1 });
  const others = [
    "a.snapshot.backup.gz",
    "a.snapshot.20260301T060000000Z",
    "b.snapshot.20260301T060000000Z.gz",
    "a.snapshot.20260301T060000000Z.gz.old",
  ];
  for (const name of others) await writeFile(join(folder, name), "");
  await copyFile(snapshot, join(folder, "aa.snapshot.gz"));
  site.sitemaps.get("a")!.pages.set("/1", {});
  await syncOnce(site, snapshot, { history: 1 });
  expect(await names()).toHaveLength(1);
  expect((await readdir(folder)).sort()).toEqual(
    [...others, "aa.snapshot.gz", "a.snapshot.gz", ...(await names())].sort(),
  );
});

test("the history of a symbolic link is beside its target", async () => {
  site.add("a", ["/0"]);
  await syncOnce(site, snapshot);
  const alias = join(folder, "alias.gz");
  await symlink(snapshot, alias);
  site.sitemaps.get("a")!.pages.set("/1", {});
  await syncOnce(site, alias, { history: 2 });
  expect(await names(alias)).toEqual(await names());
  expect(await names()).toHaveLength(1);
});
