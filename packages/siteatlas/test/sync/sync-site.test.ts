/** The changes that a sync reports, and the requests that it sends. */
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import { readSnapshot } from "../../src/sync/snapshot/read-snapshot.ts";
import { syncSite } from "../../src/sync/sync-site.ts";
import { LivingSite } from "./living-site.ts";
import { NOTHING, syncOnce, TestClock, type Told } from "./support.ts";

let site: LivingSite;
let folder: string;

beforeEach(async () => {
  site = await LivingSite.start();
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
});

afterEach(async () => {
  await site.close();
  await rm(folder, { recursive: true });
});

const sync = (options: Partial<SyncOptions> = {}): Promise<Told> =>
  syncOnce(site, join(folder, "s.gz"), options);

test("the first sync adds every page, the second none", async () => {
  site.add("a", ["/a1", "/a2"]);
  site.add("b", ["/b1"]);
  expect(await sync()).toMatchObject({ ...NOTHING, added: ["/a1", "/a2", "/b1"] });
  expect(await sync()).toMatchObject(NOTHING);
});

const FAULTS: Readonly<Record<string, RequestListener>> = {
  "503 for every URL": (_, response) => response.writeHead(503).end(),
  "a connection that is cut": (request) => request.socket.destroy(),
  "an HTML page for every URL": (_, response) => response.end("<!doctype html><html><body>Maintenance"),
  "401 for every URL": (_, response) => response.writeHead(401).end(),
  "404 for every URL": (_, response) => response.writeHead(404).end(),
  "a listed sitemap that cannot be read": (request, response) => {
    if (request.url === "/robots.txt") response.end(`Sitemap: http://${request.headers.host}/a.xml`);
    else response.writeHead(503).end();
  },
};

test.each(Object.entries(FAULTS))("a first sync yields only a failure after %s", async (name, answer) => {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const snapshot = join(folder, "s.gz");
  // The smallest copy that follows the documented rules, with pages of an earlier time.
  const copy = new Set([`${url}old`]);
  const kinds: string[] = [];
  for await (const change of syncSite(url, { snapshot, limits: { backoffMs: 1 } })) {
    kinds.push(change.kind);
    if (change.kind === "start" && change.isFirst) copy.clear();
    if (change.kind === "failure") {
      expect(change).toMatchObject({ homepage: url, summary: { isFirst: true, pageCount: 0 } });
      expect(change.unknown.map((each) => each.status)).toEqual(name.startsWith("a listed") ? [503] : []);
    }
  }
  expect(kinds).toEqual(["failure"]);
  expect([...copy]).toEqual([`${url}old`]);
  expect(await readdir(folder)).toEqual([]);
});

test("an event reports a sitemap that was read and did not change", async () => {
  const a = site.add("a", ["/a1", "/a2"]);
  site.add("b", ["/b1"]);
  const same: string[] = [];
  const onEvent: SyncOptions["onEvent"] = (event) => {
    if (event.kind === "sitemap" && event.sitemap.sameContent) same.push(event.sitemap.url);
  };
  const plainly = { useValidators: false, useTrust: false, onEvent };
  await sync(plainly);
  expect(same).toEqual([]);
  a.pages.set("/a3", {});
  await sync(plainly);
  expect(same).toContain(site.sitemapUrl("b"));
  expect(same).not.toContain(site.sitemapUrl("a"));
});

test("reports added pages, changed fields, removed and relisted pages", async () => {
  const a = site.add("a", ["/a1", "/a2", "/a3", "/a5", "/a6"]);
  const b = site.add("b", ["/b1"]);
  await sync();
  a.pages.set("/a4", {});
  a.pages.delete("/a1");
  a.pages.set("/a2", { lastmod: "2026-01-02", image: "https://example.com/i.png" });
  b.pages.set("/a3", a.pages.get("/a3")!);
  a.pages.delete("/a3");
  const told = await sync();
  expect(told).toMatchObject({
    ...NOTHING,
    added: ["/a4"],
    removed: ["/a1"],
    changed: ["/a2"],
    relisted: ["/a3"],
  });
  expect(told.changes.find(({ kind }) => kind === "changed")).toMatchObject({
    fields: ["lastModified", "images"],
    before: { lastModified: "2026-01-01" },
    after: { lastModified: "2026-01-02" },
  });
  expect(told.changes.find(({ kind }) => kind === "relisted")).toMatchObject({
    from: [site.sitemapUrl("a")],
    to: [site.sitemapUrl("b")],
  });
  expect(await sync()).toMatchObject(NOTHING);
});

