/**
 * A signal that aborts with its parent signal or after a timeout. `clear` frees its timer and its listener.
 * (`AbortSignal.any` would keep every child of a long-lived parent in memory until a garbage collection.)
 *
 * Timeouts are exact to a fraction of a millisecond, because the clock is checked when the timer fires. Pauses of the
 * process (running-clock.ts) do not count.
 */
import { setMaxListeners } from "node:events";
import type { DetailedError, FailureDetail } from "./failure-cause.ts";
import { runningClock } from "./running-clock.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  expire(reason: unknown): void;
  /** Removes the timer and the listener. */
  clear(): void;
}

/** Maximum time for setTimeout, in milliseconds. With a longer time, the timer fires immediately. */
export const MAX_TIMER: number = 2 ** 31 - 1;

/** The abort reason after a timeout. */
export class TimeoutError extends Error implements DetailedError {
  override readonly name = "TimeoutError";
  readonly code = "SITEATLAS_TIMEOUT";
  readonly detail: FailureDetail | undefined;

  constructor(message: string, detail?: FailureDetail) {
    super(message);
    this.detail = detail;
  }
}

/** Time left until the limit. Negative if the limit is exceeded. A limit of 0 is exceeded from the start. */
export function timeLeft(limitMs: number, elapsedMs: number): number {
  return limitMs === 0 ? -1 : limitMs - elapsedMs;
}

/** Calls `onOver` once `left` returns a negative number. Returns a function that stops watching. */
export function watchTime(left: () => number, onOver: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const ms = left();
    if (ms < 0) onOver();
    // A timer may fire up to 1 ms early. In that case, `look` sets it again.
    else if (ms < Number.POSITIVE_INFINITY) timer = setTimeout(look, Math.min(Math.ceil(ms), MAX_TIMER));
  };
  look();
  return () => clearTimeout(timer);
}

/**
 * Creates a signal with a timeout. Without `ms`, only the parent aborts the signal. The message of the TimeoutError
 * starts with `what`.
 */
export function createDeadline(
  parent: AbortSignal | undefined,
  ms: number = Number.POSITIVE_INFINITY,
  what = "It",
): Deadline {
  const controller = new AbortController();
  // Each request and each walk adds a listener. This is not a leak, so disable Node's warning about many listeners.
  setMaxListeners(0, controller.signal, ...(parent === undefined ? [] : [parent]));
  const onAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) onAbort();
  else parent?.addEventListener("abort", onAbort, { once: true });
  const release = ms < Number.POSITIVE_INFINITY ? runningClock.hold() : undefined;
  const from = runningClock.now();
  const stop = watchTime(
    () => timeLeft(ms, runningClock.now() - from),
    () => {
      release?.();
      controller.abort(new TimeoutError(`${what} took more than ${ms} ms`));
    },
  );
  return {
    signal: controller.signal,
    expire: (reason) => controller.abort(reason),
    clear: () => {
      stop();
      release?.();
      parent?.removeEventListener("abort", onAbort);
    },
  };
}

/** Waits for `ms` milliseconds. Rejects with the abort reason if the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      },
      Math.min(ms, MAX_TIMER),
    );
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Settles like `promise`, but rejects as soon as the signal aborts. So a client that ignores its signal cannot block a
 * walk.
 */
export function unlessAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const settled = (): void => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}
