/**
 * Merges small part files into larger ones. There are many small files, because each visit writes one file per dataset.
 * One transaction replaces the old files by the merged one, so a reader sees either the old files or the new one.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Pool, PoolClient } from "pg";
import type { ParquetColumn } from "siteatlas/output";
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { number, PATH, required } from "../check/rules.ts";
import { ADVISORY_LOCKS } from "../database/advisory-locks.ts";
import { POOL } from "../database/frontier.ts";
import { inTransaction } from "../database/transaction.ts";
import type { Dataset } from "../model/visit.ts";
import { type ObjectStore, STORE } from "../store/object-store.ts";
import { CHANGE_COLUMNS, PAGE_COLUMNS, SITEMAP_COLUMNS } from "./datasets.ts";
import { type ManifestPart, manifest, readCurrent } from "./manifest.ts";
import { PartFile } from "./part-file.ts";
import { compactedKey } from "./part-paths.ts";
import type { PartRow } from "./read-part.ts";

export interface CompactOptions {
  readonly pool: Pool;
  readonly store: ObjectStore;
  /** Folder for temporary files. */
  readonly folder: string;
  /** Maximum size of a merged file in bytes. Files of at least half this size are not merged. @default 128 MiB */
  readonly targetBytes?: number | undefined;
  /** Maximum number of rows in a merged file. @default 2_000_000 */
  readonly maxRows?: number | undefined;
}

const COMPACT_OPTIONS: OptionRules<CompactOptions> = {
  pool: required(POOL),
  store: required(STORE),
  folder: required(PATH),
  targetBytes: number(1),
  maxRows: number(1),
};

export interface Compacted {
  readonly dataset: Dataset;
  readonly parts: number;
  readonly rowsBefore: number;
  readonly rowsAfter: number;
}

const COLUMNS: Readonly<Record<Dataset, readonly ParquetColumn<PartRow>[]>> = {
  pages: copied(PAGE_COLUMNS),
  sitemaps: copied(SITEMAP_COLUMNS),
  changes: copied(CHANGE_COLUMNS),
};

function copied(columns: readonly ParquetColumn<never>[]): ParquetColumn<PartRow>[] {
  return columns.map((column) => ({ ...column, value: (row) => row[column.name] }));
}

/** Merges all small files. Several processes can do this at the same time: a file is never merged twice. */
export function compact(options: CompactOptions): AsyncGenerator<Compacted> {
  checkOptions("compact", COMPACT_OPTIONS, options);
  return compactAll(options);
}

async function* compactAll(options: CompactOptions): AsyncGenerator<Compacted> {
  for await (const group of groups(options)) {
    const done = await compactGroup(group, options);
    if (done !== undefined) yield done;
  }
}

/** Yields groups of small files to merge. The files of a group have the same dataset, day and shard. */
async function* groups({
  pool,
  targetBytes = 128 * 1024 * 1024,
  maxRows = 2_000_000,
}: CompactOptions): AsyncGenerator<ManifestPart[]> {
  const open = new Map<string, { parts: ManifestPart[]; bytes: number; rows: number }>();
  for await (const part of manifest(pool)) {
    if (part.byteCount >= targetBytes / 2) continue;
    const place = `${part.dataset} ${part.day} ${part.shard}`;
    let group = open.get(place);
    if (
      group !== undefined &&
      (group.bytes + part.byteCount > targetBytes || group.rows + part.rowCount > maxRows)
    ) {
      yield group.parts;
      group = undefined;
    }
    group ??= { parts: [], bytes: 0, rows: 0 };
    group.parts.push(part);
    group.bytes += part.byteCount;
    group.rows += part.rowCount;
    open.set(place, group);
  }
  for (const { parts } of open.values()) yield parts;
}

async function compactGroup(
  parts: readonly ManifestPart[],
  options: CompactOptions,
): Promise<Compacted | undefined> {
  const [first] = parts;
  if (first === undefined || parts.length < 2) return undefined;
  const { dataset, day, shard } = first;
  const { pool, store } = options;
  const folder = await mkdtemp(join(options.folder, "compact-"));
  try {
    const file = new PartFile(dataset, join(folder, "new.parquet"), COLUMNS[dataset]);
    const ids = parts.map(({ id }) => id);
    for (const part of parts) {
      for await (const row of readCurrent(pool, store, folder, part)) file.add(row);
    }
    const key = compactedKey(dataset, day, shard, randomBytes(8).toString("hex"));
    const hasRows = await file.end();
    const { rowCount, byteCount } = file;
    const made = hasRows ? { dataset, key, shard, day, rowCount, byteCount } : undefined;
    const isReplaced = await inTransaction(pool, async (client) => {
      if (hasRows) {
        // The lock keeps a sweep of another process from deleting the file before the commit.
        await client.query("select pg_advisory_xact_lock_shared($1)", [ADVISORY_LOCKS.mergedFiles]);
        await store.put(key, file.path);
      }
      return replace(client, shard, ids, made);
    });
    if (!isReplaced) return undefined;
    const rowsBefore = parts.reduce((sum, part) => sum + part.rowCount, 0);
    return { dataset, parts: parts.length, rowsBefore, rowsAfter: rowCount };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Replaces old part files by a new one in the database. Returns false if another process has replaced one of them
 * before.
 */
async function replace(
  client: PoolClient,
  shard: number,
  ids: readonly number[],
  made: Omit<ManifestPart, "id" | "host"> | undefined,
): Promise<boolean> {
  // Not now(), which is the start of the transaction. The file was stored since then, and readers would have less time
  // to finish with the replaced files.
  const replaced = await client.query(
    "update part set replaced_at = clock_timestamp() where id = any ($1) and replaced_at is null",
    [ids],
  );
  if (replaced.rowCount !== ids.length) return false;
  if (made === undefined) return true;
  const { dataset, key, day, rowCount, byteCount } = made;
  const { rows } = await client.query<{ id: number }>(
    "insert into part (dataset, key, shard, day, row_count, byte_count) values ($1, $2, $3, $4, $5, $6) returning id",
    [dataset, key, shard, day, rowCount, byteCount],
  );
  const move = "update sitemap set part = $1 where shard = $2 and part = any ($3)";
  await client.query(move, [rows[0]!.id, shard, ids]);
  return true;
}
