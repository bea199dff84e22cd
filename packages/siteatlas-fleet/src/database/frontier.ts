/**
 * The frontier: the database tables that say which sites are due, which worker visits each site, and what the visits
 * found. They contain everything that must not be lost or counted twice. The SQL statements are in `sql/queries`.
 *
 * Concurrent claims are gathered into one statement, and so are commits (batcher.ts).
 */
import { setTimeout as wait } from "node:timers/promises";
import pg, { type Pool, type PoolClient, type PoolConfig, type QueryResult, type QueryResultRow } from "pg";
import { checkArgument, checkOptions, type OptionRules } from "../check/check-options.ts";
import { DATE, having, number, type Rule, TEXT, TIMER_MS } from "../check/rules.ts";
import type { SiteName } from "../model/site-name.ts";
import {
  type Dataset,
  type LegRequest,
  type LegResult,
  MAX_PAUSE_MS,
  type Part,
  readInlineSnapshot,
} from "../model/visit.ts";
import { Batcher } from "./batcher.ts";
import { query } from "./sql.ts";
import { inTransaction } from "./transaction.ts";

export interface ClaimedSite {
  readonly verdict: "claimed";
  readonly host: string;
  readonly domain: string;
  readonly isPlain: boolean;
  readonly epoch: number;
  /** Number of earlier claims in a row whose visit did not end, because the worker or its process died. */
  readonly begun: number;
  readonly visit: number;
  readonly began: Date;
  readonly leg: number;
  readonly quiet: number;
  readonly failures: number;
  /**
   * How often a walker process crashed while it visited this site. Another site in the process may have caused the
   * crash.
   */
  readonly suspicions: number;
  /**
   * Number of visits that are left of the site's probation, including this one. During its probation, the site is
   * suspected of having caused a crash.
   */
  readonly probation: number;
  /** Number of pages that changed in the earlier legs of this visit. */
  readonly changes: number;
  readonly requestMs: number | null;
  readonly snapshot: string | null;
}

/**
 * The answer to a claim. `put off`: the site was postponed, because it is on the stop list or its domain asked for a
 * long pause. `no budget`: the tenant of the site, or the whole fleet, has spent its budget of today. `busy`: another
 * visit has the lease of the domain, or the domain is paused. `leaseMs` and `pauseMs` say for how long.
 */
export type Claim =
  | ClaimedSite
  | { readonly verdict: "not due" | "put off" | "no budget" }
  | { readonly verdict: "busy"; readonly leaseMs: number; readonly pauseMs: number };

interface ClaimRow extends Omit<ClaimedSite, "verdict"> {
  readonly verdict: Claim["verdict"];
  readonly leaseMs: number;
  readonly pauseMs: number;
}

export interface NextVisit {
  readonly waitSeconds: number;
  readonly quiet: number;
  readonly failures: number;
}

/**
 * The answer to a commit. `repeated`: the same commit was accepted before, but the worker did not get the answer.
 * `incomplete`: the commit was accepted, but some unchanged pages are missing. This visit did not write them again, and
 * no earlier part file has them. `refused`: another worker has claimed the site since.
 */
export type CommitVerdict = "accepted" | "incomplete" | "repeated" | "refused";

export interface CommitItem {
  readonly request: LegRequest;
  readonly result: LegResult;
  readonly next: NextVisit;
}

/**
 * The answer to the commit of a pack. A pack is committed with all its legs or not at all: `refused` has the hosts that
 * another worker has claimed since, and their rows must not be in the file. `expired`: a sweep may have deleted the
 * files.
 */
export type PackVerdict =
  | { readonly kind: "committed"; readonly verdicts: readonly CommitVerdict[] }
  | { readonly kind: "refused"; readonly hosts: ReadonlySet<string> }
  | { readonly kind: "expired" };

/** A part file with the rows of many sites. */
export interface Pack extends Part {
  readonly shard: number;
  /** The hashes of its hosts (`hostHash`). */
  readonly hosts: readonly number[];
}

