/**
 * A clock that stops with the process: after Ctrl-Z or SIGSTOP, and while the machine sleeps. All time limits use it,
 * so that such a pause is not a timeout. It also counts the pauses. A request that fails after a pause gets another
 * try (send-request.ts).
 *
 * While a request runs, it holds the clock (`hold`), and a timer reads the time every 500 ms. If two readings are more
 * than two seconds apart, the process was paused in between. The time of day is also compared, because on Linux the
 * monotonic clock stops while the machine sleeps.
 */
import { hrtime } from "node:process";

export interface TimeSources {
  /** The time that `now` returns, before pauses are subtracted. */
  readonly now: () => number;
  /** A monotonic clock. */
  readonly monotonic: () => number;
  /** The time of day. */
  readonly wall: () => number;
}

const TICK_MS = 500;
/**
 * Minimum length of a pause. A busy machine also delays timers, but rarely by more than this. A shorter pause counts as
 * running time.
 */
const PAUSE_MS = 2000;

const SOURCES: TimeSources = {
  now: () => performance.now(),
  monotonic: () => {
    const [seconds, nanoseconds] = hrtime();
    return seconds * 1000 + nanoseconds / 1_000_000;
  },
  wall: () => Date.now(),
};

export class RunningClock {
  readonly #sources: TimeSources;
  #pausedMs = 0;
  #pauses = 0;
  #holders = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastMonotonic = 0;
  #lastWall = 0;

  constructor(sources: TimeSources = SOURCES) {
    this.#sources = sources;
  }

  /** Time in milliseconds, without pauses of the process. Only pauses while the clock was held are known. */
  now(): number {
    this.#look();
    return this.#sources.now() - this.#pausedMs;
  }

  /** Number of pauses of the process while the clock was held. */
  get pauses(): number {
    this.#look();
    return this.#pauses;
  }

  /** Detects pauses of the process until the returned function is called. */
  hold(): () => void {
    this.#holders++;
    if (this.#timer === undefined) {
      this.#lastMonotonic = this.#sources.monotonic();
      this.#lastWall = this.#sources.wall();
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
      this.#timer.unref?.();
    }
    let isHeld = true;
    return () => {
      if (isHeld) this.#holders--;
      isHeld = false;
    };
  }

  /**
   * Stops the timer if no request holds the clock. The timer is stopped here and not at the release of the clock,
   * because the next request often holds the clock immediately.
   */
  #tick(): void {
    this.#look();
    if (this.#holders > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#timer === undefined) return;
    const monotonic = this.#sources.monotonic();
    const wall = this.#sources.wall();
    const gapMs = monotonic - this.#lastMonotonic;
    if (Math.max(gapMs, wall - this.#lastWall) > PAUSE_MS) {
      this.#pauses++;
      this.#pausedMs += gapMs;
    }
    this.#lastMonotonic = monotonic;
    this.#lastWall = wall;
  }
}

/** The clock of this process. */
export const runningClock: RunningClock = new RunningClock();
