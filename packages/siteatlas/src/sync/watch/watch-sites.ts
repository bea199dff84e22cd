/**
 * Syncs many sites repeatedly, each on its own schedule (watch-schedule.ts), a few at a time. All state is in the
 * snapshots: after a restart, the watch continues where the last one stopped.
 */
import type { WalkStart } from "../../discover/site-start.ts";
import { createDeadline, sleep } from "../../fetch/timeout-signal.ts";
import type { WalkOptions } from "../../walk/options.ts";
import type { SyncOptions } from "../options.ts";
import { readSnapshot } from "../snapshot/read-snapshot.ts";
import { syncRun } from "../sync-site.ts";
import { isFailedSync, type RunItem, type SyncSummary } from "../sync-summary.ts";
import { Schedule, type ScheduleOptions, type SyncOutcome } from "./watch-schedule.ts";

export interface WatchedSite {
  readonly start: WalkStart;
  /** Path of the snapshot. Each site needs its own. */
  readonly snapshot: string;
  /** Options for this site, in addition to those for all sites. */
  readonly options?: WalkOptions;
}

export interface WatchOptions extends Omit<SyncOptions, "snapshot" | "dryRun">, ScheduleOptions {
  /** Number of sites that are synced at the same time. @default 4 */
  readonly sites?: number;
  /**
   * Called with each change of a site, the summary last. If it throws, the snapshot is not replaced, and the next
   * sync reports the same changes.
   */
  readonly onChange: (site: WatchedSite, change: RunItem) => void | Promise<void>;
  /** Called when the snapshot of a site was replaced, before its next sync. */
  readonly onCommit?: (site: WatchedSite, summary: SyncSummary) => void | Promise<void>;
  /** Called when a sync fails, for example because the snapshot cannot be written or `onChange` threw. */
  readonly onFailure?: (site: WatchedSite, error: unknown) => void | Promise<void>;
  /** Called after each sync, unless the watch was stopped. */
  readonly onEnd?: (site: WatchedSite, outcome: SyncOutcome, ms: number) => void;
}

/** The state of a watch at one moment. */
export interface WatchStatus {
  /** Number of syncs in progress. */
  readonly running: number;
  /** The longest time that a due site has been waiting for its sync. 0 if no site is due. */
  readonly lagMs: number;
  /** Snapshots of the sites whose sync is overdue. */
  readonly overdue: readonly string[];
}

