/**
 * The frontier in PostgreSQL records which sites are due, which worker visits each, and the results: everything that
 * must not be lost or counted twice. The SQL statements are in `sql/queries`.
 *
 * Concurrent claims are gathered into one statement, and so are commits (batcher.ts).
 */
import { setTimeout as wait } from "node:timers/promises";
import pg, { type Pool, type PoolConfig, type QueryResult, type QueryResultRow } from "pg";
import { checkArgument, checkOptions, type OptionRules } from "../check/check-options.ts";
import { DATE, having, number, type Rule, TEXT, TIMER_MS } from "../check/rules.ts";
import type { SiteName } from "../model/site-name.ts";
import { type LegRequest, type LegResult, MAX_PAUSE_MS } from "../model/visit.ts";
import { Batcher } from "./batcher.ts";
import { query } from "./sql.ts";

export interface ClaimedSite {
  readonly verdict: "claimed";
  readonly host: string;
  readonly domain: string;
  readonly isPlain: boolean;
  readonly epoch: number;
  /** Number of earlier claims in a row that were neither committed nor released. */
  readonly begun: number;
  readonly visit: number;
  readonly began: Date;
  readonly leg: number;
  readonly quiet: number;
  readonly failures: number;
  /** How often a walker process crashed while it visited this site and others. Another site may have caused it. */
  readonly suspicions: number;
  /** Number of visits under suspicion, with this one. */
  readonly probation: number;
  /** Number of pages that changed in the earlier parts of this visit. */
  readonly changes: number;
  readonly requestMs: number | null;
  readonly snapshot: string | null;
}

/**
 * `put off`: the site was postponed, because it is on the stop list or its domain asked for a long pause. `busy`: the
 * domain is leased or paused for the given time.
 */
export type Claim =
  | ClaimedSite
  | { readonly verdict: "not due" | "put off" }
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
 * `repeated`: the same commit was accepted before, but the worker did not get the answer. `incomplete`: the commit
 * was accepted, but some unchanged pages, which it did not write again, are not in any earlier part file.
 */
export type CommitVerdict = "accepted" | "incomplete" | "repeated" | "refused";

interface CommitItem {
  readonly request: LegRequest;
  readonly result: LegResult;
  readonly next: NextVisit;
}

export interface DueSite {
  readonly host: string;
  /** The time as PostgreSQL prints it, because a `Date` would lose the microseconds. */
  readonly nextDue: string;
}

interface RenewedLease {
  readonly domain: string;
  readonly host: string;
  readonly isStopped: boolean;
}

/** Identifies one claim of a site. A later claim of the same site has a higher epoch. */
export type SiteEpoch = Pick<LegRequest, "shard" | "host" | "epoch">;

const ADD_BATCH = 5000;
/** Rows that are locked are tried again, this often and after this time. */
const CLEAR_ATTEMPTS = 50;
const CLEAR_RETRY_MS = 100;

/**
 * The options of pg, which checks them. This rule rejects a plain URL, a usual mistake, without showing its password.
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
    // Ends the wait for a server that vanished without closing the connection.
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

/** PostgreSQL's id of the type `bigint`. It is parsed as a number, because all counts of a fleet fit into one. */
const INT8 = 20;

/** Options of a frontier. */
export interface FrontierOptions {
  /** Name of this process, which holds the claims and leases. Must be different in all workers. @default "" */
  readonly holder?: string | undefined;
  /** Duration of a lease, in milliseconds. Must be the same in all workers. @default 60_000 */
  readonly leaseMs?: number | undefined;
}

const FRONTIER_OPTIONS: OptionRules<FrontierOptions> = { holder: TEXT, leaseMs: TIMER_MS };

/** Options of `addSites`. */
export interface AddSitesOptions {
  /** @default "default" */
  readonly tenant?: string | undefined;
  /** The first visits are spread over this time. @default 0 */
  readonly spreadSeconds?: number | undefined;
  /** When the first visits start. @default now */
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

