/**
 * What counts. A file in the store counts if it is in the manifest; a row of the pages counts if its part is the one
 * that its sitemap names: where it was last read as something new. Whatever a late or a dead worker left behind is in neither.
 */
import type { Pool, PoolClient } from "pg";
import type { Dataset } from "../leg.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { type PartRow, readPart } from "./read-part.ts";

export interface ManifestPart {
  readonly id: number;
  readonly dataset: Dataset;
  readonly key: string;
  readonly shard: number;
  /** `2026-11-15` */
  readonly day: string;
  readonly rowCount: number;
  readonly byteCount: number;
  /** Absent for a part of several sites. */
  readonly host: string | null;
}

export interface ManifestFilter {
  readonly dataset?: Dataset;
  readonly shard?: number;
  readonly day?: string;
}

/** Parts at once from the database. */
const PAGE = 5000;

/** In the order of their numbers. */
export async function* manifest(
  pool: Pool | PoolClient,
  { dataset, shard, day }: ManifestFilter = {},
): AsyncGenerator<ManifestPart> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query<ManifestPart>(
      `select id, dataset, key, shard, day::text as day, row_count as "rowCount", byte_count as "byteCount", host
       from part
       where replaced_at is null and id > $1
         and ($2::text is null or dataset = $2) and ($3::smallint is null or shard = $3) and ($4::date is null or day = $4)
       order by id limit $5`,
      [after, dataset ?? null, shard ?? null, day ?? null, PAGE],
    );
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}

/**
 * The rows of a dataset that count; of the pages, as sites declare them now. All of one moment, whatever is committed
 * and compacted meanwhile: files that were replaced stay for a while (sweep.ts).
 */
export async function* readDataset(
  pool: Pool,
  store: ObjectStore,
  folder: string,
  filter: ManifestFilter & { readonly dataset: Dataset },
): AsyncGenerator<PartRow> {
  const client = await pool.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    for await (const part of manifest(client, filter)) {
      const isCurrent =
        part.dataset === "pages" ? await currentRows(client, part.shard, [part.id]) : undefined;
      for await (const row of readPart(store, part.key, folder)) {
        if (isCurrent === undefined || isCurrent(part.id, row)) yield row;
      }
    }
  } finally {
    await client.query("commit").catch(() => {});
    client.release();
  }
}

/** Tells rows of these parts that count from those that were read anew since. */
export async function currentRows(
  pool: Pool | PoolClient,
  shard: number,
  partIds: readonly number[],
): Promise<(partId: number, row: PartRow) => boolean> {
  const { rows } = await pool.query<{ host: string; url: string; part: number }>(
    "select host, url, part from sitemap where shard = $1 and part = any ($2)",
    [shard, partIds],
  );
  const current = new Set(rows.map(({ host, url, part }) => `${part} ${host} ${url}`));
  return (partId, { host, sitemap }) => current.has(`${partId} ${String(host)} ${String(sitemap)}`);
}
