/**
 * The commit protocol, one fault at a time: the n-th call of the database or the store fails, for every n; or the
 * process dies there, before the call or after it was done and before its answer came. Whatever happens, the dataset
 * is correct in the end: every page once, every change once, nothing counts that was not committed.
 *
 * Each case has a site, a queue and a worker of its own, so that all go on at the same time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
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

/** How a call fails: refused; done, and the answer lost; or the process dies, before or after it. */
const MODES = ["refused", "answer lost", "dead before", "dead after"] as const;
type Mode = (typeof MODES)[number];

/** More calls than a visit makes. */
const MAX_CALLS = 12;
const LEASE_MS = 3000;

interface Case {
  readonly site: FarmSite;
  readonly shard: number;
  readonly mode: Mode;
  /** Which call, from 1. */
  readonly at: number;
}

/** Counts the calls of one worker, and has one of them fail. */
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

/** A process that is dead answers nobody. */
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
    get: (target, name) =>
      name === "query"
        ? (...args: Parameters<Pool["query"]>) => {
            // Leases are renewed by the clock, and the stop list is read by it: they are no steps.
            const [given] = args as unknown as [{ name?: string } | string];
            const isStep = typeof given === "string" ? !given.includes("from stop") : given.name !== "renew";
            if (!isStep) return fault.isDead ? silence() : target.query(...args);
            return fault.call(() => target.query(...args) as unknown as Promise<unknown>);
          }
        : Reflect.get(target, name),
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

async function startWorker(shards: readonly number[], mode?: Mode, at = 0): Promise<Started> {
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
  });
  await worker.start();
  // Whoever is dead renews no lock.
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
  const count = MODES.length * MAX_CALLS;
  fleet = await Fleet.start({ sites: 20 * count, shards: count });
  const sites = fleet.farm.sites.filter(({ shape }) => shape === "index");
  cases = sites.map((site, shard) => ({
    site,
    shard,
    mode: MODES[shard % MODES.length]!,
    at: 1 + Math.floor(shard / MODES.length),
  }));
  const frontier = new Frontier(fleet.pool);
  const names = cases.map(({ site: { host }, shard }) => ({
    host,
    shard,
    isPlain: true,
    domain: domainOf(host.split(":")[0]!),
  }));
  await frontier.addSites(names);
  const redis = connectRedis(fleet.redis.url);
  const feeder = new Feeder({ frontier, redis, backoffMs: 100, rescanMs: 200 });
  const feeding = setInterval(() => {
    for (const { shard } of cases) void feeder.tick(shard).catch(() => {});
  }, 500);
  const shards = cases.map(({ shard }) => shard);

  // A first visit in good health, so that the second has a snapshot, pages to replace and changes to tell.
  const healthy = await startWorker(shards);
  await until(() => isDone(sites, 1), "the first visits", 60_000);
  await healthy.close();
  await fleet.farm.change(1);
  await fleet.pool.query("update site set next_due = now()");

  const started = await Promise.all(cases.map(({ shard, mode, at }) => startWorker([shard], mode, at)));
  faults.push(...started.map(({ fault }) => fault));
  await sleep(3000);
  // Somebody else goes on where they died.
  const heirs = await startWorker(shards);
  await until(() => isDone(sites, 2), "the second visits", 90_000);
  await Promise.all([...started, heirs].map(({ close }) => close()));
  clearInterval(feeding);
  await feeder.close();
  redis.disconnect();
}, 240_000);

afterAll(() => fleet?.close());

const nameOf = ({ mode, at }: Case): string => `${mode} at call ${at}`;

/** The claim, the snapshot, three parts, the next snapshot, the commit. */
const CALLS_OF_A_VISIT = 7;

test("every call of a visit failed in every way", () => {
  const missed = cases.filter(({ at }, index) => at <= CALLS_OF_A_VISIT && !faults[index]!.hasHappened);
  expect(missed.map(nameOf)).toEqual([]);
});

test("every page is there once, as the sites declare them now", async () => {
  const found = await fleet.pages();
  const sites = new Map(fleet.farm.sites.map((site) => [site.host, site]));
  for (const each of cases) {
    const { expectedPages: pages, expectedDigest: digest } = sites.get(each.site.host)!;
    expect(found.get(each.site.host), nameOf(each)).toEqual({ pages, digest, doubled: 0 });
  }
});

test("every change is told once", async () => {
  const store = await openStore(fleet.env["SITEATLAS_FLEET_STORE"]!);
  const told = new Map<string, string[]>();
  for await (const row of readDataset(fleet.pool, store, fleet.dir, { dataset: "changes" })) {
    const { host, op, url } = row as { host: string; op: string; url: string };
    told.set(host, [...(told.get(host) ?? []), `${op} ${url}`]);
  }
  for (const each of cases) {
    const changes = told.get(each.site.host) ?? [];
    expect(new Set(changes).size, nameOf(each)).toBe(changes.length);
    expect(
      changes.filter((change) => change.startsWith("added")),
      nameOf(each),
    ).toHaveLength(3);
    expect(
      changes.filter((change) => change.startsWith("removed")),
      nameOf(each),
    ).toHaveLength(1);
  }
});

test("what was left behind counts for nothing, and is swept away", async () => {
  const store = await openStore(fleet.env["SITEATLAS_FLEET_STORE"]!);
  const before = await fleet.pages();
  const { orphans } = await sweep({ pool: fleet.pool, store, graceMs: 0 });
  expect(orphans).toBeGreaterThan(0);
  expect(await fleet.pages()).toEqual(before);
  const { rows } = await fleet.pool.query<{ key: string }>(
    "select key from part union all select snapshot from site where snapshot is not null",
  );
  const kept: string[] = [];
  for await (const { key } of store.list("")) kept.push(key);
  expect(kept.sort()).toEqual(rows.map(({ key }) => key).sort());
});