  async due(shard: number, tenant: string, after: DueSite | undefined, most: number): Promise<DueSite[]> {
    const cursor = [after?.nextDue ?? "-infinity", after?.host ?? ""];
    return (await this.#run<DueSite>("due", [shard, tenant, ...cursor, most])).rows;
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
    // A claimed site may have a second row. Rows of claims come first, so the first row of a host counts.
    for (const { verdict, leaseMs, pauseMs, ...site } of rows) {
      if (claims.has(site.host)) continue;
      if (verdict === "claimed") claims.set(site.host, { verdict, ...site });
      else claims.set(site.host, verdict === "busy" ? { verdict, leaseMs, pauseMs } : { verdict });
    }
    return sites.map(({ host }) => claims.get(host) ?? { verdict: "not due" });
  }

  /** Commits a part of a visit, unless another worker has claimed the site since. */
  async commit(request: LegRequest, result: LegResult, next: NextVisit): Promise<CommitVerdict> {
    const item = { request, result, next };
    const verdict = await this.#commits.add(item);
    // If this is a repeated commit, the server may still have been running the first attempt. Query its result again.
    return verdict === "refused" ? this.#commits.add(item) : verdict;
  }

  async #commitAll(items: readonly CommitItem[]): Promise<CommitVerdict[]> {
    const { rows } = await this.#run<{ host: string; verdict: CommitVerdict }>("commit", [
      JSON.stringify(items.map(commitRow)),
      this.#holder,
    ]);
    const verdicts = new Map<string, CommitVerdict>();
    // An accepted commit may have a second row. Rows of accepted commits come first, so the first row of a host counts.
    for (const { host, verdict } of rows) if (!verdicts.has(host)) verdicts.set(host, verdict);
    return items.map(({ request }) => verdicts.get(request.host)!);
  }

  /** Returns how many sitemaps the committed parts of this visit read, and which sitemaps failed. */
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

  /** Gives back a site whose visit is not finished. This does not count as a crash of the site. */
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
   * Marks a site whose walker process crashed as a suspect, and ends its lease. The claim counts as one that did not
   * finish (`begun`).
   */
  async suspect(
    { shard, host, epoch }: SiteEpoch,
    { suspicions, probation }: Pick<ClaimedSite, "suspicions" | "probation">,
    crash: string,
  ): Promise<void> {
    await this.#run("suspect", [shard, host, epoch, suspicions, probation, crash, this.#holder]);
  }

  /** Returns the id of the crash that the site is suspected of, if any. */
  async quarantine({ shard, host, epoch }: SiteEpoch, reason: string): Promise<string | null> {
    const values = [shard, host, epoch, reason, this.#holder];
    const { rows } = await this.#run<{ crash: string | null }>("quarantine", values);
    return rows[0]?.crash ?? null;
  }

  /** Clears the suspects of a crash whose cause was found. Suspects that this misses are cleared by their probation. */
  async clearSuspects(crash: string): Promise<void> {
    for (let attempt = 0; attempt < CLEAR_ATTEMPTS; attempt++) {
      const { rows } = await this.#run<{ left: number }>("clear-suspects", [crash]);
      if (rows[0]!.left === 0) return;
      await wait(CLEAR_RETRY_MS);
    }
  }

  /** Renews the leases of these domains. Returns those that this process still holds. */
  async renew(domains: readonly string[]): Promise<RenewedLease[]> {
    return (await this.#run<RenewedLease>("renew", [domains, this.#holder, this.#leaseMs])).rows;
  }

  async stops(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>("select name from stop");
    return rows.map(({ name }) => name);
  }

  /** Pauses a domain: no visit of it starts during this time. */
  async pause(domain: string, ms: number): Promise<void> {
    await this.#run("pause", [domain, Math.min(ms, MAX_PAUSE_MS)]);
  }
}

export const FRONTIER: Rule<Frontier> = having("claim", "a Frontier");

/** The property names must be the column names of `leg` in commit.sql. */
function commitRow({ request, result, next }: CommitItem): object {
  const { shard, host, epoch, leg } = request;
  const { pauseMs, requestMs } = result;
  return {
    ...result,
    ...next,
    ...{ shard, host, epoch, leg },
    waitSeconds: Math.round(next.waitSeconds),
    requestMs: Math.round(requestMs),
    ...(pauseMs !== undefined && { pauseMs: Math.round(Math.min(pauseMs, MAX_PAUSE_MS)) }),
  };
}
