/** A removed site disappears from the datasets at once, and from every file after two compactions. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";
import { type ParquetColumn, ParquetTable } from "siteatlas/output";
import {
  claimStore,
  compact,
  createPool,
  Frontier,
  migrate,
  type ObjectStore,
  openStore,
  readDataset,
  readSite,
  sweep,
} from "siteatlas-fleet";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { setAside } from "../../src/cli/commands/sites.ts";
import { Packer } from "../../src/dataset/packer.ts";
import { DATASETS } from "../../src/model/visit.ts";
import { DAY, NEXT, PackedVisits, visitResult } from "../support/packed-visits.ts";
import { makeDirectory, removeDirectory } from "../support/private-server.mjs";
import { readPart } from "../support/read-part.ts";
import { type Postgres, startPostgres } from "../support/start-postgres.mjs";

const SHARDS = 4;
const HOSTS = Array.from({ length: 12 }, (_, at) => `site-${at}x.example`);
const GONE = HOSTS[5]!;

let postgres: Postgres;
let pool: Pool;
let folder: string;
let store: ObjectStore;
let frontier: Frontier;
let visits: PackedVisits;
const visit = (hosts: readonly string[], visitedAt?: Date): Promise<void> =>
  visits.visit(hosts, { visitedAt });

beforeAll(async () => {
  postgres = await startPostgres({ fast: true });
  pool = createPool({ connectionString: postgres.url });
  await migrate(pool, { shards: SHARDS });
});

beforeEach(async () => {
  await pool.query("truncate site, sitemap, snapshot, part, lease, usage, upload, removal");
  await pool.query("update fleet set store_claimed_at = null");
  folder = await makeDirectory("takedown");
  mkdirSync(join(folder, "tmp"));
  store = await openStore(join(folder, "store"));
  await claimStore(pool, store);
  frontier = new Frontier(pool, { holder: "ours" });
  visits = new PackedVisits({ frontier, store, shards: SHARDS, folder: join(folder, "tmp") });
  return () => removeDirectory(folder);
});

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

async function compactAll(): Promise<void> {
  for await (const _ of compact({ pool, store, folder }));
  await sweep({ pool, store, graceMs: 0 });
}

/** Rows of each dataset, as `host` of each row. */
async function exported(host: string): Promise<number> {
  let count = 0;
  for (const dataset of DATASETS) {
    for await (const row of readDataset(pool, store, folder, { dataset })) if (row["host"] === host) count++;
  }
  return count;
}

/** The files of the store that have the name of the host, in their path, in their bytes or in a row. */
async function filesWith(host: string): Promise<string[]> {
  const found: string[] = [];
  const root = join(folder, "store");
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(root.length + 1);
    let text = key + readFileSync(path, "latin1");
    // The bytes of a part file are compressed.
    if (key.endsWith(".parquet")) {
      for await (const row of readPart(store, key, folder))
        text += JSON.stringify(Object.values(row).map(String));
    }
    if (text.includes(host)) found.push(key);
  }
  return found;
}

test("a removed site is not exported any more, and compaction erases it from every file", async () => {
  await visit(HOSTS);
  await visit(HOSTS);
  // Also in a merged file, and in files that were never committed.
  await compactAll();
  await visit(HOSTS);
  const orphan = join(folder, "orphan");
  writeFileSync(orphan, GONE);
  await store.put(`pages/date=${DAY}/shard=0000/${GONE}.e1-0.parquet`, orphan);
  expect(await setAside(frontier, [GONE], "removed", "takedown")).toBe(1);
  expect(await exported(GONE)).toBe(0);
  expect(await exported(HOSTS[4]!)).toBeGreaterThan(0);
  const others = await exported(HOSTS[4]!);

  // The file of a removed visit cannot be read.
  await sweep({ pool, store, graceMs: 0 });
  expect((await filesWith(GONE)).length).toBeGreaterThan(3);
  await compactAll();
  expect(await filesWith(GONE)).toEqual([]);
  expect(await exported(HOSTS[4]!)).toBe(others);
  const { rows } = await pool.query("select count(*) from snapshot where host = $1", [GONE]);
  expect(rows).toEqual([{ count: 0 }]);
  await compactAll();
  expect((await pool.query("select from removal")).rowCount).toBe(0);
});

test("a visit in progress cannot bring a removed site back", async () => {
  await visit(HOSTS);
  const request = await visits.claim(GONE);
  const packs = new Packer({ frontier, store, folder: join(folder, "tmp"), everyMs: 3_600_000 });
  const verdict = packs.commit({ request, result: visitResult(GONE), next: NEXT });
  await setAside(frontier, [GONE], "removed", "takedown");
  packs.flush();
  expect(await verdict).toBe("refused");
  await compactAll();
  expect(await filesWith(GONE)).toEqual([]);
});

test("a site that is added again keeps the rows of its new visits only", async () => {
  await visit(HOSTS, new Date(Date.now() - 60_000));
  await setAside(frontier, [GONE], "removed", "takedown");
  await frontier.addSites([readSite(GONE, SHARDS)!]);
  await visit([GONE], new Date(Date.now() + 60_000));
  expect(await exported(GONE)).toBe(3);
  await compactAll();
  expect(await exported(GONE)).toBe(3);
  await compactAll();
  expect(await exported(GONE)).toBe(3);
});

test("rows of a worker whose clock is ahead are erased, too", async () => {
  await visit(HOSTS, new Date(Date.now() + 3_600_000));
  await setAside(frontier, [GONE], "removed", "takedown");
  expect(await exported(GONE)).toBe(0);
  await compactAll();
  expect(await filesWith(GONE)).toEqual([]);
});

test("a file with columns of a later version is not written again", async () => {
  await visit(HOSTS);
  const columns: readonly ParquetColumn<string>[] = [
    { name: "host", type: "string", isRequired: true, value: (host) => host },
    { name: "visited_at", type: "date", isRequired: true, value: () => new Date() },
    { name: "later", type: "string", value: () => "precious" },
  ];
  const chunks: Uint8Array[] = [];
  const table = new ParquetTable<string>({ write: (bytes) => void chunks.push(bytes.slice()) }, columns);
  void table.add(HOSTS[0]!);
  await table.end();
  writeFileSync(join(folder, "later"), Buffer.concat(chunks));
  const key = `changes/date=${DAY}/shard=-1/pack-later.parquet`;
  await store.put(key, join(folder, "later"));
  await pool.query(
    "insert into part (dataset, key, shard, day, row_count, byte_count) values ('changes', $1, -1, $2, 1, 1)",
    [key, DAY],
  );
  await compactAll();
  const rows: unknown[] = [];
  for await (const { later } of readDataset(pool, store, folder, { dataset: "changes" })) rows.push(later);
  expect(rows).toContain("precious");
  expect(rows).toHaveLength(HOSTS.length + 1);
});
