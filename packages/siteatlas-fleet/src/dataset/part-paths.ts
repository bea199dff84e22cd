/**
 * Keys of part files and snapshots in the store. They are Hive-partitioned by day and shard, so that DuckDB and Spark
 * read only the partitions that they need. The name contains the epoch of the claim, so a late worker never overwrites
 * a committed file.
 */
import { hostOfJob, jobIdOf } from "../model/site-name.ts";
import type { Dataset, LegRequest } from "../model/visit.ts";

/** The folders of the store that have files of a fleet. */
export const FOLDERS = ["pages/", "sitemaps/", "changes/", "snapshots/"] as const;

/** The day in UTC, such as `2026-11-15`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function partKey(dataset: Dataset, day: string, request: LegRequest): string {
  return `${dataset}/date=${day}/shard=${shardText(request.shard)}/${stem(request)}.parquet`;
}

export function compactedKey(dataset: Dataset, day: string, shard: number, name: string): string {
  return `${dataset}/date=${day}/shard=${shardText(shard)}/compact-${name}.parquet`;
}

/** The shard of a file that has rows of several shards. */
export const MIXED_SHARD = -1;

/** The key of a pack: a part file with the rows of many sites, of any shard. */
export function packKey(dataset: Dataset, day: string, name: string): string {
  return `${dataset}/date=${day}/shard=${MIXED_SHARD}/pack-${name}.parquet`;
}

export function isPack(key: string): boolean {
  return /\/pack-[^/]+$/.test(key);
}

export function snapshotKey(request: LegRequest): string {
  return `snapshots/shard=${shardText(request.shard)}/${stem(request)}.snapshot.gz`;
}

/**
 * Reads the site and the epoch from a key. Returns undefined for a merged part file, and for files of other programs.
 */
export function readName(key: string): Pick<LegRequest, "shard" | "host" | "epoch"> | undefined {
  const match = /\/shard=(\d+)\/([^/]+)\.e(\d+)-\d+\.(?:parquet|snapshot\.gz)$/.exec(key);
  if (match === null) return undefined;
  const [, shard, host, epoch] = match;
  return { shard: Number(shard), host: hostOfJob(host!), epoch: Number(epoch) };
}

function stem({ host, epoch, leg }: LegRequest): string {
  return `${jobIdOf(host)}.e${epoch}-${leg}`;
}

function shardText(shard: number): string {
  return String(shard).padStart(4, "0");
}