for (const mood of ["down", "missing", "cut", "broken"] as const) {
  test(`a sitemap that is ${mood}: its pages are unknown, and a later sync reports the missed changes`, async () => {
    const a = site.add("a", ["/a1", "/a2", "/a3", "/a4"]);
    site.add("b", ["/b1"]);
    await sync();
    a.mood = mood;
    a.pages.delete("/a4");
    a.pages.set("/a5", {});
    const bad = await sync();
    expect(bad).toMatchObject({ removed: [], unknown: ["/a.xml"] });
    expect(bad.summary.unknownPages).toBe(4);
    a.mood = "well";
    const good = await sync();
    expect(good).toMatchObject({ ...NOTHING, added: ["/a5"], removed: ["/a4"] });
  });
}

test("a failed index does not remove its sitemaps", async () => {
  site.add("a", ["/a1"]);
  await sync();
  site.indexMood = "down";
  expect(await sync()).toMatchObject({ removed: [], unknown: ["/a.xml", "/index.xml"] });
  site.indexMood = "well";
  site.robotsMood = "down";
  expect(await sync()).toMatchObject({ removed: [] });
  site.robotsMood = "well";
  expect(await sync()).toMatchObject(NOTHING);
});

test("a truncated index keeps the sitemaps after the cut", async () => {
  for (const name of ["a", "b", "c", "d"]) site.add(name, [`/${name}1`]);
  await sync();
  site.indexMood = "cut";
  expect((await sync()).removed).toEqual([]);
  site.indexMood = "well";
  site.sitemaps.get("d")!.hidden = true;
  expect(await sync()).toMatchObject({ ...NOTHING, pending: ["/d1"] });
});

test("the date in the index reveals a server that repeats its ETag after a change", async () => {
  const a = site.add("a", ["/a1"]);
  await sync();
  await sync();
  a.mood = "lying-etag";
  a.pages.set("/a2", {});
  a.declared = "2026-03-01";
  expect((await sync()).added).toEqual(["/a2"]);
  // From now on the sitemap is requested unconditionally, whatever the index declares.
  a.pages.set("/a3", {});
  expect((await sync()).added).toEqual(["/a3"]);
});

test("leaving the loop keeps the old snapshot and leaves no temporary files", async () => {
  site.add("a", ["/a1"]);
  for await (const change of syncSite(site.url, { snapshot: join(folder, "s.gz") })) {
    if (change.kind === "summary") break;
  }
  expect(await readdir(folder)).toEqual([]);
  expect((await sync()).added).toEqual(["/a1"]);
  expect(await readdir(folder)).toEqual(["s.gz"]);
});

test("the next snapshot is written when the summary is received, so that a full disk is noticed before it", async () => {
  site.add("a", ["/a1"]);
  let written = "";
  for await (const change of syncSite(site.url, { snapshot: join(folder, "s.gz") })) {
    if (change.kind !== "summary") continue;
    written = (await readdir(folder)).find((name) => name.endsWith(".new"))!;
    const snapshot = await readSnapshot(join(folder, written));
    expect(snapshot.facts.pageCount).toBe(1);
    await snapshot.close();
  }
  expect(await readdir(folder)).toEqual(["s.gz"]);
});

test("a site that moved to another host: the removal of the old pages is pending", async () => {
  const paths = Array.from({ length: 30 }, (_, index) => `/articles/a-long-name-${index}`);
  site.add("a", paths);
  await sync();
  site.pageOrigin = "http://new.example.com";
  const told = await sync();
  expect(told.summary).toMatchObject({ added: 30, removed: 0, pending: 30, isMassRemoval: true });
  // The old page may come back, so the new one is not called its new place.
  expect(told.changes[1]).not.toHaveProperty("movedFrom");
});

