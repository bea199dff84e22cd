/** Removals that look certain although the pages exist. One case for each kind that was found. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import {
  openSite,
  robotsTxt,
  type SiteHandler,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";
import { NOTHING, syncOnce, TestClock, type Told } from "./support.ts";

interface Days {
  readonly site: TestSite;
  readonly base: string;
  readonly clock: TestClock;
  /** Replaces documents. Undefined deletes one. */
  readonly set: (routes: Readonly<Record<string, SiteRoutes[string] | undefined>>) => void;
  readonly sync: (options?: Partial<SyncOptions>) => Promise<Told>;
  /** Returns the URLs of pages from one number up to another one. */
  readonly pages: (from: number, to: number) => string[];
}

/** Sitemaps are searched only in robots.txt, which takes half of the time. */
const ONLY_ROBOTS: Partial<SyncOptions> = {
  limits: { retries: 0, backoffMs: 1 },
  useKnownPaths: false,
  useHomepageLinks: false,
};
/** Sitemaps are also searched at known locations. */
const EVERYWHERE: Partial<SyncOptions> = { useKnownPaths: true, useHomepageLinks: true };

async function openDays(): Promise<Days> {
  const clock = new TestClock();
  const site = await openSite({});
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return {
    site,
    base: site.url,
    clock,
    set: (routes) => {
      const all = Object.entries({ ...site.routes, ...routes });
      site.routes = Object.fromEntries(all.filter(([, route]) => route !== undefined)) as SiteRoutes;
    },
    sync: (options) => {
      const start = { url: `${site.url}/`, origin: site.url };
      return syncOnce(start, join(folder, "s.gz"), { ...ONLY_ROBOTS, ...options });
    },
    pages: (from, to) => Array.from({ length: to - from }, (_, index) => `${site.url}/p${from + index}`),
  };
}

/** Has the same ETag whatever its content. */
const tagged =
  (body: string): SiteHandler =>
  ({ headers }) =>
    headers["if-none-match"] === '"1"' ? { status: 304 } : { headers: { etag: '"1"' }, body };

describe("a page that moves to another sitemap stays", () => {
  test("if the server answers 304 for that sitemap although it changed", async () => {
    const { base, clock, set, sync, pages } = await openDays();
    const lists = [pages(0, 20), pages(20, 40), pages(40, 60)];
    const publish = () => {
      const names = lists.map((list, index) => [`/s${index}.xml`, tagged(urlset(list))] as const);
      set({ "/robots.txt": robotsTxt(names.map(([name]) => base + name)), ...Object.fromEntries(names) });
    };
    publish();
    await sync();
    for (let day = 0; day < 14; day++) {
      clock.pass(24);
      lists[(day + 1) % 3]!.push(lists[day % 3]!.shift()!);
      publish();
      expect(await sync()).toMatchObject({ added: [], removed: [], pending: [] });
    }
  });

  test("if the Last-Modified of that sitemap is wrong; sitemaps with an ETag are not read for this", async () => {
    const { base, clock, set, sync, pages } = await openDays();
    const lists = [pages(0, 20), pages(20, 40), pages(40, 60)];
    const dated =
      (body: string): SiteHandler =>
      ({ headers }) =>
        headers["if-modified-since"] === undefined
          ? { headers: { "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" }, body }
          : { status: 304 };
    const correct =
      (list: readonly string[]): SiteHandler =>
      ({ headers }) => {
        const etag = `"${list.length}-${list[0]}"`;
        return headers["if-none-match"] === etag
          ? { status: 304 }
          : { headers: { etag }, body: urlset(list) };
      };
    const publish = () =>
      set({
        "/robots.txt": robotsTxt([`${base}/s0.xml`, `${base}/s1.xml`, `${base}/s2.xml`]),
        "/s0.xml": dated(urlset(lists[0]!)),
        "/s1.xml": dated(urlset(lists[1]!)),
        "/s2.xml": correct(lists[2]!),
      });
    publish();
    await sync();
    // A complete read finds that the Last-Modified of both is wrong: from now on, they are read in each sync.
    for (const list of [lists[0]!, lists[1]!]) list.push(`${base}/new-${list.length}-${list[0]!.length}`);
    lists[1]!.push(lists[0]!.shift()!);
    publish();
    clock.pass(7 * 24);
    expect(await sync()).toMatchObject({ removed: [], pending: [] });
    clock.pass(1);
    lists[0]!.push(lists[1]!.pop()!);
    lists[0]!.shift();
    publish();
    const told = await sync();
    expect(told).toMatchObject({ removed: ["/p1"], pending: [] });
    // robots.txt and the three sitemaps, each once.
    expect(told.summary).toMatchObject({ asked: 4, notModified: 1 });
  });

  test("if that sitemap was skipped because of its date in the index", async () => {
    const { base, clock, set, sync, pages } = await openDays();
    const lists = Array.from({ length: 5 }, (_, index) => pages(index * 20, index * 20 + 20));
    const dates = lists.map(() => "2026-01-01T00:00:00Z");
    const publish = () => {
      const names = lists.map((_, index) => `${base}/s${index}.xml`);
      set({
        "/robots.txt": robotsTxt([`${base}/i.xml`]),
        "/i.xml": sitemapIndex(names.map((name, index) => [name, dates[index]!])),
      });
      set(Object.fromEntries(lists.map((list, index) => [`/s${index}.xml`, urlset(list)])));
    };
    publish();
    await sync();
    for (let time = 0; time < 14; time++) {
      clock.pass(6);
      if (time === 4) {
        lists[2]!.push(`${base}/new`);
        dates[2] = new Date(clock.now).toISOString();
        publish();
      }
      await sync();
    }
    clock.pass(6);
    expect((await sync()).summary.onTrust).toBeGreaterThan(0);
    const moved = lists[0]!.splice(0, 3);
    for (const list of lists.slice(1)) list.push(...moved);
    dates[0] = new Date(clock.now).toISOString();
    publish();
    clock.pass(6);
    const told = await sync();
    expect(told).toMatchObject({ added: [], removed: [], pending: [] });
    expect(told.relisted).toEqual(["/p0", "/p1", "/p2"]);
    expect(told.changes.filter(({ kind }) => kind === "start")).toHaveLength(1);
    // A real removal is reported at once.
    lists[0]!.shift();
    dates[0] = new Date(clock.now).toISOString();
    publish();
    clock.pass(6);
    expect((await sync()).removed).toEqual(["/p3"]);
  });
});

