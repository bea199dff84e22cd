/** A site with very many sitemaps: committed in parts, gives its slot back in between, requests nothing twice. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 20, giant: 600, latencyMs: 5, shards: 1 });
});

afterAll(() => fleet?.close());

const giant = (): (typeof fleet.farm.sites)[number] => fleet.farm.sites.at(-1)!;

test("small sites are visited meanwhile, and committed parts survive the death of the worker", async () => {
  await fleet.add([giant()]);
  fleet.feeder();
  // One slot, a commit about every half second, a slice of one second.
  const first = fleet.worker("--jobs", "1", "--leg", "0.5", "--slice", "1", "--lease", "3");
  await until(async () => ((await committed())?.leg ?? 0) >= 2, "some parts are committed");
  await fleet.add(fleet.farm.sites.slice(0, 20));
  await until(async () => (await fleet.left()) === 1, "all other sites are done, the giant is not");
  const before = (await committed())!;
  expect(before.visit_began).not.toBeNull();
  first.kill("SIGKILL");
  fleet.worker("--jobs", "1", "--leg", "0.5", "--slice", "1", "--lease", "3");
  await fleet.done();
  expect(await fleet.faults()).toEqual([]);
  expect((await committed())!.leg).toBeGreaterThan(before.leg);
  const { requests } = (await fleet.farm.stats()).hosts[giant().host]!;
  // The part that was lost, and robots.txt for the other process.
  expect(requests - giant().idealRequests).toBeLessThan(0.25 * giant().idealRequests);
  expect(requests).toBeGreaterThanOrEqual(giant().idealRequests);
});

test("a worker that gets SIGTERM gives its site back in the middle of the visit", async () => {
  await fleet.farm.change(1);
  await fleet.farm.reset();
  await fleet.pool.query("update site set next_due = now()");
  await until(async () => ((await fleet.farm.totals()).requests ?? 0) > 30, "the next visit is in progress");
  expect(await fleet.processes.at(-1)!.end()).toBe(0);
  expect(await fleet.left()).toBeGreaterThan(0);
  const { rows } = await fleet.pool.query("select host from site where begun > 0");
  expect(rows).toEqual([]);
  expect((await fleet.pool.query("select from lease where until > now()")).rowCount).toBe(0);
  fleet.worker("--leg", "1", "--lease", "3");
  await fleet.done();
  expect(await fleet.faults()).toEqual([]);
});

async function committed(): Promise<{ leg: number; visit_began: Date | null } | undefined> {
  const { rows } = await fleet.pool.query("select leg, visit_began from site where host = $1", [
    giant().host,
  ]);
  return rows[0];
}
