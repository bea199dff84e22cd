/**
 * Repairs the database after files were lost: it was restored from a backup and the store has changed since, or a disk
 * lost files. Sites whose files are missing become due, and their next visit reads everything again.
 */
import type { Pool, PoolClient } from "pg";
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { BOOLEAN, required } from "../check/rules.ts";
import { ADVISORY_LOCKS } from "../database/advisory-locks.ts";
import { POOL } from "../database/frontier.ts";
import { inTransaction } from "../database/transaction.ts";
import { type ObjectStore, STORE } from "../store/object-store.ts";
import { FOLDERS } from "./part-paths.ts";
import { catchUp, claimStore } from "./store-owner.ts";

export interface RepairOptions {
  readonly pool: Pool;
  readonly store: ObjectStore;
  /** Whether to accept a store that is not the one that the fleet used until now. @default false */
  readonly claim?: boolean | undefined;
}

const REPAIR_OPTIONS: OptionRules<RepairOptions> = {
  pool: required(POOL),
  store: required(STORE),
  claim: BOOLEAN,
};

export interface Repaired {
  /** Number of files that the database knew and the store did not have. */
  readonly files: number;
  /** Number of sites that are due now, because some of their pages or their snapshot were in these files. */
  readonly sites: number;
}

const BATCH = 5000;

/**
 * Compares the database with the store and forgets the files that are missing. Visits may run meanwhile.
 *
 * @throws {StoreRefusedError} if the store belongs to another fleet
 */
export async function repair(options: RepairOptions): Promise<Repaired> {
  checkOptions("repair", REPAIR_OPTIONS, options);
  const { pool, store, claim: isNew = false } = options;
  await claimStore(pool, store, { isNew });
  return inTransaction(pool, async (client) => {
    // A compaction stores a file and commits it in one transaction. Wait for its end, and let no other begin.
    await client.query("select pg_advisory_xact_lock($1)", [ADVISORY_LOCKS.mergedFiles]);
    // A visit stores its files before it commits them. So the listing has every file that was committed before it.
    await client.query("create temporary table stored (key text primary key) on commit drop");
    const { rows: start } = await client.query<{ at: Date }>("select clock_timestamp() as at");
    await listInto(client, store);
    const at = start[0]!.at;
    const { rows } = await client.query<{ id: number }>(
      `select id from part p
       where replaced_at is null and committed_at < $1 and not exists (select from stored s where s.key = p.key)`,
      [at],
    );
    const forgotten = await forgetParts(
      client,
      rows.map(({ id }) => id),
    );
    const { rowCount } = await client.query(
      `update site t set snapshot = null, next_due = least(next_due, now())
       where snapshot <> 'database' and visited_at < $1 and not exists (select from stored s where s.key = t.snapshot)`,
      [at],
    );
    await catchUp(client, store);
    const snapshots = rowCount ?? 0;
    return { files: forgotten.files + snapshots, sites: forgotten.sites + snapshots };
  });
}

async function listInto(client: PoolClient, store: ObjectStore): Promise<void> {
  const insert = "insert into stored select unnest($1::text[]) on conflict do nothing";
  let keys: string[] = [];
  for (const folder of FOLDERS) {
    for await (const { key } of store.list(folder)) {
      keys.push(key);
      if (keys.length < BATCH) continue;
      await client.query(insert, [keys]);
      keys = [];
    }
  }
  await client.query(insert, [keys]);
}

/**
 * Removes part files from the manifest, except those that compaction has replaced. Sites with current pages in them
 * lose their snapshot and become due, so that their next visit writes these pages again.
 */
export async function forgetParts(client: PoolClient, ids: readonly number[]): Promise<Repaired> {
  if (ids.length === 0) return { files: 0, sites: 0 };
  const { rows } = await client.query<{ id: number }>(
    "delete from part where id = any ($1) and replaced_at is null returning id",
    [ids],
  );
  const gone = rows.map(({ id }) => id);
  const { rowCount } = await client.query(
    `update site set snapshot = null, next_due = least(next_due, now())
     where (shard, host) in (select shard, host from sitemap where part = any ($1))`,
    [gone],
  );
  await client.query("update sitemap set part = null where part = any ($1)", [gone]);
  return { files: gone.length, sites: rowCount ?? 0 };
}
