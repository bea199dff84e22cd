/** Which sitemaps a sync requests, and how: trust in the dates of an index, and the time until a complete read. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countSync, isTrustworthy, mayBeSameDate } from "../../../src/sync/revalidate/validator-trust.ts";
import { readSnapshot } from "../../../src/sync/snapshot/read-snapshot.ts";
import { LivingSite } from "../living-site.ts";
import { NOTHING, syncOnce, TestClock, type Told } from "../support.ts";

let site: LivingSite;
let folder: string;
let clock: TestClock;

beforeEach(async () => {
  site = await LivingSite.start();
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  clock = new TestClock();
});

afterEach(async () => {
  await site.close();
  await rm(folder, { recursive: true });
});

const NAMES = Array.from({ length: 6 }, (_, number) => `s${number}`);

/** Runs one sync without known locations. */
function sync(): Promise<Told> {
  site.requests.length = 0;
  return syncOnce(site, join(folder, "s.gz"), { useKnownPaths: false });
}

/** The sitemaps that were requested in the last sync, with the status of the response. */
const requested = (): string[] =>
  site.requests.flatMap(({ path, status }) => (/^\/s\d/.test(path) ? [`${path} ${status}`] : [])).sort();

/** Edits a sitemap every day, until the dates of the index are trusted. Each date is that of the file. */
async function earnTrust(hours = 24): Promise<void> {
  for (const name of NAMES) {
    const sitemap = site.add(name, [`/${name}`, `/${name}-old`], "2026-01-20T04:05:06Z");
    sitemap.pages.set(`/${name}-old`, { lastmod: "2025-12-01" });
  }
  for (let day = 0; day < 12; day++) {
    if (day === 1) edit("s0", "/s0-new");
    await sync();
    clock.pass(hours);
  }
}

function edit(name: string, path: string): void {
  const sitemap = site.sitemaps.get(name)!;
  sitemap.pages.set(path, { lastmod: "2026-01-19" });
  sitemap.declared = new Date(clock.now - 3_600_000).toISOString();
}

describe("the dates of an index", () => {
  test("that proved reliable save requests", async () => {
    await earnTrust();
    let saved = 0;
    // Each sitemap is due for a complete read on one of these days. So on one day, at most one is due.
    for (let day = 0; day < 6; day++) {
      edit("s4", `/s4-new-${day}`);
      const told = await sync();
      expect(told).toMatchObject({ ...NOTHING, added: [`/s4-new-${day}`] });
      expect(requested()).toContain("/s4.xml 200");
      const { onTrust } = told.summary;
      saved = Math.max(saved, onTrust);
      if (onTrust > 0) {
        expect(requested()).toHaveLength(NAMES.length - onTrust);
        expect(requested().filter((text) => text.endsWith("304"))).toEqual([]);
      }
      clock.pass(24);
    }
    expect(saved).toBeGreaterThanOrEqual(4);
  });

  test("count once per sync, and over days: thirteen syncs of six sitemaps within a day are not enough", async () => {
    await earnTrust(1);
    const { summary } = await sync();
    expect(summary.onTrust).toBe(0);
    const snapshot = await readSnapshot(join(folder, "s.gz"));
    const { declarations } = snapshot.sitemaps.find(
      ({ kind, format }) => kind === "index" && format === "xml",
    )!.evidence;
    expect(declarations).toMatchObject({ held: 12, followed: 1, restless: 0, broken: 0 });
    await snapshot.close();
  });

  test("that equal the newest date of the pages are not trusted: the removal of an old page is found", async () => {
    await earnTrust();
    for (const sitemap of site.sitemaps.values()) sitemap.declared = "2026-01-01T00:00:00+00:00";
    await sync();
    clock.pass(24);
    for (const name of NAMES.slice(1)) site.sitemaps.get(name)!.pages.delete(`/${name}-old`);
    const told = await sync();
    const { removed, pending } = told;
    expect([...removed, ...pending].sort()).toEqual(
      NAMES.slice(1)
        .map((name) => `/${name}-old`)
        .sort(),
    );
    // The newest page of this one is of another day.
    expect(told.summary.trusted.length).toBeLessThanOrEqual(1);
  });

  test("are not used if that saves less than 30 % of the requests", async () => {
    await earnTrust();
    // All but two show the newest date of their pages: 2 of 8 requests could be saved.
    for (const name of NAMES.slice(2)) site.sitemaps.get(name)!.declared = "2026-01-01";
    await sync();
    clock.pass(24);
    expect((await sync()).summary.onTrust).toBe(0);
  });

  test("are not used for a sitemap that changed without its date", async () => {
    await earnTrust();
    // A complete read finds the change, within a week. From then on the sitemap is requested in every sync.
    site.sitemaps.get("s5")!.pages.set("/s5-1", {});
    let days = 0;
    while ((await sync()).added.length === 0) {
      clock.pass(24);
      expect(++days).toBeLessThanOrEqual(7);
    }
    let onTrust = 0;
    for (let day = 2; day <= 34; day++) {
      clock.pass(24);
      site.sitemaps.get("s5")!.pages.set(`/s5-${day}`, {});
      const told = await sync();
      expect(told.added).toEqual([`/s5-${day}`]);
      onTrust += told.summary.onTrust;
    }
    // The other dates are trusted again.
    expect(onTrust).toBeGreaterThan(0);
  });
});

