/** A fleet on a Redis Cluster that loses a master. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";
import { type RedisCluster, startRedisCluster } from "./support/start-redis.mjs";

let cluster: RedisCluster;
let fleet: Fleet;

beforeAll(async () => {
  cluster = await startRedisCluster({ masters: 3, replicas: 3 });
  fleet = await Fleet.start({
    sites: 300,
    giant: 200,
    latencyMs: 10,
    shards: 16,
    redisUrl: () => cluster.ports.map((port) => `redis://127.0.0.1:${port}`).join(","),
  });
});

afterAll(async () => {
  await fleet?.close();
  await cluster?.stop();
});

test("every site is visited once, even if a master is killed and its replica takes over", async () => {
  await fleet.add();
  fleet.feeder();
  for (let number = 0; number < 2; number++) fleet.worker("--lease", "10");
  await until(async () => (await fleet.left()) < 250, "some sites are done");
  const { killed, promoted } = await cluster.killMaster();
  expect(promoted).not.toBe(killed);
  await fleet.done();
  expect(await fleet.faults()).toEqual([]);
  const { totals } = await fleet.farm.stats();
  const ideal = fleet.farm.sites.reduce((sum, site) => sum + site.idealRequests + site.idealRetries, 0);
  expect(totals.requests / ideal).toBeLessThan(1.05);
});
