/** Packs on a real PostgreSQL and a folder: many sites share a file, and only what was committed is in it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";
import { toRecord } from "siteatlas/output";
import {
  claimStore,
  compact,
  createPool,
  Frontier,
  type LegRequest,
  type LegResult,
  manifest,
  migrate,
  type ObjectStore,
  openStore,
  readDataset,
  readSite,
  sweep,
  type VisitStore,
} from "siteatlas-fleet";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PAGE_COLUMNS } from "../../src/dataset/datasets.ts";
import { LegRows, valuesFile } from "../../src/dataset/leg-rows.ts";
import { Packer, type PackerOptions } from "../../src/dataset/packer.ts";
import { readRowTexts, rowText } from "../../src/dataset/row-text.ts";
import { makeDirectory, removeDirectory } from "../support/private-server.mjs";
import { readPart } from "../support/read-part.ts";
import { type Postgres, startPostgres } from "../support/start-postgres.mjs";

const SHARDS = 4;
const DAY = "2026-11-15";
const VISITED_AT = new Date(`${DAY}T12:00:00Z`);
const NEXT = { waitSeconds: 3600, quiet: 0, failures: 0 };
/** No pack is written before `flush`. */
const LATER_MS = 3_600_000;

let postgres: Postgres;
let pool: Pool;
let folder: string;
let store: ObjectStore;
let [ours, theirs]: Frontier[] = [];

beforeAll(async () => {
  postgres = await startPostgres({ fast: true });
  pool = createPool({ connectionString: postgres.url });
  await migrate(pool, { shards: SHARDS });
});

beforeEach(async () => {
  await pool.query("truncate site, sitemap, snapshot, part, lease, usage, upload");
  await pool.query("update fleet set store_claimed_at = null");
  folder = await makeDirectory("packer");
  mkdirSync(join(folder, "tmp"));
  store = await openStore(join(folder, "store"));
  await claimStore(pool, store);
  ours = new Frontier(pool, { holder: "ours" });
  theirs = new Frontier(pool, { holder: "theirs" });
  return () => removeDirectory(folder);
});

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

function packer(more: Partial<PackerOptions> = {}): Packer {
  return new Packer({
    ...{ frontier: ours!, store, folder: join(folder, "tmp"), everyMs: LATER_MS },
    ...more,
  });
}

async function claim(host: string): Promise<LegRequest> {
  const site = readSite(host, SHARDS)!;
  await ours!.addSites([site]);
  const claimed = await ours!.claim(site);
  if (claimed.verdict !== "claimed") throw new Error(`It is ${claimed.verdict}`);
  const began = claimed.began.toISOString();
  return { ...claimed, ...site, began, homepage: `https://${host}/`, done: 0, failed: [] };
}

const textOf = (host: string): string =>
  rowText(PAGE_COLUMNS, {
    ...{ host, visitedAt: VISITED_AT },
    page: toRecord({ url: `https://${host}/page` }, `https://${host}/a.xml`),
  });

function found({ host }: LegRequest, more: Partial<LegResult> = {}): LegResult {
  return {
    outcome: "found",
    isOver: true,
    parts: [],
    unpacked: { day: DAY, texts: { pages: `[${textOf(host)}]` } },
    snapshot: "data:c21hbGw=",
    sitemaps: [
      { url: `https://${host}/a.xml`, outcome: "found", kind: "pages", pageCount: 1, hasPages: true },
    ],
    ...{
      gone: [],
      pageCount: 1,
      sitemapCount: 1,
      requests: 3,
      bytes: 100,
      pages: 1,
      changes: 0,
      requestMs: 5,
    },
    ...more,
  };
}

const hostsOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `site-${at}.example`);

/** The hosts of the current pages, in order. */
async function exported(): Promise<string[]> {
  const hosts: string[] = [];
  for await (const { host } of readDataset(pool, store, folder, { dataset: "pages" }))
    hosts.push(String(host));
  return hosts.sort();
}

/** The hosts of all rows in the files of the store, whether they count or not. */
async function stored(): Promise<string[]> {
  const hosts: string[] = [];
  for await (const { key } of store.list("pages/")) {
    for await (const { host } of readPart(store, key, folder)) hosts.push(String(host));
  }
  return hosts.sort();
}

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list("pages/")) found.push(key);
  return found;
}

