/**
 * The commit protocol, one fault at a time. For every n, the n-th call of the database or the store fails, or its
 * answer is lost, or the process dies before or after it. In the end the dataset is correct: every page once, every
 * change once, nothing that was not committed.
 *
 * Each case has its own site, queue and worker, so all cases run at the same time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { createNodeClient } from "siteatlas";
import {
  connectRedis,
  createPool,
  createVisitor,
  domainOf,
  Feeder,
  FleetWorker,
  Frontier,
  InlineWalkers,
  type ObjectStore,
  openStore,
  readDataset,
  sweep,
} from "siteatlas-fleet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";
import type { FarmSite } from "./support/site-farm.mjs";

/** How a call fails. */
const MODES = ["refused", "answer lost", "dead before", "dead after"] as const;
type Mode = (typeof MODES)[number];

/**
 * How the rows of a visit are written, and how many calls it makes. Own files: the claim, three part files, the commit.
 * Packs: the claim, the announcement of the packs, three packs, and the transaction: its begin, the locks, the
 * announcement, the packs, the legs, its commit.
 */
const CALLS = { "own files": 5, packs: 11 } as const;
type Way = keyof typeof CALLS;
const LEASE_MS = 3000;

interface Case {
  readonly site: FarmSite;
  readonly shard: number;
  readonly mode: Mode;
  readonly way: Way;
  /** Which call, from 1. */
  readonly at: number;
}

/** Counts the calls of one worker, and makes one of them fail. */
class Fault {
  calls = 0;
  hasHappened = false;
  isDead = false;
  readonly #mode: Mode | undefined;
  readonly #at: number;

  constructor(mode: Mode | undefined, at: number) {
    this.#mode = mode;
    this.#at = at;
  }

  async call<T>(run: () => Promise<T>): Promise<T> {
    if (this.isDead) return silence();
    if (++this.calls !== this.#at || this.#mode === undefined) return run();
    this.hasHappened = true;
    if (this.#mode === "dead before") this.isDead = true;
    else if (this.#mode === "refused") throw connectionLoss();
    if (this.isDead) return silence();
    await run();
    if (this.#mode === "answer lost") throw connectionLoss();
    this.isDead = true;
    return silence();
  }
}

/** A dead process never continues. */
function silence(): Promise<never> {
  return new Promise(() => {});
}

function connectionLoss(): Error {
  return Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
}

let fleet: Fleet;
let cases: readonly Case[];
const faults: Fault[] = [];

function faultyPool(pool: Pool, fault: Fault): Pool {
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === "query") {
        return (...args: Parameters<Pool["query"]>) => {
          // Renewals and reads of the stop list come from a timer. A worker reads the number of shards when it starts.
          // They are not steps of the protocol.
          const [given] = args as unknown as [{ name?: string } | string];
          const isStep =
            typeof given === "string" ? !/from (?:stop|fleet)/.test(given) : given.name !== "renew";
          if (!isStep) return fault.isDead ? silence() : target.query(...args);
          return fault.call(() => target.query(...args) as unknown as Promise<unknown>);
        };
      }
      if (name === "connect") return async () => faultyClient(await target.connect(), fault);
      return Reflect.get(target, name);
    },
  });
}

function faultyClient(client: PoolClient, fault: Fault): PoolClient {
  return new Proxy(client, {
    get: (target, name) => {
      if (name !== "query") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (...args: Parameters<PoolClient["query"]>) => {
        const run = () => target.query(...args) as unknown as Promise<unknown>;
        // After a fault, the transaction is rolled back. That is not a step of the protocol.
        if ((args as unknown[])[0] === "rollback") return run();
        const answer = fault.call(run);
        // The connection of a dead process is closed, and its locks are released.
        const burial = setInterval(() => {
          if (fault.isDead) target.release(true);
          if (fault.isDead) clearInterval(burial);
        }, 10);
        return answer.finally(() => clearInterval(burial));
      };
    },
  });
}

function faultyStore(store: ObjectStore, fault: Fault): ObjectStore {
  return {
    put: (key, file) => fault.call(() => store.put(key, file)),
    get: (key, file) => fault.call(() => store.get(key, file)),
    list: (prefix) => store.list(prefix),
    delete: (keys) => store.delete(keys),
    address: (key) => store.address(key),
    close: () => store.close(),
  };
}

interface Started {
  readonly fault: Fault;
  close(): Promise<void>;
}

async function startWorker(shards: readonly number[], way: Way, mode?: Mode, at = 0): Promise<Started> {
  const fault = new Fault(mode, at);
  const pool = createPool({ connectionString: fleet.postgres.url, max: 2 });
  const redis = connectRedis(fleet.redis.url);
  const client = createNodeClient({ allow: ["127.0.0.0/8"] });
  const store = faultyStore(await openStore(fleet.env["SITEATLAS_FLEET_STORE"]!), fault);
  const visit = createVisitor({
    store,
    client,
    folder: `${fleet.dir}/tmp`,
    userAgent: "siteatlas-fleet/test (+https://example.com/)",
  });
  const worker = new FleetWorker({
    frontier: new Frontier(faultyPool(pool, fault), {
      holder: `worker-${Math.random()}`,
      leaseMs: LEASE_MS,
    }),
    redis,
    walkers: new InlineWalkers(visit),
    shards,
    concurrency: shards.length,
    leaseMs: LEASE_MS,
    schedule: { everySeconds: 86_400 },
    ...(way === "packs" && { pack: { store, folder: `${fleet.dir}/tmp` } }),
  });
  await worker.start();
  // A dead process renews no lock.
  const burial = setInterval(() => {
    if (fault.isDead) redis.disconnect();
  }, 50);
  return {
    fault,
    async close() {
      clearInterval(burial);
      if (fault.isDead) return;
      await worker.drain(0);
      redis.disconnect();
      await pool.end();
      await client.close();
    },
  };
}

