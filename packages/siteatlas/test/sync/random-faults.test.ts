/**
 * Random histories with random faults, each shorter than a day. A page that always existed is never reported as removed,
 * except as docs/sync.md says, and when the site was well for a day and four syncs, a consumer that follows the changes
 * has exactly its pages.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../support/runs.ts";
import { LivingSite, type LivingSitemap, type Mood } from "./living-site.ts";
import { SiteFaults } from "./site-faults.ts";
import { syncOnce, TestClock } from "./support.ts";

const NAMES = ["a0", "a1", "a2", "b0", "b1"] as const;
/** Number of pages of each sitemap at first. */
const SIZES = [4, 1, 9, 2, 7];
const HOUR_MS = 3_600_000;

const sitemap = fc.constantFrom(...NAMES);
const page = fc.nat(99);
/** A change of the true pages, of their sitemaps or of the server. */
const deed = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), sitemap, page }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("copy" as const), sitemap, to: sitemap, page }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("drop" as const), sitemap, page }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("move" as const), sitemap, to: sitemap, page }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("hide" as const), sitemap }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const), sitemap }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), sitemap }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("scheme" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("server" as const),
      sitemap,
      mood: fc.constantFrom<Mood>("well", "plain", "dated", "restless-etag"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("clock" as const), days: fc.integer({ min: -5, max: 3 }) }),
  },
);

const names = fc.subarray([...NAMES], { minLength: 1 });
const badMood = fc.constantFrom<Mood>(
  "down",
  "missing",
  "cut",
  "broken",
  "maintenance",
  "redirect",
  "lying-etag",
);
const wholeMood = fc.constantFrom<Mood>("down", "broken", "maintenance");
const fault = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("lose" as const), names, share: fc.constantFrom(0.3, 0.5, 1) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mood" as const), names, mood: badMood }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("unlist" as const), index: fc.constantFrom("a", "b") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("vanish" as const), names }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("index" as const), mood: wholeMood }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("robots" as const),
      mood: fc.constantFrom<Mood>("down", "missing", "maintenance"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("whole" as const), mood: wholeMood }) },
);

/** Syncs with faults, each with the hours until the next one. Together less than a day. */
const bad = fc.record({
  /** Changes while the faults last. */
  deeds: fc.array(deed, { maxLength: 2 }),
  hours: fc.integer({ min: 1, max: 11 }),
});

const step = fc.record({
  deeds: fc.array(deed, { minLength: 1, maxLength: 4, size: "max" }),
  faults: fc.oneof(
    { weight: 3, arbitrary: fc.array(fault, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(fault, { maxLength: 3 }) },
  ),
  bad: fc.array(bad, { minLength: 1, maxLength: 2 }),
  /** Hours after each sync without. */
  good: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 2 }),
});

const history = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6, size: "max" }),
  verify: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  /** Syncs before the first step, with three hours and then a day between. Twelve earn the trust of an index. */
  before: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(12) }),
});

type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never;
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** A site with its faults, and a consumer of its changes. */
class Story {
  readonly #site: LivingSite;
  readonly #snapshot: string;
  readonly #clock: TestClock;
  readonly #verify: boolean;
  readonly #faults = new SiteFaults();
  /** The true pages of each sitemap, without faults. */
  readonly #pages: Map<string, LivingSitemap["pages"]> = new Map();
  /** Sitemaps that are truly listed. */
  readonly #listed: Set<string> = new Set(NAMES);
  /** Current names of sitemaps. */
  readonly #renamed: Map<string, string> = new Map();
  /** The pages of each sitemap when it was last read. */
  readonly #shown: Map<string, ReadonlySet<string>> = new Map();
  /** Sitemaps that were listed in a sync. */
  readonly #known: Set<string> = new Set();
  readonly #consumer: Set<string> = new Set();
  /** Pages that existed at each sync since the consumer has them. */
  readonly #steady: Set<string> = new Set();

