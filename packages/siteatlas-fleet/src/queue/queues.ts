/**
 * The queues in Redis: one per shard for sites, and one for the ticks of the scheduler. BullMQ handles delivery, locks,
 * retries and the recovery of stalled jobs. If Redis loses the content of a queue, the scheduler fills the queue again.
 *
 * The prefix of the keys contains a hash tag, such as `{s0}`. It keeps all keys of a shard on one node of a Redis
 * Cluster.
 */
import { Queue } from "bullmq";
import { Cluster, Redis } from "ioredis";
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { having, number, type Rule } from "../check/rules.ts";
import { jobIdOf } from "../model/site-name.ts";

export type RedisClient = Redis | Cluster;

export const SITES = "sites";
export const FEED = "feed";

export const FEED_PREFIX = "{feed}";

export function prefixOf(shard: number): string {
  return `{s${shard}}`;
}

/** Connects to Redis, or to a Redis Cluster if `urls` has the URLs of several nodes, separated by commas. */
export function connectRedis(urls: string): RedisClient {
  const options = {
    // BullMQ requires this value. If the server is lost, commands wait until it is back.
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
  // An error needs no action: the client reconnects, and a command that fails meanwhile rejects its own promise.
  client.on("error", () => {});
  return client;
}

/**
 * Settings of the server that the fleet needs. Without them, Redis loses jobs when it restarts or its memory is full.
 */
const WANTED: readonly (readonly [name: string, value: string])[] = [
  ["appendonly", "yes"],
  ["maxmemory-policy", "noeviction"],
];

/**
 * Returns one sentence per wrong setting of the server. If a managed service hides a setting, the setting is assumed to
 * be right.
 */
export async function volatileSettings(redis: RedisClient): Promise<string[]> {
  // Wait for the connection. Until then, a cluster client does not know its nodes.
  if (redis.status !== "ready") await new Promise<void>((resolve) => redis.once("ready", () => resolve()));
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const wrong: string[] = [];
  for (const node of nodes) {
    for (const [name, value] of WANTED) {
      const answer = await node.config("GET", name).catch(() => undefined);
      const found = Array.isArray(answer) ? answer[1] : undefined;
      if (found !== undefined && found !== value) wrong.push(`${name} must be ${value}, but is ${found}`);
    }
  }
  return [...new Set(wrong)];
}

export interface QueueSettings {
  /**
   * Time before the first retry of a failed job. A job fails only because of the fleet, never because of a site.
   * @default 60_000
   */
  readonly backoffMs?: number | undefined;
}

export const QUEUE_SETTINGS: OptionRules<QueueSettings> = { backoffMs: number(0, 2 ** 31 - 1) };

export const REDIS: Rule<RedisClient> = having(
  "disconnect",
  "a client of Redis, such as the one that connectRedis returns",
);

export function siteQueue(redis: RedisClient, shard: number): Queue {
  return openQueue(SITES, redis, prefixOf(shard));
}

export function feedQueue(redis: RedisClient): Queue {
  return openQueue(FEED, redis, FEED_PREFIX);
}

function openQueue(name: string, connection: RedisClient, prefix: string): Queue {
  const queue = new Queue(name, { connection, prefix, streams: { events: { maxLen: 1000 } } });
  // Without a listener, BullMQ prints each error with its stack. A call that fails rejects its own promise.
  return queue.on("error", () => {});
}

/** Puts sites into the queue of their shard. Sites that are already in the queue are not added again. */
export async function enqueue(
  queue: Queue,
  hosts: readonly string[],
  settings: QueueSettings = {},
): Promise<void> {
  checkOptions("enqueue", QUEUE_SETTINGS, settings);
  const { backoffMs = 60_000 } = settings;
  const backoff = { type: "exponential", delay: backoffMs, jitter: 0.5 };
  await queue.addBulk(
    hosts.map((host) => ({ name: "s", data: {}, opts: { jobId: jobIdOf(host), attempts: 3, backoff } })),
  );
}
