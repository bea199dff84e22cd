/**
 * A signal that aborts when its parent does or when time is up, and leaves nothing behind once cleared.
 * (`AbortSignal.any` with a long-lived parent keeps its children until the collector comes by.)
 */
import { setMaxListeners } from "node:events";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Aborts now. */
  expire(reason: unknown): void;
  /** Stops the clock; the parent still counts. */
  stop(): void;
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

export function createDeadline(parent: AbortSignal | undefined, ms: number, what: string): Deadline {
  const controller = new AbortController();
  // One listener for each request that waits or runs is no leak, nor is one for each walk of the caller's.
  setMaxListeners(0, controller.signal, ...(parent === undefined ? [] : [parent]));
  const onAbort = (): void => controller.abort(parent?.reason);
  const timer =
    ms > MAX_TIMER
      ? undefined
      : setTimeout(() => controller.abort(new TimeoutError(`${what} took more than ${ms} ms`)), ms);
  if (parent?.aborted) onAbort();
  else parent?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    expire: (reason) => controller.abort(reason),
    stop: () => clearTimeout(timer),
    clear: () => {
      clearTimeout(timer);
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