export class SiteWatch {
  readonly #options: WatchOptions;
  readonly #schedule: Schedule;
  #sites: ReadonlyMap<string, WatchedSite> = new Map();
  /** The syncs in progress whose summary was passed to `onChange`. */
  readonly #saving: Set<Promise<void>> = new Set();
  /** Ends the wait for the next sync, because the list of sites changed. */
  #wake: () => void = () => {};

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options);
  }

  /**
   * Watches until the signal aborts. Syncs in progress then stop, and their snapshots are not replaced, except those
   * whose summary was passed to `onChange`: they end normally.
   */
  async run(sites: readonly WatchedSite[]): Promise<void> {
    await this.replaceSites(sites);
    const { signal = new AbortController().signal, sites: most = 4 } = this.#options;
    const running = new Set<Promise<void>>();
    while (!signal.aborted && this.#sites.size > 0) {
      const isFree = running.size < most;
      const snapshot = isFree ? this.#schedule.take(now()) : undefined;
      if (snapshot === undefined) {
        const changed = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        const ms = isFree ? this.#schedule.nextAt() - now() : Number.POSITIVE_INFINITY;
        await firstOf([...running, changed], ms, signal);
        continue;
      }
      const onSummary = (): void => void this.#saving.add(task);
      const task: Promise<void> = this.#sync(this.#sites.get(snapshot)!, signal, onSummary).then(() => {
        running.delete(task);
        this.#saving.delete(task);
      });
      running.add(task);
    }
    await Promise.all(running);
  }

  /**
   * Resolves when the snapshots of all syncs are replaced whose summary was passed to `onChange`. Call this after the
   * abort.
   */
  async saved(): Promise<void> {
    await Promise.all(this.#saving);
  }

  /**
   * Adds and removes sites. If a removed site is being synced, this sync still ends normally. A site that stays keeps
   * its schedule.
   */
  async replaceSites(sites: readonly WatchedSite[]): Promise<void> {
    const next = new Map(sites.map((site) => [site.snapshot, site]));
    const added = [...next.keys()].filter((snapshot) => !this.#sites.has(snapshot));
    const known = new Map<string, Awaited<ReturnType<typeof lastSync>>>();
    for (const snapshot of added) known.set(snapshot, await lastSync(snapshot));
    for (const snapshot of this.#sites.keys()) if (!next.has(snapshot)) this.#schedule.remove(snapshot);
    for (const [snapshot, last] of known) this.#schedule.add(snapshot, now(), last);
    this.#sites = next;
    this.#wake();
  }

  status(): WatchStatus {
    const at = now();
    const { runningCount: running } = this.#schedule;
    return { running, lagMs: this.#schedule.lagMs(at), overdue: this.#schedule.overdue(at) };
  }

  isRunning({ snapshot }: WatchedSite): boolean {
    return this.#schedule.isRunning(snapshot);
  }

  /** The current interval between two syncs of a site. */
  intervalMs({ snapshot }: WatchedSite): number | undefined {
    return this.#schedule.intervalMs(snapshot);
  }

  async #sync(site: WatchedSite, signal: AbortSignal, onSummary: () => void): Promise<void> {
    const startedAt = now();
    const outcome = await sync(site, this.#options, signal, onSummary);
    const endedAt = now();
    this.#schedule.end(site.snapshot, endedAt, outcome);
    if (!signal.aborted) this.#options.onEnd?.(site, outcome, endedAt - startedAt);
  }
}

/** A monotonic clock, so that a change of the system time does not stop the syncs, or start all of them together. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Waits until a task ends, the time has passed or the signal aborts. */
async function firstOf(tasks: Iterable<Promise<void>>, ms: number, signal: AbortSignal): Promise<void> {
  const { signal: end, expire, clear } = createDeadline(signal);
  await Promise.race([...tasks, sleep(ms, end).catch(() => {})]);
  expire(undefined);
  clear();
}

async function sync(
  site: WatchedSite,
  // Take these options out, because syncSite rejects them.
  {
    onChange,
    onCommit,
    onFailure,
    onEnd,
    everyMs,
    maxEveryMs,
    jitter,
    random,
    sites,
    ...options
  }: WatchOptions,
  signal: AbortSignal,
  onSummary: () => void,
): Promise<SyncOutcome> {
  // Use a new signal: a watch runs for months, and listeners on the caller's signal would accumulate.
  const { signal: own, clear } = createDeadline(signal);
  let summary: SyncSummary | undefined;
  try {
    signal.throwIfAborted();
    const given = { ...options, ...site.options, signal: own, snapshot: site.snapshot };
    for await (const change of syncRun(site.start, given)) {
      signal.throwIfAborted();
      if (change.kind === "summary") {
        summary = change;
        onSummary();
      }
      await onChange(site, change);
    }
    if (summary !== undefined) await onCommit?.(site, summary);
  } catch (error) {
    if (!signal.aborted) await onFailure?.(site, error);
    return "failed";
  } finally {
    clear();
  }
  return outcomeOf(summary);
}

function outcomeOf(summary: SyncSummary | undefined): SyncOutcome {
  if (summary === undefined) return "failed";
  const { added, changed, removed } = summary;
  if (isFailedSync(summary)) return "failed";
  return added + changed + removed > 0 ? "changed" : "unchanged";
}

async function lastSync(path: string): Promise<{ at: number; quiet: number } | undefined> {
  const snapshot = await readSnapshot(path).catch(() => undefined);
  if (snapshot === undefined) return undefined;
  await snapshot.close();
  const { runs, startedAt } = snapshot.facts;
  const last = runs.findLastIndex(({ added, changed, removed }) => added + changed + removed > 0);
  return { at: Date.parse(startedAt), quiet: runs.length - 1 - last };
}