test("a server whose clock is three days behind: its date of today is not trusted", async () => {
  site.skewMs = -3 * 24 * 3_600_000;
  await earnTrust();
  expect((await sync()).summary.onTrust).toBeGreaterThan(0);
  for (let number = 0; number < 6; number++) {
    clock.pass(2);
    const today = new Date(clock.now + site.skewMs).toISOString().slice(0, 10);
    for (const name of NAMES) {
      site.sitemaps.get(name)!.pages.set(`/${name}-${number}`, { lastmod: "2026-01-19" });
      site.sitemaps.get(name)!.declared = today;
    }
    expect((await sync()).added).toEqual(NAMES.map((name) => `/${name}-${number}`));
  }
});

describe("experience", () => {
  const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();

  test("needs ten syncs, three days and a date that changed with its sitemap", () => {
    let counts = countSync(undefined, new Set(["followed"]), day(1));
    for (let number = 1; number <= 10; number++) counts = countSync(counts, new Set(["held"]), day(1));
    expect(counts).toEqual({ held: 10, followed: 1, restless: 0, broken: 0, since: day(1) });
    expect(isTrustworthy(counts, Date.parse(day(3)))).toBe(false);
    expect(isTrustworthy(counts, Date.parse(day(4)))).toBe(true);
    expect(isTrustworthy({ ...counts, followed: 0 }, Date.parse(day(4)))).toBe(false);
    expect(isTrustworthy({ ...counts, held: 9 }, Date.parse(day(4)))).toBe(false);
  });

  test("starts again after a wrong date, and needs thirty more syncs", () => {
    const good = { held: 10, followed: 1, restless: 0, broken: 0, since: day(1) };
    let counts = countSync(good, new Set(["held", "broken"]), day(20));
    expect(counts).toEqual({ ...good, broken: 1, since: day(20) });
    for (let number = 1; number <= 30; number++) counts = countSync(counts, new Set(["held"]), day(21));
    expect(isTrustworthy(counts, Date.parse(day(22)))).toBe(false);
    expect(isTrustworthy(counts, Date.parse(day(23)))).toBe(true);
  });

  test("of old snapshots, which counted sitemaps, is not used", () => {
    const old = { held: 1000, followed: 100, restless: 0, broken: 0 };
    expect(isTrustworthy(old, Date.parse(day(1)))).toBe(false);
    expect(countSync(old, new Set(["held"]), day(1))).toMatchObject({ held: 1, followed: 0, since: day(1) });
  });
});

