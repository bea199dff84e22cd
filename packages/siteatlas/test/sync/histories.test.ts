/**
 * Random histories: whatever happens to a site between two syncs, the second reports exactly the difference
 * between what could be read before and what can be read now.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../support/runs.ts";
import { LivingSite, type Mood } from "./living-site.ts";
import { syncOnce } from "./support.ts";

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

/** The readable pages of each sitemap. For a sitemap that is down, those of the last time. */
class Sight {
  #seen: Map<string, Map<string, string>> = new Map();

  look(site: LivingSite): void {
    if (site.indexMood === "down") return;
    for (const [name, { pages, mood, hidden }] of site.sitemaps) {
      if (hidden) this.#seen.delete(name);
      else if (mood !== "down") {
        this.#seen.set(name, new Map([...pages].map(([path, { lastmod }]) => [path, lastmod!])));
      }
    }
  }

  /** Each page with the data from all sitemaps. */
  pages(): Map<string, Map<string, string>> {
    const pages = new Map<string, Map<string, string>>();
    for (const [name, own] of this.#seen) {
      for (const [path, date] of own) {
        const places = pages.get(path) ?? new Map();
        pages.set(path, places.set(name, date));
      }
    }
    return pages;
  }
}

test("a sync reports the difference between the last and the current state", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(deed, { maxLength: 5 }), { minLength: 2, maxLength: 8 }),
      async (days) => {
        const site = await LivingSite.start();
        const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
        try {
          for (const name of NAMES) site.add(name, [`/${name}-first-page`], "2026-01-01");
          const sight = new Sight();
          for (const [index, deeds] of days.entries()) {
            for (const what of deeds) act(site, what, index + 2);
            const before = sight.pages();
            sight.look(site);
            const after = sight.pages();
            const told = await syncOnce(site, join(folder, "s.gz"));
            const added = [...after.keys()].filter((path) => !before.has(path)).sort();
            const removed = [...before.keys()].filter((path) => !after.has(path)).sort();
            const changed = [...after]
              .filter(([path, dates]) => before.has(path) && isChange(before.get(path)!, dates))
              .map(([path]) => path)
              .sort();
            expect({ added: told.added, removed: told.removed, changed: told.changed }).toEqual({
              added,
              removed,
              changed,
            });
          }
        } finally {
          await site.close();
          await rm(folder, { recursive: true });
        }
      },
    ),
    { numRuns: runs(20), seed },
  );
}, 120_000);

/** Whether a sitemap declares something that no sitemap declared before. */
function isChange(before: Map<string, string>, after: Map<string, string>): boolean {
  const olds = new Set(before.values());
  return [...after.values()].some((date) => !olds.has(date));
}
