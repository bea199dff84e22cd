/**
 * Random histories: whatever happens to a site, each sync reports what a simple model of the rules says, and a consumer
 * that follows the changes has exactly the pages of the site once it is well for a week.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../support/runs.ts";
import { LivingSite, type Mood } from "./living-site.ts";
import { syncOnce, TestClock, type Told } from "./support.ts";

const NAMES = ["s0", "s1", "s2", "s3"] as const;

type Deed =
  | { readonly do: "put"; readonly sitemap: number; readonly page: number }
  | { readonly do: "drop"; readonly sitemap: number; readonly page: number }
  | { readonly do: "move"; readonly sitemap: number; readonly to: number; readonly page: number }
  | { readonly do: "mood"; readonly sitemap: number; readonly mood: Mood }
  | { readonly do: "hide"; readonly sitemap: number }
  | { readonly do: "index"; readonly mood: Mood };

const sitemap = fc.nat(NAMES.length - 1);
const page = fc.nat(11);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("put"), sitemap, page }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("drop"), sitemap, page }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move"), sitemap, to: sitemap, page }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("mood"),
      sitemap,
      mood: fc.constantFrom<Mood>("well", "well", "down", "plain", "restless-etag"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("hide"), sitemap }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("index"), mood: fc.constantFrom<Mood>("well", "down") }),
  },
) as fc.Arbitrary<Deed>;

/** Several sitemaps may list a page, with different data. */
function act(site: LivingSite, what: Deed, day: number): void {
  if (what.do === "index") {
    site.indexMood = what.mood;
    return;
  }
  const own = site.sitemaps.get(NAMES[what.sitemap]!)!;
  if (what.do === "mood") own.mood = what.mood;
  else if (what.do === "hide") own.hidden = !own.hidden;
  else {
    const path = `/page-number-${what.page}`;
    const date = `2026-01-${String(day).padStart(2, "0")}`;
    if (what.do === "put") {
      own.pages.set(path, { lastmod: date });
      own.declared = date;
    } else if (what.do === "drop" && own.pages.delete(path)) own.declared = date;
    else if (what.do === "move" && own.pages.has(path) && what.to !== what.sitemap) {
      const target = site.sitemaps.get(NAMES[what.to]!)!;
      target.pages.set(path, own.pages.get(path)!);
      own.pages.delete(path);
      own.declared = target.declared = date;
    }
  }
}

const DAY_MS = 86_400_000;
const GRACE_MS = DAY_MS;
const UNREAD_MS = 7 * DAY_MS;

type Dates = Map<string, string>;

interface PendingPage {
  readonly since: number;
  times: number;
  readonly isUnread: boolean;
  /** The sitemaps that listed the page last. */
  readonly sitemaps: readonly string[];
}

/** The rules of docs/sync.md, as simple as possible. */
class Model {
  /** Pages of each sitemap with their dates. For a sitemap that is down, those of the last time. */
  #sitemaps: Map<string, Dates> = new Map();
  /** Sitemaps that are listed, and since when they cannot be read. */
  readonly #listed: Map<string, number | undefined> = new Map();
  readonly #pending: Map<string, PendingPage> = new Map();
  readonly pages: Set<string> = new Set();

