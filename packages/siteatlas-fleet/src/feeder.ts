/**
 * Fills the queues with sites that are due, up to a mark: only a short horizon is in Redis. The ticks are jobs
 * themselves (one BullMQ Job Scheduler for each shard), so that any number of feeders share them.
 *
 * Nothing is noted about who was fed: a site that is in the queue stays as it is when it is fed again, and one that
 * was visited is not due any more. So a feeder goes through what is due once, then begins anew after a while, and
 * at once when the queue is empty: whatever Redis lost comes back.
 */
import { type Job, type Queue, Worker } from "bullmq";
import type { DueSite, Frontier } from "./database/frontier.ts";
import {
  enqueue,
  FEED,
  FEED_PREFIX,
  feedQueue,
  type QueueSettings,
  type RedisClient,
  siteQueue,
  sizeOf,
} from "./queues.ts";

export interface FeederOptions extends QueueSettings {
  readonly frontier: Frontier;
  readonly redis: RedisClient;
  /** @default 5000 */
  readonly everyMs?: number;
  /** Sites of one shard in Redis. @default 50_000 */
  readonly highWater?: number;
  /** How long until it begins anew. @default 60_000 */
  readonly rescanMs?: number;
  readonly onError?: (error: Error) => void;
  /** So many sites were put into a queue, those among them that were there already. */
  readonly onFed?: (sites: number) => void;
}

/** In one query. */
const BATCH = 2000;
/** So far apart may the clocks of two feeders be. */
const MAX_SKEW_MS = 60_000;

/** How far a shard was fed for a tenant. */
interface Cursor {
  after: DueSite | undefined;
  since: number;
}

export class Feeder {
  readonly #options: FeederOptions;
  readonly #queues: Map<number, Queue> = new Map();
  readonly #cursors: Map<string, Cursor> = new Map();
  /** As last seen, by shard. */
  readonly #sizes: Map<number, number> = new Map();
  /** The site that was due first, by shard and tenant, when their due sites were last gone through. */
  readonly #oldest: Map<string, string | undefined> = new Map();
  #ticks: Worker | undefined;
  #feed: Queue | undefined;
  #guard: ReturnType<typeof setInterval> | undefined;

  constructor(options: FeederOptions) {
    this.#options = options;
  }

  /** Begins to work off ticks, and sees to it that there are some. */
  async start(): Promise<void> {
    const { redis, frontier, everyMs = 5000, onError = () => {} } = this.#options;
    const shards = await frontier.shards();
    this.#feed = feedQueue(redis);
    this.#ticks = new Worker(FEED, (job: Job<{ shard: number }>) => this.tick(job.data.shard), {
      connection: redis,
      prefix: FEED_PREFIX,
      concurrency: 4,
      // A tick whose feeder died may be the only one of its shard.
      lockDuration: 15_000,
      stalledInterval: 10_000,
      maxStalledCount: 10,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#ticks.on("error", onError);
    this.#ticks.on("failed", (_job, error) => onError(error));
    const schedule = (): void => {
      this.#schedule(shards, everyMs).catch(onError);
    };
    schedule();
    // Redis may have lost them.
    this.#guard = setInterval(schedule, Math.max(2 * everyMs, 1000));
  }

  async #schedule(shards: number, every: number): Promise<void> {
    for (let shard = 0; shard < shards; shard++) {
      const id = `shard-${shard}`;
      const known = await this.#feed!.getJobScheduler(id);
      // A clock that was set back has left the next tick far ahead (F10).
      const isAhead = (known?.next ?? 0) > Date.now() + Math.max(2 * every, MAX_SKEW_MS);
      if (isAhead) await this.#feed!.removeJobScheduler(id);
      else if (known?.every === every) continue;
      await this.#feed!.upsertJobScheduler(id, { every }, { name: "tick", data: { shard } });
    }
  }

  /** Sites in Redis, as last seen. */
  get queueSize(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** For how long the site is due that waits longest. */
  get lagSeconds(): number {
    const times = [...this.#oldest.values()].flatMap((time) =>
      time === undefined ? [] : [Date.parse(time)],
    );
    return times.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...times)) / 1000;
  }

  /** Feeds one shard. Gives how many sites it put into the queue, those among them that were there already. */
  async tick(shard: number): Promise<number> {
    const { frontier, highWater = 50_000 } = this.#options;
    const queue = this.#queueOf(shard);
    const size = await sizeOf(queue);
    this.#sizes.set(shard, size);
    if (size === 0) this.#forget(shard);
    const tenants = await frontier.tenants();
    // Each has the same share of the room: who floods waits for itself.
    const share = Math.ceil((highWater - size) / Math.max(1, tenants.length));
    let fed = 0;
    for (const tenant of tenants) if (share > 0) fed += await this.#feedTenant(queue, shard, tenant, share);
    this.#options.onFed?.(fed);
    return fed;
  }

  async #feedTenant(queue: Queue, shard: number, tenant: string, share: number): Promise<number> {
    const cursor = this.#cursor(shard, tenant);
    let fed = 0;
    while (fed < share) {
      const most = Math.min(BATCH, share - fed);
      const due = await this.#options.frontier.due(shard, tenant, cursor.after, most);
      if (cursor.after === undefined) this.#oldest.set(`${shard} ${tenant}`, due[0]?.nextDue);
      const hosts = due.map(({ host }) => host);
      if (hosts.length > 0) await enqueue(queue, hosts, this.#options);
      fed += due.length;
      cursor.after = due.at(-1) ?? cursor.after;
      if (due.length < most) break;
    }
    return fed;
  }

  #cursor(shard: number, tenant: string): Cursor {
    const { rescanMs = 60_000 } = this.#options;
    const key = `${shard} ${tenant}`;
    const now = performance.now();
    let cursor = this.#cursors.get(key);
    if (cursor === undefined || now - cursor.since > rescanMs) {
      cursor = { after: undefined, since: now };
      this.#cursors.set(key, cursor);
    }
    return cursor;
  }

  #forget(shard: number): void {
    for (const key of this.#cursors.keys()) if (key.startsWith(`${shard} `)) this.#cursors.delete(key);
  }

  #queueOf(shard: number): Queue {
    let queue = this.#queues.get(shard);
    if (queue === undefined) {
      queue = siteQueue(this.#options.redis, shard);
      queue.on("error", this.#options.onError ?? (() => {}));
      this.#queues.set(shard, queue);
    }
    return queue;
  }

  async close(): Promise<void> {
    clearInterval(this.#guard);
    await this.#ticks?.close();
    await this.#feed?.close();
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }
}
