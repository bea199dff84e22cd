/**
 * Sends one request: waits for a free request slot of the host, applies the time limits, and retries if a retry can
 * help. If a request fails after the process was paused (Ctrl-Z, sleep), it is sent again. This does not count as a
 * retry. Returns a failure as a value. Throws only the caller's abort reason.
 */
import type { Report } from "../model/issue-log.ts";
import { classifyError, DeadHostError, type NetworkFailure } from "./classify-error.ts";
import { type Client, type ClientResponse, discard } from "./client/client.ts";
import { isCallerBug } from "./client-faults.ts";
import type { GateRules, HostGate } from "./politeness.ts";
import { ResponseTimeouts, type TimeLimits } from "./response-timeouts.ts";
import { backoffMs, isRetryable, retryAfterMs } from "./retry.ts";
import { type RunningClock, runningClock } from "./running-clock.ts";
import { createDeadline, type Deadline, sleep, unlessAborted, watchTime } from "./timeout-signal.ts";

export interface RequestLimits extends TimeLimits {
  readonly retries: number;
  /** Maximum pause for Retry-After, in milliseconds. A longer pause is shortened to this. */
  readonly retryAfterMs: number;
  /** Upper bound of the random wait before the first retry. It doubles with each further retry. */
  readonly backoffMs: number;
}