  sync(site: LivingSite, now: number): Pick<Told, "added" | "changed" | "removed" | "pending"> {
    const old = this.#sitemaps;
    this.#sitemaps = this.#look(site, now);
    const [before, after] = [byPage(old), byPage(this.#sitemaps)];
    const missing = [...before.keys()].filter((path) => !after.has(path) && !this.#pending.has(path));
    const told = {
      added: [] as string[],
      changed: [] as string[],
      removed: [] as string[],
      pending: [] as string[],
    };
    for (const [path, dates] of after) {
      if (!this.pages.has(path)) told.added.push(path);
      // The snapshot keeps one date of a page that is pending.
      else if (!this.#pending.delete(path) && isChange(before.get(path)!, dates)) told.changed.push(path);
      this.pages.add(path);
    }
    for (const facts of this.#pending.values()) if (this.#counts(facts, now)) facts.times++;
    const faulty = missing.filter((path) => this.#fault(path, before, missing, old) !== undefined);
    const waiting = [...this.#pending.values()].filter((facts) => !facts.isUnread);
    const hasFault = faulty.length > 0 || waiting.some((facts) => !this.#isOver(facts, now));
    for (const [path, facts] of this.#pending) {
      const isFound = facts.isUnread && !this.#hasUnread(now) && !hasFault;
      if (!isFound && !this.#isOver(facts, now)) continue;
      this.#pending.delete(path);
      told.removed.push(path);
    }
    for (const path of missing) {
      const isFaulty = faulty.includes(path);
      if (!isFaulty && !hasFault && !this.#hasUnread(now)) told.removed.push(path);
      else {
        const sitemaps = [...before.get(path)!.keys()];
        this.#pending.set(path, { since: now, times: 1, isUnread: !isFaulty, sitemaps });
        told.pending.push(path);
      }
    }
    for (const path of told.removed) this.pages.delete(path);
    for (const paths of Object.values(told)) paths.sort();
    return told;
  }

  #look(site: LivingSite, now: number): Map<string, Dates> {
    const seen = new Map(this.#sitemaps);
    const isDown = site.indexMood === "down";
    this.#listed.set("index", isDown ? (this.#listed.get("index") ?? now) : undefined);
    for (const [name, { pages, mood, hidden }] of site.sitemaps) {
      if (isDown) {
        if (this.#listed.has(name)) this.#listed.set(name, this.#listed.get(name) ?? now);
      } else if (hidden) {
        seen.delete(name);
        this.#listed.delete(name);
      } else if (mood === "down") this.#listed.set(name, this.#listed.get(name) ?? now);
      else {
        this.#listed.set(name, undefined);
        seen.set(name, new Map([...pages].map(([path, { lastmod }]) => [path, lastmod!])));
      }
    }
    return seen;
  }

  #hasUnread(now: number, names: Iterable<string> = this.#listed.keys()): boolean {
    return [...names].some((name) => now - (this.#listed.get(name) ?? Number.NEGATIVE_INFINITY) < UNREAD_MS);
  }

  /** Whether the sync could read the sitemaps that listed the page, or all others if none of them is listed. */
  #counts({ sitemaps }: PendingPage, now: number): boolean {
    const left = sitemaps.filter((name) => this.#listed.has(name));
    return !this.#hasUnread(now, left.length > 0 ? left : undefined);
  }

  #isOver({ since, times }: PendingPage, now: number): boolean {
    if (this.#hasUnread(now) && now - since < UNREAD_MS) return false;
    return now - since >= GRACE_MS && times >= 3;
  }

  /** Whether the page may be missing because of a fault of its sitemaps. */
  #fault(
    path: string,
    before: ReadonlyMap<string, Dates>,
    missing: readonly string[],
    old: ReadonlyMap<string, Dates>,
  ): "many" | "sitemap" | undefined {
    const losses = missing.flatMap((each) => [...before.get(each)!.keys()]);
    const total = [...old.values()].reduce((sum, { size }) => sum + size, 0);
    if (losses.length >= 10 && losses.length >= total / 5) return "many";
    for (const name of before.get(path)!.keys()) {
      if (!this.#listed.has(name)) return "sitemap";
      const now = this.#sitemaps.get(name)!;
      const hasMoved = (each: string): boolean =>
        [...this.#sitemaps].some(([other, pages]) => pages.has(each) && !old.get(other)?.has(each));
      const gone = [...old.get(name)!.keys()].filter((each) => !now.has(each) && !hasMoved(each)).length;
      if (2 * gone >= old.get(name)!.size) return "sitemap";
    }
    return undefined;
  }
}

/** Each page with its dates by sitemap. */
function byPage(sitemaps: ReadonlyMap<string, Dates>): Map<string, Dates> {
  const pages = new Map<string, Dates>();
  for (const [name, own] of sitemaps) {
    for (const [path, date] of own) pages.set(path, (pages.get(path) ?? new Map()).set(name, date));
  }
  return pages;
}

/** Whether the newest date that the sitemaps declare is another one. */
function isChange(before: Dates, after: Dates): boolean {
  const newest = (dates: Dates): string => [...dates.values()].sort().at(-1)!;
  return newest(before) !== newest(after);
}

/** Follows the changes as docs/sync.md says. */
function follow(pages: Set<string>, { added, removed }: Told): void {
  for (const path of added) {
    expect(pages.has(path), path).toBe(false);
    pages.add(path);
  }
  for (const path of removed) expect(pages.delete(path), path).toBe(true);
}

const step = fc.record({ hours: fc.integer({ min: 1, max: 60 }), deeds: fc.array(deed, { maxLength: 5 }) });

test("a sync reports what the model says, and a consumer ends with the pages of the site", async () => {
  const clock = new TestClock();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const site = await LivingSite.start();
      const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
      try {
        for (const name of NAMES)
          site.add(
            name,
            [1, 2, 3].map((n) => `/${name}-page-${n}`),
            "2026-01-01",
          );
        const model = new Model();
        const consumer = new Set<string>();
        const check = async (): Promise<void> => {
          const { added, changed, removed, pending, ...rest } = await syncOnce(site, join(folder, "s.gz"));
          const returned = changed.filter((path) => !model.pages.has(path));
          const expected = model.sync(site, clock.now);
          expect({ added, removed, pending }).toEqual({
            added: expected.added,
            removed: expected.removed,
            pending: expected.pending,
          });
          expect(returned).toEqual([]);
          for (const path of expected.changed) expect(changed).toContain(path);
          follow(consumer, { added, changed, removed, pending, ...rest });
          expect([...consumer].sort()).toEqual([...model.pages].sort());
        };
        for (const [index, { hours, deeds }] of steps.entries()) {
          for (const what of deeds) act(site, what, index + 2);
          await check();
          clock.pass(hours);
        }
        site.indexMood = "well";
        for (const sitemap of site.sitemaps.values()) sitemap.mood = "well";
        for (const hours of [1, 12, 13, 0]) {
          await check();
          clock.pass(hours);
        }
        const truth = [...site.truth().keys()].map((url) => url.replace(site.origin, ""));
        expect([...consumer].sort()).toEqual(truth.sort());
      } finally {
        await site.close();
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: runs(20), seed },
  );
});
