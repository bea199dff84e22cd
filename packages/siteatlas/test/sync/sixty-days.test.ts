/**
 * Sixty days of a site with known pages, two syncs per day, and faults of every kind. A consumer that follows the example
 * of docs/sync.md literally has exactly the true pages at the end of each day without a fault. `npm run bench:sync` runs
 * it with 200,000 pages, and prints requests and bytes beside those of full walks.
 *
 * The site has an index as many plugins write it: its dates are the newest lastmod of each sitemap. A second index has
 * the dates of its files. A second, small site has three pages.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import { LivingSite, type LivingSitemap } from "./living-site.ts";
import { SiteFaults } from "./site-faults.ts";
import { syncOnce, TestClock, type Told } from "./support.ts";

const IS_WHOLE = process.env["SIXTY_DAYS"] === "whole";
const DAYS = 60;
const SYNCS_PER_DAY = 2;
const DAY_MS = 24 * 3_600_000;
/** Number of sitemaps below each index, of pages in each at first, and of those that are imported for twenty days. */
const SIZE = IS_WHOLE
  ? { plugin: 100, files: 30, pages: 200, imported: 1800, edits: 20 }
  : { plugin: 6, files: 3, pages: 20, imported: 40, edits: 3 };

/** Random numbers that are the same in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 12)) >>> 0) % below;
  };
}

/** The sites, their true pages, and the faults that hide them. */
class Story {
  readonly site: LivingSite;
  readonly small: LivingSite;
  readonly #clock: TestClock;
  readonly #random = createRandom(18);
  readonly faults = new SiteFaults();
  #edition = 0;

  constructor(site: LivingSite, small: LivingSite, clock: TestClock) {
    this.site = site;
    this.small = small;
    this.#clock = clock;
    for (let number = 0; number < SIZE.plugin; number++) this.#open(`plugin-${number}`, "index");
    for (let number = 0; number < SIZE.files; number++) this.#open(`files-${number}`, "archive");
    // Some servers send no validators, or the newest lastmod as Last-Modified.
    for (const [number, name] of this.names("plugin").entries()) {
      if (number % 5 === 1) this.sitemap(name).mood = "plain";
      if (number % 5 === 2) this.sitemap(name).mood = "dated";
    }
    small.add("only", ["/", "/contact", "/caf%c3%a9"]);
  }

