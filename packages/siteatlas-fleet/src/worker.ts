/**
 * A worker: takes sites from the queues, has them walked leg by leg, and commits. It walks nothing itself, so that
 * nothing a site does keeps it from renewing its locks and leases.
 *
 * What guards a site is its lease in PostgreSQL, not the job's lock: the lease is asked before each request, and the
 * epoch that came with it fences the commit. So a lock that is lost (Redis was flushed, or was away for long) costs
 * nothing: whoever is given the job again finds the lease, and comes back later.
 */
import { setTimeout as wait } from "node:timers/promises";
import { DelayedError, type Job, Worker } from "bullmq";
import type { ClaimedSite, Frontier } from "./database/frontier.ts";
import { homepageOf, hostOfJob } from "./host.ts";
import { LEASE_LOST, type LegRequest, type LegResult } from "./leg.ts";
import { prefixOf, type RedisClient, SITES } from "./queues.ts";
import { nextVisit, type ScheduleOptions } from "./schedule.ts";
import { WalkerCrash, type Walkers } from "./walkers/walkers.ts";

export interface WorkerOptions {
  readonly frontier: Frontier;
  readonly redis: RedisClient;
  readonly walkers: Walkers;
  /** Those whose queues it works off; all by default. */
  readonly shards?: readonly number[];
  /** Sites at once, over all shards. @default 100 */
  readonly concurrency?: number;
  /** Of the job's lock and the domain's lease. Must be the same in all workers. @default 60_000 */
  readonly leaseMs?: number;
  /** A site that takes longer gives its slot back between two legs. @default 300_000 */
  readonly sliceMs?: number;
  readonly schedule?: ScheduleOptions;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** What happens to sites; the log of a worker. */
export type WorkerEvent =
  | { readonly kind: "leg"; readonly request: LegRequest; readonly result: LegResult; readonly ms: number }
  | { readonly kind: "refused"; readonly request: LegRequest }
  | { readonly kind: "crashed"; readonly host: string; readonly reason: string }
  | { readonly kind: "quarantined"; readonly host: string; readonly reason: string }
  | { readonly kind: "lost"; readonly host: string }
  | { readonly kind: "stopped"; readonly host: string }
  | { readonly kind: "error"; readonly host?: string; readonly error: Error };

/** A visit that goes on here. */
interface Visit {
  readonly claim: ClaimedSite;
  readonly controller: AbortController;
  /** It may be what a worker died of: nothing of it was committed since. */
  isSuspect: boolean;
  /** Until when its lease counts. */
  until: bigint;
  /** Pages that changed, in all its legs. */
  changes: number;
  /** Pages of it are nowhere: a database that was restored. */
  isIncomplete: boolean;
}

class StopError extends Error {}
class LostError extends Error {}
class DrainError extends Error {}

/** A domain whose lease somebody else has is looked at again after so long, then after twice as long, and so on. */
const FIRST_BUSY_MS = 500;
const MOST_DOUBLINGS = 7;
/** Claims in a row that ended with the worker itself, though the site was alone: nobody waits for proof any longer. */
const MAX_BEGUN = 5;
/** While the database is away, a visit waits for it for so long, and asks so often. */
const PATIENCE_MS = 300_000;
const AGAIN_MS = 500;
/** After a failure that is no site's, nothing is begun for so long, then for twice as long, and so on. */
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;
/** Of its lease a visit uses so much: the rest is for clocks and for what is under way. */
const USED_LEASE = 0.85;
/** A worker that ends has so long to give back what it aborted. */
const END_MS = 4000;

export class FleetWorker {
  readonly #options: WorkerOptions;
  readonly #leaseMs: number;
  readonly #visits: Map<string, Visit> = new Map();
  /** Those whose jobs are worked off here. */
  readonly #hosts: Set<string> = new Set();
  readonly #workers: Worker[] = [];
  #renewal: ReturnType<typeof setInterval> | undefined;
  #isDraining = false;
  /** While legs fail through no fault of their sites (no room, no store): walks would be for nothing. */
  readonly #rest = { ms: 0, until: 0 };

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 60_000;
  }

  /** Sites that are visited now. */
  get size(): number {
    return this.#visits.size;
  }

