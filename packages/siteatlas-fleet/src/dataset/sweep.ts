/**
 * Deletes unused files: part files that compaction replaced, and files that were never committed, because their worker
 * died or was too late. It keeps the files of a visit in progress, whose names contain the current epoch of the site.
 * It also keeps the files of a compaction in progress (`ADVISORY_LOCKS.mergedFiles`), and packs in progress, which are
 * in the table `upload`.
 */
import type { Pool, PoolClient } from "pg";
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { number, required } from "../check/rules.ts";
import { ADVISORY_LOCKS } from "../database/advisory-locks.ts";
import { POOL } from "../database/frontier.ts";
import { inTransaction } from "../database/transaction.ts";
import { type ObjectStore, STORE } from "../store/object-store.ts";
import { FOLDERS, isPack, readName } from "./part-paths.ts";
import { claimCurrentStore, countSweep, knowsFiles, StoreRefusedError } from "./store-owner.ts";

export interface SweepOptions {
  readonly pool: Pool;
  readonly store: ObjectStore;
  /** How long replaced files are kept for programs that are reading them. @default an hour */
  readonly graceMs?: number | undefined;
  /**
   * Maximum number of files that were never committed to delete. If there are more, nothing is deleted. @default a
   * tenth of all files, and at least 100; none if the database knows no file
   */
  readonly mayDelete?: number | undefined;
}

const SWEEP_OPTIONS: OptionRules<SweepOptions> = {
  pool: required(POOL),
  store: required(STORE),
  graceMs: number(0),
  mayDelete: number(0),
};

export interface Swept {
  readonly replaced: number;
  readonly orphans: number;
}

const BATCH = 1000;
/** This many files may always be deleted, if the database knows others: a few workers that died leave as many. */
const USUAL_ORPHANS = 100;

/**
 * Deletes the unused files of the store. First it counts them.
 *
 * @throws {StoreRefusedError} before anything is deleted, if the store belongs to another fleet, if the database is
 * older than the store, or if more than `mayDelete` files would be deleted
 */
export async function sweep(options: SweepOptions): Promise<Swept> {
  checkOptions("sweep", SWEEP_OPTIONS, options);
  const { pool, store, graceMs = 3_600_000 } = options;
  await claimCurrentStore(pool, store);
  const before = Date.now() - graceMs;
  // From now on, these packs cannot be committed. Their workers died, or write them again.
  await pool.query("delete from upload where began_at <= now() - $1 * interval '1 millisecond'", [graceMs]);
  const mayDelete = await refuseTooMany(options, before);
  await countSweep(pool, store);
  const replaced = await sweepReplaced(pool, store, graceMs);
  await pool.query(
    "delete from lease where until < now() - interval '1 hour' and coalesce(not_before, until) < now()",
  );
  const temporary = (await store.sweepTemporary?.(graceMs)) ?? 0;
  let deleted = 0;
  // Files that became unused since they were counted may be too many. They are left to the next sweep.
  for await (const { old } of batches(store, before)) {
    deleted += await deleteOrphans(pool, store, old, mayDelete - deleted);
  }
  return { replaced, orphans: temporary + deleted };
}

/** Counts the files that no database row needs. Returns how many of them may be deleted. */
async function refuseTooMany({ pool, store, mayDelete }: SweepOptions, before: number): Promise<number> {
  let [all, orphans] = [0, 0];
  for await (const { count, old } of batches(store, before)) {
    all += count;
    orphans += (await findOrphans(pool, old)).length;
  }
  const most = mayDelete ?? ((await knowsFiles(pool)) ? Math.max(USUAL_ORPHANS, all / 10) : 0);
  if (orphans <= most) return most;
  throw new StoreRefusedError(
    `The sweep would delete ${orphans} of ${all} files, because the database does not know them`,
    `Check --database and --store. To delete these files, pass --yes-delete ${orphans}`,
  );
}

interface Batch {
  /** Number of files, of any age. */
  readonly count: number;
  /** The files that are older than the grace. */
  readonly old: readonly string[];
}

async function* batches(store: ObjectStore, before: number): AsyncGenerator<Batch> {
  let [count, old]: [number, string[]] = [0, []];
  for (const folder of FOLDERS) {
    for await (const { key, modifiedAt } of store.list(folder)) {
      count++;
      if (modifiedAt.getTime() <= before) old.push(key);
      if (count < BATCH) continue;
      yield { count, old };
      [count, old] = [0, []];
    }
  }
  if (count > 0) yield { count, old };
}

async function sweepReplaced(pool: Pool, store: ObjectStore, graceMs: number): Promise<number> {
  for (let count = 0; ; ) {
    const { rows } = await pool.query<{ id: number; key: string }>(
      "select id, key from part where replaced_at < now() - $1 * interval '1 millisecond' limit $2",
      [graceMs, BATCH],
    );
    if (rows.length === 0) return count;
    // Delete the files before their rows. If the process dies in between, the next sweep finds the rows and deletes
    // both.
    await store.delete(rows.map(({ key }) => key));
    await pool.query("delete from part where id = any ($1)", [rows.map(({ id }) => id)]);
    count += rows.length;
  }
}

/** Deletes those of these files that were never committed, but at most `most`. Returns their number. */
async function deleteOrphans(
  pool: Pool,
  store: ObjectStore,
  keys: readonly string[],
  most: number,
): Promise<number> {
  const isOfVisit = (key: string): boolean => readName(key) !== undefined || isPack(key);
  const ofVisits = (await findOrphans(pool, keys.filter(isOfVisit))).slice(0, most);
  await store.delete(ofVisits);
  const others = keys.filter((key) => !isOfVisit(key));
  if (others.length === 0) return ofVisits.length;
  const merged = await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ isLocked: boolean }>(
      'select pg_try_advisory_xact_lock($1) as "isLocked"',
      [ADVISORY_LOCKS.mergedFiles],
    );
    // A compaction holds the lock, and is about to commit a file. Leave unused files to a later sweep.
    if (!rows[0]!.isLocked) return 0;
    const unused = (await findOrphans(client, others)).slice(0, most - ofVisits.length);
    await store.delete(unused);
    return unused.length;
  });
  return ofVisits.length + merged;
}

async function findOrphans(pool: Pool | PoolClient, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const names = keys.map((key) => readName(key));
  const { rows } = await pool.query<{ key: string }>(
    `select w.key
     from unnest($1::text[], $2::smallint[], $3::text[], $4::integer[]) as w (key, shard, host, epoch)
     left join part p on p.key = w.key
     left join upload u on u.key = w.key
     left join site s on s.shard = w.shard and s.host = w.host
     where p.key is null and u.key is null and s.snapshot is distinct from w.key
       and (w.host is null or s.host is null or s.epoch > w.epoch or s.visit_began is null)`,
    [
      keys,
      names.map((name) => name?.shard ?? null),
      names.map((name) => name?.host ?? null),
      names.map((name) => name?.epoch ?? null),
    ],
  );
  return rows.map(({ key }) => key);
}
