/** Compaction and sweeping on a real PostgreSQL and a folder: at the same time, and with the wrong store. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";
import type { Page } from "siteatlas";
import { toRecord } from "siteatlas/output";
import {
  claimStore,
  compact,
  createPool,
  manifest,
  migrate,
  type ObjectStore,
  openStore,
  readDataset,
  repair,
  sweep,
} from "siteatlas-fleet";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHANGE_COLUMNS, PAGE_COLUMNS } from "../../src/dataset/datasets.ts";
import { PartFile } from "../../src/dataset/part-file.ts";
import { makeDirectory, removeDirectory } from "../support/private-server.mjs";
import { type Postgres, startPostgres } from "../support/start-postgres.mjs";

const DAY = "2026-11-15";
const VISITED_AT = new Date(`${DAY}T12:00:00Z`);

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
  await pool.query("truncate part, sitemap");
  await pool.query("update fleet set store_claimed_at = null");
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
  file.add({ host, visitedAt: VISITED_AT, change });
  await storePart(file, host);
}

async function storePart<Row>(file: PartFile<Row>, host: string): Promise<number> {
  const { dataset, path } = file;
  await file.end();
  const key = `${dataset}/date=${DAY}/shard=0000/${host}.e1-0.parquet`;
  await store.put(key, path);
  const { rows } = await pool.query<{ id: number }>(
    `insert into part (dataset, key, shard, day, row_count, byte_count, host) values ($1, $2, 0, $3, $4, $5, $6)
     returning id`,
    [dataset, key, DAY, file.rowCount, file.byteCount, host],
  );
  return rows[0]!.id;
}

/** Commits a part file with ten pages of each of these sitemaps. Only the first `current` of them still list them. */
async function commitPages(sitemaps: number, current: number): Promise<void> {
  const file = new PartFile("pages", join(folder, "part.parquet"), PAGE_COLUMNS);
  const urls = Array.from({ length: sitemaps }, (_, number) => `https://a.example/${number}.xml`);
  for (const sitemap of urls) {
    for (let number = 0; number < 10; number++) {
      const page = toRecord({ url: `https://a.example/${number}` } as Page, sitemap);
      file.add({ host: "a.example", visitedAt: VISITED_AT, page });
    }
  }
  const part = await storePart(file, "a.example");
  for (const url of urls.slice(0, current)) {
    await pool.query(
      `insert into sitemap (shard, host, url_key, url, visit, outcome, kind, page_count, part)
       values (0, 'a.example', md5($1)::uuid, $1, 1, 'found', 'urlset', 10, $2)`,
      [url, part],
    );
  }
}

async function storedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list("changes/")) keys.push(key);
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
      if (key.endsWith(".parquet")) await afterPut();
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

async function allOf<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

async function addOrphans(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const file = join(folder, "orphan.parquet");
    writeFileSync(file, "");
    await store.put(`changes/date=${DAY}/shard=0000/gone-${number}.example.e1-0.parquet`, file);
  }
}