export interface DueSite {
  readonly host: string;
  readonly domain: string;
  /** Whether a visit of the domain is in progress, or the domain is paused. */
  readonly isLeased: boolean;
  /** When the site is due, as PostgreSQL prints it. A `Date` would lose the microseconds. */
  readonly nextDue: string;
}

interface RenewedLease {
  readonly domain: string;
  readonly host: string;
  readonly isStopped: boolean;
}

/**
 * Identifies a claim, which is the right of one worker to visit a site. Each claim of a site has a higher epoch than
 * the one before.
 */
export type SiteEpoch = Pick<LegRequest, "shard" | "host" | "epoch">;

const ADD_BATCH = 5000;
/** Maximum number of attempts to clear suspects whose rows are locked, and the time between two attempts. */
const CLEAR_ATTEMPTS = 50;
const CLEAR_RETRY_MS = 100;

/**
 * A rule for the options of pg. It rejects a plain URL, which is a common mistake, and does not show its password. pg
 * checks the rest.
 */
const POOL_CONFIG: Rule<PoolConfig> = {
  find: (value) =>
    typeof value === "object" && value !== null
      ? undefined
      : {
          describe: (label) =>
            `${label} must be an object such as { connectionString }, not this ${typeof value}`,
        },
};

export const POOL: Rule<Pool> = having("query", "a pool of pg, such as the one that createPool returns");

/** Creates connections for queries that find rows by key. Pass `options: ""` for queries that read whole tables. */
export function createPool(config: PoolConfig): Pool {
  checkArgument("createPool", "config", POOL_CONFIG, config);
  const pool = new pg.Pool({
    max: 8,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    statement_timeout: 120_000,
    // Without this limit, a query to a server that vanished without closing the connection would wait forever.
    query_timeout: 130_000,
    application_name: "siteatlas-fleet",
    options: BY_KEYS,
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
    ...config,
  });
  // An idle connection that breaks needs no action, because the next query opens another one.
  pool.on("error", () => {});
  return pool;
}

/**
 * Forces index lookups and cached plans. Before you change this: the planner does not know that a claim touches one of
 * sixteen partitions. It prefers to read all of them, which takes 16 times as long with 100,000 sites. Without cached
 * plans, planning a statement takes 8 ms, longer than a claim of a hundred sites. Without forced index lookups, a plan
 * that was cached while the tables were empty reads whole tables, which takes 4 times as long.
 */
