/**
 * The scheduler (`siteatlas-fleet feed`). At each tick it puts due sites of one shard into the queue of this shard, up
 * to a maximum (`highWater`), so that Redis stays small. Ticks are jobs themselves (one BullMQ Job Scheduler per
 * shard), so any number of schedulers can share them.
 *
 * The scheduler does not record which sites it enqueued. This is safe: enqueuing a site twice has no effect, and a
 * visited site is not due. The scheduler goes through the due sites in order. It starts again from the first one after
 * `rescanMs`, or immediately if the queue is empty. So jobs that Redis lost are enqueued again.
 *
 * Only a few hosts of a domain are in the queue at a time. While a domain is leased or paused, its sites are not enqueued
 * (domain-window.ts). The others follow at later ticks.
 */
import { type Job, type Queue, Worker } from "bullmq";
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { callable, number, required, TIMER_MS, wholeNumber } from "../check/rules.ts";
import { type DueSite, FRONTIER, type Frontier } from "../database/frontier.ts";
import { jobIdOf } from "../model/site-name.ts";
import { DomainWindow } from "./domain-window.ts";
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
   * Maximum number of sites of one registrable domain and tenant that are in Redis at a time. They are visited one
   * after the other. @default 8
   */
  readonly perDomain?: number | undefined;
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
  perDomain: wholeNumber(1),
  rescanMs: number(0),
  onError: callable(),
  onFed: callable(),
};

const BATCH = 2000;
/** A tick reads at most this many more sites than it can enqueue. The next tick continues there. */
const MAX_SKIPPED = 20_000;
/** Maximum number of waiting sites of crowded domains that are checked at each tick. */
const REFILL_BATCH = 4000;
/** Largest expected difference between the clocks of two schedulers. */
const MAX_SKEW_MS = 60_000;

/** How far the scheduler got in the list of due sites of one shard and tenant. */
interface Cursor {
  after: DueSite | undefined;
  since: number;
  readonly window: DomainWindow;
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
    const { rescanMs = 60_000, perDomain = 8 } = this.#options;
    const { cursors } = this.#shard(shard);
    const now = performance.now();
    let cursor = cursors.get(tenant);
    if (cursor === undefined || now - cursor.since > rescanMs) {
      const window = new DomainWindow(perDomain);
      cursor = { after: undefined, since: now, window };
      cursors.set(tenant, cursor);
    }
    const refilled = await this.#refill(shard, cursor.window);
    return refilled + (await this.#feedNext(shard, tenant, cursor, share - refilled));
  }

  /** Enqueues due sites that follow the cursor. */
  async #feedNext(shard: number, tenant: string, cursor: Cursor, share: number): Promise<number> {
    const { frontier, backoffMs } = this.#options;
    const { queue } = this.#shard(shard);
    let fed = 0;
    for (let read = 0; fed < share && read < share + MAX_SKIPPED; ) {
      const due = await frontier.due(shard, tenant, cursor.after, BATCH);
      const hosts: string[] = [];
      for (const site of due) {
        if (fed + hosts.length >= share) break;
        if (cursor.window.admit(site)) hosts.push(site.host);
        cursor.after = site;
        read++;
      }
      if (hosts.length > 0) await enqueue(queue, hosts, { backoffMs });
      fed += hosts.length;
      if (due.length < BATCH) break;
    }
    return fed;
  }

  /** Enqueues sites of crowded domains, as far as other sites of their domain have left the queue. */
  async #refill(shard: number, window: DomainWindow): Promise<number> {
    const { frontier, redis, backoffMs } = this.#options;
    const { queue } = this.#shard(shard);
    const candidates = window.candidates(REFILL_BATCH);
    if (candidates.length === 0) return 0;
    const still = await frontier.stillDue(
      shard,
      candidates.flatMap(({ hosts }) => hosts),
    );
    const isLeased = new Map(still.map((site) => [site.host, site.isLeased]));
    const isQueued = async (host: string): Promise<boolean> =>
      (await redis.exists(queue.toKey(jobIdOf(host)))) === 1;
    const admitted: string[] = [];
    for (const { domain, fed, hosts } of candidates) {
      const states = await Promise.all(fed.map(isQueued));
      const queued = fed.filter((_, at) => states[at]);
      const due = hosts.filter((host) => isLeased.get(host) === false);
      const kept = hosts.filter((host) => isLeased.get(host) === true);
      admitted.push(...window.refill(domain, { queued, due, kept }));
    }
    if (admitted.length > 0) await enqueue(queue, admitted, { backoffMs });
    return admitted.length;
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
