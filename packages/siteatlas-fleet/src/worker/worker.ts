/**
 * A worker takes sites from the queues, has walker processes visit them leg by leg, and commits the results. The walks
 * run in other processes, so nothing that a site does keeps the worker from renewing locks and leases.
 *
 * The lease in PostgreSQL prevents two visits of a site at the same time. The lock of its job in Redis does not. The
 * lease is checked before each request, and a commit with an outdated epoch is refused. So a lost lock (Redis was
 * flushed or unreachable) does no harm: the worker that gets the job next finds the lease and retries later.
 *
 * This file is longer than others because each step of a visit may fail in its own way, and all of them share the
 * visit's job, lease and budget.
 */
import { setTimeout as wait } from "node:timers/promises";
import { DelayedError, type Job, Worker } from "bullmq";
import { checkOptions, type OptionRules, objectOf } from "../check/check-options.ts";
import { callable, listOf, number, PATH, required, TIMER_MS, wholeNumber } from "../check/rules.ts";
import { isConnectionLoss } from "../database/connection-loss.ts";
import {
  type ClaimedSite,
  type CommitVerdict,
  FRONTIER,
  type Frontier,
  type NextVisit,
  type SiteEpoch,
} from "../database/frontier.ts";
import { Packer } from "../dataset/packer.ts";
import { homepageOf, hostOfJob } from "../model/site-name.ts";
import { LEASE_LOST, type LegRequest, type LegResult } from "../model/visit.ts";
import { WALKERS, WalkerCrash, type Walkers } from "../processes/visit-runner.ts";
import { prefixOf, REDIS, type RedisClient, SITES } from "../queue/queues.ts";
import { VISIT_STORE, type VisitStore } from "../store/object-store.ts";
import type { Admission, AdmitVisit } from "./admit-visit.ts";
import {
  mustBeAlone,
  neverEnds,
  provesGuilt,
  SHORT_PROBATION,
  type Suspicion,
  suspicionAfter,
} from "./quarantine-policy.ts";
import { nextVisit, SCHEDULE_OPTIONS, type ScheduleOptions } from "./revisit-interval.ts";
import { type Slot, Slots } from "./slots.ts";