  #open(name: string, index: string): void {
    const sitemap = this.site.add(name, []);
    sitemap.index = index;
    for (let page = 0; page < SIZE.pages; page++) this.#write(sitemap, `/${name}/article-${page}`, page % 50);
    this.#date(name);
  }

  names(start: string): string[] {
    return [...this.site.sitemaps.keys()].filter((name) => name.startsWith(start));
  }

  sitemap(name: string): LivingSitemap {
    return this.site.sitemaps.get(name)!;
  }

  #write(sitemap: LivingSitemap, path: string, daysAgo: number): void {
    const at = this.#clock.now + this.site.skewMs - daysAgo * DAY_MS - (this.#edition++ % 3600) * 1000;
    sitemap.pages.set(path, { lastmod: `${new Date(at).toISOString().slice(0, 19)}+00:00` });
  }

  /** Sets the date in the index. A plugin declares the newest lastmod, a file its own date. */
  #date(name: string): void {
    const sitemap = this.sitemap(name);
    const dates = [...sitemap.pages.values()].map(({ lastmod = "" }) => lastmod);
    const now = new Date(this.#clock.now + this.site.skewMs - 60_000).toISOString();
    sitemap.declared = name.startsWith("plugin") ? (dates.sort().at(-1) ?? null) : now;
  }

  /** Pages are added, changed and removed. A removed page is never the newest one. */
  edit(day: number): void {
    const names = [...this.site.sitemaps.keys()];
    for (let number = 0; number < SIZE.edits; number++) {
      const name = names[this.#random(names.length)]!;
      const sitemap = this.sitemap(name);
      const paths = [...sitemap.pages.keys()];
      this.#write(sitemap, `/${name}/day-${day}-${number}`, 0);
      this.#write(sitemap, paths[this.#random(paths.length)]!, 0);
      this.#date(name);
      // Another sitemap only loses its oldest page, which moves no date of a plugin.
      const other = names[this.#random(names.length)]!;
      const oldest = [...this.sitemap(other).pages].sort(([, a], [, b]) =>
        a.lastmod! < b.lastmod! ? -1 : 1,
      );
      if (oldest.length > SIZE.pages / 2) this.sitemap(other).pages.delete(oldest[0]![0]);
      this.#date(other);
    }
  }

  importPages(): void {
    for (const name of this.names("plugin")) {
      for (let page = 0; page < SIZE.imported; page++) {
        this.#write(this.sitemap(name), `/${name}/imported-${page}`, 100);
      }
    }
  }

  removeImported(): void {
    for (const name of this.names("plugin")) {
      const { pages } = this.sitemap(name);
      for (const path of [...pages.keys()]) if (path.includes("/imported-")) pages.delete(path);
    }
  }
}

/** An event of a day, before its syncs. `isFault`: the site does not serve its true pages. */
interface Day {
  readonly happens: (story: Story) => void;
  readonly isFault?: true;
  /** Many pages are really removed. This is reported after a day and three syncs. */
  readonly isMassRemoval?: true;
}

const fault = (happens: Day["happens"]): Day => ({ happens, isFault: true });

const EVENTS: Readonly<Record<number, Day>> = {
  5: fault((story) => story.faults.lose(story.site, story.names("plugin"), 0.6)),
  8: fault((story) => story.faults.mood(story.site, ["plugin-3"], "down")),
  9: fault((story) => story.faults.mood(story.site, ["plugin-3"], "down")),
  12: fault((story) => story.faults.lose(story.site, ["plugin-1"], 1)),
  14: fault((story) => story.faults.lose(story.small, ["only"], 1)),
  16: fault((story) => story.faults.unlist(story.site, "archive")),
  18: fault((story) => story.faults.hide(story.site, story.names("plugin").slice(1))),
  20: { happens: (story) => story.importPages() },
  24: fault((story) => story.faults.mood(story.site, ["plugin-0", "files-0"], "cut")),
  26: fault((story) => story.faults.mood(story.site, ["plugin-4"], "missing")),
  28: fault((story) => story.faults.lose(story.site, story.names("plugin"), 0.3)),
  30: fault((story) => story.faults.wholeMood(story.site, "down")),
  32: fault((story) => story.faults.wholeMood(story.site, "maintenance")),
  34: {
    happens: ({ site }) => {
      site.skewMs = -3 * DAY_MS;
    },
  },
  37: fault((story) => story.faults.mood(story.site, ["plugin-2", "files-1"], "broken")),
  40: { happens: (story) => story.removeImported(), isMassRemoval: true },
  43: {
    happens: ({ site }) => {
      site.skewMs = 2 * DAY_MS;
    },
  },
  45: fault((story) => {
    story.faults.lose(story.site, ["files-2"], 1);
    story.faults.hide(story.site, ["plugin-5"]);
    story.faults.unlist(story.site, "index");
  }),
  47: {
    happens: ({ small }) => {
      const { pages } = small.sitemaps.get("only")!;
      pages.set("/caf%C3%A9", pages.get("/caf%c3%a9")!);
      pages.delete("/caf%c3%a9");
    },
  },
  49: {
    happens: ({ site }) => {
      site.skewMs = 0;
      site.pageOrigin = "https://shop.example.com";
    },
  },
  54: { happens: ({ small }) => small.sitemaps.get("only")!.pages.clear(), isMassRemoval: true },
  57: {
    happens: ({ site }) => {
      site.sitemaps.delete("files-1");
    },
    isMassRemoval: true,
  },
};

/** Days on which the small site is synced. In the whole test, it is every day. */
const isSmallDay = (day: number): boolean =>
  IS_WHOLE || day <= 2 || (day >= 13 && day <= 16) || (day >= 46 && day <= 48) || day >= 53;

/** Follows the example of docs/sync.md. */
class Consumer {
  readonly pages: Set<string> = new Set();
  falseRemovals = 0;
  readonly cost = { syncs: 0, requests: 0, notModified: 0, onTrust: 0, bytes: 0 };

  follow({ changes, summary }: Told, truth: ReadonlySet<string>): void {
    for (const change of changes) {
      if (change.kind === "added" || change.kind === "changed") this.pages.add(change.url);
      if (change.kind === "removed") {
        this.pages.delete(change.url);
        if (truth.has(change.url)) this.falseRemovals++;
      }
    }
    this.cost.syncs++;
    this.cost.requests += summary.asked;
    this.cost.notModified += summary.notModified;
    this.cost.onTrust += summary.onTrust;
    this.cost.bytes += summary.bytes;
  }
}

/** In the whole test, a full walk is measured on each of these days. */
const WALK_DAYS = 5;

const OPTIONS: Partial<SyncOptions> = { useKnownPaths: false, limits: { backoffMs: 1, retries: 0 } };

/** Reads every sitemap, as a first sync does. */
async function walkWhole(site: LivingSite, folder: string): Promise<{ requests: number; bytes: number }> {
  const { summary } = await syncOnce(site, join(folder, "walk.gz"), { ...OPTIONS, dryRun: true });
  return { requests: summary.asked, bytes: summary.bytes };
}

const pagesOf = (...sites: readonly LivingSite[]): Set<string> =>
  new Set(sites.flatMap((site) => [...site.truth().keys()]));

/** URLs as the consumer knows them: a page keeps its first spelling. */
const spelled = (url: string): string => url.replace("%C3%A9", "%c3%a9");

test("sixty days: the consumer has exactly the true pages at the end of each good day", async () => {
  const clock = new TestClock();
  const site = await LivingSite.start();
  const small = await LivingSite.start();
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(async () => {
    await site.close();
    await small.close();
    await rm(folder, { recursive: true });
  });
  site.pageOrigin = "http://shop.example.com";
  const story = new Story(site, small, clock);
  const consumer = new Consumer();
  const total = { deadPages: 0, missedAdds: 0, goodDays: 0, mostPages: 0 };
  const walks = { walks: 0, requests: 0, bytes: 0 };
  let graceUntil = 0;
  for (let day = 1; day <= DAYS; day++) {
    story.faults.heal();
    if (day > 1) story.edit(day);
    const { happens, isFault = false, isMassRemoval = false } = EVENTS[day] ?? { happens: () => {} };
    const isServed = !isFault;
    if (isServed) happens(story);
    const truth = new Set([...pagesOf(site, small)].map(spelled));
    if (!isServed) happens(story);
    if (isMassRemoval) graceUntil = day + 1;
    total.mostPages = Math.max(total.mostPages, truth.size);
    for (const each of IS_WHOLE && day % WALK_DAYS === 1 ? [site, small] : []) {
      const { requests, bytes } = await walkWhole(each, folder);
      walks.walks++;
      walks.requests += requests;
      walks.bytes += bytes;
    }
    for (let sync = 0; sync < SYNCS_PER_DAY; sync++) {
      consumer.follow(await syncOnce(site, join(folder, "site.gz"), OPTIONS), truth);
      if (isSmallDay(day)) consumer.follow(await syncOnce(small, join(folder, "small.gz"), OPTIONS), truth);
      clock.pass(24 / SYNCS_PER_DAY);
    }
    if (isFault || day < graceUntil) continue;
    total.goodDays++;
    const dead = [...consumer.pages].filter((url) => !truth.has(url));
    const missed = [...truth].filter((url) => !consumer.pages.has(url));
    total.deadPages += dead.length;
    total.missedAdds += missed.length;
    expect({ day, dead: dead.slice(0, 3), missed: missed.slice(0, 3) }).toEqual({
      day,
      dead: [],
      missed: [],
    });
  }
  const { falseRemovals, cost } = consumer;
  if (IS_WHOLE) {
    const { syncs } = cost;
    const perWalk = { requests: walks.requests / walks.walks, bytes: walks.bytes / walks.walks };
    const share = (one: number, all: number): string => `${((100 * one) / syncs / all).toFixed(1)} %`;
    console.table({ ...total, falseRemovals, ...cost });
    console.table({
      "full walk": { requests: Math.round(perWalk.requests), bytes: Math.round(perWalk.bytes) },
      sync: { requests: Math.round(cost.requests / syncs), bytes: Math.round(cost.bytes / syncs) },
      "sync, share of a walk": {
        requests: share(cost.requests, perWalk.requests),
        bytes: share(cost.bytes, perWalk.bytes),
      },
    });
  }
  expect({ ...total, falseRemovals }).toMatchObject({ falseRemovals: 0, deadPages: 0, missedAdds: 0 });
  expect(total.goodDays).toBeGreaterThanOrEqual(40);
}, 3_600_000);
