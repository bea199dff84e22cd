/** Answers that look like the end of pages and are not, and answers that last: one case for each that was found. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readSnapshot } from "../../src/sync/read-snapshot.ts";
import type { SyncOptions } from "../../src/sync/sync-site.ts";
import {
  HTML_PAGE,
  openSite,
  redirectTo,
  robotsTxt,
  type SiteHandler,
  type SiteRoutes,
  sitemapIndex,
  urlset,
} from "../support/test-site.ts";
import { LivingSite } from "./living-site.ts";
import { NOTHING, syncOnce, type Told } from "./support.ts";

type Sync = (options?: Partial<SyncOptions>) => Promise<Told>;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A site whose documents are set for each day. */
async function openDays(): Promise<{
  base: string;
  snapshot: string;
  /** Puts these in place of what is there. */
  set: (routes: SiteRoutes) => void;
  sync: Sync;
}> {
  const site = await openSite({});
  const snapshot = join(await newFolder(), "s.gz");
  return {
    base: site.url,
    snapshot,
    set: (routes) => {
      site.routes = { ...site.routes, ...routes };
    },
    sync: (options) => syncOnce({ url: `${site.url}/`, origin: site.url }, snapshot, options),
  };
}

async function openLiving(): Promise<{ site: LivingSite; sync: Sync }> {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  const snapshot = join(await newFolder(), "s.gz");
  return { site, sync: (options) => syncOnce(site, snapshot, options) };
}

const GONE = { status: 404 };
/** Knows its ETag. */
const tagged =
  (body: string, etag = '"1"'): SiteHandler =>
  ({ headers }) =>
    headers["if-none-match"] === etag ? { status: 304, headers: { etag } } : { headers: { etag }, body };

const suspects = ({ changes }: Told): string[] =>
  changes.flatMap((change) => (change.kind === "removed" && change.suspect ? [change.url] : []));
const unknownCodes = ({ changes }: Told): string[] =>
  changes.flatMap((change) => (change.kind === "unknown" ? [change.code] : []));

