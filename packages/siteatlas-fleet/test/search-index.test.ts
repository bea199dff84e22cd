/**
 * The recipe examples/postgres-search.mjs on a real PostgreSQL.
 *
 * - Sixty days of a site with bad days. Each day has three syncs. Whenever the site was well for two days, the rows of
 *   the index are exactly its pages.
 * - A process that is killed between the commit and the new snapshot, two processes at once, a lost snapshot.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { SyncOptions } from "siteatlas";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { LivingSite, type LivingSitemap } from "../../siteatlas/test/sync/living-site.ts";
import { createRandom } from "./support/chaos.ts";
import { type Postgres, startPostgres } from "./support/start-postgres.mjs";

interface Recipe {
  updateIndex(client: pg.Client, site: string, options: SyncOptions): Promise<void>;
}

const { updateIndex } = (await import(
  new URL("../../../examples/postgres-search.mjs", import.meta.url).href
)) as Recipe;

const DAYS = 60;
const SYNCS_PER_DAY = 3;
const HOUR_MS = 3_600_000;
const START = Date.parse("2026-03-01T06:00:00Z");
const NAMES = ["posts", "shop", "help", "news"];

let postgres: Postgres;
let client: pg.Client;

beforeAll(async () => {
  postgres = await startPostgres({ fast: true });
  client = new pg.Client(postgres.url);
  await client.connect();
});

async function connect(): Promise<pg.Client> {
  const another = new pg.Client(postgres.url);
  await another.connect();
  onTestFinished(() => another.end());
  return another;
}

afterAll(async () => {
  await client?.end();
  await postgres?.stop();
});

/** The faults of bad days. Each function causes one and returns a function that ends it. */
const BAD_DAYS: readonly ((site: LivingSite) => () => void)[] = [
  (site) => {
    for (const name of NAMES) site.sitemaps.get(name)!.mood = "down";
    return () => heal(site);
  },
  (site) => {
    site.sitemaps.get("shop")!.mood = "missing";
    return () => heal(site);
  },
  (site) => {
    site.sitemaps.get("posts")!.mood = "cut";
    return () => heal(site);
  },
  (site) => {
    site.robotsMood = "missing";
    return () => {
      site.robotsMood = "well";
    };
  },
  (site) => {
    const { pages } = site.sitemaps.get("news")!;
    const before = [...pages];
    pages.clear();
    return () => {
      for (const [path, page] of before) pages.set(path, page);
    };
  },
  (site) => {
    for (const name of ["shop", "help", "news"]) site.sitemaps.get(name)!.hidden = true;
    return () => {
      for (const name of ["shop", "help", "news"]) site.sitemaps.get(name)!.hidden = false;
    };
  },
];

function heal(site: LivingSite): void {
  for (const sitemap of site.sitemaps.values()) sitemap.mood = "well";
}

/** A few pages are added, changed and removed. */
function edit(site: LivingSite, day: number, random: () => number): void {
  const date = new Date(START + day * 24 * HOUR_MS).toISOString().slice(0, 10);
  const any = (): LivingSitemap => site.sitemaps.get(NAMES[Math.floor(random() * NAMES.length)]!)!;
  for (let number = 0; number < 3; number++) {
    const sitemap = any();
    sitemap.pages.set(`/new-${day}-${number}`, { lastmod: date });
    sitemap.declared = date;
  }
  const sitemap = any();
  const paths = [...sitemap.pages.keys()];
  sitemap.pages.delete(paths[Math.floor(random() * paths.length)]!);
  sitemap.pages.set(paths[0]!, { lastmod: date });
  sitemap.declared = date;
}

async function indexedUrls(site: LivingSite): Promise<string[]> {
  const { rows } = await client.query<{ url: string }>("select url from page where site = $1", [site.url]);
  return rows.map(({ url }) => url).sort();
}

async function openSite(): Promise<{ site: LivingSite; options: SyncOptions & { snapshot: string } }> {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-search-"));
  const site = await LivingSite.start();
  onTestFinished(async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  });
  return { site, options: { snapshot: join(folder, "site.gz"), limits: { backoffMs: 1, retries: 0 } } };
}