test("a site that moved from http to https: each page is reported with its new URL at once", async () => {
  const paths = Array.from({ length: 30 }, (_, index) => `/articles/a-long-name-${index}`);
  site.pageOrigin = "http://example.com";
  site.add("a", paths);
  await sync();
  site.pageOrigin = "https://www.example.com";
  const told = await sync();
  expect(told.summary).toMatchObject({ added: 30, removed: 30, pending: 0, isMassRemoval: false });
  expect(told.changes.find(({ kind }) => kind === "added")).toMatchObject({
    url: "https://www.example.com/articles/a-long-name-0",
    movedFrom: "http://example.com/articles/a-long-name-0",
  });
  expect(told.changes.find(({ kind }) => kind === "removed")).toMatchObject({
    url: "http://example.com/articles/a-long-name-0",
    movedTo: "https://www.example.com/articles/a-long-name-0",
  });
});

test("a page that two sitemaps list is reported once", async () => {
  const a = site.add("a", ["/x", "/y"]);
  const b = site.add("b", ["/x", "/b1", "/b2"]);
  expect((await sync()).added).toEqual(["/b1", "/b2", "/x", "/y"]);
  a.pages.delete("/x");
  expect(await sync()).toMatchObject(NOTHING);
  b.pages.delete("/x");
  b.pages.set("/z", {});
  expect(await sync()).toMatchObject({ ...NOTHING, removed: ["/x"], added: ["/z"] });
});

test("a snapshot can be read: facts, sitemaps, pages", async () => {
  site.add("a", ["/a2", "/a1"]);
  await sync();
  const snapshot = await readSnapshot(join(folder, "s.gz"));
  expect(snapshot.facts).toMatchObject({ homepage: site.url, pageCount: 2, runCount: 1 });
  const pages = [];
  for await (const { url, lastModified } of snapshot.pages()) pages.push({ url, lastModified });
  expect(pages).toEqual([
    { url: site.pageUrl("/a1"), lastModified: "2026-01-01" },
    { url: site.pageUrl("/a2"), lastModified: "2026-01-01" },
  ]);
  await snapshot.close();
});

test("a page is not removed if another sitemap still lists it, even if that sitemap changed", async () => {
  const a = site.add("a", ["/p", "/q"]);
  const b = site.add("b", ["/p"]);
  await sync();
  a.pages.delete("/p");
  b.pages.set("/new", {});
  expect(await sync()).toMatchObject({ ...NOTHING, added: ["/new"] });
});

test("a sitemap at a known location may be missing in one sync", async () => {
  site.robotsMood = "missing";
  const sitemap = site.add("sitemap", ["/a", "/b"]);
  await sync();
  sitemap.mood = "down";
  expect(await sync()).toMatchObject({ ...NOTHING, unknown: ["/sitemap.xml"] });
  sitemap.mood = "well";
  for (let day = 0; day < 4; day++) expect(await sync()).toMatchObject(NOTHING);
});

test("pages are removed after three syncs in a row with status 404 over at least a day", async () => {
  const clock = new TestClock();
  const a = site.add("a", ["/a"]);
  site.add("b", ["/b"]);
  await sync();
  const moods = ["down", "missing", "missing", "down", "missing", "missing", "missing", "missing"] as const;
  for (const mood of moods) {
    a.mood = mood;
    expect(await sync()).toMatchObject({ ...NOTHING, unknown: ["/a.xml"] });
    clock.pass(7);
  }
  expect(await sync()).toMatchObject({ ...NOTHING, removed: ["/a"] });
  expect(await sync()).toMatchObject(NOTHING);
});

test("changed dates reveal a server that always answers 304", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  for (const name of names) site.add(name, [`/${name}`]);
  await sync();
  for (const name of names) site.sitemaps.get(name)!.mood = "lying-etag";
  let told = 0;
  for (let day = 1; day <= 3; day++) {
    for (const name of names) {
      site.sitemaps.get(name)!.pages.set(`/${name}-${day}`, {});
      site.sitemaps.get(name)!.declared = `2026-02-0${day}`;
    }
    told += (await sync()).added.length;
  }
  expect(told).toBe(3 * names.length);
});

