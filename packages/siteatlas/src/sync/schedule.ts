/**
 * When each of many sites is due. A site has a grid of beats from its first sync on, and stays on it: neither
 * syncs that take long nor the little chance that keeps sites from meeting at the same moment shift later beats.
 * A beat that was missed is left out, not made up for. A site that never changes is asked less often, one that
 * fails less and less often.
 *
 * Knows no clock and starts nothing: it is told the time.
 */

export interface ScheduleOptions {
  /** From one sync of a site to the next, while it changes. */
  readonly everyMs: number;
  /** A site that does not change, or fails, is asked at least so often. @default eight times `everyMs` */
  readonly maxEveryMs?: number;
  /** A sync comes up to so much of the interval before or after its beat. @default 0.1 */
  readonly jitter?: number;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/** What is remembered of a site. */
interface Beat {
  /** The beat that is next, or under way; undefined before the first sync, which sets the grid. */
  beatAt: number | undefined;
  /** When its sync is to start: the beat, and a little chance. */
  dueAt: number;
  /** Syncs in a row without a change, and that failed. */
  quiet: number;
  failures: number;
}

/** So many syncs without a change double the interval. */
const QUIET_TO_DOUBLE = 4;
/** Beyond, nobody waits for it. */
const MAX_DOUBLINGS = 30;

export class Schedule {
  readonly #everyMs: number;
  readonly #maxEveryMs: number;
  readonly #jitter: number;
  readonly #random: () => number;
  readonly #beats: Map<string, Beat> = new Map();
  readonly #running: Set<string> = new Set();

  constructor({ everyMs, maxEveryMs = 8 * everyMs, jitter = 0.1, random = Math.random }: ScheduleOptions) {
    this.#everyMs = everyMs;
    this.#maxEveryMs = Math.max(everyMs, maxEveryMs);
    this.#jitter = jitter;
    this.#random = random;
  }

  /** A site, and when it was last synced and how many times in a row without a change, if ever. */
  add(site: string, now: number, last?: { readonly at: number; readonly quiet: number }): void {
    const beat: Beat = { beatAt: undefined, dueAt: now, quiet: last?.quiet ?? 0, failures: 0 };
    this.#beats.set(site, beat);
    if (last === undefined) return;
    const next = Math.min(last.at, now) + this.#intervalMs(beat);
    // One that is overdue comes at once, and goes on from there.
    if (next > now) this.#set(beat, next, now);
  }

  /** The site to be synced now, if any: of those that are due, the one that waits longest. It counts as running. */
  take(now: number): string | undefined {
    let first: string | undefined;
    let firstAt = Number.POSITIVE_INFINITY;
    for (const [site, { dueAt }] of this.#beats) {
      if (dueAt > now || dueAt >= firstAt || this.#running.has(site)) continue;
      first = site;
      firstAt = dueAt;
    }
    if (first === undefined) return undefined;
    this.#running.add(first);
    // Sites that start together have to wait for each other: from then on they are spread.
    this.#beats.get(first)!.beatAt ??= now;
    return first;
  }

  /** It ended so. */
  end(site: string, now: number, outcome: "changed" | "unchanged" | "failed"): void {
    this.#running.delete(site);
    const beat = this.#beats.get(site);
    if (beat?.beatAt === undefined) return;
    beat.failures = outcome === "failed" ? beat.failures + 1 : 0;
    if (outcome !== "failed") beat.quiet = outcome === "changed" ? 0 : beat.quiet + 1;
    const intervalMs = this.#intervalMs(beat);
    const missed = Math.max(0, Math.floor((now - beat.beatAt) / intervalMs));
    this.#set(beat, beat.beatAt + (missed + 1) * intervalMs, now);
  }

  /** When the next site is due that does not run already; Infinity for never. */
  nextAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [site, { dueAt }] of this.#beats) if (!this.#running.has(site)) next = Math.min(next, dueAt);
    return next;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  #set(beat: Beat, at: number, now: number): void {
    const chanceMs = this.#jitter * this.#intervalMs(beat) * (2 * this.#random() - 1);
    beat.beatAt = at;
    beat.dueAt = Math.max(now, at + chanceMs);
  }

  #intervalMs({ quiet, failures }: Beat): number {
    const doublings = failures > 0 ? failures : Math.floor(quiet / QUIET_TO_DOUBLE);
    return Math.min(this.#maxEveryMs, this.#everyMs * 2 ** Math.min(doublings, MAX_DOUBLINGS));
  }
}
