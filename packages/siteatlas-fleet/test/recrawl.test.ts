/** Second visits: changes are reported, unchanged sitemaps are not sent again, and sites that change are visited more often. */
import { compact, openStore, readDataset } from "siteatlas-fleet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import type { FarmSite, FarmStats } from "./support/site-farm.mjs";

let fleet: Fleet;
let changed: Set<string>;
let stats: FarmStats;

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 80, shards: 2 });
  await fleet.add();
  fleet.feeder();
  fleet.worker();
  await fleet.done();
  changed = new Set((await fleet.farm.change(0.4)).map(({ host }) => host));
  await fleet.farm.reset();
  await fleet.pool.query("update site set next_due = now()");
  await fleet.done();
  stats = await fleet.farm.stats();
});

afterAll(() => fleet?.close());

async function changesByHost(): Promise<Map<string, string[]>> {
  const store = await openStore(fleet.env["SITEATLAS_FLEET_STORE"]!);
  const told = new Map<string, string[]>();
  for await (const row of readDataset(fleet.pool, store, fleet.dir, { dataset: "changes" })) {
    const { host, kind } = row as { host: string; kind: string };
    told.set(host, [...(told.get(host) ?? []), kind]);
  }
  return told;
}

const quietOf = async (hosts: readonly FarmSite[]): Promise<number[]> => {
  const { rows } = await fleet.pool.query<{ quiet: number }>(
    "select distinct quiet from site where host = any ($1)",
    [hosts.map(({ host }) => host)],
  );
  return rows.map(({ quiet }) => quiet);
};

test("the pages are those that the sites declare now", async () => {
  expect(changed.size).toBeGreaterThan(10);
  expect(await fleet.faults()).toEqual([]);
});

test("the changes are complete, and a first visit has none", async () => {
  const told = await changesByHost();
  expect([...told.keys()].sort()).toEqual([...changed].sort());
  for (const [host, kinds] of told) {
    // A sitemap that is always truncated has no known removals.
    if (fleet.farm.sites.find((site) => site.host === host)!.shape === "broken-xml") continue;
    expect(
      kinds.filter((kind) => kind === "added"),
      host,
    ).toHaveLength(3);
    expect(
      // The removal is not certain if the sitemap lost most of its pages.
      kinds.filter((kind) => kind === "removed" || kind === "pending"),
      host,
    ).toHaveLength(1);
  }
});

test("unchanged sitemaps are not sent again, and known locations that are absent are tried less often", () => {
  const before = fleet.farm.sites.reduce((sum, { idealRequests }) => sum + idealRequests, 0);
  expect(stats.totals.statuses["304"]).toBeGreaterThan(50);
  expect(stats.totals.requests).toBeLessThan(0.5 * before);
});

test("a site that changed is due sooner, one that did not is due later", async () => {
  const readable = fleet.farm.sites.filter(({ isReadable }) => isReadable);
  expect(await quietOf(readable.filter(({ host }) => changed.has(host)))).toEqual([-1]);
  expect(await quietOf(readable.filter(({ host }) => !changed.has(host)))).toEqual([1]);
  const { rows } = await fleet.pool.query<{ quiet: number; least: number; most: number }>(
    `select quiet, min(extract(epoch from next_due - visited_at))::float8 as least,
       max(extract(epoch from next_due - visited_at))::float8 as most
     from site where quiet <> 0 group by quiet`,
  );
  const day = 86_400;
  for (const { quiet, least, most } of rows) {
    expect(least).toBeGreaterThanOrEqual(0.9 * day * 2 ** quiet - 1);
    expect(most).toBeLessThanOrEqual(1.1 * day * 2 ** quiet + 1);
    // Jitter spreads them.
    expect(most - least).toBeGreaterThan(0.02 * day);
  }
});

test("a reader sees every row once while part files are compacted", async () => {
  const store = await openStore(fleet.env["SITEATLAS_FLEET_STORE"]!);
  const expected = fleet.farm.sites.reduce((sum, { expectedPages }) => sum + expectedPages, 0);
  const rows = readDataset(fleet.pool, store, fleet.dir, { dataset: "pages" });
  const seen = new Set<string>();
  let count = 0;
  for await (const { host, sitemap, url } of rows) {
    if (count++ === 10) for await (const _ of compact({ pool: fleet.pool, store, folder: fleet.dir }));
    seen.add(`${String(host)} ${String(sitemap)} ${String(url)}`);
  }
  expect(count).toBe(expected);
  expect(seen.size).toBe(expected);
  expect(await fleet.faults()).toEqual([]);
});

test("a removed site has no pages, and starts from nothing when it is added again", async () => {
  const site = fleet.farm.sites.find(({ shape }) => shape === "index")!;
  await fleet.run("remove", site.host);
  expect((await fleet.pages()).has(site.host)).toBe(false);
  await fleet.add([site]);
  await fleet.done();
  expect(await fleet.faults([site])).toEqual([]);
});