  constructor(site: LivingSite, snapshot: string, clock: TestClock, verify: boolean) {
    this.#site = site;
    this.#snapshot = snapshot;
    this.#clock = clock;
    this.#verify = verify;
    for (const [at, name] of NAMES.entries()) {
      const paths = Array.from({ length: SIZES[at]! }, (_, number) => `/${name}-page-${number}`);
      const declared = name.startsWith("a") ? "2026-01-01" : "2026-01-05T10:00:00Z";
      const sitemap = site.add(name, paths, declared);
      sitemap.index = name[0]!;
      this.#pages.set(name, sitemap.pages);
    }
  }

  async run({ steps, before }: History): Promise<void> {
    for (let number = 0; number < before; number++) await this.#sync(number < 6 ? 3 : 24);
    for (const { deeds, faults, bad, good } of steps) {
      for (const what of deeds) this.#act(what);
      for (const { deeds: meanwhile, hours } of bad) {
        this.#spoil(faults);
        await this.#sync(hours);
        this.#faults.heal();
        for (const what of meanwhile) this.#act(what);
      }
      for (const hours of good) await this.#sync(hours);
    }
    for (const hours of [1, 12, 13, 0]) await this.#sync(hours);
    expect([...this.#consumer].sort()).toEqual([...this.#truth()].sort());
  }

  #truth(): Set<string> {
    return new Set([...this.#listed].flatMap((name) => this.#urlsOf(this.#pages.get(name)!)));
  }

  #urlsOf(pages: LivingSitemap["pages"]): string[] {
    return [...pages.keys()].map((path) => this.#site.pageUrl(path));
  }

  async #sync(hours: number): Promise<void> {
    const truth = this.#truth();
    for (const name of this.#site.sitemaps.keys()) if (this.#isListed(name)) this.#known.add(name);
    this.#site.alive = new Set([...truth].map((url) => new URL(url).pathname));
    for (const url of this.#steady) if (!truth.has(url)) this.#steady.delete(url);
    const { changes } = await syncOnce(this.#site, this.#snapshot, {
      useKnownPaths: false,
      limits: { backoffMs: 1, retries: 0 },
      verify: this.#verify,
    });
    for (const change of changes) {
      if (change.kind === "added") {
        expect(this.#consumer.has(change.url), `added again: ${change.url}`).toBe(false);
        this.#consumer.add(change.url);
        if (truth.has(change.url)) this.#steady.add(change.url);
      } else if (change.kind === "removed") {
        expect(this.#consumer.delete(change.url), `not known: ${change.url}`).toBe(true);
        const isTrue = !this.#steady.delete(change.url) || this.#isDocumented(change.url);
        expect(isTrue, `removed, but it always existed: ${change.url}`).toBe(true);
      }
    }
    for (const name of this.#site.sitemaps.keys())
      if (this.#isRead(name)) this.#shown.set(name, this.#seen(name));
    this.#clock.pass(hours);
  }

  /** Whether every sitemap with this page is new, or was read and lost the page with less than half of its pages. */
  #isDocumented(url: string): boolean {
    const lists = [...this.#listed].filter((name) => this.#urlsOf(this.#pages.get(name)!).includes(url));
    return lists.every((name) => {
      // A server that answers 304 for a changed sitemap hides its changes for up to seven days.
      if (this.#site.sitemaps.get(name)!.mood === "lying-etag") return true;
      if (!this.#known.has(name)) return true;
      const before = [...(this.#shown.get(name) ?? [])];
      const now = this.#seen(name);
      const kept = before.filter((each) => now.has(each) || this.#hasMoved(each)).length;
      return this.#isRead(name) && !now.has(url) && (before.length === 0 || 2 * kept > before.length);
    });
  }

  /** Whether a sitemap lists the page that did not list it before. */
  #hasMoved(url: string): boolean {
    const names = [...this.#site.sitemaps.keys()].filter((name) => this.#isRead(name));
    return names.some((name) => this.#seen(name).has(url) && this.#shown.get(name)?.has(url) !== true);
  }

  #seen(name: string): Set<string> {
    return new Set(this.#urlsOf(this.#site.sitemaps.get(name)!.pages));
  }

  /** Whether a sync can read the sitemap. */
  #isRead(name: string): boolean {
    const { mood } = this.#site.sitemaps.get(name)!;
    return this.#isListed(name) && ["well", "plain", "dated", "restless-etag"].includes(mood);
  }

  /** Whether a sync can know that the sitemap exists. */
  #isListed(name: string): boolean {
    const { robotsMood, indexMood, unlisted, sitemaps } = this.#site;
    const { hidden, index } = sitemaps.get(name)!;
    return robotsMood === "well" && indexMood === "well" && !unlisted.has(index!) && hidden !== true;
  }

  /** The sitemaps of index `a` have the newest lastmod as their date, those of `b` the time of the change. */
  #act(what: Deed): void {
    const site = this.#site;
    if (what.do === "clock") site.skewMs = what.days * 24 * HOUR_MS;
    else if (what.do === "scheme") {
      site.pageOrigin =
        site.pageOrigin === undefined ? site.url.slice(0, -1).replace("http", "https") : undefined;
    }
    if (what.do === "clock" || what.do === "scheme") return;
    const name = this.#renamed.get(what.sitemap) ?? what.sitemap;
    const own = site.sitemaps.get(name)!;
    const at = new Date(this.#clock.now + site.skewMs).toISOString();
    if (what.do === "server") own.mood = what.mood;
    else if (what.do === "hide") {
      own.hidden = !own.hidden;
      if (own.hidden) this.#listed.delete(name);
      else this.#listed.add(name);
    } else if (what.do === "rename") {
      const other = name.endsWith("v2") ? what.sitemap : `${what.sitemap}v2`;
      this.#renamed.set(what.sitemap, other);
      for (const map of [site.sitemaps, this.#pages] as Map<string, unknown>[]) {
        map.set(other, map.get(name));
        map.delete(name);
      }
      if (this.#listed.delete(name)) this.#listed.add(other);
    } else if (what.do === "clear") own.pages.clear();
    else {
      const [path, known] = [...own.pages][what.page % Math.max(1, own.pages.size)] ?? [];
      if (what.do === "put") own.pages.set(`/page-number-${what.page}`, { lastmod: at });
      if (path === undefined || known === undefined) return;
      if (what.do === "drop" || what.do === "move") own.pages.delete(path);
      if (what.do === "copy" || what.do === "move") {
        const to = site.sitemaps.get(this.#renamed.get(what.to) ?? what.to)!;
        to.pages.set(path, known);
        date(to, at);
      }
    }
    date(own, at);
  }

  #spoil(faults: readonly Fault[]): void {
    const site = this.#site;
    const now = (list: readonly string[]): string[] => list.map((name) => this.#renamed.get(name) ?? name);
    for (const what of faults) {
      if (what.do === "lose") this.#faults.lose(site, now(what.names), what.share);
      else if (what.do === "mood") this.#faults.mood(site, now(what.names), what.mood);
      else if (what.do === "unlist") this.#faults.unlist(site, what.index);
      else if (what.do === "vanish") this.#faults.hide(site, now(what.names));
      else if (what.do === "index") this.#faults.indexMood(site, what.mood);
      else if (what.do === "robots") this.#faults.robotsMood(site, what.mood);
      else this.#faults.wholeMood(site, what.mood);
    }
  }
}

function date(sitemap: LivingSitemap, at: string): void {
  const dates = [...sitemap.pages.values()].flatMap(({ lastmod }) => lastmod ?? []);
  sitemap.declared = sitemap.index === "a" ? (dates.sort().at(-1) ?? null) : at;
}

test("no page that always existed is removed, and the consumer ends with the pages of the site", async () => {
  const clock = new TestClock();
  await fc.assert(
    fc.asyncProperty(history, async (what) => {
      const site = await LivingSite.start();
      const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
      try {
        await new Story(site, join(folder, "s.gz"), clock, what.verify).run(what);
      } finally {
        await site.close();
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: runs(6), seed },
  );
}, 3_600_000);
