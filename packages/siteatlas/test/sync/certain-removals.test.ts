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
      return syncOnce(start, join(folder, "s.gz"), { limits: { retries: 0, backoffMs: 1 }, ...options });
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
    const options = { useKnownPaths: false };
    await sync(options);
    for (let day = 0; day < 14; day++) {
      clock.pass(24);
      lists[(day + 1) % 3]!.push(lists[day % 3]!.shift()!);
      publish();
      expect(await sync(options)).toMatchObject({ added: [], removed: [], pending: [] });
    }
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
    const options = { useKnownPaths: false };
    await sync(options);
    for (let time = 0; time < 14; time++) {
      clock.pass(6);
      if (time === 4) {
        lists[2]!.push(`${base}/new`);
        dates[2] = new Date(clock.now).toISOString();
        publish();
      }
      await sync(options);
    }
    clock.pass(6);
    expect((await sync(options)).summary.onTrust).toBeGreaterThan(0);
    const moved = lists[0]!.splice(0, 3);
    for (const list of lists.slice(1)) list.push(...moved);
    dates[0] = new Date(clock.now).toISOString();
    publish();
    clock.pass(6);
    const told = await sync(options);
    expect(told).toMatchObject({ added: [], removed: [], pending: [] });
    expect(told.relisted).toEqual(["/p0", "/p1", "/p2"]);
    expect(told.changes.filter(({ kind }) => kind === "start")).toHaveLength(1);
    // A real removal is reported at once.
    lists[0]!.shift();
    dates[0] = new Date(clock.now).toISOString();
    publish();
    clock.pass(6);
    expect((await sync(options)).removed).toEqual(["/p3"]);
  });
});

describe("a site without a Sitemap line in robots.txt", () => {
  test.each(["/sitemap.xml", "/news-sitemap.xml"])(
    "keeps its pages when the sitemap moves to %s",
    async (target) => {
      const { clock, set, sync, pages } = await openDays();
      const body = urlset(pages(0, 20));
      set({ "/robots.txt": robotsTxt([]), "/sitemap_index.xml": body });
      await sync();
      clock.pass(24);
      await sync();
      clock.pass(24);
      set({ "/sitemap_index.xml": undefined, [target]: body });
      expect(await sync()).toMatchObject({ ...NOTHING, unknown: ["/sitemap_index.xml"] });
      for (let day = 0; day < 3; day++) {
        clock.pass(24);
        expect(await sync()).toMatchObject({ added: [], removed: [], pending: [] });
      }
    },
  );

  test("finds its sitemap at the next sync after a long absence", async () => {
    const { clock, set, sync, pages } = await openDays();
    const body = urlset(pages(0, 20));
    set({ "/robots.txt": robotsTxt([]), "/sitemap.xml": body, "/sitemap_news.xml": urlset(pages(20, 22)) });
    await sync();
    set({ "/sitemap.xml": undefined });
    const removed: string[] = [];
    for (let day = 0; day < 5; day++) {
      clock.pass(24);
      removed.push(...(await sync()).removed);
    }
    expect(removed).toHaveLength(20);
    set({ "/sitemap.xml": body });
    clock.pass(24);
    expect((await sync()).added).toHaveLength(20);
  });

  test("is searched again as a whole when no page is left", async () => {
    const { clock, set, sync, pages } = await openDays();
    set({ "/robots.txt": robotsTxt([]), "/sitemap.xml": urlset(pages(0, 20)) });
    await sync();
    set({ "/sitemap.xml": undefined });
    for (let day = 0; day < 5; day++) {
      clock.pass(24);
      await sync();
    }
    set({ "/sitemap_news.xml": urlset(pages(0, 20)) });
    clock.pass(24);
    expect((await sync()).added).toHaveLength(20);
  });

  test("is not searched at other locations during an outage", async () => {
    const { site, clock, set, sync, pages } = await openDays();
    set({ "/robots.txt": robotsTxt([]), "/sitemap.xml": urlset(pages(0, 20)) });
    await sync();
    clock.pass(24);
    set({ "/sitemap.xml": { status: 503 } });
    site.reset();
    await sync();
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
      expect(await sync({ useKnownPaths: false })).toMatchObject({ removed: [], pending: [] });
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
      removed.push(...(await sync({ useKnownPaths: false, useHomepageLinks: false })).removed);
    }
    expect(removed).toHaveLength(40);
  });
});
