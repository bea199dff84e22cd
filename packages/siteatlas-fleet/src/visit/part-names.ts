/**
 * Where parts and snapshots are: Hive-partitioned by day and shard, so that DuckDB, Spark and others skip what they
 * do not need. The epoch is in the name: what a late worker writes has a name of its own, and never counts.
 */
import { hostOfJob, jobIdOf } from "../host.ts";
import type { Dataset, LegRequest } from "../leg.ts";

export interface WrittenName {
  readonly shard: number;
  readonly host: string;
  readonly epoch: number;
  readonly leg: number;
}

/** UTC, `2026-11-15`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function partKey(dataset: Dataset, day: string, request: LegRequest): string {
  return `${dataset}/date=${day}/shard=${shardText(request.shard)}/${stem(request)}.parquet`;
}

export function compactedKey(dataset: Dataset, day: string, shard: number, name: string): string {
  return `${dataset}/date=${day}/shard=${shardText(shard)}/compact-${name}.parquet`;
}

export function snapshotKey(request: LegRequest): string {
  return `snapshots/shard=${shardText(request.shard)}/${stem(request)}.snapshot.gz`;
}

/** Of which leg a file is; undefined for a compacted part and for what is none of ours. */
export function readName(key: string): WrittenName | undefined {
  const match = /\/shard=(\d+)\/([^/]+)\.e(\d+)-(\d+)\.(?:parquet|snapshot\.gz)$/.exec(key);
  if (match === null) return undefined;
  const [, shard, host, epoch, leg] = match;
  return { shard: Number(shard), host: hostOfJob(host!), epoch: Number(epoch), leg: Number(leg) };
}

function stem({ host, epoch, leg }: LegRequest): string {
  return `${jobIdOf(host)}.e${epoch}-${leg}`;
}

function shardText(shard: number): string {
  return String(shard).padStart(4, "0");
}