describe("a sweep deletes nothing", () => {
  const refused = async (run: () => Promise<unknown>, message: RegExp): Promise<void> => {
    const before = await storedKeys();
    await expect(run()).rejects.toThrow(message);
    expect(await storedKeys()).toEqual(before);
  };

  test("if the database knows no file of the store", async () => {
    await pool.query("truncate part");
    await refused(() => sweep({ pool, store, graceMs: 0 }), /knows no file of this store/);
  });

  test("if the tables were emptied after the fleet has claimed the store", async () => {
    await claimStore(pool, store);
    await pool.query("truncate part");
    await refused(() => sweep({ pool, store, graceMs: 0 }), /would delete 2 of 2 files/);
    expect(await sweep({ pool, store, graceMs: 0, mayDelete: 2 })).toEqual({ replaced: 0, orphans: 2 });
  });

  test("if the store belongs to another fleet", async () => {
    await claimStore(pool, store);
    await pool.query("update fleet set id = gen_random_uuid()");
    await refused(() => sweep({ pool, store, graceMs: 0 }), /belongs to another fleet/);
    await refused(() => compactAll(store), /belongs to another fleet/);
    await refused(() => repair({ pool, store, claim: true }), /belongs to another fleet/);
  });

  test("if the store is empty, but the fleet has another one", async () => {
    await claimStore(pool, store);
    const other = await openStore(join(folder, "other"));
    await refused(
      () => sweep({ pool, store: other, graceMs: 0 }),
      /not the one that this fleet used until now/,
    );
    expect(await repair({ pool, store: other, claim: true })).toEqual({ files: 2, sites: 0 });
    expect(await committedKeys()).toEqual([]);
  });

  test("if the database is older than the store, until it is repaired", async () => {
    await sweep({ pool, store, graceMs: 0 });
    await pool.query("update fleet set sweeps = sweeps - 1");
    await refused(() => sweep({ pool, store, graceMs: 0 }), /older than the store/);
    await refused(() => compactAll(store), /older than the store/);
    await repair({ pool, store });
    expect(await sweep({ pool, store, graceMs: 0 })).toEqual({ replaced: 0, orphans: 0 });
  });

  test("if fleet.json is damaged", async () => {
    await claimStore(pool, store);
    writeFileSync(store.address("fleet.json"), '{"fleet":');
    await refused(() => sweep({ pool, store, graceMs: 0 }), /Cannot read .*fleet\.json/);
  });

  test("if more than a tenth of the files would go", async () => {
    await addOrphans(101);
    await refused(() => sweep({ pool, store, graceMs: 0 }), /would delete 101 of 103 files/);
    await refused(() => sweep({ pool, store, graceMs: 0, mayDelete: 100 }), /would delete 101 of 103 files/);
    expect(await sweep({ pool, store, graceMs: 0, mayDelete: 101 })).toEqual({ replaced: 0, orphans: 101 });
    expect(await storedKeys()).toEqual(await committedKeys());
  });
});

test("a sweep deletes what a few dead workers left, although it is more than a tenth", async () => {
  await addOrphans(100);
  expect(await sweep({ pool, store, graceMs: 0 })).toEqual({ replaced: 0, orphans: 100 });
});

test("compaction merges the other files if one is missing, and forgets that one", async () => {
  await commitPart("c.example");
  await store.delete([(await committedKeys())[0]!]);
  expect(await allOf(compact({ pool, store, folder: join(folder, "tmp") }))).toEqual([
    { dataset: "changes", parts: 2, rowsBefore: 3, rowsAfter: 2, missing: { files: 1, sites: 0 } },
  ]);
  expect(await committedKeys()).toEqual([expect.stringContaining("/compact-")]);
});

test("a reader learns which file is missing, and gets the rows of the other files", async () => {
  const [first] = await committedKeys();
  await store.delete([first!]);
  const read = (onMissing?: (part: { readonly key: string }) => void): AsyncGenerator<unknown> =>
    readDataset(pool, store, join(folder, "tmp"), { dataset: "changes", onMissing });
  await expect(allOf(read())).rejects.toThrow(/Cannot find the object/);
  const missing: string[] = [];
  expect(await allOf(read(({ key }) => missing.push(key)))).toHaveLength(1);
  expect(missing).toEqual([first]);
});

test.each([
  ["none", 0, 0],
  ["less than half", 4, 40],
  ["half", 5, 100],
])(
  "a file alone, with %s of its pages current: compaction keeps what is worth keeping",
  async (_, current, kept) => {
    await commitPages(10, current);
    const done = (await allOf(compact({ pool, store, folder: join(folder, "tmp") }))).filter(
      ({ dataset }) => dataset === "pages",
    );
    expect(done).toEqual(
      kept === 100
        ? []
        : [{ dataset: "pages", parts: 1, rowsBefore: 100, rowsAfter: kept, missing: { files: 0, sites: 0 } }],
    );
    const parts = await allOf(manifest(pool, { dataset: "pages" }));
    expect(parts.map(({ rowCount }) => rowCount)).toEqual(kept === 0 ? [] : [kept]);
    const rows = await allOf(readDataset(pool, store, join(folder, "tmp"), { dataset: "pages" }));
    expect(rows).toHaveLength(10 * current);
  },
);
