/**
 * Merges small part files into larger ones. There are many small files, because a worker writes its packs every few
 * seconds. A pack has rows of all shards. Their merged files have one shard each.
 * Files whose rows are mostly outdated are written again without these rows, whatever their size.
 * One transaction replaces the old files by the merged ones, so a reader sees either the old files or the new ones.
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
import { hostHash } from "../model/site-name.ts";
import type { Dataset } from "../model/visit.ts";
import { MissingObjectError } from "../store/object-key.ts";
import { type ObjectStore, STORE } from "../store/object-store.ts";
import { CHANGE_COLUMNS, PAGE_COLUMNS, SITEMAP_COLUMNS } from "./datasets.ts";
import { type ManifestPart, manifest, readCurrent } from "./manifest.ts";
import { PartFile } from "./part-file.ts";
import { compactedKey, MIXED_SHARD } from "./part-paths.ts";
import { fetchParts, type PartRow } from "./read-part.ts";
import { RemovedSites } from "./removed-sites.ts";
import { forgetParts, type Repaired } from "./repair.ts";
import { claimCurrentStore } from "./store-owner.ts";

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
  /** Files that the store does not have. They are no longer in the manifest. */
  readonly missing: Repaired;
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
  await claimCurrentStore(options.pool, options.store);
  const { removed, affected } = await findRemoved(options.pool);
  // A file that another process has replaced, or that this version cannot write again, may still have their rows.
  let isComplete = true;
  // Packs come first, so that their new files are merged with the other files of their shards.
  for (const isPacked of [true, false]) {
    for await (const group of groups(options, affected, isPacked)) {
      const done = await compactGroup(group, options, (id) => (affected.has(id) ? removed : NONE_REMOVED));
      if (done === undefined || done.parts + done.missing.files < group.length) isComplete = false;
      if (done !== undefined) yield done;
    }
  }
  if (isComplete) await removed.erased(options.pool);
}

/** For files that are newer than the list of removed sites: if they have rows of such a site, it was added again. */
const NONE_REMOVED = new RemovedSites();

/** Returns the removed sites, and the ids of the files that may have their rows. */
function findRemoved(
  pool: Pool,
): Promise<{ readonly removed: RemovedSites; readonly affected: ReadonlySet<number> }> {
  return inTransaction(pool, async (client) => {
    await client.query("set transaction isolation level repeatable read read only");
    const removed = await RemovedSites.load(client);
    return { removed, affected: await removed.parts(client) };
  });
}

interface Group {
  readonly parts: ManifestPart[];
  bytes: number;
  rows: number;
  /**
   * Whether a file is a pack, most of its rows are outdated, or it has rows of removed sites. It is written again, even
   * if it is large or alone.
   */
  isStale: boolean;
}

/**
 * Maximum number of rows of packs in a group. One file per shard is open, and each has a row group in memory. Larger
 * files are made of their merged files later.
 */
const MAX_PACKED_ROWS = 400_000;

/** Yields groups of files to merge. The files of a group have the same dataset, day and shard. */
async function* groups(
  { pool, targetBytes = 128 * 1024 * 1024, maxRows = 2_000_000 }: CompactOptions,
  affected: ReadonlySet<number>,
  isPacked: boolean,
): AsyncGenerator<readonly ManifestPart[]> {
  const open = new Map<string, Group>();
  for await (const { part, rowCount } of withCurrentRows(pool)) {
    if ((part.shard === MIXED_SHARD) !== isPacked) continue;
    const isStale = isPacked || affected.has(part.id) || rowCount < part.rowCount / 2;
    const byteCount = part.byteCount * (rowCount / part.rowCount);
    const mostRows = isPacked ? Math.min(maxRows, MAX_PACKED_ROWS) : maxRows;
    if (!isStale && byteCount >= targetBytes / 2) continue;
    const place = `${part.dataset} ${part.day} ${part.shard}`;
    let group = open.get(place);
    if (group !== undefined && (group.bytes + byteCount > targetBytes || group.rows + rowCount > mostRows)) {
      if (isWorthwhile(group)) yield group.parts;
      group = undefined;
    }
    group ??= { parts: [], bytes: 0, rows: 0, isStale: false };
    group.parts.push(part);
    group.bytes += byteCount;
    group.rows += rowCount;
    group.isStale ||= isStale;
    open.set(place, group);
  }
  for (const group of open.values()) if (isWorthwhile(group)) yield group.parts;
}

function isWorthwhile({ parts, isStale }: Group): boolean {
  return parts.length > 1 || isStale;
}

interface PartWithRows {
  readonly part: ManifestPart;
  /** Number of rows that are not outdated. */
  readonly rowCount: number;
}

const BATCH = 1000;

/** Yields all part files with the number of their current rows. Only rows of the dataset `pages` become outdated. */
async function* withCurrentRows(pool: Pool): AsyncGenerator<PartWithRows> {
  let batch: ManifestPart[] = [];
  for await (const part of manifest(pool)) {
    batch.push(part);
    if (batch.length < BATCH) continue;
    yield* await countCurrentRows(pool, batch);
    batch = [];
  }
  yield* await countCurrentRows(pool, batch);
}

