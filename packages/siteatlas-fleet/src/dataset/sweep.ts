/**
 * Deletes what does not count any more: parts that compaction replaced, and whatever workers left behind that died
 * before they could commit, or came too late. What a visit that is under way has written is younger than its claim:
 * its epoch is the site's own, and it stays.
 */
import type { Pool } from "pg";
import type { ObjectStore } from "../store/object-store.ts";
import { readName } from "../visit/part-names.ts";

export interface SweepOptions {
  readonly pool: Pool;
  readonly store: ObjectStore;
  /** Whoever reads a file that was replaced has so long. @default an hour */
  readonly graceMs?: number;
}

export interface Swept {
  readonly replaced: number;
  readonly orphans: number;
}

const FOLDERS = ["pages/", "sitemaps/", "changes/", "snapshots/"] as const;
const BATCH = 1000;

export async function sweep({ pool, store, graceMs = 3_600_000 }: SweepOptions): Promise<Swept> {
  const replaced = await sweepReplaced(pool, store, graceMs);
  await pool.query(
    "delete from lease where until < now() - interval '1 hour' and coalesce(not_before, until) < now()",
  );
  const before = Date.now() - graceMs;
  let orphans = (await store.sweepTemporary?.(graceMs)) ?? 0;
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    const keys = await findOrphans(pool, batch);
    await store.delete(keys);
    orphans += keys.length;
    batch = [];
  };
  for (const folder of FOLDERS) {
    for await (const { key, modifiedAt } of store.list(folder)) {
      if (modifiedAt.getTime() > before) continue;
      batch.push(key);
      if (batch.length === BATCH) await flush();
    }
  }
  await flush();
  return { replaced, orphans };
}

async function sweepReplaced(pool: Pool, store: ObjectStore, graceMs: number): Promise<number> {
  for (let count = 0; ; ) {
    const { rows } = await pool.query<{ id: number; key: string }>(
      "select id, key from part where replaced_at < now() - $1 * interval '1 millisecond' limit $2",
      [graceMs, BATCH],
    );
    if (rows.length === 0) return count;
    // First the file: a row without one is found again.
    await store.delete(rows.map(({ key }) => key));
    await pool.query("delete from part where id = any ($1)", [rows.map(({ id }) => id)]);
    count += rows.length;
  }
}

async function findOrphans(pool: Pool, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const names = keys.map((key) => readName(key));
  const { rows } = await pool.query<{ key: string }>(
    `select w.key
     from unnest($1::text[], $2::smallint[], $3::text[], $4::integer[]) as w (key, shard, host, epoch)
     left join part p on p.key = w.key
     left join site s on s.shard = w.shard and s.host = w.host
     where p.key is null and s.snapshot is distinct from w.key
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