const BY_KEYS = [
  "enable_seqscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  "plan_cache_mode=force_generic_plan",
  "jit=off",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");

/**
 * PostgreSQL's id of the type `bigint`. Such values are parsed as numbers, because no count of a fleet is too large for
 * a number.
 */
const INT8 = 20;

/** Options of a frontier. */
export interface FrontierOptions {
  /** Name under which this process claims sites and holds leases. Must be different in all workers. @default "" */
  readonly holder?: string | undefined;
  /** Duration of a lease, in milliseconds. Must be the same in all workers. @default 60_000 */
  readonly leaseMs?: number | undefined;
}

const FRONTIER_OPTIONS: OptionRules<FrontierOptions> = { holder: TEXT, leaseMs: TIMER_MS };

/** Options of `addSites`. */
export interface AddSitesOptions {
  /** The tenant that owns the sites. @default "default" */
  readonly tenant?: string | undefined;
  /** Each first visit starts at a random time within this many seconds. @default 0 */
  readonly spreadSeconds?: number | undefined;
  /** Earliest start of the first visits. @default now */
  readonly due?: Date | undefined;
}

const ADD_SITES_OPTIONS: OptionRules<AddSitesOptions> = { tenant: TEXT, spreadSeconds: number(0), due: DATE };

export class Frontier {
  readonly pool: Pool;
  readonly #claims: Batcher<Pick<SiteName, "shard" | "host">, Claim>;
  readonly #commits: Batcher<CommitItem, CommitVerdict>;
  readonly #holder: string;
  readonly #leaseMs: number;

  constructor(pool: Pool, options: FrontierOptions = {}) {
    checkArgument("Frontier", "pool", POOL, pool);
    checkOptions("Frontier", FRONTIER_OPTIONS, options);
    const { holder = "", leaseMs = 60_000 } = options;
    this.pool = pool;
    this.#holder = holder;
    this.#leaseMs = leaseMs;
    this.#claims = new Batcher((sites) => this.#claimAll(sites));
    this.#commits = new Batcher((items) => this.#commitAll(items));
  }

  #run<Row extends QueryResultRow>(name: string, values: unknown[] = []): Promise<QueryResult<Row>> {
    return this.pool.query<Row>({ name, text: query(name), values });
  }

  // ---------------------------------------------------------------- sites

  async shards(): Promise<number> {
    const { rows } = await this.pool.query<{ shards: number }>("select shards from fleet");
    if (rows[0] === undefined) throw new Error("This database has no fleet: run siteatlas-fleet init");
    return rows[0].shards;
  }

  /** Adds sites and spreads their first visits over `spreadSeconds`. Returns how many of the sites are new. */
  async addSites(sites: readonly SiteName[], options: AddSitesOptions = {}): Promise<number> {
    checkOptions("addSites", ADD_SITES_OPTIONS, options);
    const { tenant = "default", spreadSeconds = 0, due } = options;
    const unique = [...new Map(sites.map((site) => [site.host, site])).values()];
    let added = 0;
    for (let from = 0; from < unique.length; from += ADD_BATCH) {
      const batch = unique.slice(from, from + ADD_BATCH);
      const { rowCount } = await this.#run("add-sites", [
        batch.map(({ shard }) => shard),
        batch.map(({ host }) => host),
        batch.map(({ domain }) => domain),
        batch.map(({ isPlain }) => isPlain),
        tenant,
        due ?? null,
        spreadSeconds,
      ]);
      added += rowCount ?? 0;
    }
    return added;
  }

  async tenants(): Promise<string[]> {
    const { rows } = await this.#run<{ name: string }>("tenants");
    return rows.map(({ name }) => name);
  }

  async due(
    shard: number,
    tenant: string,
    after: Pick<DueSite, "host" | "nextDue"> | undefined,
    most: number,
  ): Promise<DueSite[]> {
    const cursor = [after?.nextDue ?? "-infinity", after?.host ?? ""];
    return (await this.#run<DueSite>("due", [shard, tenant, ...cursor, most])).rows;
  }

  /**
   * Returns how long the oldest due site has been waiting, in seconds. Only sites that could be visited now count: no
   * visit of their domain is in progress, their domain is not paused, and their tenant has budget.
   */
  async lagSeconds(): Promise<number> {
    const { rows } = await this.#run<{ lag: number }>("lag", [await this.tenants()]);
    return rows[0]!.lag;
  }

  /** Returns those of the hosts that are still due. */
  async stillDue(
    shard: number,
    hosts: readonly string[],
  ): Promise<readonly Pick<DueSite, "host" | "isLeased">[]> {
    return (await this.#run<Pick<DueSite, "host" | "isLeased">>("still-due", [shard, hosts])).rows;
  }

  // ---------------------------------------------------------------- visits

  /** Claims a site for a visit, together with the lease of its domain. */
  claim(site: Pick<SiteName, "shard" | "host">): Promise<Claim> {
    return this.#claims.add(site);
  }

  async #claimAll(sites: readonly Pick<SiteName, "shard" | "host">[]): Promise<Claim[]> {
    const lists = [sites.map(({ shard }) => shard), sites.map(({ host }) => host)];
    const { rows } = await this.#run<ClaimRow>("claim", [...lists, this.#holder, this.#leaseMs]);
    const claims = new Map<string, Claim>();
    // The statement may return two rows for a claimed site. The row with the claim comes first, so only the first row
    // counts.
    for (const { verdict, leaseMs, pauseMs, ...site } of rows) {
      if (claims.has(site.host)) continue;
      if (verdict === "claimed") claims.set(site.host, { verdict, ...site });
      else claims.set(site.host, verdict === "busy" ? { verdict, leaseMs, pauseMs } : { verdict });
    }
    return sites.map(({ host }) => claims.get(host) ?? { verdict: "not due" });
  }

  /** Commits the results of a leg. Refused if another worker has claimed the site since. */
  async commit(request: LegRequest, result: LegResult, next: NextVisit): Promise<CommitVerdict> {
    const item = { request, result, next };
    const verdict = await this.#commits.add(item);
    // `refused` may be wrong: if the connection breaks, `add` sends the commit again, and the server refuses it while it
    // still runs the first one. One more commit gets the true answer.
    return verdict === "refused" ? this.#commits.add(item) : verdict;
  }

  async #commitAll(
    items: readonly CommitItem[],
    db: Pick<Pool, "query"> | PoolClient = this.pool,
    pagesPart?: number,
  ): Promise<CommitVerdict[]> {
    const legs = items.map((item) => commitRow(item, pagesPart));
    const { rows } = await db.query<{ host: string; verdict: CommitVerdict }>({
      ...{ name: "commit", text: query("commit") },
      values: [JSON.stringify(legs), this.#holder],
    });
    const verdicts = new Map<string, CommitVerdict>();
    // The statement may return two rows for an accepted commit. The row with the verdict `accepted` or `incomplete`
    // comes first, so only the first row counts.
    for (const { host, verdict } of rows) if (!verdicts.has(host)) verdicts.set(host, verdict);
    return items.map(({ request }) => verdicts.get(request.host)!);
  }

  /** Records the keys of packs before they are stored. Without this record, a sweep may delete them. */
  async beginUpload(keys: readonly string[]): Promise<void> {
    await this.pool.query("insert into upload (key) select unnest($1::text[]) on conflict do nothing", [
      keys,
    ]);
  }

  /**
   * Commits legs together with the packs that have their rows, in one transaction. May be repeated: if the packs were
   * committed before, all legs are `repeated`. A pack has at most one leg of a site.
   */
  commitPack(packs: readonly Pack[], items: readonly CommitItem[]): Promise<PackVerdict> {
    const keys = packs.map(({ key }) => key);
    return inTransaction(this.pool, async (client): Promise<PackVerdict> => {
      const refused = await lockLegs(client, items);
      if (refused.size > 0) {
        const done = await client.query("select from part where key = any ($1)", [keys]);
        if (done.rowCount === 0) return { kind: "refused", hosts: refused };
        return { kind: "committed", verdicts: items.map(() => "repeated") };
      }
      const announced = await client.query("delete from upload where key = any ($1)", [keys]);
      if (announced.rowCount !== keys.length) return { kind: "expired" };
      const { rows: parts } = await client.query<{ id: number; dataset: Dataset }>(
        `insert into part (dataset, key, shard, day, row_count, byte_count, hosts)
         select * from jsonb_to_recordset($1) as p (
           dataset text, key text, shard smallint, day date, "rowCount" integer, "byteCount" bigint,
           hosts integer[]
         )
         returning id, dataset`,
        [JSON.stringify(packs)],
      );
      const pagesPart = parts.find(({ dataset }) => dataset === "pages")?.id;
      return { kind: "committed", verdicts: await this.#commitAll(items, client, pagesPart) };
    });
  }

  /** Returns how many sitemaps the committed legs of this visit read, and which sitemaps failed. */
  async progress({
    shard,
    host,
    visit,
  }: Pick<LegRequest, "shard" | "host" | "visit">): Promise<Pick<LegRequest, "done" | "failed">> {
    const { rows } = await this.pool.query<{ url: string; code: string | null }>(
      "select url, code from sitemap where shard = $1 and host = $2 and visit = $3",
      [shard, host, visit],
    );
    const failed = rows.filter(({ code }) => code !== null).map(({ url }) => url);
    return { done: rows.length - failed.length, failed };
  }

  /**
   * Gives back a site whose visit is not finished, so that it can be claimed again. It does not count as a crash
   * (`begun`).
   */
  async release({ shard, host, epoch }: SiteEpoch): Promise<void> {
    await this.#run("release", [shard, host, epoch, this.#holder]);
  }

  /** Removes the snapshot, so that the next visit of this site reads and writes everything again. */
  async forgetSnapshot({ shard, host, epoch }: SiteEpoch): Promise<void> {
    const values = [shard, host, epoch];
    await this.pool.query(
      "update site set snapshot = null where shard = $1 and host = $2 and epoch = $3",
      values,
    );
  }

  /**
   * Makes a site a suspect: it was in a walker process that crashed. Ends the lease. `begun` counts this claim as one
   * whose visit did not end. `crash` is null if the process froze, for which no site is blamed.
   */
  async suspect(
    { shard, host, epoch }: SiteEpoch,
    { suspicions, probation }: Pick<ClaimedSite, "suspicions" | "probation">,
    crash: string | null,
  ): Promise<void> {
    await this.#run("suspect", [shard, host, epoch, suspicions, probation, crash, this.#holder]);
  }

  /**
   * Quarantines a site: it is not visited any more. Returns the id of the crash that the site was suspected of, if any.
   */
  async quarantine({ shard, host, epoch }: SiteEpoch, reason: string): Promise<string | null> {
    const values = [shard, host, epoch, reason, this.#holder];
    const { rows } = await this.#run<{ crash: string | null }>("quarantine", values);
    return rows[0]?.crash ?? null;
  }

  /**
   * Shortens the probation of the other suspects of a crash whose cause was found. A suspect whose row stays locked keeps
   * its whole probation.
   *
   * @param probation number of visits that are left of it
   */
  async clearSuspects(crash: string, probation: number): Promise<void> {
    for (let attempt = 0; attempt < CLEAR_ATTEMPTS; attempt++) {
      const { rows } = await this.#run<{ left: number }>("clear-suspects", [crash, probation]);
      if (rows[0]!.left === 0) return;
      await wait(CLEAR_RETRY_MS);
    }
  }

  /** Renews the leases of these domains. Returns the leases that this process still holds. */
  async renew(domains: readonly string[]): Promise<RenewedLease[]> {
    return (await this.#run<RenewedLease>("renew", [domains, this.#holder, this.#leaseMs])).rows;
  }

  async stops(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>("select name from stop");
    return rows.map(({ name }) => name);
  }

  /** Pauses a domain. No visit of its sites starts during this time. */
  async pause(domain: string, ms: number): Promise<void> {
    await this.#run("pause", [domain, Math.min(ms, MAX_PAUSE_MS)]);
  }
}

/** Locks the sites of these legs. Returns the hosts whose site expects another leg. */
async function lockLegs(client: PoolClient, items: readonly CommitItem[]): Promise<ReadonlySet<string>> {
  const requests = items.map(({ request }) => request);
  const { rows } = await client.query<{ host: string; epoch: number; leg: number; isActive: boolean }>({
    ...{ name: "lock-legs", text: query("lock-legs") },
    values: [requests.map(({ shard }) => shard), requests.map(({ host }) => host)],
  });
  const expected = new Map(rows.map((row) => [row.host, row]));
  const isExpected = ({ host, epoch, leg }: LegRequest): boolean => {
    const site = expected.get(host);
    return site?.isActive === true && site.epoch === epoch && site.leg === leg;
  };
  return new Set(requests.filter((request) => !isExpected(request)).map(({ host }) => host));
}

export const FRONTIER: Rule<Frontier> = having("claim", "a Frontier");

/** One commit as a JSON object. Its property names must be the column names of `leg` in commit.sql. */
function commitRow({ request, result, next }: CommitItem, pagesPart?: number): object {
  const { shard, host, epoch, leg } = request;
  const { unpacked, ...rest } = result;
  const { pauseMs, requestMs, snapshot } = rest;
  const snapshotData = snapshot === undefined ? undefined : readInlineSnapshot(snapshot);
  return {
    ...rest,
    ...next,
    ...(snapshotData !== undefined && { snapshot: "database", snapshotData }),
    ...(unpacked?.texts.pages !== undefined && { pagesPart }),
    ...{ shard, host, epoch, leg },
    waitSeconds: Math.round(next.waitSeconds),
    requestMs: Math.round(requestMs),
    ...(pauseMs !== undefined && { pauseMs: Math.round(Math.min(pauseMs, MAX_PAUSE_MS)) }),
  };
}
