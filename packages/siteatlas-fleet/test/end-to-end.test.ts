/**
 * Three workers visit two hundred sites, ten of each shape, and one with five hundred sitemaps. `npm run fleet:sites`
 * has two thousand sites, and one with five thousand sitemaps.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import type { FarmStats } from "./support/site-farm.mjs";

const SITES = Number(process.env["FLEET_SITES"] ?? 200);
const GIANT = 2.5 * SITES;

let fleet: Fleet;
let stats: FarmStats;

beforeAll(async () => {
  fleet = await Fleet.start({ sites: SITES, giant: GIANT, latencyMs: 5, shards: 8 });
  await fleet.add();
  fleet.feeder();
  for (let number = 0; number < 3; number++) fleet.worker("--quiet", "--jobs", "48");
  await fleet.done();
  stats = await fleet.farm.stats();
});

afterAll(() => fleet?.close());

test("every page is in the dataset exactly once", async () => {
  expect(await fleet.faults()).toEqual([]);
});

test("no request is sent beyond those of one walk", () => {
  const wrong = fleet.farm.sites.flatMap(({ host, shape, idealRequests, idealRetries }) => {
    const { requests = 0 } = stats.hosts[host] ?? {};
    return requests === idealRequests + idealRetries ? [] : [`${host} (${shape}): ${requests}`];
  });
  expect(wrong).toEqual([]);
});

test("no site gets more requests at once than allowed", () => {
  expect(stats.totals.maxActivePerHost).toBe(2);
});

test("the status, the manifest and the usage agree", async () => {
  const status = JSON.parse(await fleet.run("status", "--json"));
  const pages = fleet.farm.sites.reduce((sum, { expectedPages }) => sum + expectedPages, 0);
  expect(status).toMatchObject({
    sites: { active: SITES + 1, quarantined: 0, due: 0, open: 0, never: 0 },
    queue: { waiting: 0, active: 0, delayed: 0 },
    today: { visits: SITES + 1, requests: stats.totals.requests, pages },
  });
  const parts = (await fleet.run("manifest", "--dataset", "pages", "--json")).trim().split("\n");
  expect(parts.reduce((sum, line) => sum + JSON.parse(line).rowCount, 0)).toBe(pages);
});

test("compaction leaves the same rows in few files", async () => {
  await fleet.run("compact", "--grace", "0");
  expect(await fleet.faults()).toEqual([]);
  expect((await fleet.run("manifest", "--dataset", "pages")).trim().split("\n")).toHaveLength(8);
});

test("workers and the scheduler end with code 0 after SIGTERM", async () => {
  const codes = await Promise.all(fleet.processes.map((process) => process.end()));
  expect(codes).toEqual([0, 0, 0, 0]);
});
