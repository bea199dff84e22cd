/**
 * The manifest lists the part files of the datasets. It does not list files in the store that were never committed.
 *
 * The table `sitemap` names, for each sitemap, the part file with its current pages. Its pages in older files do not
 * count.
 */
import type { Pool, PoolClient } from "pg";
import { checkArgument, checkOptions, type OptionRules } from "../check/check-options.ts";
import { callable, DAY, oneOf, PATH, required, TEXT, wholeNumber } from "../check/rules.ts";
import { POOL } from "../database/frontier.ts";
import { hostHash, readSite } from "../model/site-name.ts";
import { DATASETS, type Dataset } from "../model/visit.ts";
import { MissingObjectError } from "../store/object-key.ts";
import { type ObjectStore, STORE } from "../store/object-store.ts";
import { MIXED_SHARD } from "./part-paths.ts";
import { fetchParts, type PartCopy, type PartRow } from "./read-part.ts";
import { RemovedSites } from "./removed-sites.ts";

export interface ManifestPart {
  readonly id: number;
  readonly dataset: Dataset;
  readonly key: string;
  /** The shard of its sites, or -1 if the file has rows of several shards. */
  readonly shard: number;
  /** The day of the visits in UTC, such as `2026-11-15`. */
  readonly day: string;
  readonly rowCount: number;
  readonly byteCount: number;
  /** The site whose rows the file contains. Null if the file has rows of several sites. */
  readonly host: string | null;
}

export interface ManifestFilter {
  readonly dataset?: Dataset | undefined;
  /** Files with rows of several shards are also selected, because they may have rows of this shard. */
  readonly shard?: number | undefined;
  readonly day?: string | undefined;
  /** Only files that have rows of this site, or may have some. */
  readonly host?: string | undefined;
}

/** Selects the part files that `readDataset` reads. */
interface DatasetFilter extends ManifestFilter {
  readonly dataset: Dataset;
  /** Called for each file that the store does not have; its rows are left out. @default an error */
  readonly onMissing?: ((part: ManifestPart) => void) | undefined;
}

export const MANIFEST_FILTER: OptionRules<ManifestFilter> = {
  dataset: oneOf(DATASETS),
  shard: wholeNumber(0),
  day: DAY,
  host: TEXT,
};

const DATASET_FILTER: OptionRules<DatasetFilter> = {
  ...MANIFEST_FILTER,
  dataset: required(MANIFEST_FILTER.dataset),
  onMissing: callable(),
};

const PAGE = 5000;

/** Yields all part files, or those that the filter selects. */
export function manifest(pool: Pool | PoolClient, filter: ManifestFilter = {}): AsyncGenerator<ManifestPart> {
  checkArgument("manifest", "pool", POOL, pool);
  checkOptions("manifest", MANIFEST_FILTER, filter);
  return readManifest(pool, filter);
}

async function* readManifest(
  pool: Pool | PoolClient,
  { dataset, shard, day, host }: ManifestFilter,
): AsyncGenerator<ManifestPart> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query<ManifestPart>(
      `select id, dataset, key, shard, day::text as day, row_count as "rowCount", byte_count as "byteCount", host
       from part
       where replaced_at is null and id > $1
         and ($2::text is null or dataset = $2) and ($4::date is null or day = $4)
         and ($3::smallint is null or shard in ($3, $6))
         and ($7::text is null or host = $7 or (host is null and (hosts is null or $8::integer = any (hosts))))
       order by id limit $5`,
      [
        after,
        dataset ?? null,
        shard ?? null,
        day ?? null,
        PAGE,
        MIXED_SHARD,
        host ?? null,
        hostHash(host ?? ""),
      ],
    );
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}

/**
 * Yields the rows of a dataset. Skips pages that a site no longer lists. The rows are one consistent state, even if
 * visits and compaction run meanwhile: files that compaction replaced are kept for a while (sweep.ts).
 */
export function readDataset(
  pool: Pool,
  store: ObjectStore,
  folder: string,
  filter: DatasetFilter,
): AsyncGenerator<PartRow> {
  checkArgument("readDataset", "pool", POOL, pool);
  checkArgument("readDataset", "store", STORE, store);
  checkArgument("readDataset", "folder", PATH, folder);
  checkOptions("readDataset", DATASET_FILTER, filter);
  return readRows(pool, store, folder, filter);
}

async function* readRows(
  pool: Pool,
  store: ObjectStore,
  folder: string,
  { onMissing, ...filter }: DatasetFilter,
): AsyncGenerator<PartRow> {
  const { client, close } = await openState(pool);
  try {
    const removed = await RemovedSites.load(client);
    for await (const { part, copy } of fetchParts(store, folder, manifest(client, filter))) {
      try {
        for await (const { shard, row } of readCurrent(client, part, await copy, removed)) {
          if (filter.shard !== undefined && shard !== filter.shard) continue;
          if (filter.host === undefined || row["host"] === filter.host) yield row;
        }
      } catch (error) {
        if (onMissing === undefined || !(error instanceof MissingObjectError)) throw error;
        onMissing(part);
      }
    }
  } finally {
    await close();
  }
}

/** Opens a connection whose queries all see the same state of the database, until `close`. */
export async function openState(
  pool: Pool,
): Promise<{ readonly client: PoolClient; readonly close: () => Promise<void> }> {
  const client = await pool.connect();
  // A lost connection emits an error event, which would end the process without a listener. The next query also reports
  // it.
  const ignore = (): void => {};
  client.on("error", ignore);
  const close = async (): Promise<void> => {
    await client.query("commit").catch(() => {});
    client.off("error", ignore);
    client.release();
  };
  try {
    await client.query("begin isolation level repeatable read read only");
  } catch (error) {
    await close();
    throw error;
  }
  return { client, close };
}

/** A row with the shard of its site. */
export interface ShardRow {
  readonly shard: number;
  readonly row: PartRow;
}

/** Yields the rows of a part file. Skips pages that a site no longer lists, and rows of removed sites. */
export async function* readCurrent(
  pool: Pool | PoolClient,
  { id, dataset, shard }: ManifestPart,
  copy: PartCopy,
  removed: RemovedSites,
): AsyncGenerator<ShardRow> {
  const isMixed = shard === MIXED_SHARD;
  if (dataset !== "pages") {
    const shards = isMixed ? await countShards(pool) : 0;
    for await (const row of copy.rows()) {
      if (removed.has(row)) continue;
      yield { row, shard: isMixed ? (readSite(String(row["host"]), shards)?.shard ?? 0) : shard };
    }
    return;
  }
  const { rows } = await pool.query<{ shard: number; host: string; url: string }>(
    `select shard, host, url from sitemap where part = $1 ${isMixed ? "" : "and shard = $2"}`,
    isMixed ? [id] : [id, shard],
  );
  if (rows.length === 0) return;
  const current = new Map(rows.map((row) => [`${row.host} ${row.url}`, row.shard]));
  for await (const row of copy.rows()) {
    const found = current.get(`${String(row["host"])} ${String(row["sitemap"])}`);
    if (found !== undefined) yield { row, shard: found };
  }
}

async function countShards(pool: Pool | PoolClient): Promise<number> {
  const { rows } = await pool.query<{ shards: number }>("select shards from fleet");
  return rows[0]!.shards;
}
