/**
 * Writes a folder with which DuckDB reads the datasets, without this program. It has three lists: the part files, the
 * part file of each sitemap, and the removed sites. A script makes the tables `pages`, `sitemaps` and `changes` of them.
 * Their rows are those of `export`. The lists are one consistent state of the database.
 *
 * Chosen instead of a DuckLake or Iceberg catalog: both would be a second list of the part files, which each commit and
 * each compaction would have to keep in step with PostgreSQL. These lists are made when they are needed.
 */
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Pool, PoolClient } from "pg";
import { type ParquetColumn, ParquetTable } from "siteatlas/output";
import { checkArgument, checkOptions } from "../check/check-options.ts";
import { PATH } from "../check/rules.ts";
import { POOL } from "../database/frontier.ts";
import { DATASETS, type Dataset } from "../model/visit.ts";
import { type ObjectStore, STORE } from "../store/object-store.ts";
import { MANIFEST_FILTER, type ManifestFilter, type ManifestPart, manifest, openState } from "./manifest.ts";
import { type RemovedSite, RemovedSites } from "./removed-sites.ts";

/** The part file with the current pages of a sitemap. */
interface CurrentSitemap {
  readonly shard: number;
  readonly host: string;
  readonly urlKey: string;
  readonly url: string;
  readonly part: number;
}

type ListedPart = ManifestPart & { readonly address: string };

const PARTS: readonly ParquetColumn<ListedPart>[] = [
  { name: "id", type: "integer", value: ({ id }) => id },
  { name: "dataset", type: "string", value: ({ dataset }) => dataset },
  { name: "date", type: "string", value: ({ day }) => day },
  { name: "address", type: "string", value: ({ address }) => address },
  { name: "rows", type: "integer", value: ({ rowCount }) => rowCount },
  { name: "bytes", type: "integer", value: ({ byteCount }) => byteCount },
];
const CURRENT: readonly ParquetColumn<CurrentSitemap>[] = [
  { name: "part", type: "integer", value: ({ part }) => part },
  { name: "host", type: "string", value: ({ host }) => host },
  { name: "url", type: "string", value: ({ url }) => url },
];
const REMOVED: readonly ParquetColumn<RemovedSite>[] = [
  { name: "host", type: "string", value: ({ host }) => host },
  { name: "removed_at", type: "date", value: ({ removedAt }) => removedAt },
  { name: "is_gone", type: "boolean", value: ({ isGone }) => isGone },
];

const ROWS_PER_QUERY = 5000;

/** Creates the folder. Returns the number of part files of each dataset. @throws if the folder exists */
export async function writeOpenTables(
  pool: Pool,
  store: ObjectStore,
  target: string,
  filter: ManifestFilter = {},
): Promise<Readonly<Record<Dataset, number>>> {
  checkArgument("writeOpenTables", "pool", POOL, pool);
  checkArgument("writeOpenTables", "store", STORE, store);
  checkArgument("writeOpenTables", "target", PATH, target);
  checkOptions("writeOpenTables", MANIFEST_FILTER, filter);
  const folder = resolve(target);
  mkdirSync(folder);
  const counts: Record<Dataset, number> = { pages: 0, sitemaps: 0, changes: 0 };
  const { client, close } = await openState(pool);
  async function* listParts(): AsyncGenerator<ListedPart> {
    for await (const part of manifest(client, filter)) {
      counts[part.dataset]++;
      yield { ...part, address: store.address(part.key) };
    }
  }
  try {
    await writeTable(join(folder, "parts.parquet"), PARTS, listParts());
    await writeTable(join(folder, "current.parquet"), CURRENT, currentSitemaps(client, filter.host));
    await writeTable(join(folder, "removed.parquet"), REMOVED, await RemovedSites.list(client));
    writeFileSync(join(folder, "tables.sql"), script(folder, counts, filter));
    return counts;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await close();
  }
}

/** Writes the rows as a Parquet file. Without rows, the file has only its columns. */
async function writeTable<Row>(
  path: string,
  columns: readonly ParquetColumn<Row>[],
  rows: AsyncIterable<Row> | Iterable<Row>,
): Promise<void> {
  const file = openSync(path, "wx");
  try {
    const table = new ParquetTable<Row>(
      {
        write(bytes) {
          for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
        },
      },
      columns,
    );
    for await (const row of rows) await table.add(row);
    await table.end();
  } finally {
    closeSync(file);
  }
}

async function* currentSitemaps(
  client: PoolClient,
  host: string | undefined,
): AsyncGenerator<CurrentSitemap> {
  let after: Pick<CurrentSitemap, "shard" | "host" | "urlKey"> = { shard: -1, host: "", urlKey: NO_KEY };
  for (;;) {
    const { rows } = await client.query<CurrentSitemap>(
      `select shard, host, url_key as "urlKey", url, part from sitemap
       where part is not null and (shard, host, url_key) > ($1, $2, $3) and ($4::text is null or host = $4)
       order by shard, host, url_key limit $5`,
      [after.shard, after.host, after.urlKey, host ?? null, ROWS_PER_QUERY],
    );
    yield* rows;
    if (rows.length < ROWS_PER_QUERY) return;
    after = rows.at(-1)!;
  }
}
/** Before every key of a sitemap. */
const NO_KEY = "00000000-0000-0000-0000-000000000000";

// ---------------------------------------------------------------- the script

function script(folder: string, counts: Readonly<Record<Dataset, number>>, { host }: ManifestFilter): string {
  const list = (name: string): string => `read_parquet(${text(join(folder, `${name}.parquet`))})`;
  const ofHost = host === undefined ? "" : `p.host = ${text(host)} and `;
  /** Rows that count, among the rows of the files. */
  const counting: Readonly<Record<Dataset, string>> = {
    pages: `exists (
    from ${list("current")} c join ${list("parts")} f on f.id = c.part
    where f.address = p.filename and c.host = p.host and c.url = p.sitemap
  )`,
    sitemaps: notRemoved(list),
    changes: notRemoved(list),
  };
  const tables = DATASETS.map((dataset) => {
    // DuckDB accepts no empty list of files.
    if (counts[dataset] === 0) return `-- ${dataset}: the fleet has no file of this dataset.\n`;
    return `set variable ${dataset}_files = (
  select list(address order by id) from ${list("parts")} where dataset = '${dataset}'
);
create or replace temp view ${dataset} as
select * exclude (filename)
from read_parquet(
  getvariable('${dataset}_files'), union_by_name = true, filename = true,
  hive_partitioning = true, hive_types = {'date': date, 'shard': integer}
) p
where ${ofHost}${counting[dataset]};
`;
  });
  return `-- The tables of a fleet, as of ${new Date().toISOString()}: duckdb -init tables.sql
-- A condition on date reads only the files of these days.

${tables.join("\n")}`;
}

function notRemoved(list: (name: string) => string): string {
  return `not exists (
    from ${list("removed")} r where r.host = p.host and (r.is_gone or p.visited_at <= r.removed_at)
  )`;
}

/** A text in SQL. */
function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