const isDone = async (sites: readonly FarmSite[], visit: number): Promise<boolean> => {
  const { rows } = await fleet.pool.query<{ count: number }>(
    "select count(*) from site where host = any ($1) and visit >= $2 and visit_began is null and next_due > now()",
    [sites.map(({ host }) => host), visit],
  );
  return rows[0]!.count === sites.length;
};

beforeAll(async () => {
  const faulty = (Object.keys(CALLS) as Way[]).flatMap((way) =>
    // One call more, which no visit makes.
    Array.from({ length: CALLS[way] + 1 }, (_, call) =>
      MODES.map((mode) => ({ way, mode, at: call + 1 })),
    ).flat(),
  );
  const count = faulty.length;
  fleet = await Fleet.start({ sites: 20 * count, shards: count });
  const sites = fleet.farm.sites.filter(({ shape }) => shape === "index");
  cases = faulty.map((each, shard) => ({ ...each, shard, site: sites[shard]! }));
  const feederPool = createPool({ connectionString: fleet.postgres.url, max: 4 });
  const frontier = new Frontier(feederPool);
  const names = cases.map(({ site: { host }, shard }) => ({
    host,
    shard,
    isPlain: true,
    domain: domainOf(host.split(":")[0]!),
  }));
  await frontier.addSites(names);
  const redis = connectRedis(fleet.redis.url);
  const feeder = new Feeder({ frontier, redis, backoffMs: 100, rescanMs: 200 });
  let isFeeding = true;
  const feed = async (): Promise<void> => {
    while (isFeeding) {
      await Promise.all(cases.map(({ shard }) => feeder.tick(shard).catch(() => {})));
      await sleep(500);
    }
  };
  const feeding = feed();
  const shards = cases.map(({ shard }) => shard);

  // A first visit without faults, so that the second has a snapshot, pages to replace and changes to report.
  const healthy = await startWorker(shards, "packs");
  await until(() => isDone(sites, 1), "the first visits");
  await healthy.close();
  await fleet.farm.change(1);
  await fleet.pool.query("update site set next_due = now()");

  const started = await Promise.all(
    cases.map(({ shard, way, mode, at }) => startWorker([shard], way, mode, at)),
  );
  faults.push(...started.map(({ fault }) => fault));
  await sleep(3000);
  // On a busy machine, the last call comes later.
  await until(async () => missedFaults().length === 0, "the faults");
  // Another worker continues where they died.
  const heirs = await startWorker(shards, "packs");
  await until(() => isDone(sites, 2), "the second visits");
  await Promise.all([...started, heirs].map(({ close }) => close()));
  isFeeding = false;
  await feeding;
  await feeder.close();
  redis.disconnect();
  await feederPool.end();
});

afterAll(() => fleet?.close());

const nameOf = ({ way, mode, at }: Case): string => `${way}, ${mode} at call ${at}`;

/** The cases whose fault has not happened. */
const missedFaults = (): Case[] =>
  cases.filter(({ way, at }, index) => at <= CALLS[way] && !faults[index]!.hasHappened);

test("every call of a visit failed in every way", () => {
  expect(missedFaults().map(nameOf)).toEqual([]);
});

test("every page is in the dataset once, as the sites declare it now", async () => {
  const found = await fleet.pages();
  const sites = new Map(fleet.farm.sites.map((site) => [site.host, site]));
  for (const each of cases) {
    const { expectedPages: pages, expectedDigest: digest } = sites.get(each.site.host)!;
    expect(found.get(each.site.host), nameOf(each)).toEqual({ pages, digest, doubled: 0 });
  }
});

test("every change is in the dataset once", async () => {
  const store = await openStore(fleet.env["SITEATLAS_FLEET_STORE"]!);
  const told = new Map<string, string[]>();
  for await (const row of readDataset(fleet.pool, store, fleet.dir, { dataset: "changes" })) {
    const { host, kind, url } = row as { host: string; kind: string; url: string };
    told.set(host, [...(told.get(host) ?? []), `${kind} ${url}`]);
  }
  for (const each of cases) {
    const changes = told.get(each.site.host) ?? [];
    expect(new Set(changes).size, nameOf(each)).toBe(changes.length);
    expect(
      changes.filter((change) => change.startsWith("added")),
      nameOf(each),
    ).toHaveLength(3);
    expect(
      // The removal is not certain if the sitemap lost most of its pages.
      changes.filter((change) => /^(?:removed|pending) /.test(change)),
      nameOf(each),
    ).toHaveLength(1);
  }
});

test("files that were left behind are in no dataset, and sweeping deletes them", async () => {
  const store = await openStore(fleet.env["SITEATLAS_FLEET_STORE"]!);
  const before = await fleet.pages();
  const { orphans } = await sweep({ pool: fleet.pool, store, graceMs: 0 });
  expect(orphans).toBeGreaterThan(0);
  expect(await fleet.pages()).toEqual(before);
  const { rows } = await fleet.pool.query<{ key: string }>(
    "select key from part union all select snapshot from site where snapshot <> 'database'",
  );
  const kept: string[] = [];
  for await (const { key } of store.list("")) kept.push(key);
  expect(kept.sort()).toEqual(["fleet.json", ...rows.map(({ key }) => key)].sort());
});
