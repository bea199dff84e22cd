/**
 * Syncs many sites again and again, each at its own pace (schedule.ts), a few at a time. What is remembered is in
 * the snapshots: who starts anew goes on where the last one stopped.
 */
import type { WalkOptions } from "../walk/options.ts";
import { readSnapshot } from "./read-snapshot.ts";
import type { ScheduleOptions } from "./schedule.ts";
import { Schedule } from "./schedule.ts";
import type { Change, SyncOptions, SyncSummary } from "./sync-site.ts";
import { syncSite } from "./sync-site.ts";

export interface WatchedSite {
  readonly url: string;
  /** Path of its snapshot; no other site has the same. */
  readonly snapshot: string;
  /** Options of this site, on top of those of all. */
  readonly options?: WalkOptions;
}

export interface WatchOptions extends Omit<SyncOptions, "snapshot" | "dryRun">, ScheduleOptions {
  /** Sites that are synced at once. @default 4 */
  readonly sites?: number;
  /**
   * Takes each change of a site as it comes, the summary last. If it throws, the snapshot stays as it was and
   * the same changes come again.
   */
  readonly onChange: (site: WatchedSite, change: Change) => void | Promise<void>;
  /** A sync failed: the snapshot cannot be written, or `onChange` threw. */
  readonly onFailure?: (site: WatchedSite, error: unknown) => void;
}

/** Timers take no more. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** Watches until the signal ends it; what is under way is left, and its snapshot stays as it was. */
export async function watchSites(sites: readonly WatchedSite[], options: WatchOptions): Promise<void> {
  const schedule = new Schedule(options);
  const bySnapshot = new Map(sites.map((site) => [site.snapshot, site]));
  for (const [snapshot] of bySnapshot) schedule.add(snapshot, now(), await lastSync(snapshot));
  const { signal = new AbortController().signal, sites: most = 4 } = options;
  const running = new Set<Promise<void>>();
  const bell = new Bell();
  const ring = (): void => bell.ring();
  signal.addEventListener("abort", ring);
  try {
    while (!signal.aborted && bySnapshot.size > 0) {
      const snapshot = running.size < most ? schedule.take(now()) : undefined;
      if (snapshot === undefined) {
        // With all hands busy, the first that is free rings.
        await bell.wait(running.size < most ? schedule.nextAt() - now() : MAX_WAIT_MS);
        continue;
      }
      const task: Promise<void> = sync(bySnapshot.get(snapshot)!, options, signal).then((outcome) => {
        schedule.end(snapshot, now(), outcome);
        running.delete(task);
        bell.ring();
      });
      running.add(task);
    }
    await Promise.all(running);
  } finally {
    signal.removeEventListener("abort", ring);
  }
}

/** Of this process: a clock that somebody sets neither stops the syncs nor starts them all at once. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Waits until somebody rings, or time is up. */
class Bell {
  #wake: (() => void) | undefined;
  #isRung = false;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(Math.max(0, ms), MAX_WAIT_MS));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isRung = false;
  }
}

async function sync(
  site: WatchedSite,
  { onChange, onFailure, ...options }: WatchOptions,
  signal: AbortSignal,
): Promise<"changed" | "unchanged" | "failed"> {
  // One of its own: what listens to it for a request goes with it, though the watch lasts for months.
  const own = new AbortController();
  const stop = (): void => own.abort(signal.reason);
  signal.addEventListener("abort", stop);
  let summary: SyncSummary | undefined;
  try {
    signal.throwIfAborted();
    const given = { ...options, ...site.options, signal: own.signal, snapshot: site.snapshot };
    for await (const change of syncSite(site.url, given)) {
      signal.throwIfAborted();
      if (change.kind === "summary") summary = change;
      await onChange(site, change);
    }
  } catch (error) {
    if (!signal.aborted) onFailure?.(site, error);
    return "failed";
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return outcomeOf(summary);
}

/** A site of which nothing could be seen failed. */
function outcomeOf(summary: SyncSummary | undefined): "changed" | "unchanged" | "failed" {
  if (summary === undefined) return "failed";
  const { added, changed, removed, sitemapCount, unknownSitemaps } = summary;
  if (sitemapCount === 0 || unknownSitemaps === sitemapCount) return "failed";
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