  async start(): Promise<void> {
    const { frontier, redis, walkers, concurrency = 100 } = this.#options;
    walkers.stop(await frontier.stops());
    const shards =
      this.#options.shards ?? Array.from({ length: await frontier.shards() }, (_, shard) => shard);
    for (const shard of shards) {
      const worker = new Worker(SITES, (job, token) => this.#work(shard, job, token!), {
        connection: redis,
        prefix: prefixOf(shard),
        concurrency: Math.max(1, Math.ceil(concurrency / shards.length)),
        lockDuration: this.#leaseMs,
        stalledInterval: this.#leaseMs / 2,
        maxStalledCount: 10,
        // What came of it is in the frontier. A job that stays would keep the site from being fed.
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      worker.on("error", (error) => this.#tell({ kind: "error", error }));
      this.#workers.push(worker);
    }
    this.#renewal = setInterval(() => {
      this.#renew()
        .catch((error: Error) => this.#tell({ kind: "error", error }))
        // Whoever could not be asked: requests that are under way must not outlive their lease.
        .finally(() => this.#endLapsed());
    }, this.#leaseMs / 4);
  }

  /**
   * Takes no more sites, lets legs under way come to their end for so long, and gives back what is not over.
   */
  async drain(withinMs: number = 20_000): Promise<void> {
    this.#isDraining = true;
    const late = setTimeout(() => {
      for (const { controller } of this.#visits.values()) controller.abort(new DrainError("The worker ends"));
    }, withinMs);
    // With Redis or the database away there is nobody to give anything back to: their leases run out.
    const closed = Promise.all(this.#workers.map((worker) => worker.close()));
    await Promise.race([closed, wait(withinMs + END_MS, undefined, { ref: false })]);
    clearTimeout(late);
    clearInterval(this.#renewal);
  }

  // ---------------------------------------------------------------- one job

  async #work(shard: number, job: Job, token: string): Promise<void> {
    const host = hostOfJob(job.id!);
    await this.#untilRested();
    if (this.#isDraining) return putOff(job, token, 0);
    // A job that Redis has lost meanwhile comes again: two visits of one site would take each other's answers.
    if (this.#hosts.has(host)) return putOff(job, token, FIRST_BUSY_MS);
    this.#hosts.add(host);
    try {
      const laterMs = await this.#claim(shard, host, job);
      if (laterMs !== undefined) await putOff(job, token, laterMs);
    } finally {
      this.#hosts.delete(host);
    }
  }

  /** Claims a site and visits it. Gives when to come back, if there is more to be done. */
  async #claim(shard: number, host: string, job: Job): Promise<number | undefined> {
    const asked = process.hrtime.bigint();
    const claim = await this.#options.frontier.claim({ shard, host }).catch((error: Error) => {
      this.#fail(error, host);
      throw error;
    });
    if (claim.verdict === "busy") {
      // The visit may be over before its lease is; a pause is never over before its time.
      const patience = FIRST_BUSY_MS * 2 ** Math.min(job.attemptsStarted, MOST_DOUBLINGS);
      const ms = Math.max(claim.pauseMs, Math.min(claim.leaseMs, patience));
      return ms * (1 + Math.random() / 4);
    }
    if (claim.verdict !== "claimed") return undefined;
    const visit: Visit = {
      claim,
      controller: new AbortController(),
      isSuspect: claim.begun > 0,
      until: this.#until(asked),
      changes: claim.changes,
      isIncomplete: false,
    };
    this.#visits.set(host, visit);
    try {
      return await this.#visit(shard, visit, job);
    } finally {
      this.#visits.delete(host);
    }
  }

  async #visit(shard: number, visit: Visit, job: Job): Promise<number | undefined> {
    const { frontier, sliceMs = 300_000 } = this.#options;
    const { claim, controller } = visit;
    const { host, epoch } = claim;
    const site = { shard, host, epoch };
    const startedAt = performance.now();
    if (claim.begun >= MAX_BEGUN) {
      await this.#quarantine(site, `its visit did not end ${claim.begun} times`);
      return undefined;
    }
    try {
      let { leg, snapshot, requestMs } = claim;
      for (;;) {
        const request = await this.#request(shard, visit, { leg, snapshot, requestMs });
        const result = await this.#walk(request, visit);
        if (!(await this.#commit(request, result, visit)) || result.isOver) return undefined;
        visit.isSuspect = false;
        // For whoever watches the queue. It may have lost the job, or be away: that keeps nobody from going on.
        const progress = { leg, pages: result.pageCount, sitemaps: result.sitemapCount };
        job.updateProgress(progress).catch(() => {});
        const isLong = performance.now() - startedAt > sliceMs;
        const isPaused = result.outcome === "paused";
        if (isPaused || isLong || this.#isDraining) {
          await frontier.release(site);
          // A pause is the frontier's to keep: it is fed again when it is due.
          return isPaused ? undefined : (result.pauseMs ?? 0);
        }
        leg++;
        snapshot = result.snapshot ?? snapshot;
        ({ requestMs } = result);
      }
    } catch (error) {
      const { aborted, reason } = controller.signal;
      return this.#end((aborted ? reason : error) as Error, site, visit);
    }
  }

  async #request(
    shard: number,
    visit: Visit,
    state: Pick<LegRequest, "leg" | "snapshot" | "requestMs">,
  ): Promise<LegRequest> {
    const { host, domain, epoch, visit: number, began, isPlain } = visit.claim;
    const progress =
      state.leg === 0
        ? NO_PROGRESS
        : await patiently(visit, () => this.#options.frontier.progress({ shard, host, visit: number }));
    const homepage = homepageOf({ host, isPlain });
    const known = { host, domain, shard, homepage, epoch, visit: number, began: began.toISOString() };
    return { ...known, ...state, ...progress };
  }

  async #walk(request: LegRequest, visit: Visit): Promise<LegResult> {
    const { frontier, walkers } = this.#options;
    const { signal } = visit.controller;
    const startedAt = performance.now();
    const result = await walkers.walk({
      request,
      signal,
      isSuspect: visit.isSuspect,
      until: () => visit.until,
      onPause: (domain, ms) => {
        frontier
          .pause(domain, ms)
          .catch((error: Error) => this.#tell({ kind: "error", host: request.host, error }));
      },
    });
    // An abort that came too late for the walk is not too late for the commit.
    throwIfEnded(signal);
    this.#tell({ kind: "leg", request, result, ms: performance.now() - startedAt });
    return result;
  }

  /** Whether it counts. */
  async #commit(request: LegRequest, result: LegResult, visit: Visit): Promise<boolean> {
    const { frontier, schedule } = this.#options;
    const { quiet, failures, visit: number } = visit.claim;
    visit.changes += result.changes;
    const { changes } = visit;
    const next = nextVisit({ ...result, changes }, { quiet, failures, isFirst: number === 1 }, schedule);
    const verdict = await patiently(visit, () => frontier.commit(request, result, next));
    if (verdict === "refused") this.#tell({ kind: "refused", request });
    else this.#rest.ms = 0;
    visit.isIncomplete ||= verdict === "incomplete";
    // If that fails, the next visit finds out, too.
    if (visit.isIncomplete && result.isOver) {
      await frontier
        .forgetSnapshot(request)
        .catch((error: Error) => this.#tell({ kind: "error", host: request.host, error }));
    }
    return verdict !== "refused";
  }

  /** A visit that did not end as it should. Gives when to come back; throws what is for the queue to try again. */
  async #end(error: Error, site: SiteEpoch, visit: Visit): Promise<number | undefined> {
    const { frontier } = this.#options;
    const { host } = site;
    if (error instanceof WalkerCrash) {
      const isProven = error.wasAlone && visit.isSuspect;
      this.#tell({ kind: "crashed", host, reason: error.message });
      if (isProven) await this.#quarantine(site, error.message);
      else await frontier.endLease(site);
      return isProven ? undefined : 0;
    }
    await frontier.release(site).catch(() => {});
    if (error instanceof DrainError) return 0;
    const isLost = error instanceof LostError || (error as NodeJS.ErrnoException).code === LEASE_LOST;
    if (isLost || process.hrtime.bigint() > visit.until) {
      this.#tell({ kind: "lost", host });
      return 0;
    }
    if (error instanceof StopError) {
      this.#tell({ kind: "stopped", host });
      return undefined;
    }
    this.#fail(error, host);
    throw error;
  }

  /** Something failed that is no fault of the site. */
  #fail(error: Error, host: string): void {
    this.#tell({ kind: "error", host, error });
    if (this.#rest.ms === 0) this.#beginRest(FIRST_REST_MS);
  }

  /** Waits until something may be begun. When a rest is over, one site is tried before the others. */
  async #untilRested(): Promise<void> {
    while (this.#rest.ms > 0 && !this.#isDraining) {
      const left = this.#rest.until - performance.now();
      if (left <= 0) return this.#beginRest(Math.min(2 * this.#rest.ms, LONGEST_REST_MS));
      await wait(Math.min(left, FIRST_REST_MS));
    }
  }

  #beginRest(ms: number): void {
    this.#rest.ms = ms;
    this.#rest.until = performance.now() + ms;
  }

  async #quarantine(site: SiteEpoch, reason: string): Promise<void> {
    await this.#options.frontier.quarantine(site, reason);
    this.#tell({ kind: "quarantined", host: site.host, reason });
  }

  // ---------------------------------------------------------------- leases

  /** Until when a lease counts that was asked for then. */
  #until(asked: bigint): bigint {
    return asked + BigInt(Math.round(this.#leaseMs * USED_LEASE)) * 1_000_000n;
  }

  async #renew(): Promise<void> {
    const { frontier, walkers } = this.#options;
    // Asked for before and told after: a visit that is to be stopped itself is ended, and fails nothing.
    const stops = await frontier.stops();
    await this.#renewLeases();
    walkers.stop(stops);
  }

  async #renewLeases(): Promise<void> {
    const { frontier, walkers } = this.#options;
    const asked = process.hrtime.bigint();
    const visits = [...this.#visits];
    if (visits.length === 0) return;
    const renewed = await frontier.renew([...new Set(visits.map(([, { claim }]) => claim.domain))]);
    const held = new Map(renewed.map(({ host, isStopped }) => [host, isStopped]));
    const until = this.#until(asked);
    walkers.hold([...held.keys()], until);
    for (const [host, visit] of visits) {
      // One that has ended meanwhile has no lease any more.
      if (this.#visits.get(host) !== visit) continue;
      const isStopped = held.get(host);
      if (isStopped !== undefined) visit.until = until;
      if (isStopped === undefined) visit.controller.abort(new LostError("The lease is lost"));
      else if (isStopped) visit.controller.abort(new StopError("The site is on the stop list"));
    }
  }

  #endLapsed(): void {
    const now = process.hrtime.bigint();
    for (const { until, controller } of this.#visits.values()) {
      if (until < now) controller.abort(new LostError("The lease ran out"));
    }
  }

  #tell(event: WorkerEvent): void {
    this.#options.onEvent?.(event);
  }
}

