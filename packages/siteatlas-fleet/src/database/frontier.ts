/**
 * The frontier in PostgreSQL: which sites are due, who visits which, what came of it. Everything that must not be
 * lost or doubled goes through here; the statements are in `sql/queries`.
 *
 * Claims and commits of many sites are gathered into one statement each (batcher.ts).
 */
import pg, { type Pool, type PoolConfig } from "pg";
import { Batcher } from "../batcher.ts";
import type { SiteName } from "../host.ts";
import type { LegRequest, LegResult } from "../leg.ts";
import { MAX_PAUSE_MS } from "../visit/polite-client.ts";
import { query } from "./sql.ts";

export interface ClaimedSite {
  readonly verdict: "claimed";
  readonly host: string;
  readonly domain: string;
  readonly isPlain: boolean;
  readonly epoch: number;
  /** Claims before this one that did not end by themselves. */
  readonly begun: number;
  readonly visit: number;
  readonly began: Date;
  readonly leg: number;
  readonly quiet: number;
  readonly failures: number;
  /** Pages that changed in the legs before. */
  readonly changes: number;
  readonly requestMs: number | null;
  readonly snapshot: string | null;
}

/** Why a site is not to be visited now; `put off`: it is stopped or wants to be left alone for long; `busy`: its domain is leased, or wants to be left alone, for so long. */
export type Claim =
  | ClaimedSite
  | { readonly verdict: "not due" | "put off" }
  | { readonly verdict: "busy"; readonly leaseMs: number; readonly pauseMs: number };

/** What becomes of the site besides what the leg found. */
export interface NextVisit {
  readonly waitSeconds: number;
  readonly quiet: number;
  readonly failures: number;
}

/**
 * `repeated`: an earlier commit of the same leg, whose answer was lost, counts. `incomplete`: it counts, but pages that
 * were not written because they are what they were are in no part.
 */
export type CommitVerdict = "accepted" | "incomplete" | "repeated" | "refused";

interface CommitItem {
  readonly request: LegRequest;
  readonly result: LegResult;
  readonly next: NextVisit;
}

export interface DueSite {
  readonly host: string;
  /** As PostgreSQL writes it. */
  readonly nextDue: string;
}

/** How many sites are added in one statement. */
const ADD_BATCH = 5000;

/** For claims, commits and feeding (`options` are those of the session: `""` is for who reads whole tables). */
export function createPool(config: PoolConfig): Pool {
  const pool = new pg.Pool({
    max: 8,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    statement_timeout: 120_000,
    // A server that has vanished says nothing at all.
    query_timeout: 130_000,
    application_name: "siteatlas-fleet",
    options: BY_KEYS,
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
    ...config,
  });
  // A connection that breaks while nobody uses it: the next query takes another.
  pool.on("error", () => {});
  return pool;
}

/**
 * Rows are found by their keys, and statements that have a name are planned once. Before you change this: the planner
 * does not know that of sixteen partitions one is looked into. It would rather read all of them (16 times the time of
 * a claim at 10⁵ sites), and think about it anew each time (8 ms, more than the claim of a hundred sites). And whoever
 * starts with an empty fleet would read whole tables for ever, as there was nothing in them (4 times the time).
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

/** No count of ours comes near the end of a number. */
const INT8 = 20;

export class Frontier {
  readonly pool: Pool;
  readonly #claims: Batcher<Pick<SiteName, "shard" | "host">, Claim>;
  readonly #commits: Batcher<CommitItem, CommitVerdict>;
  /** Who holds the leases: this process. */
  readonly #holder: string;
  readonly #leaseMs: number;

  constructor(pool: Pool, { holder = "", leaseMs = 60_000 }: { holder?: string; leaseMs?: number } = {}) {
    this.pool = pool;
    this.#holder = holder;
    this.#leaseMs = leaseMs;
    this.#claims = new Batcher((sites) => this.#claimAll(sites));
    this.#commits = new Batcher((items) => this.#commitAll(items));
  }