export interface RequestOptions {
  readonly client: Client;
  readonly gate: HostGate;
  readonly rules: (url: URL) => GateRules;
  readonly headers: (url: URL) => Readonly<Record<string, string>>;
  readonly limits: RequestLimits;
  readonly signal: AbortSignal;
  readonly report: Report;
  /**
   * Called when a request has its slot. The request is sent when the promise resolves. If the promise rejects with a
   * DeadHostError, the request is not sent.
   */
  readonly admit?: ((url: URL, signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Called when a request is sent. The callback may return a function, which is called when the body has been read, or
   * the request has failed.
   */
  readonly onSend?: ((url: URL) => unknown) | undefined;
  /** Called when a server requests a pause with Retry-After. */
  readonly onPause?: ((pause: HostPause) => unknown) | undefined;
  /** The clock for the time limits. @default the clock of the process */
  readonly clock?: RunningClock | undefined;
}

/** A pause that a server requested with Retry-After. Until the pause is over, no request is sent to the host. */
export interface HostPause {
  /** The URL whose response requested the pause. */
  readonly url: string;
  /** The HTTP status of that response: 429 or 503, for example. */
  readonly status: number;
  /** Duration of the pause, at most `limits.retryAfterMs`. */
  readonly ms: number;
  /** Duration that the server asked for. */
  readonly askedMs: number;
}

/** A response whose headers have arrived and whose body has not been read. */
export interface OpenResponse {
  readonly kind: "response";
  readonly response: ClientResponse;
  readonly deadline: Deadline;
  readonly timeouts: ResponseTimeouts;
  readonly clock: RunningClock;
  /** Value of `clock.pauses` when the request was sent. */
  readonly pauses: number;
  readonly holder: Holder;
  /** Frees the connection, the slot and the timers. May be called twice. */
  readonly cancel: () => void;
}

interface FailedRequest {
  readonly kind: "failed";
  readonly failure: NetworkFailure;
}

export async function sendRequest(url: URL, options: RequestOptions): Promise<OpenResponse | FailedRequest> {
  const { limits, gate, signal, report, onPause, clock = runningClock } = options;
  for (let tries = 0; ; tries++) {
    const { pauses } = clock;
    const attempt = await sendOnce(url, options);
    const isLast = tries >= limits.retries;
    let pauseMs = 0;
    if (attempt.kind === "response") {
      const { status, headers } = attempt.response;
      if (!isRetryable(status, headers)) return attempt;
      // Limit the pause, because a server may send a Retry-After of years (sec-H16).
      const askedMs = retryAfterMs(headers["retry-after"]) ?? 0;
      pauseMs = Math.min(askedMs, limits.retryAfterMs);
      // Pause the host before this request frees its slot, so that other requests to the host also wait. Do this even
      // after the last retry.
      if (pauseMs > 0) {
        gate.pause(url.host, pauseMs);
        await onPause?.({ url: url.href, status, ms: pauseMs, askedMs });
      }
      if (isLast) return attempt;
      attempt.cancel();
      report("http.retry", `status ${status}`);
    } else if (clock.pauses > pauses && mayBeCausedByPause(attempt.failure)) {
      report("http.retry", PAUSED);
      tries--;
    } else {
      if (!attempt.failure.isTransient || isLast) return attempt;
      report("http.retry", attempt.failure.reason);
    }
    if (pauseMs === 0) await sleep(backoffMs(Math.max(0, tries), limits.backoffMs), signal);
  }
}

/** Reason in the issue `http.retry` if a request is sent again because the process was paused (Ctrl-Z, sleep). */
export const PAUSED = "the process was stopped meanwhile";

/**
 * Whether a pause of the process may have caused the failure. During the pause, the server may have closed the
 * connection. After sleep, a machine has no network at first.
 */
function mayBeCausedByPause({ code, isTransient }: NetworkFailure): boolean {
  return isTransient || code === "http.timeout" || code === "http.dns";
}

async function sendOnce(
  url: URL,
  { client, gate, rules, headers, limits, signal, admit, onSend, clock = runningClock }: RequestOptions,
): Promise<OpenResponse | FailedRequest> {
  const turn = await gate.enter(url.host, rules(url), signal);
  let onEnd: unknown;
  try {
    await admit?.(url, signal);
    // Use `await`: if `onSend` is async and rejects, an unhandled rejection would end the process.
    onEnd = await onSend?.(url);
  } catch (error) {
    turn.leave();
    signal.throwIfAborted();
    if (error instanceof DeadHostError) return { kind: "failed", failure: classifyError(error) };
    throw error;
  }
  const deadline = createDeadline(signal);
  const timeouts = new ResponseTimeouts(limits);
  const release = clock.hold();
  const finish = (): void => {
    deadline.clear();
    turn.leave();
    release();
    if (typeof onEnd === "function") onEnd();
  };
  const { pauses } = clock;
  const holder: Holder = { pause: (wait) => wait };
  let sent: Promise<ClientResponse> | undefined;
  try {
    const response = await inTime(timeouts, deadline, clock, (pause) => {
      sent = client({
        url: url.href,
        headers: headers(url),
        signal: deadline.signal,
        onAddress: (address) => pause(turn.at(address, deadline.signal)),
        onHold: async (wait) => await holder.pause(wait),
      });
      return sent;
    });
    const cancel = cancelOnce(response, deadline, finish);
    return { kind: "response", response, deadline, timeouts, clock, pauses, holder, cancel };
  } catch (error) {
    sent?.then(discard).catch(() => {});
    finish();
    signal.throwIfAborted();
    const reason = abortReasonOr(error, deadline);
    if (isCallerBug(reason)) throw reason;
    return { kind: "failed", failure: classifyError(reason) };
  }
}

/** Returns the abort reason if there is one, because a client may throw any error after an abort. */
export function abortReasonOr(error: unknown, { signal }: Deadline): unknown {
  return signal.aborted ? signal.reason : error;
}

/** Stops the time limits until the promise is settled. */
type Pause = (other: Promise<void> | undefined) => Promise<void> | undefined;

/** Stops the time limits of a body while the client itself delays the body. */
interface Holder {
  pause: Pause;
}

/**
 * Waits for the server within the time limits. `wait` may pass a promise to `pause`: the time that this promise takes
 * does not count.
 */
export async function inTime<T>(
  timeouts: ResponseTimeouts,
  deadline: Deadline,
  clock: RunningClock,
  wait: (pause: Pause) => PromiseLike<T>,
): Promise<T> {
  const { signal } = deadline;
  const expire = (): void => deadline.expire(timeouts.error(clock.now()));
  const startWatch = (): (() => void) => {
    timeouts.start(clock.now());
    return watchTime(() => timeouts.left(clock.now()), expire);
  };
  let isOver = false;
  let stopWatch = startWatch();
  const pause: Pause = (other) => {
    if (other === undefined) return undefined;
    stopWatch();
    timeouts.stop(clock.now());
    return other.then(() => {
      if (!isOver) stopWatch = startWatch();
    });
  };
  try {
    signal.throwIfAborted();
    const value = await unlessAborted(wait(pause), signal);
    const now = clock.now();
    // Check the clock here: if chunks are always available, timers never run (sec-B10).
    if (timeouts.left(now) < 0) expire();
    signal.throwIfAborted();
    timeouts.arrive(now);
    return value;
  } finally {
    isOver = true;
    stopWatch();
  }
}

function cancelOnce(response: ClientResponse, deadline: Deadline, finish: () => void): () => void {
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    discard(response);
    // Abort the request: if the body was not read at all, calling `return` on its iterator does not free the
    // connection.
    if (response.cancel === undefined) deadline.expire(new Error("The body is not needed"));
    finish();
  };
}
