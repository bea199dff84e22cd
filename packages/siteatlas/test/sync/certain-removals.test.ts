/** Removals that look certain although the pages exist. One case for each kind that was found. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import {
  openSite,
  robotsTxt,
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