describe("a site without a Sitemap line in robots.txt", () => {
  test.each(["/sitemap.xml", "/news-sitemap.xml"])(
    "keeps its pages when the sitemap moves to %s",
    async (target) => {
      const { clock, set, sync, pages } = await openDays();
      const body = urlset(pages(0, 20));
      set({ "/robots.txt": robotsTxt([]), "/sitemap_index.xml": body });
      await sync(EVERYWHERE);
      clock.pass(24);
      await sync(EVERYWHERE);
      clock.pass(24);
      set({ "/sitemap_index.xml": undefined, [target]: body });
      expect(await sync(EVERYWHERE)).toMatchObject({ ...NOTHING, unknown: ["/sitemap_index.xml"] });
      for (let day = 0; day < 3; day++) {
        clock.pass(24);
        expect(await sync(EVERYWHERE)).toMatchObject({ added: [], removed: [], pending: [] });
      }
    },
  );

  test("finds its sitemap at the next sync after a long absence", async () => {
    const { clock, set, sync, pages } = await openDays();
    const body = urlset(pages(0, 20));
    set({ "/robots.txt": robotsTxt([]), "/sitemap.xml": body, "/sitemap_news.xml": urlset(pages(20, 22)) });
    await sync(EVERYWHERE);
    set({ "/sitemap.xml": undefined });
    const removed: string[] = [];
    for (let day = 0; day < 5; day++) {
      clock.pass(24);
      removed.push(...(await sync(EVERYWHERE)).removed);
    }
    expect(removed).toHaveLength(20);
    set({ "/sitemap.xml": body });
    clock.pass(24);
    expect((await sync(EVERYWHERE)).added).toHaveLength(20);
  });

  test("is searched again as a whole when no page is left", async () => {
    const { clock, set, sync, pages } = await openDays();
    set({ "/robots.txt": robotsTxt([]), "/sitemap.xml": urlset(pages(0, 20)) });
    await sync(EVERYWHERE);
    set({ "/sitemap.xml": undefined });
    for (let day = 0; day < 5; day++) {
      clock.pass(24);
      await sync(EVERYWHERE);
    }
    set({ "/sitemap_news.xml": urlset(pages(0, 20)) });
    clock.pass(24);
    expect((await sync(EVERYWHERE)).added).toHaveLength(20);
  });

  test("is not searched at other locations during an outage", async () => {
    const { site, clock, set, sync, pages } = await openDays();
    set({ "/robots.txt": robotsTxt([]), "/sitemap.xml": urlset(pages(0, 20)) });
    await sync(EVERYWHERE);
    clock.pass(24);
    set({ "/sitemap.xml": { status: 503 } });
    site.reset();
    await sync(EVERYWHERE);
    expect(site.requests.length).toBeLessThanOrEqual(5);
  });
});

