/** Compaction and sweeping at the same time, on a real PostgreSQL and a folder. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";
import { compact, createPool, manifest, migrate, type ObjectStore, openStore, sweep } from "siteatlas-fleet";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CHANGE_COLUMNS } from "../../src/dataset/datasets.ts";
import { PartFile } from "../../src/dataset/part-file.ts";
import { makeDirectory, removeDirectory } from "../support/private-server.mjs";
import { type Postgres, startPostgres } from "../support/start-postgres.mjs";

const DAY = "2026-11-15";

let postgres: Postgres;
let pool: Pool;
let folder: string;
let store: ObjectStore;

beforeAll(async () => {
  postgres = await startPostgres({ fast: true });
  pool = createPool({ connectionString: postgres.url });
  await migrate(pool, { shards: 1 });
});

beforeEach(async () => {
  await pool.query("truncate part");
  folder = await makeDirectory("sweep");
  mkdirSync(join(folder, "tmp"));
  store = await openStore(join(folder, "store"));
  for (const host of ["a.example", "b.example"]) await commitPart(host);
  return () => removeDirectory(folder);
});

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

async function commitPart(host: string): Promise<void> {
  const file = new PartFile("changes", join(folder, "part.parquet"), CHANGE_COLUMNS);
  const page = { url: `https://${host}/` };
  const change = { kind: "removed", url: page.url, page, sitemaps: [] } as never;
  file.add({ host, visitedAt: new Date(`${DAY}T12:00:00Z`), change });
  await file.end();
  const key = `changes/date=${DAY}/shard=0000/${host}.e1-0.parquet`;
  await store.put(key, file.path);
  await pool.query(
    "insert into part (dataset, key, shard, day, row_count, byte_count, host) values ('changes', $1, 0, $2, 1, $3, $4)",
    [key, DAY, file.byteCount, host],
  );
}

async function storedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list("")) keys.push(key);
  return keys.sort();
}

async function committedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of manifest(pool)) keys.push(key);
  return keys.sort();
}

/** The store of a compaction that calls `afterPut` between the storage and the commit of a merged file. */
function withPut(afterPut: () => Promise<unknown>): ObjectStore {
  return {
    put: async (key, file) => {
      await store.put(key, file);
      await afterPut();
    },
    get: (key, file) => store.get(key, file),
    list: (prefix) => store.list(prefix),
    delete: (keys) => store.delete(keys),
    address: (key) => store.address(key),
    close: () => store.close(),
  };
}

async function compactAll(into: ObjectStore): Promise<void> {
  for await (const _ of compact({ pool, store: into, folder: join(folder, "tmp") }));
}

test("a sweep without grace keeps the file that a compaction is about to commit", async () => {
  let swept: unknown;
  const slow = withPut(async () => {
    swept = await sweep({ pool, store, graceMs: 0 });
  });
  await compactAll(slow);
  expect(swept).toEqual({ replaced: 0, orphans: 0 });
  const committed = await committedKeys();
  expect(committed).toEqual([expect.stringContaining("/compact-")]);
  expect(await storedKeys()).toEqual(expect.arrayContaining(committed));
  expect(await sweep({ pool, store, graceMs: 0 })).toEqual({ replaced: 2, orphans: 0 });
  expect(await storedKeys()).toEqual(committed);
});

test("a sweep deletes the merged file of a compaction that failed before its commit", async () => {
  const failing = withPut(() => Promise.reject(new Error("The process ends")));
  await expect(compactAll(failing)).rejects.toThrow("The process ends");
  expect(await storedKeys()).toHaveLength(3);
  expect(await sweep({ pool, store, graceMs: 0 })).toEqual({ replaced: 0, orphans: 1 });
  expect(await storedKeys()).toEqual(await committedKeys());
});

test("a compaction whose database connection breaks while it stores a file fails, and loses nothing", async () => {
  const cut = withPut(async () => {
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()",
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  await expect(compactAll(cut)).rejects.toThrow();
  await sweep({ pool, store, graceMs: 0 });
  expect(await storedKeys()).toEqual(await committedKeys());
  expect(await committedKeys()).toHaveLength(2);
});
