/** The statements of the frontier, on a real PostgreSQL. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import {
  createPool,
  Frontier,
  type LegRequest,
  type LegResult,
  migrate,
  readSite,
  type SiteName,
} from "siteatlas-fleet";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/start-postgres.mjs";

const SHARDS = 4;
const LEASE_MS = 1500;
const NEXT = { waitSeconds: 3600, quiet: 0, failures: 0 };

let postgres: Postgres;
let pool: Pool;
let [ours, theirs]: Frontier[] = [];

beforeAll(async () => {
  postgres = await startPostgres({ fast: true });
  pool = createPool({ connectionString: postgres.url });
  expect(await migrate(pool, { shards: SHARDS })).toEqual([
    "001-frontier.sql",
    "002-suspects.sql",
    "003-store-owner.sql",
    "004-packed-parts.sql",
    "005-schedule.sql",
    "006-takedown.sql",
  ]);
});

beforeEach(async () => {
  await pool.query("truncate site, sitemap, part, lease, stop, usage");
  ours = new Frontier(pool, { holder: "ours", leaseMs: LEASE_MS });
  theirs = new Frontier(pool, { holder: "theirs", leaseMs: LEASE_MS });
});

// Whatever a test did to the sites: the schedule has the due times of all active ones.
afterEach(async () => {
  const columns = "shard, tenant, next_due, host, domain";
  const [sites, schedule] = [
    `select ${columns} from site where state = 'active'`,
    `select ${columns} from schedule`,
  ];
  expect(await rows(`(${sites} except all ${schedule}) union all (${schedule} except all ${sites})`)).toEqual(
    [],
  );
});

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

async function add(...hosts: readonly string[]): Promise<SiteName[]> {
  const sites = hosts.map((host) => readSite(host, SHARDS)!);
  await ours!.addSites(sites);
  return sites;
}

async function claim(frontier: Frontier, site: SiteName): Promise<LegRequest> {
  const claimed = await frontier.claim(site);
  if (claimed.verdict !== "claimed") throw new Error(`It is ${claimed.verdict}`);
  const { host, domain, epoch, visit, leg, snapshot, requestMs } = claimed;
  const began = claimed.began.toISOString();
  const homepage = `https://${host}/`;
  return {
    host,
    domain,
    shard: site.shard,
    homepage,
    epoch,
    visit,
    leg,
    began,
    snapshot,
    requestMs,
    done: 0,
    failed: [],
  };
}

function found(request: LegRequest, more: Partial<LegResult> = {}): LegResult {
  const { host, epoch, leg } = request;
  return {
    outcome: "found",
    isOver: true,
    parts: [
      {
        dataset: "pages",
        key: `pages/${host}.e${epoch}-${leg}`,
        day: "2026-11-15",
        rowCount: 2,
        byteCount: 10,
      },
    ],
    snapshot: `snapshots/${host}.e${epoch}-${leg}`,
    sitemaps: [sitemap("https://example.com/a.xml")],
    gone: [],
    pageCount: 2,
    sitemapCount: 1,
    requests: 3,
    bytes: 100,
    pages: 2,
    changes: 0,
    requestMs: 5,
    ...more,
  };
}

function sitemap(
  url: string,
  more: Partial<LegResult["sitemaps"][number]> = {},
): LegResult["sitemaps"][number] {
  return {
    url,
    outcome: "found",
    kind: "pages",
    format: "xml",
    status: 200,
    pageCount: 2,
    hasPages: true,
    ...more,
  };
}

const rows = async (text: string): Promise<Record<string, unknown>[]> => (await pool.query(text)).rows;

test("migrations run once, even if several processes start them, and the number of shards stays", async () => {
  expect(await Promise.all([migrate(pool), migrate(pool, { shards: 99 })])).toEqual([[], []]);
  expect(await ours!.shards()).toBe(SHARDS);
});

test("hosts are added once, and those of one domain are in one shard", async () => {
  const [a, b] = await add("a.example.com", "b.example.com");
  expect(a!.shard).toBe(b!.shard);
  expect(await ours!.addSites([a!, b!])).toBe(0);
  expect(await rows("select count(*) from site")).toEqual([{ count: 2 }]);
});

test("a site is claimed once, and not before it is due again", async () => {
  const [site] = await add("example.com");
  const request = await claim(ours!, site!);
  expect(request).toMatchObject({ epoch: 1, visit: 1, leg: 0, snapshot: null });
  expect(await theirs!.claim(site!)).toMatchObject({ verdict: "busy" });
  expect(await ours!.commit(request, found(request), NEXT)).toBe("accepted");
  expect(await theirs!.claim(site!)).toEqual({ verdict: "not due" });
  expect(await rows("select domain from lease")).toEqual([]);
});

test("a hundred concurrent claims give the same results as single ones", async () => {
  const sites = await add(...Array.from({ length: 100 }, (_, number) => `site-${number}.com`));
  const both = await Promise.all(
    [ours!, theirs!].flatMap((frontier) => sites.map((site) => frontier.claim(site))),
  );
  const verdicts = both.map(({ verdict }) => verdict);
  expect(verdicts.filter((verdict) => verdict === "claimed")).toHaveLength(100);
  expect(verdicts.filter((verdict) => verdict === "busy")).toHaveLength(100);
});

test("a late commit is rejected if another worker has claimed the site after the lease expired", async () => {
  const [site] = await add("example.com");
  const late = await claim(ours!, site!);
  await sleep(LEASE_MS + 100);
  const request = await claim(theirs!, site!);
  expect(request.epoch).toBe(late.epoch + 1);
  expect(await ours!.commit(late, found(late), NEXT)).toBe("refused");
  expect(await rows("select key from part")).toEqual([]);
  expect(await rows("select url from sitemap")).toEqual([]);
  expect(await theirs!.commit(request, found(request), NEXT)).toBe("accepted");
  // A retry does not help.
  expect(await ours!.commit(late, found(late), NEXT)).toBe("refused");
  expect(await rows("select epoch from part")).toEqual([{ epoch: request.epoch }]);
  expect(await rows("select requests from usage where tenant = '*'")).toEqual([{ requests: 3 }]);
});

test("a commit whose answer was lost counts once", async () => {
  const [site] = await add("example.com");
  const request = await claim(ours!, site!);
  expect(await ours!.commit(request, found(request), NEXT)).toBe("accepted");
  expect(await ours!.commit(request, found(request), NEXT)).toBe("repeated");
  expect(await rows("select key from part")).toHaveLength(1);
  expect(await rows("select requests from usage where tenant = '*'")).toEqual([{ requests: 3 }]);
});

test("one commit that fails does not fail the others of its batch", async () => {
  const sites = await add("good.com", "bad.com", "fine.com");
  const requests = await Promise.all(sites.map((site) => claim(ours!, site)));
  const verdicts = await Promise.allSettled(
    requests.map((request) => {
      // PostgreSQL rejects NUL in text.
      const more = request.host === "bad.com" ? { reason: "\0" } : {};
      return ours!.commit(request, found(request, more), NEXT);
    }),
  );
  expect(verdicts.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a visit resumes where its last part ended, in any worker", async () => {
  const [site] = await add("example.com");
  const first = await claim(ours!, site!);
  const failed = sitemap("https://example.com/b.xml", {
    outcome: "failed",
    code: "http.status",
    hasPages: false,
  });
  const result = found(first, { isOver: false });
  await ours!.commit(first, { ...result, sitemaps: [...result.sitemaps, failed] }, NEXT);
  await ours!.release(first);
  const second = await claim(theirs!, site!);
  expect(second).toMatchObject({ epoch: 2, visit: 1, leg: 1, began: first.began, snapshot: result.snapshot });
  expect(await theirs!.progress(second)).toEqual({ done: 1, failed: ["https://example.com/b.xml"] });
  expect(await theirs!.commit(second, found(second), NEXT)).toBe("accepted");
  expect(await rows("select visit, leg, visit_began from site")).toEqual([
    { visit: 1, leg: 2, visit_began: null },
  ]);
});

test("a commit is incomplete if no part file has its unchanged pages", async () => {
  const url = "https://example.com/a.xml";
  const [site] = await add("example.com");
  const commit = async (...told: LegResult["sitemaps"]): Promise<unknown> => {
    await pool.query("update site set next_due = now()");
    const request = await claim(ours!, site!);
    const verdict = await ours!.commit(request, found(request, { sitemaps: told }), NEXT);
    if (verdict === "incomplete") await ours!.forgetSnapshot(request);
    return verdict;
  };
  expect(await commit(sitemap(url, { hasPages: false }))).toBe("incomplete");
  expect(await rows("select snapshot from site")).toEqual([{ snapshot: null }]);
  expect(await commit(sitemap(url))).toBe("accepted");
  expect(await commit(sitemap(url, { hasPages: false }))).toBe("accepted");
  await pool.query("update sitemap set part = null");
  expect(await commit(sitemap(url, { hasPages: false }))).toBe("incomplete");
  expect(await commit(sitemap(url, { hasPages: false, pageCount: 0 }))).toBe("accepted");
});

test("the current pages of a sitemap are where it was last read completely", async () => {
  const url = "https://example.com/a.xml";
  const [site] = await add("example.com");
  const partOf = async (...told: LegResult["sitemaps"]): Promise<unknown> => {
    await pool.query("update site set next_due = now()");
    const request = await claim(ours!, site!);
    await ours!.commit(request, found(request, { sitemaps: told }), NEXT);
    const [row] = await rows("select p.epoch from sitemap m join part p on p.id = m.part");
    return row?.["epoch"];
  };
  expect(await partOf(sitemap(url))).toBe(1);
  expect(await partOf(sitemap(url, { outcome: "unchanged", hasPages: false }))).toBe(1);
  expect(await partOf(sitemap(url, { outcome: "failed", code: "http.timeout", hasPages: false }))).toBe(1);
  // Read, and unchanged.
  expect(await partOf(sitemap(url, { hasPages: false }))).toBe(1);
  // Truncated: the complete version stays.
  expect(await partOf(sitemap(url, { code: "http.truncated" }))).toBe(1);
  expect(await partOf(sitemap(url))).toBe(6);
  expect(await partOf(sitemap(url, { pageCount: 0, hasPages: false }))).toBeUndefined();
  // A sitemap that is never complete has its last version.
  expect(await partOf(sitemap(url, { code: "xml.truncated" }))).toBe(8);
  expect(await partOf(sitemap(url, { code: "xml.truncated" }))).toBe(9);
});

test("sitemaps that no longer exist are deleted", async () => {
  const [site] = await add("example.com");
  const first = await claim(ours!, site!);
  await ours!.commit(first, found(first), NEXT);
  await pool.query("update site set next_due = now()");
  const second = await claim(ours!, site!);
  await ours!.commit(second, found(second, { sitemaps: [], gone: ["https://example.com/a.xml"] }), NEXT);
  expect(await rows("select url from sitemap")).toEqual([]);
});

test("claims that did not finish are counted, those that were released are not", async () => {
  const [site] = await add("example.com");
  for (const begun of [0, 1, 2]) {
    expect(await ours!.claim(site!)).toMatchObject({ verdict: "claimed", begun });
    await sleep(LEASE_MS + 100);
  }
  const request = await claim(ours!, site!);
  await ours!.release(request);
  // The released claim does not count, the earlier ones do.
  expect(await ours!.claim(site!)).toMatchObject({ verdict: "claimed", begun: 3 });
});

test("a quarantined site is not due, and cannot be claimed or committed", async () => {
  const [site] = await add("example.com");
  const request = await claim(ours!, site!);
  await ours!.quarantine(request, "it crashed");
  expect(await ours!.commit(request, found(request), NEXT)).toBe("refused");
  expect(await ours!.claim(site!)).toEqual({ verdict: "not due" });
  expect(await ours!.due(site!.shard, "default", undefined, 10)).toEqual([]);
});

const CRASH = "00000000-0000-0000-0000-000000000001";
const SUSPICION = { suspicions: 1, probation: 2 };

test("a suspect can be claimed at once, and finishes its probation", async () => {
  const [site] = await add("example.com");
  const first = await claim(ours!, site!);
  // A repeated call counts once.
  await ours!.suspect(first, SUSPICION, CRASH);
  await ours!.suspect(first, SUSPICION, CRASH);
  for (const probation of [2, 1, 0]) {
    await pool.query("update site set next_due = now()");
    const claimed = await theirs!.claim(site!);
    const suspicions = probation > 0 ? 1 : 0;
    const begun = probation === 2 ? 1 : 0;
    expect(claimed).toMatchObject({ verdict: "claimed", begun, suspicions, probation });
    const { epoch, leg, visit } = claimed as Pick<LegRequest, "epoch" | "leg" | "visit">;
    const request = { ...first, epoch, leg, visit };
    expect(await theirs!.commit(request, found(request), NEXT)).toBe("accepted");
  }
  expect(await rows("select crash from site")).toEqual([{ crash: null }]);
});

test("a late worker cannot make a site a suspect", async () => {
  const [site] = await add("example.com");
  const late = await claim(ours!, site!);
  await sleep(LEASE_MS + 100);
  await claim(theirs!, site!);
  await ours!.suspect(late, SUSPICION, CRASH);
  expect(await rows("select suspicions, probation, crash from site")).toEqual([
    { suspicions: 0, probation: 0, crash: null },
  ]);
});

test("the cause of a crash is quarantined, and the other suspects of this crash get a short probation", async () => {
  const [cause, neighbour, locked, earlier, other] = await add("a.com", "b.com", "c.com", "d.com", "e.com");
  const requests = new Map<SiteName, LegRequest>();
  for (const site of [cause!, neighbour!, locked!, earlier!, other!]) {
    const request = await claim(ours!, site);
    requests.set(site, request);
    const suspicions = site === earlier ? 2 : 1;
    await ours!.suspect(
      request,
      { suspicions, probation: 20 },
      site === other ? CRASH.replace("1", "2") : CRASH,
    );
  }
  expect(await ours!.quarantine(requests.get(cause!)!, "it crashed")).toBe(CRASH);
  // A row that another transaction has locked is cleared when the lock is gone.
  const client = await pool.connect();
  await client.query("begin");
  await client.query("update site set quiet = quiet where host = 'c.com'");
  const cleared = ours!.clearSuspects(CRASH, 2);
  await sleep(300);
  await client.query("commit");
  client.release();
  await cleared;
  expect(await rows("select host, state, suspicions, probation from site order by host")).toEqual([
    { host: "a.com", state: "quarantined", suspicions: 1, probation: 20 },
    { host: "b.com", state: "active", suspicions: 1, probation: 2 },
    { host: "c.com", state: "active", suspicions: 1, probation: 2 },
    { host: "d.com", state: "active", suspicions: 1, probation: 20 },
    { host: "e.com", state: "active", suspicions: 1, probation: 20 },
  ]);
});

test("leases are renewed while they are held, and report sites on the stop list", async () => {
  const [a, b] = await add("example.com", "example.org");
  await claim(ours!, a!);
  await claim(ours!, b!);
  await pool.query("insert into stop (name) values ('example.org')");
  const held = await ours!.renew(["example.com", "example.org", "example.net"]);
  expect(held.sort((one, other) => one.host.localeCompare(other.host))).toEqual([
    { domain: "example.com", host: "example.com", isStopped: false },
    { domain: "example.org", host: "example.org", isStopped: true },
  ]);
  expect(await theirs!.renew(["example.com"])).toEqual([]);
  await sleep(LEASE_MS + 100);
  expect(await ours!.renew(["example.com"])).toEqual([]);
});

test("a paused domain cannot be claimed, and hosts on the stop list are put off", async () => {
  const [a, b] = await add("a.example.com", "example.org");
  await ours!.pause("example.com", 30_000);
  const busy = await ours!.claim(a!);
  expect(busy).toMatchObject({ verdict: "busy", leaseMs: 0 });
  expect((busy as { pauseMs: number }).pauseMs).toBeGreaterThan(1000);
  // A shorter pause does not end a longer one.
  await ours!.pause("example.com", 1);
  expect(await ours!.claim(a!)).toMatchObject({ verdict: "busy" });
  await pool.query("update lease set not_before = now()");
  expect(await ours!.claim(a!)).toMatchObject({ verdict: "claimed" });
  await pool.query("insert into stop (name) values ('example.org')");
  expect(await ours!.claim(b!)).toEqual({ verdict: "put off" });
  expect(await ours!.claim(b!)).toEqual({ verdict: "not due" });
});

test("a registrable domain on the stop list stops its hosts, also during a visit", async () => {
  const [a, b] = await add("a.example.com", "b.example.com");
  await claim(ours!, a!);
  await pool.query("insert into stop (name) values ('example.com')");
  expect(await ours!.renew(["example.com"])).toMatchObject([{ host: "a.example.com", isStopped: true }]);
  await pool.query("delete from lease");
  expect(await ours!.claim(b!)).toEqual({ verdict: "put off" });
});

test("hosts of one registrable domain share a lease, users of one platform do not", async () => {
  const [a, b, mine, yours] = await add("a.example.com", "b.example.com", "a.github.io", "b.github.io");
  await claim(ours!, a!);
  expect(await theirs!.claim(b!)).toMatchObject({ verdict: "busy" });
  await claim(ours!, mine!);
  expect(await theirs!.claim(yours!)).toMatchObject({ verdict: "claimed" });
});

test("a site whose domain asked for a long pause is not due before its end", async () => {
  const [a] = await add("a.example.com");
  await ours!.pause("example.com", 3_600_000);
  expect(await ours!.claim(a!)).toEqual({ verdict: "put off" });
  expect(await rows("select next_due > now() + interval '59 minutes' as late from site")).toEqual([
    { late: true },
  ]);
});

test("a paused visit resumes after the pause, and does not change the interval of the site", async () => {
  const [site] = await add("example.com");
  const first = await claim(ours!, site!);
  const paused = found(first, { outcome: "paused", isOver: false, pauseMs: 30_000, changes: 2 });
  expect(await ours!.commit(first, paused, { waitSeconds: 3600, quiet: 9, failures: 9 })).toBe("accepted");
  await ours!.release(first);
  expect(await ours!.claim(site!)).toEqual({ verdict: "not due" });
  await pool.query("update site set next_due = now()");
  await pool.query("update lease set not_before = now()");
  const second = await ours!.claim(site!);
  expect(second).toMatchObject({
    verdict: "claimed",
    leg: 1,
    visit: 1,
    changes: 2,
    quiet: 0,
    failures: 0,
    begun: 0,
  });
});

test("due sites come in the order of their due times, and continue after a cursor", async () => {
  const sites = (await add(...Array.from({ length: 50 }, (_, number) => `site-${number}.com`))).filter(
    ({ shard }) => shard === 0,
  );
  await pool.query("update site set next_due = now() - random() * interval '1 hour'");
  const first = await ours!.due(0, "default", undefined, 5);
  const second = await ours!.due(0, "default", first.at(-1), 1000);
  expect(new Set([...first, ...second].map(({ host }) => host)).size).toBe(sites.length);
  const times = [...first, ...second].map(({ nextDue }) => Date.parse(nextDue));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(await ours!.due(0, "somebody else", undefined, 10)).toEqual([]);
});

test("sites with the same due time come once", async () => {
  const sites = await add(...Array.from({ length: 400 }, (_, number) => `site-${number}.com`));
  const fed: string[] = [];
  for (let last: Awaited<ReturnType<Frontier["due"]>>[number] | undefined; fed.length < 1000; ) {
    const next = await ours!.due(1, "default", last, 7);
    fed.push(...next.map(({ host }) => host));
    last = next.at(-1);
    if (next.length < 7) break;
  }
  expect(fed.toSorted()).toEqual(
    sites
      .filter(({ shard }) => shard === 1)
      .map(({ host }) => host)
      .sort(),
  );
});

test("a budget is checked when a site is claimed: only visits in progress exceed it", async () => {
  await pool.query(
    "insert into tenant (name, requests_per_day) values ('thrifty', 3) on conflict do nothing",
  );
  const sites = ["a.com", "b.com", "c.com"].map((host) => readSite(host, SHARDS)!);
  await ours!.addSites(sites, { tenant: "thrifty" });
  await add("d.com");
  const [first, second] = [await claim(ours!, sites[0]!), await claim(ours!, sites[1]!)];
  await ours!.commit(first, found(first), NEXT);
  expect(await ours!.claim(sites[2]!)).toEqual({ verdict: "no budget" });
  expect((await ours!.claim(readSite("d.com", SHARDS)!)).verdict).toBe("claimed");
  expect(await ours!.commit(second, found(second), NEXT)).toBe("accepted");
  await pool.query("update tenant set requests_per_day = 7 where name = 'thrifty'");
  expect((await ours!.claim(sites[2]!)).verdict).toBe("claimed");
  await pool.query("update tenant set bytes_per_day = 10 where name = '*'");
  const [last] = await add("e.com");
  expect(await ours!.claim(last!)).toEqual({ verdict: "no budget" });
  await pool.query("update tenant set bytes_per_day = null where name = '*'");
  await pool.query("delete from tenant where name = 'thrifty'");
});

test("a claim and a commit change the row of their site in place", async () => {
  const [site] = await add("a.com");
  const single = createPool({ connectionString: postgres.url, max: 1 });
  const frontier = new Frontier(single, { holder: "single" });
  const updates = async (): Promise<{ all: number; hot: number }> => {
    await single.query("select pg_stat_force_next_flush()");
    const { rows: found } = await single.query<{ all: number; hot: number }>(
      `select sum(n_tup_upd)::integer as all, sum(n_tup_hot_upd)::integer as hot
       from pg_stat_user_tables where relname ~ '^site_\\d+$'`,
    );
    return found[0]!;
  };
  try {
    const before = await updates();
    const request = await claim(frontier, site!);
    expect(await frontier.commit(request, found(request), NEXT)).toBe("accepted");
    const after = await updates();
    expect({ all: after.all - before.all, hot: after.hot - before.hot }).toEqual({ all: 2, hot: 2 });
  } finally {
    await single.end();
  }
});

test("a commit does not wait for the transaction of another one", async () => {
  const [one, other] = await add("a.com", "b.com");
  const [first, second] = [await pool.connect(), await pool.connect()];
  const spare: PoolClient[] = [];
  const pidOf = async (client: PoolClient): Promise<number> =>
    (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid;
  let client = second;
  try {
    // Two connections may share a slot.
    while ((await pidOf(client)) % 32 === (await pidOf(first)) % 32) {
      client = await pool.connect();
      spare.push(client);
    }
    await first.query("begin");
    const slow = new Frontier(first as never, { holder: "slow" });
    const request = await claim(slow, one!);
    expect(await slow.commit(request, found(request), NEXT)).toBe("accepted");
    await client.query("set lock_timeout = '20s'");
    const quick = new Frontier(client as never, { holder: "quick" });
    const next = await claim(quick, other!);
    expect(await quick.commit(next, found(next), NEXT)).toBe("accepted");
    await first.query("commit");
    await client.query("reset lock_timeout");
    const counted = "select sum(requests)::integer as requests, sum(visits)::integer as visits from usage";
    expect(await rows(`${counted} where tenant = '*'`)).toEqual([{ requests: 6, visits: 2 }]);
  } finally {
    for (const used of [first, second, ...spare]) used.release();
  }
});

test("a fleet of an earlier version gets its schedule, and keeps its usage", async () => {
  await pool.query("create database older");
  const older = createPool({ connectionString: postgres.url.replace(/[^/]*$/, "older"), max: 1 });
  try {
    for (const name of ["001-frontier.sql", "002-suspects.sql", "003-store-owner.sql"]) {
      await older.query(await readFile(new URL(`../../sql/migrations/${name}`, import.meta.url), "utf8"));
    }
    await older.query(
      `create table migration (number integer primary key, name text not null, run_at timestamptz not null default now());
       insert into migration (number, name) values (1, 'a'), (2, 'b'), (3, 'c');
       insert into fleet (shards) values (2);
       select create_shards(2);
       insert into site (shard, host, domain, tenant, state) values
         (0, 'a.com', 'a.com', 'default', 'active'), (1, 'b.com', 'b.com', 'default', 'quarantined');
       insert into usage (tenant, day, requests) values ('*', '2026-11-15', 7);`,
    );
    await migrate(older, { shards: 9 });
    const { rows: due } = await older.query("select shard, host from schedule");
    expect(due).toEqual([{ shard: 0, host: "a.com" }]);
    await older.query("update site set state = 'active' where host = 'b.com'");
    const frontier = new Frontier(older);
    expect((await frontier.due(1, "default", undefined, 10)).map(({ host }) => host)).toEqual(["b.com"]);
    const { rows: used } = await older.query("select sum(requests)::integer as requests from usage");
    expect(used).toEqual([{ requests: 7 }]);
  } finally {
    await older.end();
  }
});

test("the lag is that of the oldest site that could be visited now", async () => {
  expect(await ours!.lagSeconds()).toBe(0);
  const [leased] = await add("a.com", "www.a.com", "b.com");
  await pool.query("update site set next_due = now() - interval '1 hour' where domain = 'a.com'");
  expect(await ours!.lagSeconds()).toBeGreaterThan(3599);
  await claim(ours!, leased!);
  expect(await ours!.lagSeconds()).toBeLessThan(3000);
  await pool.query("update site set next_due = now() + interval '1 hour' where host = 'b.com'");
  expect(await ours!.lagSeconds()).toBe(0);
});

test("tenants without budget are left out, and all of them if the fleet has none", async () => {
  await pool.query("insert into tenant (name, requests_per_day) values ('poor', 5) on conflict do nothing");
  expect(await ours!.tenants()).toEqual(["default", "poor"]);
  await pool.query(
    "insert into usage (tenant, day, requests) values ('poor', (now() at time zone 'utc')::date, 5)",
  );
  expect(await ours!.tenants()).toEqual(["default"]);
  await pool.query("update tenant set bytes_per_day = 10 where name = '*'");
  await pool.query(
    "insert into usage (tenant, day, bytes) values ('*', (now() at time zone 'utc')::date, 10)",
  );
  expect(await ours!.tenants()).toEqual([]);
  await pool.query("update tenant set bytes_per_day = null where name = '*'");
  expect(await ours!.tenants()).toEqual(["default"]);
});

test.each(["claim", "commit", "renew"])(
  "%s reads no whole table, even if it was planned while the tables were empty",
  async (name) => {
    await pool.query("truncate site, sitemap, part, lease, usage");
    await pool.query("vacuum analyze");
    const text = await readFile(new URL(`../../sql/queries/${name}.sql`, import.meta.url), "utf8");
    const client = await pool.connect();
    try {
      await client.query(`prepare planned as ${text}`);
      const nulls = Array.from(new Set(text.match(/\$\d+/g)), () => "null").join(", ");
      const { rows: plan } = await client.query(`explain execute planned(${nulls})`);
      const lines = plan.map((row) => String(row["QUERY PLAN"]));
      expect(lines.filter((line) => /Index .* on (?:site|lease)/.test(line)).length).toBeGreaterThan(0);
      expect(lines.filter((line) => /Seq Scan on (?:site|sitemap|lease|part|stop)/.test(line))).toEqual([]);
    } finally {
      client.release(true);
    }
  },
);