export interface WorkerOptions {
  readonly frontier: Frontier;
  readonly redis: RedisClient;
  readonly walkers: Walkers;
  /** Shards whose sites this worker visits. @default all */
  readonly shards?: readonly number[] | undefined;
  /** Maximum number of sites that are visited at the same time, in all shards together. @default 100 */
  readonly concurrency?: number | undefined;
  /** Duration of job locks and domain leases. Must be the same in all workers. @default 60_000 */
  readonly leaseMs?: number | undefined;
  /**
   * Maximum time of a visit without a break. After that, another site gets its slot, and the visit resumes later.
   *
   * @default 300_000
   */
  readonly sliceMs?: number | undefined;
  /**
   * Where the rows of many sites are written together. Without this option, each leg writes its own files.
   *
   * @default none
   */
  readonly pack?: PackOptions | undefined;
  readonly schedule?: ScheduleOptions | undefined;
  /** Decides whether the visit of a host may start now (admit-visit.ts). @default every visit may */
  readonly admit?: AdmitVisit | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/** How a worker writes the rows of many sites into one file. */
interface PackOptions {
  readonly store: VisitStore;
  /** Folder for temporary files. */
  readonly folder: string;
  /** Maximum time that a finished leg waits for others. At most a quarter of `leaseMs`. @default 5000 */
  readonly everyMs?: number | undefined;
}

const PACK_OPTIONS: OptionRules<PackOptions> = {
  store: required(VISIT_STORE),
  folder: required(PATH),
  everyMs: number(0),
};

const WORKER_OPTIONS: OptionRules<WorkerOptions> = {
  frontier: required(FRONTIER),
  redis: required(REDIS),
  walkers: required(WALKERS),
  shards: listOf(wholeNumber(0), "an array of numbers"),
  concurrency: number(1),
  leaseMs: TIMER_MS,
  sliceMs: number(0),
  pack: objectOf(PACK_OPTIONS),
  schedule: objectOf(SCHEDULE_OPTIONS),
  admit: callable(),
  onEvent: callable(),
};

export type WorkerEvent =
  | { readonly kind: "claimed"; readonly host: string; readonly domain: string; readonly visit: number }
  | { readonly kind: "committed"; readonly request: LegRequest; readonly ms: number }
  /** The visit has ended in this worker, for whatever reason. It may continue in another one. */
  | { readonly kind: "ended"; readonly host: string }
  | { readonly kind: "leg"; readonly request: LegRequest; readonly result: LegResult; readonly ms: number }
  | { readonly kind: "refused"; readonly request: LegRequest }
  | { readonly kind: "crashed"; readonly host: string; readonly reason: string }
  | { readonly kind: "quarantined"; readonly host: string; readonly reason: string }
  | { readonly kind: "lost"; readonly host: string }
  | { readonly kind: "stopped"; readonly host: string }
  | { readonly kind: "error"; readonly host?: string; readonly error: Error };

interface Visit {
  readonly site: SiteEpoch;
  readonly claim: ClaimedSite;
  readonly slot: Slot;
  readonly controller: AbortController;
  suspicion: Suspicion;
  /** When the lease ends, in nanoseconds of `process.hrtime`. */
  until: bigint;
  readonly addresses: Admission["addresses"];
  /** Number of requests since the claim. */
  readonly used: { requests: number };
  /** Number of pages that changed, in all legs of the visit. */
  changes: number;
  /**
   * Whether pages that did not change are missing in the part files. This happens if the database was restored from a
   * backup.
   */
  isIncomplete: boolean;
}

class StopError extends Error {}
class LostError extends Error {}
class DrainError extends Error {}

/** First wait if another worker has leased the domain. Each further wait is twice as long. */
const FIRST_BUSY_MS = 500;
const MAX_DOUBLINGS = 7;
/** How long a visit waits for a database that is down, and the time between two attempts. */
const DATABASE_WAIT_MS = 300_000;
const DATABASE_RETRY_MS = 500;
/**
 * After a failure that no site caused, such as a full disk, no visit starts for this time. It doubles with each further
 * failure.
 */
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;
/** A visit uses only this share of its lease. The rest covers clock differences and requests in flight. */
const USED_LEASE = 0.85;
/**
 * A finished leg may wait for its pack without a slot. So a worker with packs takes up to this many times `concurrency`
 * jobs.
 */
const JOBS_PER_SLOT = 4;
const PACK_MS = 5000;
/** Time between two packs while the worker ends. */
const DRAIN_PACK_MS = 500;
/** When the worker ends, it has this time to give back the sites whose visits it aborted. */
const END_MS = 4000;

export class FleetWorker {
  readonly #options: WorkerOptions;
  readonly #leaseMs: number;
  readonly #visits: Map<string, Visit> = new Map();
  /** Hosts whose jobs are running in this worker. */
  readonly #hosts: Set<string> = new Set();
  readonly #workers: Worker[] = [];
  readonly #packer: Packer | undefined;
  /** A visit has a slot from its claim to the end of each walk, but not while its results wait for their pack. */
  readonly #slots: Slots;
  #renewal: ReturnType<typeof setInterval> | undefined;
  #isDraining = false;
  /**
   * After a failure that no site caused, such as a full disk, no visit starts before `until`, because it would also
   * fail.
   */
  readonly #rest = { ms: 0, until: 0 };