describe("no page is removed", () => {
  test("when robots.txt is a page of HTML for a day", async () => {
    const { base, set, sync } = await openDays();
    const robots = robotsTxt([`${base}/i.xml`]);
    set({
      "/robots.txt": robots,
      "/i.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/a1`, `${base}/a2`]),
    });
    await sync();
    set({ "/robots.txt": { headers: { "content-type": "text/html" }, body: HTML_PAGE } });
    const bad = await sync();
    expect(bad).toMatchObject({ ...NOTHING, unknown: ["/a.xml", "/i.xml"] });
    expect(new Set(unknownCodes(bad))).toEqual(new Set(["robots.html"]));
    set({ "/robots.txt": robots });
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("when the index has another name, and a limit keeps its children from being read", async () => {
    const { base, set, sync } = await openDays();
    const index = sitemapIndex([`${base}/a.xml`, `${base}/c.xml`]);
    set({
      "/robots.txt": robotsTxt([`${base}/i1.xml`]),
      "/i1.xml": index,
      "/a.xml": urlset([`${base}/a`]),
      "/c.xml": urlset([`${base}/c`]),
    });
    await sync({ useKnownPaths: false });
    set({ "/robots.txt": robotsTxt([`${base}/i2.xml`]), "/i1.xml": GONE, "/i2.xml": index });
    const told = await sync({ useKnownPaths: false, limits: { indexes: 0 } });
    expect(told).toMatchObject({ added: [], removed: [] });
    expect(told.unknown).toEqual(expect.arrayContaining(["/a.xml", "/c.xml"]));
    expect(await sync({ useKnownPaths: false })).toMatchObject(NOTHING);
  });

  test("when a sitemap leads back to its index", async () => {
    const { base, set, sync } = await openDays();
    const pages = urlset([`${base}/a1`, `${base}/a2`]);
    set({
      "/robots.txt": robotsTxt([`${base}/i.xml`]),
      "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": pages,
      "/b.xml": urlset([`${base}/b`]),
    });
    await sync();
    set({ "/a.xml": redirectTo("/i.xml") });
    expect(await sync()).toMatchObject({ ...NOTHING, unknown: ["/a.xml"] });
    set({ "/a.xml": pages });
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("when a JSON Feed ends inside an item, and the server says that it is all", async () => {
    const { base, set, sync } = await openDays();
    const items = [1, 2, 3, 4].map((number) => ({ id: `${number}`, url: `${base}/page${number}` }));
    const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "T", items });
    const headers = { "content-type": "application/feed+json", "transfer-encoding": "chunked" };
    set({ "/robots.txt": robotsTxt([`${base}/feed.json`]), "/feed.json": { headers, body: feed } });
    expect((await sync()).added).toHaveLength(4);
    set({ "/feed.json": { headers, body: feed.slice(0, feed.indexOf("/page3") + 3) } });
    expect(await sync()).toMatchObject({ ...NOTHING, unknown: ["/feed.json"] });
    set({ "/feed.json": { headers, body: feed } });
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("when a sitemap appears where one is expected, and the homepage is asked no more", async () => {
    const { base, snapshot, set, sync } = await openDays();
    set({
      "/robots.txt": "",
      "/": '<html><head><link rel="sitemap" href="/maps/all.xml"></head></html>',
      "/maps/all.xml": urlset([`${base}/a`, `${base}/b`]),
    });
    // The one location that is tried, in each sync.
    const options = { useKnownPaths: false, extraKnownPaths: ["/sitemap.xml"] };
    expect((await sync(options)).added).toEqual(["/a", "/b"]);
    set({ "/sitemap.xml": urlset([`${base}/new`]) });
    expect(await sync(options)).toMatchObject({ ...NOTHING, added: ["/new"] });
    for (let day = 3; day <= 6; day++) expect(await sync(options)).toMatchObject(NOTHING);
    // It is not only kept: it is asked for.
    set({ "/maps/all.xml": urlset([`${base}/a`, `${base}/b`, `${base}/c`]) });
    expect(await sync(options)).toMatchObject({ ...NOTHING, added: ["/c"] });
    const last = await readSnapshot(snapshot);
    await last.close();
    expect(last.pageCount).toBe(4);
  });
});

describe("a page that may have moved is suspect", () => {
  test("when the sitemap that it moved into does not answer", async () => {
    const { site, sync } = await openLiving();
    const a = site.add("a", ["/x", "/y", "/a1"]);
    const b = site.add("b", ["/b1"]);
    await sync();
    a.pages.delete("/y");
    b.pages.set("/y", { lastmod: "2026-01-01" });
    b.mood = "down";
    const told = await sync();
    expect(suspects(told)).toEqual(told.removed.map((path) => site.pageUrl(path)));
    expect(told).toMatchObject({ added: [], unknown: ["/b.xml"] });
  });

  test("when a new sitemap is cut", async () => {
    const { base, set, sync } = await openDays();
    set({
      "/robots.txt": robotsTxt([`${base}/i.xml`]),
      "/i.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/x`, `${base}/y`]),
    });
    await sync();
    const whole = urlset([`${base}/n`, `${base}/y`]);
    set({
      "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/n.xml`]),
      "/a.xml": urlset([`${base}/x`]),
      "/n.xml": whole.slice(0, whole.indexOf("/y")),
    });
    const told = await sync();
    expect(suspects(told)).toEqual(told.removed.map((path) => `${base}${path}`));
    expect(told.added).toEqual(["/n"]);
  });

  test("but not because an index lists a sitemap that has never been there", async () => {
    const { site, sync } = await openLiving();
    const paths = Array.from({ length: 30 }, (_, number) => `/page-${number}`);
    const a = site.add("a", paths);
    site.add("dead", []).mood = "missing";
    await sync();
    for (let day = 2; day <= 9; day++) {
      a.pages.delete(`/page-${day}`);
      const told = await sync();
      expect(told.removed).toEqual([`/page-${day}`]);
      expect(suspects(told)).toEqual([]);
      expect(told.summary.isMassRemoval).toBe(false);
    }
  });
});

describe("what was learned lasts", () => {
  test("a sitemap that changed under a date that stands still is read in every sync from then on", async () => {
    const { site, sync } = await openLiving();
    const names = Array.from({ length: 112 }, (_, number) => `s${number}`);
    for (const name of names) site.add(name, [`/${name}`]);
    const frozen = site.add("frozen", ["/f1"]);
    const options = { useKnownPaths: false };
    await sync(options);
    // One date moves with its sitemap: the index has proved true.
    site.sitemaps.get("s0")!.pages.set("/s0-new", {});
    site.sitemaps.get("s0")!.declared = "2026-01-05";
    frozen.pages.set("/f2", {});
    expect((await sync(options)).added).toEqual(["/f2", "/s0-new"]);
    let onTrust = 0;
    for (let day = 3; day <= 5; day++) {
      frozen.pages.set(`/f${day}`, {});
      const told = await sync(options);
      expect(told).toMatchObject({ ...NOTHING, added: [`/f${day}`] });
      onTrust += told.summary.onTrust;
    }
    expect(onTrust).toBeGreaterThanOrEqual(names.length);
  });

  test("what one sitemap said of a page is not told again when another one follows", async () => {
    const { site, sync } = await openLiving();
    const news = site.add("news", ["/p"]);
    const main = site.add("main", ["/p"]);
    await sync();
    news.pages.set("/p", { lastmod: "2026-01-02" });
    expect(await sync()).toMatchObject({ ...NOTHING, changed: ["/p"] });
    main.pages.set("/p", { lastmod: "2026-01-02" });
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("sitemaps of other hosts are listed once, however often the index is not modified", async () => {
    const { base, snapshot, set, sync } = await openDays();
    const children = ["http://other.example.com/x.xml", `${base}/a.xml`];
    set({
      "/robots.txt": robotsTxt([`${base}/i.xml`]),
      "/i.xml": tagged(sitemapIndex(children)),
      "/a.xml": urlset([`${base}/a`]),
    });
    for (let day = 1; day <= 4; day++) {
      const { summary } = await sync({ crossHost: "none" });
      expect(summary.notModified).toBe(day === 1 ? 0 : 1);
      const last = await readSnapshot(snapshot);
      await last.close();
      const index = last.sitemaps.find(({ url }) => url === `${base}/i.xml`);
      expect(index?.children.map(([url]) => url)).toEqual(children);
    }
  });
});

test("a Last-Modified at the end of time is no reason to stop", async () => {
  const { base, set, sync } = await openDays();
  set({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": {
      headers: { "last-modified": "Sat, 13 Sep 275760 00:00:00 GMT" },
      body: urlset([`${base}/a`]).replace("</loc>", "</loc><lastmod>2026-01-01</lastmod>"),
    },
  });
  expect((await sync()).added).toEqual(["/a"]);
  expect(await sync()).toMatchObject(NOTHING);
});

describe("the summary", () => {
  test("names the sitemaps that came and went, and counts no robots.txt", async () => {
    const { base, set, sync } = await openDays();
    set({
      "/robots.txt": robotsTxt([`${base}/i.xml`]),
      "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": urlset([`${base}/a1`]),
      "/b.xml": urlset([`${base}/b1`]),
      "/c.xml": urlset([`${base}/c1`]),
    });
    const first = await sync();
    expect(first.summary).toMatchObject({ sitemapCount: 3, newSitemaps: [], goneSitemaps: [] });
    set({ "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/c.xml`]) });
    const { summary } = await sync();
    expect(summary).toMatchObject({
      sitemapCount: 3,
      newSitemaps: [`${base}/c.xml`],
      goneSitemaps: [`${base}/b.xml`],
    });
  });

  test("a sitemap that is listed and never there is neither unknown nor new nor gone", async () => {
    const { base, set, sync } = await openDays();
    set({
      "/robots.txt": robotsTxt([`${base}/i.xml`]),
      "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/dead.xml`]),
      "/a.xml": urlset([`${base}/a1`]),
    });
    for (let day = 0; day < 5; day++) {
      const { summary, unknown } = await sync();
      expect(unknown).toEqual([]);
      expect(summary).toMatchObject({
        sitemapCount: 2,
        unknownSitemaps: 0,
        newSitemaps: [],
        goneSitemaps: [],
      });
    }
  });

  test("what could not be asked for says what it is behind, and what failed its status", async () => {
    const { base, set, sync } = await openDays();
    set({
      "/robots.txt": robotsTxt([`${base}/i.xml`]),
      "/i.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/a1`]),
    });
    await sync();
    set({ "/i.xml": { status: 503 } });
    const { changes, summary } = await sync();
    expect(changes.filter(({ kind }) => kind === "unknown")).toMatchObject([
      { url: `${base}/a.xml`, code: "http.status", behind: `${base}/i.xml` },
      { url: `${base}/i.xml`, code: "http.status", status: 503 },
    ]);
    // robots.txt, the index three times, two known locations, the homepage.
    expect(summary.asked).toBeGreaterThanOrEqual(6);
  });
});
