/** A domain with many hosts does not delay other domains: on real servers, with a scheduler and a worker. */
import {
  connectRedis,
  createPool,
  Feeder,
  FleetWorker,
  Frontier,
  InlineWalkers,
  type LegResult,
  migrate,
  readSite,
} from "siteatlas-fleet";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../support/private-server.mjs";
import { type Postgres, startPostgres } from "../support/start-postgres.mjs";
import { askRedis, type Redis, startRedis } from "../support/start-redis.mjs";

const CROWD = Array.from({ length: 150 }, (_, number) => `host-${number}.crowd.example`);
const OTHERS = Array.from({ length: 51 }, (_, number) => `other-${number}.example`);
/** Less than the hosts of the crowded domain. */
const HIGH_WATER = 64;
const PER_DOMAIN = 8;
const OVER: LegResult = {
  ...{ outcome: "empty", isOver: true, parts: [], sitemaps: [], gone: [] },
  ...{ pageCount: 0, sitemapCount: 0, requests: 1, bytes: 0, pages: 0, changes: 0, requestMs: 1 },
};

let redis: Redis;
let postgres: Postgres;
let frontier: Frontier;
let client: ReturnType<typeof connectRedis>;
let feeder: Feeder;

beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres({ fast: true })]);
  frontier = new Frontier(createPool({ connectionString: postgres.url, max: 4 }), { holder: "test" });
  await migrate(frontier.pool, { shards: 1 });
  client = connectRedis(redis.url);
});

beforeEach(async () => {
  await frontier.addSites(
    CROWD.map((host) => readSite(host, 1)!),
    { due: new Date(Date.now() - 3_600_000) },
  );
  await frontier.addSites(OTHERS.map((host) => readSite(host, 1)!));
  feeder = new Feeder({
    ...{ frontier, redis: client, highWater: HIGH_WATER, perDomain: PER_DOMAIN },
    ...{ everyMs: 200, rescanMs: 3_600_000 },
  });
});

afterEach(async () => {
  await feeder.close();
  await askRedis(redis.port, "FLUSHALL");
  await frontier.pool.query("truncate site, sitemap, part, lease, usage");
});

afterAll(async () => {
  client?.disconnect();
  await frontier?.pool.end();
  await Promise.all([redis?.stop(), postgres?.stop()]);
});

const isCrowd = (host: string): boolean => host.endsWith(".crowd.example");

async function queued(): Promise<string[]> {
  const ids = await client.lrange("{s0}:sites:wait", 0, -1);
  return ids.sort();
}

async function leaveQueue(hosts: readonly string[]): Promise<void> {
  await frontier.pool.query("update site set next_due = now() + interval '1 day' where host = any ($1)", [
    hosts,
  ]);
  for (const host of hosts) {
    await client.lrem("{s0}:sites:wait", 0, host);
    await client.del(`{s0}:sites:${host}`);
  }
}

test("all other domains are enqueued, and of the crowded domain only a few hosts", async () => {
  await feeder.tick(0);
  const hosts = await queued();
  expect(hosts.filter((host) => !isCrowd(host))).toEqual(OTHERS.toSorted());
  expect(hosts.filter(isCrowd)).toHaveLength(PER_DOMAIN);
});

test("as hosts of a crowded domain leave the queue, others of them follow", async () => {
  await feeder.tick(0);
  const first = (await queued()).filter(isCrowd);
  expect(await feeder.tick(0)).toBe(0);
  await leaveQueue(first.slice(0, 3));
  expect(await feeder.tick(0)).toBe(3);
  const second = (await queued()).filter(isCrowd);
  expect(second).toHaveLength(PER_DOMAIN);
  expect(second.filter((host) => !first.includes(host))).toHaveLength(3);
});

test("no host of a leased domain is enqueued until the lease ends", async () => {
  await frontier.pool.query(
    `insert into lease (domain, shard, host, holder, until)
     values ('crowd.example', 0, $1, 'another worker', now() + interval '1 hour')`,
    [CROWD[0]],
  );
  await feeder.tick(0);
  await feeder.tick(0);
  expect((await queued()).filter(isCrowd)).toEqual([]);
  await frontier.pool.query("update lease set until = now()");
  await feeder.tick(0);
  expect((await queued()).filter(isCrowd)).toHaveLength(PER_DOMAIN);
});

test("the others finish as if alone, while the first host of the crowd is still being visited", async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const visited: string[] = [];
  const worker = new FleetWorker({
    ...{ frontier, redis: client, concurrency: 4 },
    walkers: new InlineWalkers(async ({ host }) => {
      if (isCrowd(host)) await gate;
      visited.push(host);
      return OVER;
    }),
  });
  try {
    await Promise.all([feeder.start(), worker.start()]);
    await until(async () => visited.length >= OTHERS.length, "the other sites are visited");
    expect(visited.toSorted()).toEqual(OTHERS.toSorted());
    open();
    // More than were in the queue at a time: the places of the domain are filled again.
    const wanted = OTHERS.length + PER_DOMAIN + 1;
    await until(async () => visited.length >= wanted, "more of the crowd is visited");
  } finally {
    open();
    await worker.drain(5000);
  }
});
