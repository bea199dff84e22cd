/** Invariants of a fleet after any faults, besides `Fleet.faults()`. Each function returns the violations. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Fleet } from "./fleet.ts";
import { until } from "./private-server.mjs";

/** Requests at once to one site. */
const MAX_AT_ONCE = 2;

export interface RequestCounts {
  /** Requests of one visit of each site without faults. */
  readonly ideal: number;
  /** Requests beyond these. */
  readonly redone: number;
}

export async function countRequests({ farm }: Fleet): Promise<RequestCounts> {
  const { hosts } = await farm.stats();
  let [ideal, redone] = [0, 0];
  for (const { host, idealRequests, idealRetries } of farm.sites) {
    ideal += idealRequests;
    redone += Math.max(0, (hosts[host]?.requests ?? 0) - idealRequests - idealRetries);
  }
  return { ideal, redone };
}

/** Sites that got too many requests at once, over all workers. */
export async function crowdedSites({ farm }: Fleet): Promise<string[]> {
  const { hosts } = await farm.stats();
  return Object.entries(hosts).flatMap(([host, { maxActive }]) =>
    maxActive > MAX_AT_ONCE ? [`${host}: ${maxActive} requests at once`] : [],
  );
}

/**
 * Part files that were committed after another worker had claimed the site. Epochs never decrease from one commit to
 * the next, each part of a visit is committed once, and the last commit has the epoch of the last claim.
 */
export async function fencedParts({ pool }: Fleet): Promise<string[]> {
  const { rows } = await pool.query<{
    host: string;
    dataset: string;
    key: string;
    epoch: number;
    legs: number;
    last_epoch: number;
  }>(
    `select p.host, p.dataset, p.key, p.epoch, s.leg as legs, s.epoch as last_epoch
     from part p join site s on s.shard = p.shard and s.host = p.host order by p.id`,
  );
  const problems: string[] = [];
  const last = new Map<string, { epoch: number; leg: number }>();
  for (const { host, dataset, key, epoch, legs, last_epoch: lastEpoch } of rows) {
    const { epoch: written = "", leg: number = "" } =
      /\.e(?<epoch>\d+)-(?<leg>\d+)\./.exec(key)?.groups ?? {};
    const leg = Number(number);
    const before = last.get(`${dataset} ${host}`);
    if (Number(written) !== epoch) problems.push(`${key}: committed with epoch ${epoch}`);
    if (before !== undefined && (epoch < before.epoch || leg <= before.leg))
      problems.push(`${key}: committed after leg ${before.leg} of epoch ${before.epoch}`);
    if (leg === legs - 1 && epoch !== lastEpoch)
      problems.push(`${key}: the site was claimed again, with epoch ${lastEpoch}`);
    last.set(`${dataset} ${host}`, { epoch, leg });
  }
  return problems;
}

/** Visits and rows that were counted twice. Each site has had one visit, so no row was written twice. */
export async function doubleCounts({ pool, farm }: Fleet): Promise<string[]> {
  const problems: string[] = [];
  const { rows: sites } = await pool.query<{ host: string; visit: number }>(
    "select host, visit from site where state = 'active'",
  );
  for (const { host, visit } of sites) if (visit !== 1) problems.push(`${host}: visited ${visit} times`);
  // A pack has rows of many sites. `Fleet.faults` checks the current rows of each, so a row too many is not current.
  const { rows: parts } = await pool.query<{ rows: number }>(
    "select coalesce(sum(row_count), 0)::integer as rows from part where dataset = 'pages' and key not like '%/compact-%'",
  );
  const expected = farm.sites.reduce((sum, { expectedPages }) => sum + expectedPages, 0);
  if (parts[0]!.rows !== expected) problems.push(`${parts[0]!.rows} rows in part files, not ${expected}`);
  const { rows: usage } = await pool.query<{ visits: number }>(
    "select coalesce(sum(visits), 0)::integer as visits from usage where tenant <> '*'",
  );
  if (usage[0]!.visits !== farm.sites.length)
    problems.push(`${usage[0]!.visits} visits were counted, not ${farm.sites.length}`);
  return problems;
}

/** Part files that are missing, unused files that compaction leaves, and pages that it changes. */
export async function strayFiles(fleet: Fleet): Promise<string[]> {
  const store = fleet.env["SITEATLAS_FLEET_STORE"]!;
  const problems = (await usedKeys(fleet))
    .filter((key) => !existsSync(join(store, key)))
    .map((key) => `${key}: is in the manifest, but not in the store`);
  await fleet.run("compact", "--grace", "0");
  problems.push(...(await fleet.faults()).map((fault) => `after compaction, ${fault}`));
  const counted = new Set(["fleet.json", ...(await usedKeys(fleet))]);
  for (const entry of readdirSync(store, { recursive: true, withFileTypes: true })) {
    const key = join(entry.parentPath, entry.name).slice(store.length + 1);
    if (entry.isFile() && !counted.has(key))
      problems.push(`${key}: is in the store, but not in the manifest`);
  }
  return problems;
}

/** Files of killed workers in the temporary folder that the next worker did not remove. */
export async function leftFolders(fleet: Fleet): Promise<string[]> {
  const worker = fleet.worker();
  await until(() => worker.output().includes("working"), "the worker has started");
  await worker.end();
  return readdirSync(fleet.env["SITEATLAS_FLEET_FOLDER"]!).map((name) => `${name}: was left behind`);
}

async function usedKeys({ pool }: Fleet): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    "select key from part where replaced_at is null union all select snapshot from site where snapshot <> 'database'",
  );
  return rows.map(({ key }) => key);
}
