/**
 * Sites that `remove` took out of the fleet. Their rows are in part files until compaction has written these files
 * again. Readers skip the rows meanwhile.
 */
import type { Pool, PoolClient } from "pg";
import { hostHash } from "../model/site-name.ts";
import type { PartRow } from "./read-part.ts";

export interface RemovedSite {
  readonly shard: number;
  readonly host: string;
  readonly removedAt: Date;
  /** Whether the site was not added again since. */
  readonly isGone: boolean;
}

/**
 * A removed site is erased by two compactions, and then forgotten. Another compaction may have read the files before the
 * removal, and stored its merged file after the first of the two.
 */
const ERASURES = 2;

export class RemovedSites {
  readonly #sites: ReadonlyMap<string, RemovedSite>;

  constructor(sites: readonly RemovedSite[] = []) {
    this.#sites = new Map(sites.map((site) => [site.host, site]));
  }

  /** Reads the removed sites. The transaction of the client must see one state of the database. */
  static async load(client: PoolClient): Promise<RemovedSites> {
    return new RemovedSites(await RemovedSites.list(client));
  }

  static async list(client: PoolClient): Promise<readonly RemovedSite[]> {
    const { rows } = await client.query<RemovedSite>(
      `select r.shard, r.host, r.removed_at as "removedAt", coalesce(s.state = 'removed', true) as "isGone"
       from removal r left join site s on s.shard = r.shard and s.host = r.host`,
    );
    return rows;
  }

  /**
   * Whether a row was written before its site was removed. The clock of the worker that wrote it may be wrong, so the
   * time of the row counts only if the site was added again.
   */
  has(row: PartRow): boolean {
    const site = this.#sites.get(String(row["host"]));
    return site !== undefined && (site.isGone || (row["visited_at"] as Date) <= site.removedAt);
  }

  /** Returns the ids of the part files that may have rows of removed sites. */
  async parts(client: PoolClient): Promise<ReadonlySet<number>> {
    const hosts = [...this.#sites.keys()];
    if (hosts.length === 0) return new Set();
    const { rows } = await client.query<{ id: number }>(
      `select id from part
       where replaced_at is null and (host = any ($1) or (host is null and (hosts is null or hosts && $2::integer[])))`,
      [hosts, hosts.map(hostHash)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Records that a compaction has erased these sites from all files. */
  async erased(pool: Pool): Promise<void> {
    const sites = [...this.#sites.values()];
    if (sites.length === 0) return;
    const values = [
      sites.map(({ shard }) => shard),
      sites.map(({ host }) => host),
      sites.map(({ removedAt }) => removedAt),
    ];
    // A site that was removed again meanwhile has another time, up to the milliseconds of a Date.
    const mine = `from unnest($1::smallint[], $2::text[], $3::timestamptz[]) as s (shard, host, removed_at)
       where s.shard = r.shard and s.host = r.host and date_trunc('milliseconds', r.removed_at) = s.removed_at`;
    await pool.query(`update removal r set erasures = erasures + 1 ${mine}`, values);
    await pool.query("delete from removal where erasures >= $1", [ERASURES]);
  }
}
