/**
 * Makes few large parts of many small ones: a visit leaves one for each dataset. The new part is written beside, and
 * one transaction puts it in the place of the others; who reads meanwhile sees the one or the others.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Pool } from "pg";
import type { ParquetColumn } from "siteatlas/output";
import type { Dataset } from "../leg.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { compactedKey } from "../visit/part-names.ts";
import { CHANGE_COLUMNS, PAGE_COLUMNS, SITEMAP_COLUMNS } from "./datasets.ts";
import { currentRows, type ManifestPart, manifest } from "./manifest.ts";
import { PartFile } from "./part-file.ts";
import { type PartRow, readPart } from "./read-part.ts";

export interface CompactOptions {
  readonly pool: Pool;
  readonly store: ObjectStore;
  /** Local files on their way. */
  readonly folder: string;
  /** A part that is as large stays. @default 128 MiB */
  readonly targetBytes?: number;
  /** Of one part that is made. @default 2_000_000 */
  readonly maxRows?: number;
}

export interface Compacted {
  readonly dataset: Dataset;
  readonly parts: number;
  readonly rowsBefore: number;
  readonly rowsAfter: number;
}

/** Rows are copied as they are: every column by its name. */
const COLUMNS: Readonly<Record<Dataset, readonly ParquetColumn<PartRow>[]>> = {
  pages: copied(PAGE_COLUMNS),
  sitemaps: copied(SITEMAP_COLUMNS),
  changes: copied(CHANGE_COLUMNS),
};

function copied(columns: readonly ParquetColumn<never>[]): ParquetColumn<PartRow>[] {
  return columns.map((column) => ({ ...column, value: (row) => row[column.name] }));
}

/** Works off everything there is. Another one may do the same: each group is done by one of them. */
export async function* compact(options: CompactOptions): AsyncGenerator<Compacted> {
  for await (const group of groups(options)) {
    const done = await compactGroup(group, options);
    if (done !== undefined) yield done;
  }
}

/** Small parts of one dataset, day and shard, up to the size of one. */
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
    const isCurrent = dataset === "pages" ? await currentRows(pool, shard, ids) : undefined;
    for (const { id, key } of parts) {
      for await (const row of readPart(store, key, folder)) {
        if (isCurrent === undefined || isCurrent(id, row)) file.add(row);
      }
    }
    const key = compactedKey(dataset, day, shard, randomBytes(8).toString("hex"));
    const hasRows = await file.end();
    if (hasRows) await store.put(key, file.path);
    const { rowCount, byteCount } = file;
    const made = hasRows ? { dataset, key, shard, day, rowCount, byteCount } : undefined;
    if (!(await replace(pool, shard, ids, made))) return undefined;
    const rowsBefore = parts.reduce((sum, part) => sum + part.rowCount, 0);
    return { dataset, parts: parts.length, rowsBefore, rowsAfter: rowCount };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts the new part in the place of the old ones, unless somebody else has. */
async function replace(
  pool: Pool,
  shard: number,
  ids: readonly number[],
  made: Omit<ManifestPart, "id" | "host"> | undefined,
): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const replaced = await client.query(
      "update part set replaced_at = now() where id = any ($1) and replaced_at is null",
      [ids],
    );
    if (replaced.rowCount !== ids.length) {
      await client.query("rollback");
      return false;
    }
    if (made !== undefined) {
      const { dataset, key, day, rowCount, byteCount } = made;
      const { rows } = await client.query<{ id: number }>(
        "insert into part (dataset, key, shard, day, row_count, byte_count) values ($1, $2, $3, $4, $5, $6) returning id",
        [dataset, key, shard, day, rowCount, byteCount],
      );
      await client.query("update sitemap set part = $1 where shard = $2 and part = any ($3)", [
        rows[0]!.id,
        shard,
        ids,
      ]);
    }
    await client.query("commit");
    return true;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
