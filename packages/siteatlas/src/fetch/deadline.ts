/**
 * A signal that aborts when its parent does or when time is up, and leaves nothing behind once cleared.
 * (`AbortSignal.any` with a long-lived parent keeps its children until the collector comes by.)
 *
 * Time is up once more than it is over, to the fraction of a millisecond: a timer only says when to look.
 */
import { setMaxListeners } from "node:events";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Aborts now. */
  expire(reason: unknown): void;
  /** Removes timer and listener. */
  clear(): void;
}

/** setTimeout knows no more: a longer time would be over at once. */
export const MAX_TIMER: number = 2 ** 31 - 1;

/** The reason of a deadline that passed. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "SITEATLAS_TIMEOUT";
}

/** What is left of a time: less than nothing once more than that is over. Of no time, nothing is left. */
export function timeLeft(limitMs: number, elapsedMs: number): number {
  return limitMs === 0 ? -1 : limitMs - elapsedMs;
}

/** Calls back once less than nothing is left; looks at once, and then when it may be so. Gives what ends it. */
export function watchTime(left: () => number, onOver: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const ms = left();
    if (ms < 0) onOver();
    // A timer knows whole milliseconds, may be early by one, and takes what is too long for none at all.
    else if (ms < Number.POSITIVE_INFINITY) timer = setTimeout(look, Math.min(Math.ceil(ms), MAX_TIMER));
  };
  look();
  return () => clearTimeout(timer);
}

/** Without a time, only the parent ends it. */
export function createDeadline(
  parent: AbortSignal | undefined,
  ms: number = Number.POSITIVE_INFINITY,
  what = "It",
): Deadline {
  const controller = new AbortController();
  // One listener for each request that waits or runs is no leak, nor is one for each walk of the caller's.
  setMaxListeners(0, controller.signal, ...(parent === undefined ? [] : [parent]));
  const onAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) onAbort();
  else parent?.addEventListener("abort", onAbort, { once: true });
  const from = performance.now();
  const stop = watchTime(
    () => timeLeft(ms, performance.now() - from),
    () => controller.abort(new TimeoutError(`${what} took more than ${ms} ms`)),
  );
  return {
    signal: controller.signal,
    expire: (reason) => controller.abort(reason),
    clear: () => {
      stop();
      parent?.removeEventListener("abort", onAbort);
    },
  };
}

/** Waits, unless the signal aborts: then it throws the reason. */
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

/** The promise, unless the signal aborts: then it throws the reason. So even a client that does not listen ends. */
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
