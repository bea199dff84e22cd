/** DuckDB itself reads the tables of a fleet: the same rows as `export`, and few files for one day or one site. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Pool } from "pg";
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
  writeOpenTables,
} from "siteatlas-fleet";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { setAside } from "../../src/cli/commands/sites.ts";
import { DATASETS } from "../../src/model/visit.ts";
import { DAY, PackedVisits } from "../support/packed-visits.ts";
import { makeDirectory, removeDirectory } from "../support/private-server.mjs";
import { type Postgres, startPostgres } from "../support/start-postgres.mjs";

const SHARDS = 4;
const NEXT_DAY = "2026-11-16";
const HOSTS = Array.from({ length: 12 }, (_, at) => `site-${at}x.example`);
const [GONE = "", BACK = "", KEPT = ""] = HOSTS;

let postgres: Postgres;
let pool: Pool;
let folder: string;
let store: ObjectStore;
let frontier: Frontier;
let visits: PackedVisits;

beforeAll(async () => {
  postgres = await startPostgres({ fast: true });
  pool = createPool({ connectionString: postgres.url });
  await migrate(pool, { shards: SHARDS });
});

beforeEach(async () => {
  await pool.query("truncate site, sitemap, snapshot, part, lease, usage, upload, removal");
  await pool.query("update fleet set store_claimed_at = null");
  // A quote in the path must not end a text of the script.
  folder = join(await makeDirectory("tables"), "it's");
  mkdirSync(join(folder, "tmp"), { recursive: true });
  store = await openStore(join(folder, "store"));
  await claimStore(pool, store);
  frontier = new Frontier(pool, { holder: "ours" });
  visits = new PackedVisits({ frontier, store, shards: SHARDS, folder: join(folder, "tmp") });
  return () => removeDirectory(join(folder, ".."));
});

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

/** Two days of visits: pages that changed, a removed site, and one that was removed and added again. */
async function twoDays(): Promise<void> {
  await visits.visit(HOSTS, { visitedAt: new Date(Date.now() - 60_000) });
  await setAside(frontier, [GONE, BACK], "removed", "takedown");
  await frontier.addSites([readSite(BACK, SHARDS)!]);
  const later = { visitedAt: new Date(Date.now() + 60_000), day: NEXT_DAY, path: "/new-page" };
  await visits.visit(HOSTS.slice(1, 6), later);
}

let made = 0;
/** Runs the script and then the query, in a DuckDB of their own. */
async function ask(query: string, filter?: Parameters<typeof writeOpenTables>[3]): Promise<unknown[]> {
  const target = join(folder, `tables-${made++}`);
  await writeOpenTables(pool, store, target, filter);
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  try {
    await connection.run(readFileSync(join(target, "tables.sql"), "utf8"));
    return (await connection.runAndReadAll(query)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    duckdb.closeSync();
  }
}

async function expectSameRows(): Promise<void> {
  for (const dataset of DATASETS) {
    const rows: string[] = [];
    for await (const { host, url } of readDataset(pool, store, folder, { dataset })) {
      rows.push(`${String(host)} ${String(url)}`);
    }
    const found = (await ask(`select host, url from ${dataset}`)) as { host: string; url: string }[];
    expect(rows.length).toBeGreaterThan(HOSTS.length - 2);
    expect(found.map(({ host, url }) => `${host} ${url}`).sort(), dataset).toEqual(rows.sort());
  }
}

test("the tables have the rows of export, before and after a compaction", async () => {
  await twoDays();
  await expectSameRows();
  for await (const _ of compact({ pool, store, folder }));
  await expectSameRows();
  await sweep({ pool, store, graceMs: 0 });
  await expectSameRows();
});

test("pages are those that are declared now, with their day and shard", async () => {
  await twoDays();
  for await (const _ of compact({ pool, store, folder }));
  const query = `select url, date::text as day, shard from pages where host in ('${KEPT}', '${GONE}', '${HOSTS[9]}')`;
  const rows = await ask(`${query} order by day desc`);
  expect(rows).toEqual([
    { url: `https://${KEPT}/new-page`, day: NEXT_DAY, shard: readSite(KEPT, SHARDS)!.shard },
    { url: `https://${HOSTS[9]}/page`, day: DAY, shard: readSite(HOSTS[9]!, SHARDS)!.shard },
  ]);
});

test("a condition on the day reads only the files of that day", async () => {
  await twoDays();
  for await (const _ of compact({ pool, store, folder }));
  const [{ explain_value: plan } = { explain_value: "" }] = (await ask(
    `explain analyze select count(*) from sitemaps where date = '${NEXT_DAY}'`,
  )) as { explain_value: string }[];
  const [, read, all] = /Scanning Files: (\d+)\/(\d+)/.exec(plan) ?? [];
  expect(plan).toContain("Scanning Files");
  expect(Number(read)).toBeLessThan(Number(all));
});

test("with a host, only the files that may have its rows", async () => {
  await visits.visit(HOSTS.slice(0, 6));
  await visits.visit(HOSTS.slice(6));
  const rows = await ask("select distinct host from pages union all select distinct host from sitemaps", {
    host: KEPT,
  });
  expect(rows).toEqual([{ host: KEPT }, { host: KEPT }]);
  const counts = await writeOpenTables(pool, store, join(folder, "one"), { host: KEPT });
  expect(counts).toEqual({ pages: 1, sitemaps: 1, changes: 1 });
});

test("an empty fleet has a script without tables, and a folder that exists is refused", async () => {
  expect(await ask("select 1 as one")).toEqual([{ one: 1 }]);
  const target = join(folder, "there");
  mkdirSync(target);
  await expect(writeOpenTables(pool, store, target)).rejects.toThrow("EEXIST");
  expect(readdirSync(target)).toEqual([]);
});
