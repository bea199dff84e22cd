/**
 * The recipe examples/postgres-search.mjs on a real PostgreSQL, over sixty days of a site with bad days. Each day has
 * three syncs. Whenever the site was well for two days, the rows of the index are exactly its pages.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { SyncOptions } from "siteatlas";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
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

async function indexedUrls(): Promise<string[]> {
  const { rows } = await client.query<{ url: string }>("select url from page");
  return rows.map(({ url }) => url).sort();
}

test("the rows are the pages of the site, and the words find them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-search-"));
  const site = await LivingSite.start();
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  onTestFinished(async () => {
    vi.useRealTimers();
    await site.close();
    rmSync(folder, { recursive: true });
  });
  const random = createRandom(18);
  for (const name of NAMES) {
    site.add(
      name,
      Array.from({ length: 40 }, (_, number) => `/${name}/page-${number}`),
    );
  }
  const options = { snapshot: join(folder, "site.gz"), limits: { backoffMs: 1, retries: 0 } };
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
    expect(await indexedUrls(), `after day ${day}`).toEqual([...site.truth().keys()].sort());
  }
  expect(day).toBe(DAYS);
  const { rows } = await client.query<{ url: string }>(
    "select url from page where words @@ plainto_tsquery('simple', 'shop page 7')",
  );
  expect(rows.map(({ url }) => url)).toEqual([site.pageUrl("/shop/page-7")]);
});