describe("a maintenance message for every URL", () => {
  test.each([
    ["text/plain", "Down for maintenance. Please come back later.\n"],
    ["text/html", "Down for maintenance"],
    ["application/json", '{"error":"maintenance"}'],
  ])("removes nothing as %s", async (type, body) => {
    const { base, clock, set, sync, pages } = await openDays();
    const usual = {
      "/robots.txt": robotsTxt([`${base}/m/i.xml`]),
      "/m/i.xml": sitemapIndex([`${base}/m/a.xml`]),
      "/m/a.xml": urlset(pages(0, 40)),
    };
    set(usual);
    await sync();
    const message = { headers: { "content-type": type }, body };
    set(Object.fromEntries(Object.keys(usual).map((path) => [path, message])));
    for (let time = 0; time < 5; time++) {
      clock.pass(10);
      expect(await sync()).toMatchObject({ removed: [], pending: [] });
    }
    set(usual);
    clock.pass(10);
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("does not keep pages forever", async () => {
    const { base, clock, set, sync, pages } = await openDays();
    set({ "/robots.txt": robotsTxt([`${base}/m/a.xml`]), "/m/a.xml": urlset(pages(0, 40)) });
    await sync();
    set({ "/robots.txt": "# This site has no sitemap.\n", "/m/a.xml": undefined });
    const removed: string[] = [];
    for (let day = 0; day < 11; day++) {
      clock.pass(24);
      removed.push(...(await sync()).removed);
    }
    expect(removed).toHaveLength(40);
  });
});

describe("the grace of a pending removal", () => {
  const routes = (base: string, a: readonly string[], b: readonly string[]) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset(a),
    "/b.xml": urlset(b),
  });

  test.each([
    ["the sitemap", ["/b.xml"]],
    ["the whole site", ["/robots.txt", "/a.xml", "/b.xml"]],
  ])("does not count syncs that could not read %s", async (_, down) => {
    const { base, clock, set, sync, pages } = await openDays();
    set(routes(base, pages(0, 20), pages(20, 40)));
    await sync();
    clock.pass(1);
    set({ "/b.xml": urlset([]) });
    expect((await sync()).pending).toHaveLength(20);
    set(Object.fromEntries(down.map((path) => [path, { status: 503 }])));
    for (let time = 0; time < 4; time++) {
      clock.pass(8);
      expect((await sync()).removed).toEqual([]);
    }
    set(routes(base, pages(0, 20), []));
    clock.pass(1);
    expect((await sync()).removed).toEqual([]);
    clock.pass(1);
    expect((await sync()).removed).toHaveLength(20);
  });

  test.each([
    ["pending removal", urlset([])],
    ["missing sitemap", undefined],
  ])("ends for a %s although one sync had a clock in the future", async (_, document) => {
    const { base, clock, set, sync, pages } = await openDays();
    set(routes(base, pages(0, 20), pages(20, 40)));
    await sync();
    set({ "/b.xml": document });
    clock.pass(365 * 24);
    await sync();
    clock.pass(-365 * 24);
    const removed: string[] = [];
    for (let time = 0; time < 10; time++) {
      clock.pass(8);
      removed.push(...(await sync()).removed);
    }
    expect(removed).toHaveLength(20);
  });
});

describe("a page that moves to a sitemap with a fault stays", () => {
  const routes = (base: string, a: readonly string[], b: readonly string[]) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset(a),
    "/b.xml": urlset(b),
  });
  const faults: readonly [string, (base: string, left: string) => SiteRoutes][] = [
    ["is empty", () => ({ "/b.xml": urlset([]) })],
    ["lists one page", (_, left) => ({ "/b.xml": urlset([left]) })],
    ["is missing in its index", (base) => ({ "/i.xml": sitemapIndex([`${base}/a.xml`]) })],
    ["is in an index that is empty", () => ({ "/i.xml": sitemapIndex([]) })],
    ["is on a site whose robots.txt has no Sitemap line", () => ({ "/robots.txt": robotsTxt([]) })],
  ];

  test.each(faults)("if the sitemap could not be read and then %s", async (_, fault) => {
    const { base, clock, set, sync, pages } = await openDays();
    const after = routes(base, pages(3, 20), pages(0, 3).concat(pages(20, 40)));
    set(routes(base, pages(0, 20), pages(20, 40)));
    await sync();
    clock.pass(1);
    set({ ...after, "/b.xml": { status: 503 } });
    expect((await sync()).removed).toEqual([]);
    clock.pass(1);
    set({ ...after, ...fault(base, pages(20, 21)[0]!) });
    expect((await sync()).removed).toEqual([]);
    clock.pass(1);
    set(after);
    expect(await sync()).toMatchObject({ added: [], removed: [] });
  });

  test.each(faults.slice(0, 3))("if the sitemap is small and %s", async (_, fault) => {
    const { base, clock, set, sync, pages } = await openDays();
    const after = routes(base, pages(3, 95), pages(0, 3).concat(pages(95, 100)));
    set(routes(base, pages(0, 95), pages(95, 100)));
    await sync();
    clock.pass(1);
    set({ ...after, ...fault(base, pages(95, 96)[0]!) });
    expect((await sync()).removed).toEqual([]);
    clock.pass(1);
    set(after);
    expect(await sync()).toMatchObject({ added: [], removed: [] });
  });
});