test("a hundred sites share one file, each with its pages, its snapshot and its state", async () => {
  const packs = packer();
  const requests = await Promise.all(hostsOf(100).map(claim));
  const verdicts = requests.map((request) => packs.commit({ request, result: found(request), next: NEXT }));
  packs.flush();
  expect(new Set(await Promise.all(verdicts))).toEqual(new Set(["accepted"]));
  expect(await keys()).toHaveLength(1);
  expect(await exported()).toEqual(hostsOf(100).sort());
  const { rows } = await pool.query(
    "select count(*) from site where snapshot = 'database' and visit_began is null and next_due > now()",
  );
  expect(rows).toEqual([{ count: 100 }]);
  expect((await pool.query("select from upload")).rowCount).toBe(0);
  await pool.query("update site set next_due = now()");
  expect(await ours!.claim(requests[0]!)).toMatchObject({ verdict: "claimed", snapshot: "data:c21hbGw=" });
});

test("a site that another worker claims while its rows wait leaves nothing in the file", async () => {
  const packs = packer();
  const requests = await Promise.all(hostsOf(3).map(claim));
  const verdicts = requests.map((request) => packs.commit({ request, result: found(request), next: NEXT }));
  await pool.query("update lease set until = now() where host = 'site-1.example'");
  expect(await theirs!.claim(requests[1]!)).toMatchObject({ verdict: "claimed", epoch: 2 });
  packs.flush();
  expect(await Promise.all(verdicts)).toEqual(["accepted", "refused", "accepted"]);
  expect(await exported()).toEqual(["site-0.example", "site-2.example"]);
  // The first file had rows of all three. It was not committed.
  await sweep({ pool, store, graceMs: 0 });
  expect(await stored()).toEqual(["site-0.example", "site-2.example"]);
});

test("rows and values that cannot be written fail only their own leg", async () => {
  const packs = packer();
  const requests = await Promise.all(hostsOf(8).map(claim));
  const bad: Record<number, Partial<LegResult>> = {
    2: { unpacked: { day: DAY, texts: { pages: '[["no date"]]' } } },
    3: { unpacked: { day: DAY, texts: { pages: "no JSON" } } },
    // PostgreSQL has no text with this character.
    6: { reason: "a \0 b" },
  };
  const verdicts = requests.map((request, at) =>
    packs.commit({ request, result: found(request, bad[at]), next: NEXT }),
  );
  packs.flush();
  const answers = await Promise.allSettled(verdicts);
  expect(answers.flatMap(({ status }, at) => (status === "rejected" ? [at] : []))).toEqual([2, 3, 6]);
  expect(await exported()).toEqual([0, 1, 4, 5, 7].map((at) => `site-${at}.example`));
});

test("if the answer to a commit is lost, it is repeated and counts once", async () => {
  let calls = 0;
  const frontier: PackerOptions["frontier"] = {
    beginUpload: (names) => ours!.beginUpload(names),
    commitPack: async (...args) => {
      const answer = await ours!.commitPack(...args);
      if (++calls > 1) return answer;
      // Meanwhile another worker claims one of the sites for its next visit.
      await pool.query("update site set next_due = now() where host = 'site-0.example'");
      await theirs!.claim(requests[0]!);
      throw Object.assign(new Error("Connection terminated"), { code: "ECONNRESET" });
    },
  };
  const packs = packer({ frontier });
  const requests = await Promise.all(hostsOf(2).map(claim));
  const verdicts = requests.map((request) => packs.commit({ request, result: found(request), next: NEXT }));
  packs.flush();
  expect(await Promise.all(verdicts)).toEqual(["repeated", "repeated"]);
  expect(await stored()).toEqual(hostsOf(2));
});

test("a pack that a sweep has given up is written again under another name", async () => {
  let hasSwept = false;
  const slow: VisitStore = {
    get: (key, file) => store.get(key, file),
    put: async (key, file) => {
      await store.put(key, file);
      // The worker is frozen for longer than the grace.
      if (!hasSwept) await sweep({ pool, store, graceMs: 0, mayDelete: 1 });
      hasSwept = true;
    },
  };
  const packs = packer({ store: slow });
  const request = await claim("site-0.example");
  const verdict = packs.commit({ request, result: found(request), next: NEXT });
  packs.flush();
  expect(await verdict).toBe("accepted");
  expect(await exported()).toEqual(["site-0.example"]);
  expect(await stored()).toEqual(["site-0.example"]);
});

test("if the answer to a put is lost, the pack is written again under another name", async () => {
  let puts = 0;
  const packs = packer({
    store: {
      get: (key, file) => store.get(key, file),
      put: async (key, file) => {
        await store.put(key, file);
        if (++puts === 1) throw new Error("The answer was lost");
      },
    },
  });
  const request = await claim("site-0.example");
  const verdict = packs.commit({ request, result: found(request), next: NEXT });
  packs.flush();
  expect(await verdict).toBe("accepted");
  expect(await exported()).toEqual(["site-0.example"]);
  expect(await keys()).toHaveLength(2);
});

