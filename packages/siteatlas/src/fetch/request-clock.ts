/**
 * How long the server lets one request wait, and how slowly it sends, against the limits. The time that a
 * reader takes for what has come does not count: it may take as long as it likes.
 *
 * It is told the time instead of asking for it, so that every limit is exact: as long as is allowed is in
 * time, more is not.
 */
import { timeLeft } from "./deadline.ts";

export interface TimeLimits {
  /** From the request to the end of the headers. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly idleMs: number;
  /** One request with its body; the time that the reader takes for what has come does not count. */
  readonly requestMs: number;
  /** Below this average, once the body was waited for longer than `idleMs`, it is given up. */
  readonly bytesPerSecond: number;
}

export class RequestClock {
  readonly #limits: TimeLimits;
  /** What is waited for now. */
  #limit: "headersMs" | "idleMs" = "headersMs";
  /** How long this wait was before it was stopped the last time. */
  #beforeMs = 0;
  #startedAt: number | undefined;
  /** All waits that are over, and those of them for the body. */
  #waitedMs = 0;
  #bodyMs = 0;

  constructor(limits: TimeLimits) {
    this.#limits = limits;
  }

  /** The server is waited for: for its headers at first, then for one piece after the other. */
  start(now: number): void {
    this.#startedAt = now;
  }

  /** Something else is waited for, which is not the server. */
  stop(now: number): void {
    this.#beforeMs = this.#elapsed(now);
    this.#startedAt = undefined;
  }

  /** What was waited for has come; the next is a piece of the body. */
  arrive(now: number): void {
    const elapsed = this.#elapsed(now);
    this.#waitedMs += elapsed;
    if (this.#limit === "idleMs") this.#bodyMs += elapsed;
    this.#limit = "idleMs";
    this.#beforeMs = 0;
    this.#startedAt = undefined;
  }

  /** How much longer this wait may be; less than nothing once it is too long. */
  left(now: number): number {
    if (this.#startedAt === undefined) return Number.POSITIVE_INFINITY;
    const elapsed = this.#elapsed(now);
    return Math.min(
      timeLeft(this.#limits[this.#limit], elapsed),
      timeLeft(this.#limits.requestMs, this.#waitedMs + elapsed),
    );
  }

  /** What took too long. */
  complaint(now: number): string {
    const { requestMs } = this.#limits;
    const ms = this.#limits[this.#limit];
    if (timeLeft(ms, this.#elapsed(now)) >= 0) return `The request took more than ${requestMs} ms`;
    const what = this.#limit === "headersMs" ? "The headers took" : "The body paused for";
    return `${what} more than ${ms} ms`;
  }

  /** Whether these are too few bytes for the time. Stops the body that comes byte by byte, each of them in time (H37). */
  isTooSlow(bytes: number): boolean {
    const { idleMs, bytesPerSecond } = this.#limits;
    if (bytesPerSecond === Number.POSITIVE_INFINITY || this.#bodyMs <= idleMs) return false;
    return bytes * 1000 < bytesPerSecond * this.#bodyMs;
  }

  #elapsed(now: number): number {
    return this.#beforeMs + (this.#startedAt === undefined ? 0 : now - this.#startedAt);
  }
}