async function countCurrentRows(pool: Pool, parts: readonly ManifestPart[]): Promise<PartWithRows[]> {
  const pages = parts.filter(({ dataset }) => dataset === "pages");
  const { rows } = await pool.query<{ part: number; rowCount: number }>(
    `select m.part, sum(m.page_count)::bigint as "rowCount" from unnest($1::bigint[], $2::smallint[]) as p (id, shard)
     join sitemap m on m.part = p.id and (p.shard = $3 or m.shard = p.shard) group by m.part`,
    [pages.map(({ id }) => id), pages.map(({ shard }) => shard), MIXED_SHARD],
  );
  const counts = new Map(rows.map(({ part, rowCount }) => [part, rowCount]));
  return parts.map((part) => ({
    part,
    // A sitemap counts its duplicates, which the file does not have.
    rowCount: part.dataset === "pages" ? Math.min(part.rowCount, counts.get(part.id) ?? 0) : part.rowCount,
  }));
}

async function compactGroup(
  parts: readonly ManifestPart[],
  options: CompactOptions,
  removedIn: (id: number) => RemovedSites,
): Promise<Compacted | undefined> {
  const { dataset, day } = parts[0]!;
  const { pool, store } = options;
  const folder = await mkdtemp(join(options.folder, "compact-"));
  // One new file per shard, with the hashes of its hosts.
  const files = new Map<number, { readonly file: PartFile<PartRow>; readonly hosts: Set<number> }>();
  const open = (shard: number) => {
    const path = join(folder, `new-${shard}.parquet`);
    const opened = files.get(shard) ?? {
      file: new PartFile(dataset, path, COLUMNS[dataset]),
      hosts: new Set<number>(),
    };
    files.set(shard, opened);
    return opened;
  };
  try {
    const names = new Set(COLUMNS[dataset].map(({ name }) => name));
    const ids: number[] = [];
    const missing: number[] = [];
    for await (const { part, copy } of fetchParts(store, folder, parts)) {
      try {
        const file = await copy;
        // A later version wrote the file. Its additional columns would be lost.
        if (!(await file.columns()).every((name) => names.has(name))) continue;
        for await (const { shard, row } of readCurrent(pool, part, file, removedIn(part.id))) {
          const merged = open(shard);
          merged.file.add(row);
          merged.hosts.add(hostHash(String(row["host"])));
        }
        ids.push(part.id);
      } catch (error) {
        if (!(error instanceof MissingObjectError)) throw error;
        missing.push(part.id);
      }
    }
    if (ids.length + missing.length === 0) return undefined;
    const made: MergedPart[] = [];
    for (const [shard, { file, hosts }] of files) {
      await file.end();
      const { rowCount, byteCount, path } = file;
      const key = compactedKey(dataset, day, shard, randomBytes(8).toString("hex"));
      made.push({ dataset, key, shard, day, rowCount, byteCount, path, hosts: [...hosts] });
    }
    const isReplaced = await inTransaction(pool, async (client) => {
      if (made.length > 0) {
        // The lock keeps a sweep of another process from deleting the files before the commit.
        await client.query("select pg_advisory_xact_lock_shared($1)", [ADVISORY_LOCKS.mergedFiles]);
        for (const { key, path } of made) await store.put(key, path);
      }
      return replace(client, ids, made);
    });
    if (!isReplaced) return undefined;
    return {
      ...{ dataset, parts: ids.length, rowsBefore: sumOfRows(parts), rowsAfter: sumOfRows(made) },
      missing: await inTransaction(pool, (client) => forgetParts(client, missing)),
    };
  } finally {
    for (const { file } of files.values()) file.discard();
    await rm(folder, { recursive: true, force: true });
  }
}

interface MergedPart extends Omit<ManifestPart, "id" | "host"> {
  readonly path: string;
  readonly hosts: readonly number[];
}

function sumOfRows(parts: readonly { readonly rowCount: number }[]): number {
  return parts.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

/**
 * Replaces old part files by new ones in the database. Returns false if another process has replaced one of them
 * before.
 */
async function replace(
  client: PoolClient,
  ids: readonly number[],
  made: readonly MergedPart[],
): Promise<boolean> {
  // Not now(), which is the start of the transaction. The file was stored since then, and readers would have less time
  // to finish with the replaced files.
  const replaced = await client.query(
    "update part set replaced_at = clock_timestamp() where id = any ($1) and replaced_at is null",
    [ids],
  );
  if (replaced.rowCount !== ids.length) return false;
  for (const { dataset, key, shard, day, rowCount, byteCount, hosts } of made) {
    const { rows } = await client.query<{ id: number }>(
      `insert into part (dataset, key, shard, day, row_count, byte_count, hosts) values ($1, $2, $3, $4, $5, $6, $7)
       returning id`,
      [dataset, key, shard, day, rowCount, byteCount, hosts],
    );
    if (dataset !== "pages") continue;
    const move = "update sitemap set part = $1 where shard = $2 and part = any ($3)";
    await client.query(move, [rows[0]!.id, shard, ids]);
  }
  return true;
}
