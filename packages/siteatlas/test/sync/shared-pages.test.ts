/**
 * Pages that several sitemaps list, with different spellings and data. After each sync, a copy that follows the changes
 * has the same rows and pending pages as one that is rebuilt from the snapshot, and both are those of a simple model.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { pageKey } from "../../src/page-list/page-key.ts";
import type { SnapshotPage } from "../../src/sync/snapshot/page-line.ts";
import { readSnapshot } from "../../src/sync/snapshot/read-snapshot.ts";
import type { Change } from "../../src/sync/sync-summary.ts";
import { runs, seed } from "../support/runs.ts";
import { type LivingPage, LivingSite, type LivingSitemap } from "./living-site.ts";
import { syncOnce, TestClock } from "./support.ts";

const NAMES = ["a", "b", "c"] as const;
/** Spellings of the same URL, not in alphabetical order. */
const SPELLINGS = ["/caf%c3%a9~", "/caf%C3%A9%7e", "/caf%C3%A9~", "/caf%c3%a9%7E"] as const;

interface Deed extends Omit<LivingPage, "image"> {
  readonly sitemap: number;
  readonly page: number;
  readonly what: "put" | "drop" | "down" | "hide";
  readonly spelling: number;
}

const deed: fc.Arbitrary<Deed> = fc.record({
  sitemap: fc.nat(NAMES.length - 1),
  page: fc.nat(3),
  what: fc.constantFrom("put", "put", "put", "drop", "down", "hide"),
  spelling: fc.nat(SPELLINGS.length - 1),
  lastmod: fc.option(
    fc.integer({ min: 1, max: 5 }).map((day) => `2026-01-0${day}`),
    { nil: undefined },
  ),
  priority: fc.option(fc.constantFrom("0.3", "0.7"), { nil: undefined }),
  changefreq: fc.option(fc.constantFrom("daily", "weekly"), { nil: undefined }),
});
const step = fc.record({ hours: fc.integer({ min: 1, max: 40 }), deeds: fc.array(deed, { maxLength: 5 }) });

function act(site: LivingSite, { sitemap, page, what, spelling, ...data }: Deed): void {
  const own = site.sitemaps.get(NAMES[sitemap]!)!;
  if (what === "down") own.mood = own.mood === "well" ? "down" : "well";
  else if (what === "hide") own.hidden = !own.hidden;
  else {
    const path = `${SPELLINGS[spelling]}-${page}`;
    for (const other of own.pages.keys()) if (pageKey(other) === pageKey(path)) own.pages.delete(other);
    if (what === "put") own.pages.set(path, data);
  }
}

type Row = Omit<SnapshotPage, "hashes">;
type Rows = Map<string, Row>;

/** Applies the changes as docs/sync.md says, and flags the pages whose removal is pending. */
function follow(rows: Rows, flagged: Set<string>, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.kind === "pending") flagged.add(change.url);
    if (change.kind === "returned") expect(flagged.has(change.url), change.url).toBe(true);
    if (change.kind === "returned" || change.kind === "removed") flagged.delete(change.url);
    if (change.kind === "added") {
      expect(rows.has(change.url), change.url).toBe(false);
      rows.set(change.url, change.page);
    } else if (change.kind === "changed") {
      expect(change.before).toEqual(rows.get(change.url));
      expect(change.after).not.toEqual(change.before);
      rows.set(change.url, change.after);
    } else if (change.kind === "removed") expect(rows.delete(change.url), change.url).toBe(true);
  }
}

/** The rows of the sitemaps as they were last read. `known` has the URLs that a copy has, by their keys. */
function modelOf(
  seen: ReadonlyMap<string, LivingSitemap["pages"]>,
  site: LivingSite,
  known: ReadonlyMap<string, string>,
): Rows {
  const entries = new Map<string, { url: string; data: Omit<Row, "url">; text: string }[]>();
  for (const pages of seen.values()) {
    for (const [path, { lastmod, changefreq, priority }] of pages) {
      const url = site.pageUrl(path);
      const data = {
        ...(lastmod !== undefined && { lastModified: lastmod }),
        ...(changefreq !== undefined && { changeFrequency: changefreq }),
        ...(priority !== undefined && { priority: Number(priority) }),
      };
      const text = Object.entries(data)
        .map(([name, value]) => `\t${name}=${value}`)
        .join("");
      const list = entries.get(pageKey(url)) ?? [];
      entries.set(pageKey(url), [...list, { url, data, text }]);
    }
  }
  const rows: Rows = new Map();
  for (const [key, list] of entries) {
    const url = known.get(key) ?? list.map((entry) => entry.url).sort()[0]!;
    const dateOf = ({ data }: (typeof list)[number]): string => data.lastModified ?? "";
    // The oldest first, so that newer values replace it.
    list.sort((x, y) =>
      dateOf(x) === dateOf(y) ? (x.text < y.text ? 1 : -1) : dateOf(x) < dateOf(y) ? -1 : 1,
    );
    rows.set(url, Object.assign({}, ...list.map(({ data }) => data), { url }));
  }
  return rows;
}

async function rowsOf(file: string): Promise<{ rows: Rows; pending: Set<string> }> {
  const rows: Rows = new Map();
  const pending = new Set<string>();
  const snapshot = await readSnapshot(file);
  for await (const { sitemap: _, pendingSince, ...page } of snapshot.pages()) {
    expect(rows.has(page.url), `${page.url} twice`).toBe(false);
    rows.set(page.url, page);
    if (pendingSince !== undefined) pending.add(page.url);
  }
  await snapshot.close();
  return { rows, pending };
}

test("a copy that follows the changes, one rebuilt from the snapshot and the model have the same rows", async () => {
  const clock = new TestClock();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const site = await LivingSite.start();
      const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
      const file = join(folder, "s.gz");
      try {
        for (const name of NAMES) site.add(name, [`/${name}-1`, `/${name}-2`, `/${name}-3`, `/${name}-%d7`]);
        const copy: Rows = new Map();
        const flagged = new Set<string>();
        /** The pages of each sitemap when it was last read. */
        const seen: Map<string, LivingSitemap["pages"]> = new Map();
        for (const { hours, deeds } of [{ hours: 1, deeds: [] }, ...steps]) {
          for (const what of deeds) act(site, what);
          const known = new Map([...copy.keys()].map((url) => [pageKey(url), url]));
          const { changes } = await syncOnce(site, file, { useTrust: false });
          for (const [name, { pages, mood, hidden }] of site.sitemaps) {
            if (hidden) seen.delete(name);
            else if (mood === "well") seen.set(name, new Map(pages));
          }
          follow(copy, flagged, changes);
          const { rows, pending } = await rowsOf(file);
          expect(rows).toEqual(copy);
          expect(pending).toEqual(flagged);
          const listed = new Map([...copy].filter(([url]) => !pending.has(url)));
          expect(listed).toEqual(modelOf(seen, site, known));
          clock.pass(hours);
        }
      } finally {
        await site.close();
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: runs(40), seed },
  );
});