test("the rows are the pages of the site, and the words find them", async () => {
  const { site, options } = await openSite();
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  onTestFinished(() => void vi.useRealTimers());
  const random = createRandom(18);
  for (const name of NAMES) {
    site.add(
      name,
      Array.from({ length: 40 }, (_, number) => `/${name}/page-${number}`),
    );
  }
  const syncDay = async (): Promise<void> => {
    for (let sync = 0; sync < SYNCS_PER_DAY; sync++) {
      await updateIndex(client, site.url, options);
      vi.setSystemTime(Date.now() + (24 / SYNCS_PER_DAY) * HOUR_MS);
    }
  };
  const bad = Array.from({ length: DAYS / 4 }, (_, number) => BAD_DAYS[number % BAD_DAYS.length]!);
  let day = 0;
  for (const begin of bad) {
    edit(site, day++, random);
    await syncDay();
    const end = begin(site);
    await syncDay();
    end();
    day++;
    for (let quiet = 0; quiet < 2; quiet++, day++) await syncDay();
    expect(await indexedUrls(site), `after day ${day}`).toEqual([...site.truth().keys()].sort());
  }
  expect(day).toBe(DAYS);
  const { rows } = await client.query<{ url: string }>(
    "select url from page where words @@ plainto_tsquery('simple', 'shop page 7')",
  );
  expect(rows.map(({ url }) => url)).toEqual([site.pageUrl("/shop/page-7")]);
});

describe("the rows become the pages of the site again", () => {
  const PATHS = Array.from({ length: 20 }, (_, number) => `/page-${number}`);

  async function expectRows(site: LivingSite): Promise<void> {
    const { rows } = await client.query<{ url: string; last_modified: string | null }>(
      "select url, last_modified from page where site = $1",
      [site.url],
    );
    const truth = [...site.sitemaps.values()].flatMap(({ pages }) =>
      [...pages].map(([path, { lastmod = null }]) => `${site.pageUrl(path)} ${lastmod}`),
    );
    expect(rows.map(({ url, last_modified }) => `${url} ${last_modified}`).sort()).toEqual(truth.sort());
  }

  test("after a kill between the commit and the new snapshot, whatever the site does meanwhile", async () => {
    const { site, options } = await openSite();
    const { pages } = site.add("pages", PATHS);
    pages.set("/changed", { lastmod: "2026-01-01" });
    await updateIndex(client, site.url, options);
    const before = new Map(pages);
    copyFileSync(options.snapshot, `${options.snapshot}.old`);
    pages.set("/added", {});
    pages.delete("/page-0");
    pages.set("/changed", { lastmod: "2026-02-02" });
    await updateIndex(client, site.url, options);
    await expectRows(site);
    // The files are now as if the process had been killed before it replaced the snapshot.
    copyFileSync(`${options.snapshot}.old`, options.snapshot);
    pages.clear();
    for (const [path, page] of before) pages.set(path, page);
    await updateIndex(client, site.url, options);
    await expectRows(site);
  });

  test("after two processes at once: the slower one saw a page that is gone", async () => {
    const { site, options } = await openSite();
    const { pages } = site.add("pages", PATHS);
    await updateIndex(client, site.url, options);
    const [other, watcher] = [await connect(), await connect()];
    const isWaiting = async (): Promise<boolean> => {
      const query = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
      return (await watcher.query(query)).rows.length > 0;
    };
    pages.set("/short", {});
    let later: Promise<void> | undefined;
    const slow = new Proxy(client, {
      get: (target, name: keyof pg.Client) => async (text: string, values?: unknown[]) => {
        if (text === "commit") {
          pages.delete("/short");
          let isDone = false;
          later = updateIndex(other, site.url, options).finally(() => {
            isDone = true;
          });
          // The recipe lets the other process wait for this commit.
          while (!isDone && !(await isWaiting())) await sleep(10);
        }
        return (target[name] as typeof target.query)(text, values as never);
      },
    });
    const results = await Promise.allSettled([updateIndex(slow, site.url, options)]);
    results.push(...(await Promise.allSettled([later!])));
    // Whichever is the later one fails, because the snapshot was replaced meanwhile.
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await updateIndex(client, site.url, options);
    await expectRows(site);
  });

  test("after the snapshot was lost, but not while the site is down", async () => {
    const { site, options } = await openSite();
    const { pages } = site.add("pages", PATHS);
    await updateIndex(client, site.url, options);
    rmSync(options.snapshot);
    pages.delete("/page-0");
    site.robotsMood = "down";
    site.sitemaps.get("pages")!.mood = "down";
    await updateIndex(client, site.url, options);
    expect(await indexedUrls(site)).toHaveLength(PATHS.length);
    site.robotsMood = "well";
    site.sitemaps.get("pages")!.mood = "well";
    await updateIndex(client, site.url, options);
    await expectRows(site);
  });

  test("if another site declares the same page and removes it", async () => {
    const [one, two] = [await openSite(), await openSite()];
    for (const { site } of [one, two]) {
      site.pageOrigin = "https://shared.example.com";
      site.add("pages", PATHS);
    }
    for (const { site, options } of [one, two]) await updateIndex(client, site.url, options);
    two.site.sitemaps.get("pages")!.pages.delete("/page-0");
    await updateIndex(client, two.site.url, two.options);
    await expectRows(one.site);
    await expectRows(two.site);
  });
});
