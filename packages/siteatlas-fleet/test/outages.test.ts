/** Outages of PostgreSQL, Redis, the store and the clock, one at a time. chaos.test.ts combines them at random. */
import { setTimeout as wait } from "node:timers/promises";
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
  type VisitLeg,
  type WorkerEvent,
} from "siteatlas-fleet";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { until } from "./support/private-server.mjs";
import { type Postgres, startPostgres } from "./support/start-postgres.mjs";
import { askRedis, type Redis, startRedis } from "./support/start-redis.mjs";

const LEASE_MS = 2000;
const OVER: LegResult = {
  ...{ outcome: "found", isOver: true, parts: [], sitemaps: [], gone: [] },
  ...{ pageCount: 1, sitemapCount: 1, requests: 1, bytes: 1, pages: 1, changes: 0, requestMs: 1 },
};

let redis: Redis;
let postgres: Postgres;
let frontier: Frontier;
let closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  frontier = open();
  await migrate(frontier.pool, { shards: 1 });
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closers.reverse()) await close();
  closers = [];
  await askRedis(redis.port, "FLUSHALL");
  await frontier.pool.query("truncate site, sitemap, part, lease, usage");
});

afterAll(async () => {
  await frontier.pool.end();
  await Promise.all([redis.stop(), postgres.stop()]);
});

function open(holder?: string): Frontier {
  const pool = createPool({ connectionString: postgres.url, max: 4 });
  return new Frontier(pool, { leaseMs: LEASE_MS, ...(holder !== undefined && { holder }) });
}

/** Starts a scheduler and one worker in this process. */
async function start(hosts: readonly string[], visit: VisitLeg): Promise<WorkerEvent[]> {
  await frontier.addSites(hosts.map((host) => readSite(host, 1)!));
  const [feeding, working] = [open(), open("worker")];
  const [fed, worked] = [connectRedis(redis.url), connectRedis(redis.url)];
  const feeder = new Feeder({
    ...{ frontier: feeding, redis: fed },
    ...{ everyMs: 200, rescanMs: 500, backoffMs: 200 },
  });
  const events: WorkerEvent[] = [];
  const worker = new FleetWorker({
    ...{ frontier: working, redis: worked, concurrency: 4, leaseMs: LEASE_MS },
    walkers: new InlineWalkers(visit),
    onEvent: (event) => events.push(event),
  });
  closers.push(async () => {
    await Promise.all([feeder.close(), worker.drain(0)]);
    fed.disconnect();
    worked.disconnect();
    await Promise.all([feeding.pool.end(), working.pool.end()]);
  });
  await Promise.all([feeder.start(), worker.start()]);
  return events;
}

async function untilVisited(count: number): Promise<void> {
  const visited = async (): Promise<number> => {
    const { rows } = await frontier.pool
      .query<{ count: number }>(
        "select count(*) from site where visited_at is not null and visit_began is null",
      )
      .catch(() => ({ rows: [] }));
    return rows[0]?.count ?? 0;
  };
  await until(async () => (await visited()) === count, `${count} sites are visited`);
}

test("a part of a visit that ends while PostgreSQL is down is committed when it is back", async () => {
  let walks = 0;
  await start(["a.example"], async () => {
    walks++;
    await postgres.kill();
    setTimeout(() => postgres.restart(), 1000);
    return OVER;
  });
  await untilVisited(1);
  expect(walks).toBe(1);
});

test("a commit after a lost lease is accepted if no other worker has claimed the site", async () => {
  let walks = 0;
  await start(["a.example"], async () => {
    walks++;
    await frontier.pool.query("update lease set until = now()");
    // The next renewal notices it.
    await wait(LEASE_MS / 2);
    return OVER;
  });
  await untilVisited(1);
  expect(walks).toBe(1);
});

test("a visit continues after Redis has lost its job", async () => {
  const legs: string[] = [];
  await start(["a.example"], async ({ epoch, leg }) => {
    legs.push(`epoch ${epoch}, leg ${leg}`);
    if (leg === 0) await askRedis(redis.port, "FLUSHALL");
    return { ...OVER, isOver: leg === 2 };
  });
  await untilVisited(1);
  expect(legs).toEqual(["epoch 1, leg 0", "epoch 1, leg 1", "epoch 1, leg 2"]);
});

test("a worker does not visit a site twice at once, even if the first visit has lost its lease", async () => {
  const [active, epochs] = [{ now: 0, most: 0 }, new Set<number>()];
  await start(["a.example"], async ({ epoch }) => {
    active.most = Math.max(active.most, ++active.now);
    if (epochs.size === 0) {
      epochs.add(epoch);
      await frontier.pool.query("update lease set until = now() - interval '1 second'");
      // The scheduler enqueues the site again.
      await askRedis(redis.port, "FLUSHALL");
      // The visit ignores the abort signal.
      await wait(2000);
    }
    epochs.add(epoch);
    active.now--;
    return OVER;
  });
  await untilVisited(1);
  expect(active.most).toBe(1);
});

test("while the fleet itself fails, only a few visits start", async () => {
  const hosts = Array.from({ length: 100 }, (_, number) => `site-${number}.example`);
  let isFull = true;
  let walks = 0;
  const events = await start(hosts, async () => {
    walks++;
    if (isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    return OVER;
  });
  await wait(2500);
  // The visits that were in progress, and one after each rest.
  expect(walks).toBeGreaterThan(0);
  expect(walks).toBeLessThan(10);
  expect(events.some(({ kind }) => kind === "error")).toBe(true);
  isFull = false;
  await untilVisited(hosts.length);
});

test("while Redis has no memory left, no site is lost or visited twice", async () => {
  const hosts = Array.from({ length: 300 }, (_, number) => `site-${number}.example`);
  const walked: string[] = [];
  const full = async (): Promise<void> => {
    const used = /used_memory:(\d+)/.exec(await askRedis(redis.port, "INFO", "memory"))![1]!;
    await askRedis(redis.port, "CONFIG", "SET", "maxmemory", used);
  };
  let answer = "";
  await start(hosts, async ({ host }) => {
    walked.push(host);
    if (walked.length === 50) {
      await full();
      answer = await askRedis(redis.port, "SET", "anything", "1").catch(String);
      await wait(2000);
      await askRedis(redis.port, "CONFIG", "SET", "maxmemory", "0");
    }
    return OVER;
  });
  await untilVisited(hosts.length);
  expect(answer).toMatch(/OOM/);
  expect(walked.toSorted()).toEqual(hosts.toSorted());
});

test.each([
  ["forward", 3_600_000],
  ["back", -3_600_000],
])("a clock that jumps %s an hour loses no lease and delays no site", async (_, jumpMs) => {
  const hosts = Array.from({ length: 60 }, (_, number) => `site-${number}.example`);
  const walked: string[] = [];
  const events = await start(hosts, async ({ host }) => {
    walked.push(host);
    if (walked.length === 20) {
      const now = Date.now;
      vi.spyOn(Date, "now").mockImplementation(() => now() + jumpMs);
      // Long enough for a renewal of the lease.
      await wait(LEASE_MS);
    }
    return OVER;
  });
  await untilVisited(hosts.length);
  expect(walked.toSorted()).toEqual(hosts.toSorted());
  expect(events.filter(({ kind }) => kind === "lost")).toEqual([]);
  // A site that becomes due later is enqueued.
  await frontier.addSites([readSite("later.example", 1)!]);
  await untilVisited(hosts.length + 1);
});