test("rows of two days, and two legs of one site, are in different packs", async () => {
  const packs = packer();
  const [a, b] = [await claim("a.example"), await claim("b.example")];
  const results = [
    packs.commit({ request: a, result: found(a, { isOver: false }), next: NEXT }),
    packs.commit({ request: { ...a, leg: 1 }, result: found(a), next: NEXT }),
    packs.commit({
      ...{ request: b, next: NEXT },
      result: found(b, { unpacked: { day: "2026-11-16", texts: { pages: `[${textOf("b.example")}]` } } }),
    }),
  ];
  packs.flush();
  expect(await Promise.all(results)).toEqual(["accepted", "accepted", "accepted"]);
  expect(await keys()).toHaveLength(3);
});

test("compaction sorts the rows of packs into their shards", async () => {
  for (const from of [0, 50]) {
    const packs = packer();
    const requests = await Promise.all(
      hostsOf(100)
        .slice(from, from + 50)
        .map(claim),
    );
    const verdicts = requests.map((request) => packs.commit({ request, result: found(request), next: NEXT }));
    packs.flush();
    await Promise.all(verdicts);
  }
  const before = await exported();
  for await (const { parts, rowsAfter } of compact({ pool, store, folder })) {
    expect({ parts, rowsAfter }).toEqual({ parts: 2, rowsAfter: 100 });
  }
  expect(await exported()).toEqual(before);
  for await (const { shard, key } of manifest(pool)) {
    expect(key).toContain(`shard=000${shard}/`);
    for await (const { host } of readPart(store, key, folder)) {
      expect(readSite(String(host), SHARDS)!.shard).toBe(shard);
    }
  }
});

test("one compaction merges packs with the files of their shards", async () => {
  for (const from of [0, 20]) {
    const packs = packer();
    const requests = await Promise.all(
      hostsOf(40)
        .slice(from, from + 20)
        .map(claim),
    );
    const verdicts = requests.map((request) => packs.commit({ request, result: found(request), next: NEXT }));
    packs.flush();
    await Promise.all(verdicts);
    for await (const _ of compact({ pool, store, folder }));
  }
  const shards: number[] = [];
  for await (const { shard } of manifest(pool)) shards.push(shard);
  expect(shards.sort()).toEqual([0, 1, 2, 3]);
  expect(await exported()).toEqual(hostsOf(40).sort());
});

test("one shard of the dataset has its rows of packs", async () => {
  const packs = packer();
  const requests = await Promise.all(hostsOf(20).map(claim));
  const verdicts = requests.map((request) => packs.commit({ request, result: found(request), next: NEXT }));
  packs.flush();
  await Promise.all(verdicts);
  const hosts: unknown[] = [];
  for await (const { host } of readDataset(pool, store, folder, { dataset: "pages", shard: 2 }))
    hosts.push(host);
  expect(hosts).toEqual(requests.filter(({ shard }) => shard === 2).map(({ host }) => host));
});

test("many rows of one site go to a file of their own, few are kept as text", () => {
  const host = "a.example";
  const row = (at: number) => ({
    ...{ host, visitedAt: VISITED_AT },
    page: toRecord({ url: `https://${host}/${"x".repeat(100)}/${at}` }, `https://${host}/a.xml`),
  });
  const rows = new LegRows(valuesFile("pages", join(folder, "own.parquet")), PAGE_COLUMNS, {
    host,
    mayPack: true,
  });
  rows.add(row(0));
  expect(readRowTexts("pages", host, rows.text!)).toHaveLength(1);
  for (let at = 1; at < 5000; at++) rows.add(row(at));
  expect(rows.text).toBeUndefined();
  expect(rows.file.rowCount).toBe(5000);
  rows.file.discard();
});

test("while a pack is written, waiting rows are limited", async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: VisitStore = {
    get: (key, file) => store.get(key, file),
    put: async (key, file) => {
      await gate;
      await store.put(key, file);
    },
  };
  const packs = packer({ store: slow });
  const requests = await Promise.all(hostsOf(8).map(claim));
  // About 4 MB.
  const text = `[${Array.from({ length: 500 }, () => textOf("x".repeat(4000))).join()}]`;
  const verdicts: Promise<unknown>[] = [];
  for (const request of requests) {
    if (packs.isFull) break;
    const result = found(request, { unpacked: { day: DAY, texts: { pages: text } } });
    verdicts.push(packs.commit({ request, result, next: NEXT }));
  }
  expect(verdicts.length).toBeLessThan(requests.length);
  release();
  packs.flush();
  await Promise.all(verdicts);
  expect(packs.isFull).toBe(false);
});
