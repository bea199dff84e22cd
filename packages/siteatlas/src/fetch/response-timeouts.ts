/**
 * The time limits of one request: how long the server may take for headers and body, and how slowly it may send.
 * Only waiting for the server counts, not the time to process data that has arrived.
 *
 * This class has no clock: the caller passes the time. So tests can check that each limit is exact.
 */
import type { FailureCause } from "./failure-cause.ts";
import { TimeoutError, timeLeft } from "./timeout-signal.ts";

export interface TimeLimits {
  /** Time limit until the headers are complete. */
  readonly headersMs: number;
  /** Time limit between two chunks of the body. */
  readonly idleMs: number;
  /** Time limit for the whole response: headers and body. */
  readonly requestMs: number;
  /** Minimum average speed of the body. Checked once the total time of waiting for the body exceeds `idleMs`. */
  readonly bytesPerSecond: number;
}

const TEXTS: Readonly<
  Record<Exclude<keyof TimeLimits, "bytesPerSecond">, readonly [what: string, FailureCause, reason: string]>
> = {
  headersMs: ["The headers took", "headers-timeout", "the server did not answer within"],
  idleMs: ["The body paused for", "idle-timeout", "the server sent nothing for"],
  requestMs: ["The request took", "request-timeout", "the response was not complete within"],
};

export class ResponseTimeouts {
  readonly #limits: TimeLimits;
  /** The limit that applies to the current wait. */
  #limit: "headersMs" | "idleMs" = "headersMs";
  /** Duration of the current wait up to its last interruption by `stop`. */
  #beforeMs = 0;
  #startedAt: number | undefined;
  /** Total duration of all finished waits. */
  #waitedMs = 0;
  /** Total duration of the finished waits for the body. */
  #bodyMs = 0;

  constructor(limits: TimeLimits) {
    this.#limits = limits;
  }

  /** Called when a wait for the server begins: first for its headers, then for each chunk. */
  start(now: number): void {
    this.#startedAt = now;
  }

  /** Interrupts the current wait, because the request waits for something other than the server. */
  stop(now: number): void {
    this.#beforeMs = this.#elapsed(now);
    this.#startedAt = undefined;
  }

  /** Called when the headers or a chunk arrived. The next wait is for a chunk. */
  arrive(now: number): void {
    const elapsed = this.#elapsed(now);
    this.#waitedMs += elapsed;
    if (this.#limit === "idleMs") this.#bodyMs += elapsed;
    this.#limit = "idleMs";
    this.#beforeMs = 0;
    this.#startedAt = undefined;
  }

  /** Time left for the current wait. It is negative once a limit is exceeded. */
  left(now: number): number {
    if (this.#startedAt === undefined) return Number.POSITIVE_INFINITY;
    const elapsed = this.#elapsed(now);
    return Math.min(
      timeLeft(this.#limits[this.#limit], elapsed),
      timeLeft(this.#limits.requestMs, this.#waitedMs + elapsed),
    );
  }

  /** Returns an error that names the exceeded limit. */
  error(now: number): TimeoutError {
    const isOver = timeLeft(this.#limits[this.#limit], this.#elapsed(now)) < 0;
    const limit = isOver ? this.#limit : "requestMs";
    const ms = this.#limits[limit];
    const [what, cause, reason] = TEXTS[limit];
    return new TimeoutError(`${what} more than ${ms} ms`, { cause, reason: `${reason} ${ms / 1000} s` });
  }

  /** Whether the body is too slow. Stops a server that sends single bytes, each just before `idleMs` is over (H37). */
  isTooSlow(bytes: number): boolean {
    const { idleMs, bytesPerSecond } = this.#limits;
    if (bytesPerSecond === Number.POSITIVE_INFINITY || this.#bodyMs <= idleMs) return false;
    return bytes * 1000 < bytesPerSecond * this.#bodyMs;
  }

  #elapsed(now: number): number {
    return this.#beforeMs + (this.#startedAt === undefined ? 0 : now - this.#startedAt);
  }
}
