/**
 * Notices a walker process that no longer responds: it was stopped (SIGSTOP), or hangs in a call of the operating
 * system. Its own watchdog cannot notice this, because it is frozen too.
 *
 * If the worker was also late, the whole machine was suspended or busy. Then the process gets its full time again.
 */

/** Time between two pings. If the worker is later than twice this time, it was suspended. */
const PING_MS = 1000;

export interface HeartbeatOptions {
  /** Returns the time after which a process that sends nothing is frozen. */
  readonly frozenMs: () => number;
  readonly ping: () => void;
  readonly onFrozen: () => void;
  /** Returns the time in milliseconds. @default performance.now */
  readonly now?: () => number;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #now: () => number;
  #heardAt: number;
  #checkedAt: number;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#heardAt = this.#now();
    this.#checkedAt = this.#heardAt;
    this.#timer = setInterval(() => this.check(), PING_MS).unref();
  }

  /** Records a message of the process. */
  hear(): void {
    this.#heardAt = this.#now();
  }

  /** @internal exported for tests */
  check(): void {
    const now = this.#now();
    if (now - this.#checkedAt > 2 * PING_MS) this.#heardAt = now;
    this.#checkedAt = now;
    if (now - this.#heardAt > this.#options.frozenMs()) {
      this.end();
      this.#options.onFrozen();
    } else this.#options.ping();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
