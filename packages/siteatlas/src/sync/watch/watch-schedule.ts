/**
 * Decides when each of many sites is due. A site has a fixed grid of times, which starts with its first sync. Slow
 * syncs and random jitter do not shift later times, and a missed time is skipped. A site that does not change is
 * synced less often, and one that fails even less.
 *
 * This class has no clock and starts nothing: the caller passes the time.
 */

export interface ScheduleOptions {
  /** Interval between two syncs of a site that changes. */
  readonly everyMs: number;
  /** Longest interval between two syncs. @default eight times `everyMs` */
  readonly maxEveryMs?: number;
  /** A sync starts up to this share of the interval before or after its time on the grid. @default 0.1 */
  readonly jitter?: number;
  /** Returns a number from 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/** "failed": no sitemap could be read completely, or the changes could not be delivered. */
export type SyncOutcome = "changed" | "unchanged" | "failed";

interface ScheduledSite {
  /**
   * Time of the next sync on the grid. During a sync: time of this sync on the grid. Undefined before the first sync,
   * which starts the grid.
   */
  gridAt: number | undefined;
  /** Time when the next sync starts: its time on the grid plus jitter. */
  dueAt: number;
  /** Number of syncs in a row without a change. */
  quiet: number;
  /** Number of failed syncs in a row. */
  failures: number;
}

/** After this many syncs without a change, the interval doubles. */
const QUIET_TO_DOUBLE = 4;
const MAX_DOUBLINGS = 30;

export class Schedule {
  readonly #everyMs: number;
  readonly #maxEveryMs: number;
  readonly #jitter: number;
  readonly #random: () => number;
  readonly #sites: Map<string, ScheduledSite> = new Map();
  /** When each running sync started. */
  readonly #running: Map<string, number> = new Map();

  constructor({ everyMs, maxEveryMs = 8 * everyMs, jitter = 0.1, random = Math.random }: ScheduleOptions) {
    this.#everyMs = everyMs;
    this.#maxEveryMs = Math.max(everyMs, maxEveryMs);
    this.#jitter = jitter;
    this.#random = random;
  }

  /** @param last time of the last sync, and how many syncs in a row found no change */
  add(name: string, now: number, last?: { readonly at: number; readonly quiet: number }): void {
    const site: ScheduledSite = { gridAt: undefined, dueAt: now, quiet: last?.quiet ?? 0, failures: 0 };
    this.#sites.set(name, site);
    if (last === undefined) return;
    const next = Math.min(last.at, now) + this.#intervalMs(site);
    // If that time is over, the site is overdue: it is synced now, and that sync sets its grid.
    if (next > now) this.#set(site, next, now);
  }

  /** Returns the site that has been due longest, if any, and marks it as running. */
  take(now: number): string | undefined {
    let first: string | undefined;
    let firstAt = Number.POSITIVE_INFINITY;
    for (const [name, { dueAt }] of this.#sites) {
      if (dueAt > now || dueAt >= firstAt || this.#running.has(name)) continue;
      first = name;
      firstAt = dueAt;
    }
    if (first === undefined) return undefined;
    this.#running.set(first, now);
    // The grid starts with the first sync. Sites that were added together start one by one, which also spreads their
    // later syncs.
    this.#sites.get(first)!.gridAt ??= now;
    return first;
  }

  /** A sync in progress is not affected. */
  remove(name: string): void {
    this.#sites.delete(name);
  }

  end(name: string, now: number, outcome: SyncOutcome): void {
    this.#running.delete(name);
    const site = this.#sites.get(name);
    if (site?.gridAt === undefined) return;
    site.failures = outcome === "failed" ? site.failures + 1 : 0;
    if (outcome !== "failed") site.quiet = outcome === "changed" ? 0 : site.quiet + 1;
    const intervalMs = this.#intervalMs(site);
    const missed = Math.max(0, Math.floor((now - site.gridAt) / intervalMs));
    this.#set(site, site.gridAt + (missed + 1) * intervalMs, now);
  }

  /** Time when the next site that is not running is due, or Infinity if there is none. */
  nextAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [name, { dueAt }] of this.#sites) if (!this.#running.has(name)) next = Math.min(next, dueAt);
    return next;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** The current interval between two syncs of a site. Undefined for an unknown site. */
  intervalMs(name: string): number | undefined {
    const site = this.#sites.get(name);
    return site && this.#intervalMs(site);
  }

  /** The longest time that a due site has been waiting for its sync. 0 if no site is due. */
  lagMs(now: number): number {
    return Math.max(0, now - this.nextAt());
  }

  /** Sites whose next sync is late by more than an interval, or whose sync runs for longer than the longest interval. */
  overdue(now: number): string[] {
    const late: string[] = [];
    for (const [name, site] of this.#sites) {
      const startedAt = this.#running.get(name);
      const limit =
        startedAt === undefined ? site.dueAt + this.#intervalMs(site) : startedAt + this.#maxEveryMs;
      if (now > limit) late.push(name);
    }
    return late;
  }

  #set(site: ScheduledSite, at: number, now: number): void {
    const jitterMs = this.#jitter * this.#intervalMs(site) * (2 * this.#random() - 1);
    site.gridAt = at;
    site.dueAt = Math.max(now, at + jitterMs);
  }

  #intervalMs({ quiet, failures }: ScheduledSite): number {
    const doublings = failures > 0 ? failures : Math.floor(quiet / QUIET_TO_DOUBLE);
    return Math.min(this.#maxEveryMs, this.#everyMs * 2 ** Math.min(doublings, MAX_DOUBLINGS));
  }
}
