/** Responses that look like removed pages but are not. One case for each kind that was found. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import { readSnapshot } from "../../src/sync/snapshot/read-snapshot.ts";
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
import { SiteFaults } from "./site-faults.ts";
import { NOTHING, syncOnce, TestClock, type Told } from "./support.ts";

type Sync = (options?: Partial<SyncOptions>) => Promise<Told>;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A site whose documents a test sets for each sync. */
async function openDays(): Promise<{
  base: string;
  snapshot: string;
  /** Replaces all documents. */
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

const unknownCodes = ({ changes }: Told): string[] =>
  changes.flatMap((change) => (change.kind === "unknown" ? [change.code] : []));

describe("no page is removed", () => {
  test.each([
    ["an HTML page", "robots.html", { headers: { "content-type": "text/html" }, body: HTML_PAGE }],
    ["empty", "content.empty", ""],
  ])("when robots.txt is %s in one sync", async (_, code, answer) => {
    const { base, set, sync } = await openDays();
    const robots = robotsTxt([`${base}/i.xml`]);
    set({
      "/robots.txt": robots,
      "/i.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/a1`, `${base}/a2`]),
    });
    await sync();
    set({ "/robots.txt": answer });
    const bad = await sync();
    expect(bad).toMatchObject({ ...NOTHING, unknown: ["/a.xml", "/i.xml"] });
    expect(new Set(unknownCodes(bad))).toEqual(new Set([code]));
    set({ "/robots.txt": robots });
    expect(await sync()).toMatchObject(NOTHING);
  });

  test.each([
    ["an HTML page", { headers: { "content-type": "text/html" }, body: HTML_PAGE }],
    ["an outage", { status: 503, headers: { "retry-after": "0" } }],
  ])("when robots.txt redirects to %s in one sync", async (_, maintenance) => {
    const { base, set, sync } = await openDays();
    const robots = robotsTxt([`${base}/i.xml`, `${base}/b.xml`]);
    set({
      "/robots.txt": robots,
      "/i.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/a1`, `${base}/a2`]),
      "/b.xml": urlset([`${base}/b1`]),
    });
    await sync();
    set({ "/robots.txt": redirectTo("/maintenance"), "/maintenance": maintenance });
    const unknown = ["/a.xml", "/b.xml", "/i.xml", "/robots.txt"];
    expect(await sync()).toMatchObject({ ...NOTHING, unknown });
    set({ "/robots.txt": robots });
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("when sitemaps that only the homepage links list each other, and the homepage fails", async () => {
    const { base, set, sync } = await openDays();
    const home =
      '<html><head><link rel="sitemap" href="/m/1.xml"><link rel="sitemap" href="/m/2.xml"></head></html>';
    set({
      "/robots.txt": "",
      "/": home,
      "/m/1.xml": sitemapIndex([`${base}/m/2.xml`, `${base}/m/a.xml`]),
      "/m/2.xml": sitemapIndex([`${base}/m/1.xml`, `${base}/m/b.xml`]),
      "/m/a.xml": urlset([`${base}/a`]),
      "/m/b.xml": urlset([`${base}/b`]),
    });
    const options = { useKnownPaths: false, useHomepageLinks: true };
    expect((await sync(options)).added).toEqual(["/a", "/b"]);
    set({ "/": { status: 500 } });
    const unknown = ["/m/1.xml", "/m/2.xml", "/m/a.xml", "/m/b.xml"];
    expect(await sync(options)).toMatchObject({ ...NOTHING, unknown });
    set({ "/": home });
    expect(await sync(options)).toMatchObject(NOTHING);
  });

  test("when the index has a new URL, and a limit prevents reading its children", async () => {
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

  test("when a sitemap redirects to its index", async () => {
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

  test("when a JSON Feed is truncated inside an item, but its Content-Length matches", async () => {
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

  test("when a sitemap appears at a known location, so that the homepage is not fetched any more", async () => {
    const { base, snapshot, set, sync } = await openDays();
    set({
      "/robots.txt": "",
      "/": '<html><head><link rel="sitemap" href="/maps/all.xml"></head></html>',
      "/maps/all.xml": urlset([`${base}/a`, `${base}/b`]),
    });
    // The only known location that each sync tries.
    const options = { useKnownPaths: false, extraKnownPaths: ["/sitemap.xml"] };
    expect((await sync(options)).added).toEqual(["/a", "/b"]);
    set({ "/sitemap.xml": urlset([`${base}/new`]) });
    expect(await sync(options)).toMatchObject({ ...NOTHING, added: ["/new"] });
    for (let day = 3; day <= 6; day++) expect(await sync(options)).toMatchObject(NOTHING);
    // The sitemap is not only kept, but also requested.
    set({ "/maps/all.xml": urlset([`${base}/a`, `${base}/b`, `${base}/c`]) });
    expect(await sync(options)).toMatchObject({ ...NOTHING, added: ["/c"] });
    const last = await readSnapshot(snapshot);
    await last.close();
    expect(last.pageCount).toBe(4);
  });
});

describe("the removal of a page that may have moved is pending", () => {
  test("when the sitemap that lists it now does not respond", async () => {
    const { site, sync } = await openLiving();
    const a = site.add("a", ["/x", "/y", "/a1"]);
    const b = site.add("b", ["/b1"]);
    await sync();
    a.pages.delete("/y");
    b.pages.set("/y", { lastmod: "2026-01-01" });
    b.mood = "down";
    const told = await sync();
    expect(told).toMatchObject({ added: [], removed: [], pending: ["/y"], unknown: ["/b.xml"] });
    b.mood = "well";
    expect(await sync()).toMatchObject({ added: [], removed: [], relisted: ["/y"] });
  });

  test("when a new sitemap is truncated", async () => {
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
    expect(told).toMatchObject({ added: ["/n"], removed: [], pending: ["/y"] });
  });

  test("when a new sitemap that is missing at first lists it now", async () => {
    const { site, sync } = await openLiving();
    const a = site.add("a", ["/x", "/y", "/z"]);
    await sync();
    a.pages.delete("/y");
    site.add("new", ["/y"]).mood = "missing";
    expect(await sync()).toMatchObject({ ...NOTHING, pending: ["/y"] });
    site.sitemaps.get("new")!.mood = "well";
    expect(await sync()).toMatchObject({ ...NOTHING, relisted: ["/y"] });
  });

  test("when the sitemap that lists it now is empty, short or not listed because of a fault", async () => {
    for (const break_ of [
      (faults: SiteFaults, site: LivingSite) => faults.lose(site, ["b"], 1),
      (faults: SiteFaults, site: LivingSite) => faults.lose(site, ["b"], 0.7),
      (faults: SiteFaults, site: LivingSite) => faults.hide(site, ["b"]),
    ]) {
      const { site, sync } = await openLiving();
      const a = site.add("a", ["/x", "/y", "/z"]);
      const b = site.add("b", ["/p", "/q", "/r"]);
      await sync();
      const faults = new SiteFaults();
      break_(faults, site);
      await sync();
      // The page moves while the fault lasts.
      faults.heal();
      a.pages.delete("/y");
      b.pages.set("/y", {});
      break_(faults, site);
      expect(await sync()).toMatchObject({ ...NOTHING, pending: ["/y"] });
      faults.heal();
      const told = await sync();
      expect(told).toMatchObject({ removed: [], added: [], pending: [] });
      expect(told.summary.pending).toBe(0);
    }
  });

  test("when its sitemap lost half of its pages, of which others are listed elsewhere", async () => {
    const { site, sync } = await openLiving();
    const a = site.add("a", ["/x", "/y", "/z", "/only-here"]);
    site.add("b", ["/x", "/y", "/z", "/w"]);
    await sync();
    const faults = new SiteFaults();
    faults.lose(site, ["a"], 0.5);
    expect(a.pages.size).toBe(2);
    expect(await sync()).toMatchObject({ removed: [], pending: ["/only-here"] });
    faults.heal();
    expect(await sync()).toMatchObject({ added: [], removed: [], pending: [] });
  });

  test("but not because an index lists a sitemap that never existed", async () => {
    const clock = new TestClock();
    const { site, sync } = await openLiving();
    const paths = Array.from({ length: 30 }, (_, number) => `/page-${number}`);
    const a = site.add("a", paths);
    site.add("dead", []).mood = "missing";
    for (const hours of [0, 12, 12]) {
      clock.pass(hours);
      await sync();
    }
    for (let day = 2; day <= 9; day++) {
      a.pages.delete(`/page-${day}`);
      const told = await sync();
      expect(told.removed).toEqual([`/page-${day}`]);
      expect(told.summary).toMatchObject({ pending: 0, isMassRemoval: false });
    }
  });
});

describe("evidence from earlier syncs is kept", () => {
  test("a date of today in every page, every day: all changes are weak, from the first", async () => {
    const { site, sync } = await openLiving();
    const clock = new TestClock();
    const a = site.add(
      "a",
      Array.from({ length: 20 }, (_, number) => `/page-${number}`),
    );
    const stamp = (): void => {
      const today = new Date(clock.now).toISOString().slice(0, 10);
      for (const page of a.pages.values()) page.lastmod = today;
    };
    stamp();
    await sync();
    for (let day = 1; day <= 3; day++) {
      // Several syncs between two stamps do not restore the trust.
      for (let hour = 0; hour < 24; hour += 8) {
        clock.pass(8);
        if (hour < 16) expect(await sync()).toMatchObject(NOTHING);
      }
      stamp();
      a.pages.set(`/new-${day}`, { lastmod: "2026-02-28" });
      const { added, changes, summary } = await sync();
      expect(added).toEqual([`/new-${day}`]);
      const changed = changes.filter(({ kind }) => kind === "changed");
      expect(changed.length).toBeGreaterThanOrEqual(20);
      for (const change of changed) expect(change).toMatchObject({ fields: ["lastModified"], weak: true });
      expect(summary.lastmod.score).toBeLessThan(0.5);
    }
  });

  test("a change of a page is not reported again when another sitemap follows with the same data", async () => {
    const { site, sync } = await openLiving();
    const news = site.add("news", ["/p"]);
    const main = site.add("main", ["/p"]);
    await sync();
    news.pages.set("/p", { lastmod: "2026-01-02" });
    expect(await sync()).toMatchObject({ ...NOTHING, changed: ["/p"] });
    main.pages.set("/p", { lastmod: "2026-01-02" });
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("sitemaps of other hosts are stored once, however often the index answers 304", async () => {
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

test("a Last-Modified at the largest possible date does not end the sync", async () => {
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
  test("the summary names new and gone sitemaps, and does not count robots.txt", async () => {
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

  test("a listed sitemap that never existed is neither unknown nor new nor gone", async () => {
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

  test("an unreachable sitemap names the index that failed, and a failed one its HTTP status", async () => {
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