test("a date of today is not trusted: the sitemap may change again today", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const today = new Date().toISOString().slice(0, 10);
  for (const name of names) site.add(name, [`/${name}`]);
  await sync();
  const edited = site.sitemaps.get("s3")!;
  edited.pages.set("/first", {});
  edited.declared = today;
  expect((await sync()).added).toEqual(["/first"]);
  edited.pages.set("/second", {});
  expect((await sync()).added).toEqual(["/second"]);
});

test("removals are pending if a new sitemap could not be read", async () => {
  const a = site.add("a", ["/x", "/y", "/z"]);
  await sync();
  a.pages.delete("/y");
  site.add("new", ["/y"]).mood = "down";
  const told = await sync();
  expect(told).toMatchObject({ ...NOTHING, pending: ["/y"], unknown: ["/new.xml"] });
  expect(told.changes.find(({ kind }) => kind === "pending")).toMatchObject({ reason: "unread" });
  site.sitemaps.get("new")!.mood = "well";
  expect(await sync()).toMatchObject({ ...NOTHING, relisted: ["/y"] });
});

test("a change in any sitemap that lists a page is reported, with the fields of all of them", async () => {
  const a = site.add("a", ["/p", "/q"]);
  const b = site.add("b", ["/b"]);
  await sync();
  a.mood = "down";
  b.pages.set("/p", { lastmod: "2026-05-05" });
  expect((await sync()).changed).toEqual(["/p"]);
  a.mood = "well";
  a.pages.delete("/p");
  expect(await sync()).toMatchObject(NOTHING);
});

test("a snapshot of another site is not touched", async () => {
  site.add("a", ["/a"]);
  await sync();
  const other = await LivingSite.start();
  await expect(syncOnce(other, join(folder, "s.gz"))).rejects.toMatchObject({ code: "other-site" });
  await other.close();
});

test("two concurrent syncs: the second does not replace the snapshot of the first", async () => {
  site.add("a", ["/a"]);
  const options = { snapshot: join(folder, "s.gz") };
  const slow = syncSite(site.url, options);
  await slow.next();
  const first = await slow.next();
  expect(first.value).toMatchObject({ kind: "added" });
  await sync();
  const rest = (async () => {
    for await (const _ of slow);
  })();
  await expect(rest).rejects.toMatchObject({ code: "replaced" });
  expect(await readdir(folder)).toEqual(["s.gz"]);
});

test("a sitemap that a filter skips is unknown, and comes back without the filter", async () => {
  site.add("a", ["/a"]);
  site.add("b", ["/b"]);
  await sync();
  const recurseCallback = (url: string): boolean => !url.endsWith("/b.xml");
  for (let day = 0; day < 4; day++) {
    expect(await sync({ recurseCallback })).toMatchObject({ ...NOTHING, unknown: ["/b.xml"] });
  }
  site.sitemaps.get("b")!.pages.set("/b2", {});
  expect(await sync()).toMatchObject({ ...NOTHING, added: ["/b2"] });
});

test("a URL twice in a sitemap with different dates: the newest counts, in any order", async () => {
  const url = (path: string, lastmod: string): string =>
    `<url><loc>${site.pageUrl(path)}</loc><lastmod>${lastmod}</lastmod></url>`;
  const a = site.add("a", []);
  const set = (...urls: string[]): void => {
    a.text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`;
  };
  const [old, young, other] = [url("/a", "2026-01-01"), url("/a", "2026-01-05"), url("/%c3", "2026-01-03")];
  set(old, young, other);
  const first = await sync();
  expect(first.added).toEqual(["/%c3", "/a"]);
  expect(first.summary.pageCount).toBe(2);
  set(young, other, old);
  expect(await sync()).toMatchObject(NOTHING);
  set(url("/%C3", "2026-01-02"), other, old, young, old);
  expect(await sync()).toMatchObject(NOTHING);
  set(young, other, url("/a", "2026-01-06"));
  const { changed, changes } = await sync();
  expect(changed).toEqual(["/a"]);
  expect(changes.find(({ kind }) => kind === "changed")).toMatchObject({
    before: { lastModified: "2026-01-05" },
    after: { lastModified: "2026-01-06" },
  });
});
