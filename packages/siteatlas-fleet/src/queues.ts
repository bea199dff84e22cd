/**
 * The queues: one for each shard, and one for the ticks of the feeder. BullMQ owns delivery, locks, retries and the
 * recovery of what stalled; what is in them can be lost at any time, since the feeder fills them again.
 *
 * The hash tag in the prefix keeps the keys of a shard on one node of a Redis Cluster.
 */
import { Queue, type QueueOptions } from "bullmq";
import { Cluster, Redis } from "ioredis";
import { jobIdOf } from "./host.ts";

export type RedisClient = Redis | Cluster;

export const SITES = "sites";
export const FEED = "feed";

export const FEED_PREFIX = "{feed}";

export function prefixOf(shard: number): string {
  return `{s${shard}}`;
}

/** One URL, or several of the nodes of a Redis Cluster, with commas between them. */
export function connectRedis(urls: string): RedisClient {
  const options = {
    // BullMQ wants to wait for as long as it takes.
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(times * 100, 2000),
  };
  const list = urls.split(",").map((url) => url.trim());
  const client =
    list.length > 1
      ? new Cluster(list, {
          redisOptions: options,
          clusterRetryStrategy: options.retryStrategy,
          slotsRefreshTimeout: 3000,
        })
      : new Redis(list[0]!, options);
  // It connects again by itself; what could not be done meanwhile is told where it was asked for.
  client.on("error", () => {});
  return client;
}

/** What must be set at the server so that nothing that was acknowledged is lost with it, or evicted. */
const WANTED: readonly (readonly [name: string, value: string])[] = [
  ["appendonly", "yes"],
  ["maxmemory-policy", "noeviction"],
];

/** What is not set as it should be; nothing can be said where the server does not tell (managed services). */
export async function volatileSettings(redis: RedisClient): Promise<string[]> {
  // The nodes of a cluster are known once it is connected.
  if (redis.status !== "ready") await new Promise<void>((resolve) => redis.once("ready", () => resolve()));
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const wrong: string[] = [];
  for (const node of nodes) {
    for (const [name, value] of WANTED) {
      const answer = await node.config("GET", name).catch(() => undefined);
      const found = Array.isArray(answer) ? answer[1] : undefined;
      if (found !== undefined && found !== value) wrong.push(`${name} is ${found}, not ${value}`);
    }
  }
  return [...new Set(wrong)];
}

export interface QueueSettings {
  /** Before the first further try of a site that failed through no fault of its own. @default 60_000 */
  readonly backoffMs?: number;
}

export function siteQueue(redis: RedisClient, shard: number): Queue {
  return new Queue(SITES, queueOptions(redis, prefixOf(shard)));
}

export function feedQueue(redis: RedisClient): Queue {
  return new Queue(FEED, queueOptions(redis, FEED_PREFIX));
}

function queueOptions(connection: RedisClient, prefix: string): QueueOptions {
  return { connection, prefix, streams: { events: { maxLen: 1000 } } };
}

/** Puts sites into the queue of their shard. Those that are in it stay as they are. */
export async function enqueue(
  queue: Queue,
  hosts: readonly string[],
  { backoffMs = 60_000 }: QueueSettings = {},
): Promise<void> {
  const backoff = { type: "exponential", delay: backoffMs, jitter: 0.5 };
  await queue.addBulk(
    hosts.map((host) => ({ name: "s", data: {}, opts: { jobId: jobIdOf(host), attempts: 3, backoff } })),
  );
}

/** Sites that wait for a worker, are with one, or come back later. */
export async function sizeOf(queue: Queue): Promise<number> {
  const {
    waiting = 0,
    active = 0,
    delayed = 0,
    prioritized = 0,
  } = await queue.getJobCounts("waiting", "active", "delayed", "prioritized");
  return waiting + active + delayed + prioritized;
}