describe("two dates may be the same", () => {
  test.each([
    ["2026-05-01", "2026-05-01", true],
    ["2026-05-01", "2026-05-02", false],
    ["2026-05-01T10:00:00Z", "2026-05-01T10:00:00.500Z", true],
    ["2026-05-01T10:00:00Z", "2026-05-01T10:00:01Z", false],
    ["2026-05-01T10:00:00Z", "2026-05-01", true],
    // Still May 1 in New York.
    ["2026-05-01", "2026-05-02T03:00:00Z", true],
    ["2026-05-01", "2026-05-03T00:00:00Z", false],
    ["2026-05", "2026-05-31T23:00:00Z", true],
    ["2026-05", "2026-06-01", false],
    ["2026", "2026-06", true],
    ["Fri, 01 May 2026 10:00:00 GMT", "2026-05-01T10:00:00Z", true],
    ["never", "2026-05-01", false],
  ])("%s and %s: %s", (one, other, expected) => {
    expect(mayBeSameDate(one, other)).toBe(expected);
    expect(mayBeSameDate(other, one)).toBe(expected);
  });
});

describe("every sitemap is read completely", () => {
  test.each([
    ["24 hours", 24],
    ["9 hours", 9],
  ])("within seven days, spread over them, with a sync every %s", async (_, hours) => {
    for (let number = 0; number < 12; number++) site.add(`s${number}`, [`/s${number}`]);
    const reads = new Map<string, number[]>();
    const perDay = new Map<number, number>();
    for (let hour = 0; hour < 24 * 14; hour += hours) {
      await sync();
      for (const text of requested().filter((each) => each.endsWith("200"))) {
        reads.set(text, [...(reads.get(text) ?? []), hour]);
        if (hour > 0) perDay.set(Math.floor(hour / 24), (perDay.get(Math.floor(hour / 24)) ?? 0) + 1);
      }
      clock.pass(hours);
    }
    expect(reads.size).toBe(12);
    for (const [text, at] of reads) {
      for (const [index, hour] of at.slice(1).entries()) {
        expect(hour - at[index]!, text).toBeLessThanOrEqual(7 * 24);
      }
      expect(at.length, text).toBeLessThanOrEqual(4);
      expect(24 * 14 - at.at(-1)!, text).toBeLessThanOrEqual(7 * 24);
    }
    expect(Math.max(...perDay.values())).toBeLessThan(8);
  });

  test("even if its server always answers 304 and its index never changes a date", async () => {
    const sitemap = site.add("s1", ["/s1", "/old"]);
    await sync();
    sitemap.mood = "lying-etag";
    sitemap.pages.set("/new", {});
    let hours = 0;
    while ((await sync()).added.length === 0) {
      clock.pass(24);
      hours += 24;
      expect(hours).toBeLessThanOrEqual(7 * 24);
    }
    expect(hours).toBeGreaterThan(0);
  });

  test("if the clock was set back", async () => {
    site.add("s1", ["/s1"]);
    await sync();
    clock.pass(-24 * 30);
    await sync();
    expect(requested()).toEqual(["/s1.xml 200"]);
  });

  test("if its Last-Modified is the newest date of its pages, and it has no ETag", async () => {
    const sitemap = site.add("s1", ["/s0", "/s1", "/old"]);
    site.add("s2", ["/s2", "/s3", "/s4"]);
    sitemap.mood = site.sitemaps.get("s2")!.mood = "dated";
    sitemap.pages.set("/old", { lastmod: "2025-01-01" });
    site.sitemaps.get("s2")!.madeAt = "2026-02-02T00:00:00Z";
    await sync();
    sitemap.pages.delete("/old");
    expect(await sync()).toMatchObject({ ...NOTHING, removed: ["/old"] });
    // This Last-Modified was wrong. So the page may have moved to s2, which is read before the removal is reported.
    const first = ["/s1.xml 200", "/s2.xml 304"];
    expect(requested()).toEqual([...first, "/s1.xml 200", "/s2.xml 200"].sort());
  });
});
