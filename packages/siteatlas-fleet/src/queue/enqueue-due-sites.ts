/**
 * The scheduler (`siteatlas-fleet feed`). At each tick it puts due sites of one shard into the queue of this shard, up
 * to a maximum (`highWater`), so that Redis stays small. Ticks are jobs themselves (one BullMQ Job Scheduler per
 * shard), so any number of schedulers can share them.
 *
 * The scheduler does not record which sites it enqueued. This is safe: enqueuing a site twice has no effect, and a
 * visited site is not due. The scheduler goes through the due sites in order. It starts again from the first one after
 * `rescanMs`, or immediately if the queue is empty. So jobs that Redis lost are enqueued again.
 */
import { type Job, type Queue, Worker } from "bullmq";
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { callable, number, required, TIMER_MS } from "../check/rules.ts";
import { type DueSite, FRONTIER, type Frontier } from "../database/frontier.ts";
import {
  enqueue,
  FEED,
  FEED_PREFIX,
  feedQueue,
  QUEUE_SETTINGS,
  type QueueSettings,
  REDIS,
  type RedisClient,
  siteQueue,
} from "./queues.ts";

export interface FeederOptions extends QueueSettings {
  readonly frontier: Frontier;
  readonly redis: RedisClient;
  /** Time between two ticks of a shard. At a tick, the scheduler enqueues due sites. @default 5000 */
  readonly everyMs?: number | undefined;
  /** Maximum number of sites of one shard that are in Redis at a time. @default 50_000 */
  readonly highWater?: number | undefined;
  /**
   * The scheduler goes through the due sites in order. After this time it starts again from the first one. @default
   * 60_000
   */
  readonly rescanMs?: number | undefined;
  readonly onError?: ((error: Error) => void) | undefined;
  /** Called after each tick with the number of enqueued sites. It includes sites that were already in the queue. */
  readonly onFed?: ((sites: number) => void) | undefined;
}

const FEEDER_OPTIONS: OptionRules<FeederOptions> = {
  ...QUEUE_SETTINGS,
  frontier: required(FRONTIER),
  redis: required(REDIS),
  everyMs: TIMER_MS,
  highWater: number(1),
  rescanMs: number(0),
  onError: callable(),
  onFed: callable(),
};

const BATCH = 2000;
/** Largest expected difference between the clocks of two schedulers. */
const MAX_SKEW_MS = 60_000;

/** How far the scheduler got in the list of due sites of one shard and tenant. */
interface Cursor {
  after: DueSite | undefined;
  since: number;
  /** Due time of the first site in the list. This site has been waiting the longest. */
  oldest: string | undefined;
}

interface Shard {
  readonly queue: Queue;
  /** Number of sites in the queue at the last tick. */
  size: number;
  /** One cursor per tenant. The keys are the names of tenants. */
  readonly cursors: Map<string, Cursor>;
}

export class Feeder {
  readonly #options: FeederOptions;
  readonly #shards: Map<number, Shard> = new Map();
  #ticks: Worker | undefined;
  #feed: Queue | undefined;
  #guard: ReturnType<typeof setInterval> | undefined;

  constructor(options: FeederOptions) {
    checkOptions("Feeder", FEEDER_OPTIONS, options);
    this.#options = options;
  }

  async start(): Promise<void> {
    const { redis, frontier, everyMs = 5000, onError = () => {} } = this.#options;
    const shards = await frontier.shards();
    this.#feed = feedQueue(redis);
    this.#ticks = new Worker(FEED, (job: Job<{ shard: number }>) => this.tick(job.data.shard), {
      connection: redis,
      prefix: FEED_PREFIX,
      concurrency: 4,
      // If a scheduler dies during a tick, another scheduler takes over the tick after this time. The shard may have no
      // other tick.
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
    // Create missing ticks regularly, because Redis may lose them.
    this.#guard = setInterval(schedule, Math.max(2 * everyMs, 1000));
  }

  async #schedule(shards: number, every: number): Promise<void> {
    for (let shard = 0; shard < shards; shard++) {
      const id = `shard-${shard}`;
      const known = await this.#feed!.getJobScheduler(id);
      // If the clock was set back, the next tick is far in the future. Then create the tick again.
      const isAhead = (known?.next ?? 0) > Date.now() + Math.max(2 * every, MAX_SKEW_MS);
      if (isAhead) await this.#feed!.removeJobScheduler(id);
      else if (known?.every === every) continue;
      await this.#feed!.upsertJobScheduler(id, { every }, { name: "tick", data: { shard } });
    }
  }

  /** Number of sites in all queues, as counted at the last tick of each shard. */
  get queueSize(): number {
    return [...this.#shards.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** How long the oldest due site has been waiting, in seconds. */
  get lagSeconds(): number {
    const cursors = [...this.#shards.values()].flatMap((shard) => [...shard.cursors.values()]);
    const times = cursors.flatMap(({ oldest }) => (oldest === undefined ? [] : [Date.parse(oldest)]));
    return times.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...times)) / 1000;
  }

  /** Enqueues due sites of one shard. Returns their number, including those that were already in the queue. */
  async tick(shard: number): Promise<number> {
    const { frontier, highWater = 50_000, onFed } = this.#options;
    const state = this.#shard(shard);
    state.size = await state.queue.getJobCountByTypes("waiting", "active", "delayed", "prioritized");
    if (state.size === 0) state.cursors.clear();
    const tenants = await frontier.tenants();
    // Each tenant gets the same share of the free places, so that a large tenant does not delay the others.
    const share = Math.ceil((highWater - state.size) / Math.max(1, tenants.length));
    let fed = 0;
    for (const tenant of tenants) if (share > 0) fed += await this.#feedTenant(shard, tenant, share);
    onFed?.(fed);
    return fed;
  }

  async #feedTenant(shard: number, tenant: string, share: number): Promise<number> {
    const { frontier, rescanMs = 60_000, backoffMs } = this.#options;
    const { queue, cursors } = this.#shard(shard);
    const now = performance.now();
    let cursor = cursors.get(tenant);
    if (cursor === undefined || now - cursor.since > rescanMs) {
      cursor = { after: undefined, since: now, oldest: cursor?.oldest };
      cursors.set(tenant, cursor);
    }
    let fed = 0;
    while (fed < share) {
      const most = Math.min(BATCH, share - fed);
      const due = await frontier.due(shard, tenant, cursor.after, most);
      if (cursor.after === undefined) cursor.oldest = due[0]?.nextDue;
      const hosts = due.map(({ host }) => host);
      if (hosts.length > 0) await enqueue(queue, hosts, { backoffMs });
      fed += due.length;
      cursor.after = due.at(-1) ?? cursor.after;
      if (due.length < most) break;
    }
    return fed;
  }

  #shard(number: number): Shard {
    const known = this.#shards.get(number);
    if (known !== undefined) return known;
    const { redis, onError = () => {} } = this.#options;
    const shard = { queue: siteQueue(redis, number).on("error", onError), size: 0, cursors: new Map() };
    this.#shards.set(number, shard);
    return shard;
  }

  async close(): Promise<void> {
    clearInterval(this.#guard);
    await this.#ticks?.close();
    await this.#feed?.close();
    await Promise.all([...this.#shards.values()].map(({ queue }) => queue.close()));
  }
}