type SiteEpoch = Pick<LegRequest, "shard" | "host" | "epoch">;

const NO_PROGRESS: Pick<LegRequest, "done" | "failed"> = { done: 0, failed: [] };

async function putOff(job: Job, token: string, ms: number): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.round(ms), token);
  throw new DelayedError();
}

/** Asks again while the database is away. Whether it was done before a connection broke, only the database knows. */
async function patiently<T>({ controller: { signal } }: Visit, ask: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ; ) {
    try {
      return await ask();
    } catch (error) {
      if (!isConnectionLoss(error) || performance.now() - startedAt > PATIENCE_MS) throw error;
      await wait(AGAIN_MS);
      throwIfEnded(signal);
    }
  }
}

/** A lease that is lost is no reason not to commit what was walked before: the epoch says whether it counts. */
function throwIfEnded({ aborted, reason }: AbortSignal): void {
  if (aborted && !(reason instanceof LostError)) throw reason;
}

/** The server ended or was ended, or nobody knows. */
function isConnectionLoss(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // 40P01: two that wait for each other. 57014 is a statement that took too long: it would again.
  if (code === "57014") return false;
  return /^(ECONN|EPIPE|ETIMEDOUT|57P0|08|40P01)/.test(code) || /connect|terminated|timeout/i.test(message);
}