  constructor(options: WorkerOptions) {
    checkOptions("FleetWorker", WORKER_OPTIONS, options);
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 60_000;
    const { frontier, pack, concurrency = 100 } = options;
    this.#slots = new Slots(concurrency);
    if (pack === undefined) return;
    const everyMs = Math.min(pack.everyMs ?? PACK_MS, this.#leaseMs / 4);
    this.#packer = new Packer({ frontier, store: pack.store, folder: pack.folder, everyMs });
  }

  /** Number of visits in progress. */
  get size(): number {
    return this.#visits.size;
  }

  /** Whether the worker takes no more sites, because it ends. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  async start(): Promise<void> {
    const { frontier, redis, walkers, concurrency = 100 } = this.#options;
    walkers.stop(await frontier.stops());
    const count = await frontier.shards();
    const { shards = Array.from({ length: count }, (_, shard) => shard) } = this.#options;
    const jobs = this.#packer === undefined ? concurrency : JOBS_PER_SLOT * concurrency;
    const unknown = shards.find((shard) => shard >= count);
    if (unknown !== undefined) {
      throw new RangeError(`FleetWorker: option shards must be from 0 to ${count - 1}, not ${unknown}`);
    }
    for (const shard of shards) {
      const worker = new Worker(SITES, (job, token) => this.#work(shard, job, token!), {
        connection: redis,
        prefix: prefixOf(shard),
        concurrency: Math.max(1, Math.ceil(jobs / shards.length)),
        lockDuration: this.#leaseMs,
        stalledInterval: this.#leaseMs / 2,
        maxStalledCount: 10,
        // Remove finished jobs. As long as Redis keeps the job of a site, the site cannot be enqueued again.
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      worker.on("error", (error) => this.#emit({ kind: "error", error }));
      this.#workers.push(worker);
    }
    this.#renewal = setInterval(() => {
      this.#renew()
        .catch((error: Error) => this.#emit({ kind: "error", error }))
        // Do this also after a failed renewal, because requests in flight must end before their lease ends.
        .finally(() => this.#endLapsed());
    }, this.#leaseMs / 4);
  }

  /**
   * Stops the worker. It takes no more sites, gives visits `withinMs` milliseconds to reach their next commit, and
   * gives back unfinished sites.
   */
  async drain(withinMs: number = 20_000): Promise<void> {
    this.#isDraining = true;
    this.#slots.open();
    const packing = setInterval(() => this.#packer?.flush(), DRAIN_PACK_MS);
    const late = setTimeout(() => {
      for (const { controller } of this.#visits.values()) controller.abort(new DrainError("The worker ends"));
    }, withinMs);
    // The wait is limited: if Redis or the database is down, sites cannot be given back. Their leases expire instead.
    const closed = Promise.all(this.#workers.map((worker) => worker.close()));
    await Promise.race([closed, wait(withinMs + END_MS, undefined, { ref: false })]);
    clearTimeout(late);
    clearInterval(packing);
    clearInterval(this.#renewal);
  }

  // ---------------------------------------------------------------- one job

  async #work(shard: number, job: Job, token: string): Promise<void> {
    const host = hostOfJob(job.id!);
    if (this.#isDraining) return putOff(job, token, 0);
    // Redis may lose the job of a site while the visit is running in this worker. Then the scheduler enqueues the site
    // again. Two visits of one site would mix up their results, because messages of walker processes contain only the
    // host.
    if (this.#hosts.has(host)) return putOff(job, token, FIRST_BUSY_MS);
    this.#hosts.add(host);
    const slot = this.#slots.create();
    try {
      await slot.take();
      await this.#untilRested();
      // The worker may have begun to end meanwhile.
      const laterMs = this.#isDraining ? 0 : await this.#admit(shard, host, job, slot);
      if (laterMs !== undefined) await putOff(job, token, laterMs);
    } finally {
      slot.give();
      this.#hosts.delete(host);
      this.#packIfIdle();
    }
  }

  /** Claims and visits a site if the limits allow it now. Returns the same as `#claim`. */
  async #admit(shard: number, host: string, job: Job, slot: Slot): Promise<number | undefined> {
    const admission = await this.#options.admit?.(host);
    if (admission === undefined) return this.#claim(shard, host, job, slot);
    if (admission.waitMs > 0) return admission.waitMs * (1 + Math.random() / 4);
    const used = { requests: 0 };
    try {
      return await this.#claim(shard, host, job, slot, admission.addresses, used);
    } finally {
      admission.settle(used.requests).catch((error: Error) => this.#report(error, host));
    }
  }

  /**
   * Claims a site and visits it. Returns the time in milliseconds after which the job must run again, or undefined if
   * the job is done.
   */
  async #claim(
    shard: number,
    host: string,
    job: Job,
    slot: Slot,
    addresses: Admission["addresses"] = [],
    used: { requests: number } = { requests: 0 },
  ): Promise<number | undefined> {
    const claimedAt = process.hrtime.bigint();
    const claim = await this.#options.frontier.claim({ shard, host }).catch((error: Error) => {
      this.#fail(error, host);
      throw error;
    });
    if (claim.verdict === "busy") {
      // The visit that has the lease may end before the lease ends, so try again early. A pause never ends early.
      const busyMs = FIRST_BUSY_MS * 2 ** Math.min(job.attemptsStarted, MAX_DOUBLINGS);
      const ms = Math.max(claim.pauseMs, Math.min(claim.leaseMs, busyMs));
      return ms * (1 + Math.random() / 4);
    }
    if (claim.verdict !== "claimed") return undefined;
    const visit: Visit = {
      site: { shard, host, epoch: claim.epoch },
      claim,
      slot,
      controller: new AbortController(),
      suspicion: claim,
      until: this.#leaseEnd(claimedAt),
      changes: claim.changes,
      addresses,
      used,
      isIncomplete: false,
    };
    this.#visits.set(host, visit);
    this.#emit({ kind: "claimed", host, domain: claim.domain, visit: claim.visit });
    try {
      return await this.#visit(visit, job);
    } finally {
      this.#visits.delete(host);
      this.#emit({ kind: "ended", host });
    }
  }

  async #visit(visit: Visit, job: Job): Promise<number | undefined> {
    const { frontier, sliceMs = 300_000 } = this.#options;
    const { site, claim, controller } = visit;
    const startedAt = performance.now();
    if (neverEnds(claim.begun)) {
      await this.#quarantine(site, `${claim.begun} visits in a row did not finish`, false);
      return undefined;
    }
    try {
      let { leg, snapshot, requestMs } = claim;
      for (;;) {
        await visit.slot.take();
        const request = await this.#request(visit, { leg, snapshot, requestMs });
        const result = await this.#walk(request, visit);
        if (!(await this.#commit(request, result, visit)) || result.isOver) return undefined;
        // A commit proves that the site was not the reason why an earlier visit did not finish.
        visit.suspicion = { ...claim, begun: 0 };
        // Ignore errors, because only dashboards use the progress.
        const progress = { leg, pages: result.pageCount, sitemaps: result.sitemapCount };
        job.updateProgress(progress).catch(() => {});
        const isLong = performance.now() - startedAt > sliceMs;
        const isPaused = result.outcome === "paused";
        if (isPaused || isLong || this.#isDraining) {
          await frontier.release(site);
          // A paused site needs no job. It is due after the pause, and then the scheduler enqueues it.
          return isPaused ? undefined : (result.pauseMs ?? 0);
        }
        leg++;
        snapshot = result.snapshot ?? snapshot;
        ({ requestMs } = result);
      }
    } catch (error) {
      const { aborted, reason } = controller.signal;
      return this.#end((aborted ? reason : error) as Error, visit);
    }
  }

  async #request(
    visit: Visit,
    state: Pick<LegRequest, "leg" | "snapshot" | "requestMs">,
  ): Promise<LegRequest> {
    const { site, claim } = visit;
    const { domain, visit: number, began } = claim;
    const progress =
      state.leg === 0
        ? { done: 0, failed: [] }
        : await patiently(visit, () => this.#options.frontier.progress({ ...site, visit: number }));
    const homepage = homepageOf(claim);
    return {
      ...{ ...site, domain, homepage, visit: number, began: began.toISOString(), ...state, ...progress },
      ...(this.#packer !== undefined && { mayPack: true }),
    };
  }

  async #walk(request: LegRequest, visit: Visit): Promise<LegResult> {
    const { frontier, walkers } = this.#options;
    const { signal } = visit.controller;
    const startedAt = performance.now();
    const result = await walkers.walk({
      request,
      signal,
      isSuspect: mustBeAlone(visit.suspicion),
      wasSuspect: visit.suspicion.suspicions > 0,
      addresses: visit.addresses,
      until: () => visit.until,
      onPause: (domain, ms) => {
        frontier.pause(domain, ms).catch((error: Error) => this.#report(error, request.host));
      },
    });
    visit.used.requests += result.requests;
    // The visit may have been aborted after the walk ended.
    throwIfEnded(signal);
    this.#emit({ kind: "leg", request, result, ms: performance.now() - startedAt });
    return result;
  }

  /** Commits the results of a leg. Returns whether the commit was accepted, now or in an earlier attempt. */
  async #commit(request: LegRequest, result: LegResult, visit: Visit): Promise<boolean> {
    const { frontier, schedule } = this.#options;
    const { quiet, failures, visit: number } = visit.claim;
    visit.changes += result.changes;
    const { changes } = visit;
    const next = nextVisit({ ...result, changes }, { quiet, failures, isFirst: number === 1 }, schedule);
    const startedAt = performance.now();
    const verdict = await this.#commitLeg(request, result, next, visit);
    if (verdict === "refused") this.#emit({ kind: "refused", request });
    else {
      this.#rest.ms = 0;
      this.#emit({ kind: "committed", request, ms: performance.now() - startedAt });
    }
    visit.isIncomplete ||= verdict === "incomplete";
    // If this call fails, it needs no retry. The commit of the next visit will also be incomplete, so the snapshot is
    // removed then.
    if (visit.isIncomplete && result.isOver) {
      await frontier.forgetSnapshot(request).catch((error: Error) => this.#report(error, request.host));
    }
    return verdict !== "refused";
  }

  /**
   * Commits a leg, together with others if it has rows for a pack. Meanwhile another visit may have its slot, unless too
   * many rows wait in memory.
   */
  async #commitLeg(
    request: LegRequest,
    result: LegResult,
    next: NextVisit,
    visit: Visit,
  ): Promise<CommitVerdict> {
    const { frontier } = this.#options;
    if (this.#packer === undefined || result.unpacked === undefined) {
      return patiently(visit, () => frontier.commit(request, result, next));
    }
    const committed = this.#packer.commit({ request, result, next });
    if (!this.#packer.isFull) visit.slot.give();
    this.#packIfIdle();
    return committed;
  }

  /** Writes the pack at once if no visit can add to it, or if other visits wait for its success. */
  #packIfIdle(): void {
    if (this.#slots.used === 0 || this.#rest.ms > 0) this.#packer?.flush();
  }

  /** Handles a visit that failed or was aborted. Throws if BullMQ must retry the job with its backoff. */
  async #end(error: Error, visit: Visit): Promise<number | undefined> {
    const { frontier } = this.#options;
    const { site, until } = visit;
    const { host } = site;
    if (error instanceof WalkerCrash) return this.#endCrashed(error, visit);
    await frontier.release(site).catch(() => {});
    if (error instanceof DrainError) return 0;
    const isLost = error instanceof LostError || (error as NodeJS.ErrnoException).code === LEASE_LOST;
    if (isLost || process.hrtime.bigint() > until) {
      this.#emit({ kind: "lost", host });
      return 0;
    }
    if (error instanceof StopError) {
      this.#emit({ kind: "stopped", host });
      return undefined;
    }
    this.#fail(error, host);
    throw error;
  }

  async #endCrashed(crash: WalkerCrash, visit: Visit): Promise<number | undefined> {
    const { frontier } = this.#options;
    const { site, suspicion } = visit;
    this.#emit({ kind: "crashed", host: site.host, reason: crash.message });
    if (crash.wasFrozen) {
      await patiently(visit, () => frontier.suspect(site, suspicion, null));
      return 0;
    }
    if (provesGuilt(crash, suspicion)) {
      await patiently(visit, () => this.#quarantine(site, crash.message, crash.wasAlone));
      return undefined;
    }
    await patiently(visit, () => frontier.suspect(site, suspicionAfter(suspicion), crash.id));
    return 0;
  }

  /** Reports a failure that the site did not cause, and stops new visits for a while. */
  #fail(error: Error, host: string): void {
    this.#report(error, host);
    if (this.#rest.ms === 0) this.#beginRest(FIRST_REST_MS);
  }

  /**
   * Waits until visits may start. After each wait, only one visit starts. The others start only if this visit succeeds.
   */
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

  /**
   * @param isCause whether the site caused the crash that it is suspected of. If so, the probation of the other suspects is shortened.
   */
  async #quarantine(site: SiteEpoch, reason: string, isCause: boolean): Promise<void> {
    const { frontier } = this.#options;
    const crash = await frontier.quarantine(site, reason);
    if (isCause && crash !== null) await frontier.clearSuspects(crash, SHORT_PROBATION);
    this.#emit({ kind: "quarantined", host: site.host, reason });
  }

  // ---------------------------------------------------------------- leases

  /** Returns when a visit must stop using its lease, if the lease was requested at `requestedAt`. */
  #leaseEnd(requestedAt: bigint): bigint {
    return requestedAt + BigInt(Math.round(this.#leaseMs * USED_LEASE)) * 1_000_000n;
  }

  async #renew(): Promise<void> {
    const { frontier, walkers } = this.#options;
    // Read the stop list before renewing the leases, but pass it to the walkers afterwards. So the visit of a site on
    // the list is aborted before its requests fail.
    const stops = await frontier.stops();
    await this.#renewLeases();
    walkers.stop(stops);
  }

  async #renewLeases(): Promise<void> {
    const { frontier, walkers } = this.#options;
    const requestedAt = process.hrtime.bigint();
    const visits = [...this.#visits];
    if (visits.length === 0) return;
    const renewed = await frontier.renew([...new Set(visits.map(([, { claim }]) => claim.domain))]);
    const held = new Map(renewed.map(({ host, isStopped }) => [host, isStopped]));
    const until = this.#leaseEnd(requestedAt);
    walkers.hold([...held.keys()], until);
    for (const [host, visit] of visits) {
      // The visit ended during the renewal, so it needs no lease.
      if (this.#visits.get(host) !== visit) continue;
      const isStopped = held.get(host);
      if (isStopped !== undefined) visit.until = until;
      if (isStopped === undefined) visit.controller.abort(new LostError("The lease was lost"));
      else if (isStopped) visit.controller.abort(new StopError("The site is on the stop list"));
    }
  }

  #endLapsed(): void {
    const now = process.hrtime.bigint();
    for (const { until, controller } of this.#visits.values()) {
      if (until < now) controller.abort(new LostError("The lease expired"));
    }
  }

  #report(error: Error, host: string): void {
    this.#emit({ kind: "error", host, error });
  }

  #emit(event: WorkerEvent): void {
    this.#options.onEvent?.(event);
  }
}

async function putOff(job: Job, token: string, ms: number): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.round(ms), token);
  throw new DelayedError();
}

/**
 * Runs a database call, and retries while the database is down. `run` must be idempotent: it may have succeeded before
 * the connection broke.
 */
async function patiently<T>({ controller: { signal } }: Visit, run: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ; ) {
    try {
      return await run();
    } catch (error) {
      if (!isConnectionLoss(error) || performance.now() - startedAt > DATABASE_WAIT_MS) throw error;
      await wait(DATABASE_RETRY_MS);
      throwIfEnded(signal);
    }
  }
}

/**
 * Throws if the visit was aborted for any reason except a lost lease. After a lost lease, the visit may try to commit
 * its results: the epoch decides whether the commit is accepted.
 */
function throwIfEnded({ aborted, reason }: AbortSignal): void {
  if (aborted && !(reason instanceof LostError)) throw reason;
}