  // ---------------------------------------------------------------- sites

  async shards(): Promise<number> {
    const { rows } = await this.pool.query<{ shards: number }>("select shards from fleet");
    if (rows[0] === undefined)
      throw new Error("There is no fleet in this database: run siteatlas-fleet init");
    return rows[0].shards;
  }

  /** Gives how many are new. They become due over `spreadSeconds`. */
  async addSites(
    sites: readonly SiteName[],
    {
      tenant = "default",
      spreadSeconds = 0,
      due,
    }: { readonly tenant?: string; readonly spreadSeconds?: number; readonly due?: Date } = {},
  ): Promise<number> {
    const unique = [...new Map(sites.map((site) => [site.host, site])).values()];
    let added = 0;
    for (let from = 0; from < unique.length; from += ADD_BATCH) {
      const batch = unique.slice(from, from + ADD_BATCH);
      const { rowCount } = await this.pool.query(query("add-sites"), [
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

  /** Tenants that may still spend something today. */
  async tenants(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(query("tenants"));
    return rows.map(({ name }) => name);
  }

  async due(shard: number, tenant: string, after: DueSite | undefined, most: number): Promise<DueSite[]> {
    const { rows } = await this.pool.query<{ host: string; next_due: string }>({
      name: "due",
      text: query("due"),
      values: [shard, tenant, after?.nextDue ?? "-infinity", after?.host ?? "", most],
    });
    return rows.map(({ host, next_due: nextDue }) => ({ host, nextDue }));
  }

  // ---------------------------------------------------------------- visits

  /** Takes a site for a visit, with the lease of its domain. */
  claim(site: Pick<SiteName, "shard" | "host">): Promise<Claim> {
    return this.#claims.add(site);
  }

  async #claimAll(sites: readonly Pick<SiteName, "shard" | "host">[]): Promise<Claim[]> {
    const { rows } = await this.pool.query<ClaimRow>({
      name: "claim",
      text: query("claim"),
      values: [sites.map(({ shard }) => shard), sites.map(({ host }) => host), this.#holder, this.#leaseMs],
    });
    const claims = new Map<string, Claim>();
    // Those that were claimed come first, and are due, too.
    for (const row of rows) if (!claims.has(row.host)) claims.set(row.host, readClaim(row));
    return sites.map(({ host }) => claims.get(host) ?? { verdict: "not due" });
  }

  /** Makes a leg count, unless somebody else has claimed the site since. */
  async commit(request: LegRequest, result: LegResult, next: NextVisit): Promise<CommitVerdict> {
    const item = { request, result, next };
    const verdict = await this.#commits.add(item);
    // An earlier try whose connection broke may have been under way still, and come first: asked again, it is seen.
    return verdict === "refused" ? this.#commits.add(item) : verdict;
  }

  async #commitAll(items: readonly CommitItem[]): Promise<CommitVerdict[]> {
    const { rows } = await this.pool.query<{ host: string; verdict: CommitVerdict }>({
      name: "commit",
      text: query("commit"),
      values: [JSON.stringify(items.map(legRow)), this.#holder],
    });
    const verdicts = new Map<string, CommitVerdict>();
    // Those that were accepted come first.
    for (const { host, verdict } of rows) if (!verdicts.has(host)) verdicts.set(host, verdict);
    return items.map(({ request }) => verdicts.get(request.host)!);
  }

  /** What this visit has read so far, and what it asked for in vain. */
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

  /** Gives a site back that was not visited to its end, through no fault of its own. */
  async release({ shard, host, epoch }: Pick<LegRequest, "shard" | "host" | "epoch">): Promise<void> {
    await this.pool.query(query("release"), [shard, host, epoch, this.#holder]);
  }

  /** Has everything of this site read and written anew by its next visit. */
  async forgetSnapshot({ shard, host, epoch }: Pick<LegRequest, "shard" | "host" | "epoch">): Promise<void> {
    await this.pool.query("update site set snapshot = null where shard = $1 and host = $2 and epoch = $3", [
      shard,
      host,
      epoch,
    ]);
  }

  /** Ends the lease of a visit that crashed. The site keeps the mark of it. */
  async endLease({ shard, host, epoch }: Pick<LegRequest, "shard" | "host" | "epoch">): Promise<void> {
    await this.pool.query(query("unlease"), [shard, host, epoch, this.#holder]);
  }

  async quarantine(
    { shard, host, epoch }: Pick<LegRequest, "shard" | "host" | "epoch">,
    reason: string,
  ): Promise<void> {
    await this.pool.query(query("quarantine"), [shard, host, epoch, reason, this.#holder]);
  }

  /** Holds the leases of these domains for longer; gives those that are still ours. */
  async renew(domains: readonly string[]): Promise<{ domain: string; host: string; isStopped: boolean }[]> {
    const { rows } = await this.pool.query<{ domain: string; host: string; is_stopped: boolean }>({
      name: "renew",
      text: query("renew"),
      values: [domains, this.#holder, this.#leaseMs],
    });
    return rows.map(({ domain, host, is_stopped: isStopped }) => ({ domain, host, isStopped }));
  }

  /** Hosts and domains that nobody may ask for anything. */
  async stops(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>("select name from stop");
    return rows.map(({ name }) => name);
  }

  /** A domain asked to be left alone: no visit of it begins before. */
  async pause(domain: string, ms: number): Promise<void> {
    await this.pool.query(query("pause"), [domain, Math.min(ms, MAX_PAUSE_MS)]);
  }
}

interface ClaimRow {
  readonly host: string;
  readonly verdict: Claim["verdict"];
  readonly domain: string;
  readonly is_plain: boolean;
  readonly epoch: number;
  readonly begun: number;
  readonly visit: number;
  readonly visit_began: Date;
  readonly leg: number;
  readonly quiet: number;
  readonly failures: number;
  readonly visit_changes: number;
  readonly request_ms: number | null;
  readonly snapshot: string | null;
  readonly lease_ms: number | null;
  readonly pause_ms: number | null;
}

function readClaim(row: ClaimRow): Claim {
  const { verdict, host, domain, epoch, begun, visit, leg, quiet, failures, snapshot } = row;
  if (verdict === "busy") return { verdict, leaseMs: row.lease_ms ?? 0, pauseMs: row.pause_ms ?? 0 };
  if (verdict !== "claimed") return { verdict };
  const { is_plain: isPlain, visit_began: began, visit_changes: changes, request_ms: requestMs } = row;
  const counts = { begun, visit, leg, quiet, failures, changes };
  return { verdict, host, domain, isPlain, epoch, began, requestMs, snapshot, ...counts };
}

function legRow({ request, result, next }: CommitItem): object {
  return {
    shard: request.shard,
    host: request.host,
    epoch: request.epoch,
    leg: request.leg,
    is_over: result.isOver,
    outcome: result.outcome,
    reason: result.reason,
    wait_s: Math.round(next.waitSeconds),
    quiet: next.quiet,
    failures: next.failures,
    page_count: result.pageCount,
    sitemap_count: result.sitemapCount,
    request_ms: Math.round(result.requestMs),
    snapshot: result.snapshot,
    requests: result.requests,
    bytes: result.bytes,
    pages: result.pages,
    changes: result.changes,
    pause_ms: result.pauseMs === undefined ? undefined : Math.round(Math.min(result.pauseMs, MAX_PAUSE_MS)),
    gone: result.gone,
    parts: result.parts.map(({ dataset, key, day, rowCount, byteCount }) => ({
      dataset,
      key,
      day,
      row_count: rowCount,
      byte_count: byteCount,
    })),
    sitemaps: result.sitemaps.map(({ lastModified, contentHash, pageCount, hasPages, ...rest }) => ({
      ...rest,
      last_modified: lastModified,
      content_hash: contentHash,
      page_count: pageCount,
      has_pages: hasPages,
    })),
  };
}
