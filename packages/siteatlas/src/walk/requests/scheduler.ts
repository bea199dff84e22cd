/**
 * Decides which document is visited next, and how many documents are visited at the same time. Ends the walk when the
 * caller's signal aborts, when a limit of the whole walk is reached, or when the caller stops reading the events.
 * fetch/politeness.ts limits the requests per host.
 */
import { runningClock } from "../../fetch/running-clock.ts";
import { createDeadline, type Deadline, TimeoutError } from "../../fetch/timeout-signal.ts";
import { type Breach, type Budget, breachOf } from "../budget.ts";
import { reasonOf, stoppedBy } from "../events/sitemap-events.ts";
import { DEFAULT_CONCURRENCY, type WalkOptions } from "../options.ts";
import type { SitemapDocument, Verdict } from "../site-graph.ts";
import { RequestQueue } from "./request-queue.ts";

/** Maximum number of documents that are visited at the same time, over all hosts. */
const MAX_VISITS = 16;

export class Scheduler {
  /** The limit that ended the walk. Undefined if no limit ended the walk. */
  stopped: Breach | undefined;
  readonly #queue: RequestQueue = new RequestQueue();
  readonly #budget: Budget;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #concurrency: number;
  readonly #deadline: Deadline;
  readonly #startedAt = runningClock.now();
  #running = 0;
  #isLeft = false;
  /** The first error of a visit. */
  #failure: { readonly reason: unknown } | undefined;
  #onEnd: (() => void) | undefined;

  constructor({ signal, concurrency = DEFAULT_CONCURRENCY }: WalkOptions, budget: Budget) {
    const { timeMs } = budget.limits;
    this.#budget = budget;
    this.#callerSignal = signal;
    this.#concurrency = concurrency;
    this.#deadline = createDeadline(signal, timeMs, "The walk");
    this.#deadline.signal.addEventListener("abort", () => {
      if (this.#deadline.signal.reason instanceof TimeoutError) this.#stopInTime();
    });
    if (timeMs === 0) this.#stopInTime();
  }

  /** Aborts when the walk ends early, for any reason. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  add(document: SitemapDocument): void {
    this.#queue.add(document);
  }

  promote(document: SitemapDocument): void {
    this.#queue.promote(document);
  }

  /** Visits all waiting documents, also documents that are added meanwhile. Ends early if `until` returns true. */
  async drain(
    visit: (document: SitemapDocument) => Promise<void>,
    until: () => boolean = () => false,
  ): Promise<void> {
    while (!until()) {
      while (this.#running < MAX_VISITS && this.#failure === undefined && !this.#isLeft) {
        // Take a known location only if a slot is free. Otherwise it could delay sitemaps that are listed later.
        const document = this.#queue.take(this.#running < this.#concurrency);
        if (document === undefined) break;
        this.#running++;
        visit(document)
          .catch((reason: unknown) => {
            this.#failure ??= { reason };
            this.#deadline.expire(reason);
          })
          .finally(() => {
            this.#running--;
            this.#onEnd?.();
          });
      }
      if (this.#running === 0) break;
      await this.#nextEnd();
    }
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Ends the walk because of a limit. Aborts requests in flight. The pages that were already read are kept. */
  stop(breach: Breach): void {
    this.stopped ??= this.#budget.reach(breach);
    this.#deadline.expire(new Error(reasonOf(breach)));
  }

  /** Ends the walk if it has read more bytes than a limit allows. Returns the limit that ended the walk, if any. */
  checkBytes(): Breach | undefined {
    const breach = this.#budget.bytesBreach();
    if (breach !== undefined) this.stop(breach);
    return this.stopped;
  }

  /** Returns why the sitemap is not read, if `stop` caused the error. Rethrows all other errors. */
  expectStop(error: unknown): Verdict {
    this.#callerSignal?.throwIfAborted();
    if (this.stopped === undefined || error !== this.signal.reason) throw error;
    return stoppedBy(this.stopped);
  }

  /** Aborts all requests, because the caller stopped reading the events. */
  leave(): void {
    this.#isLeft = true;
    this.#deadline.expire(new Error("The caller ended the walk"));
  }

  /** Ends the walk because of an error. Aborts all requests and waits until they have ended. */
  async abandon(reason: unknown): Promise<void> {
    this.#failure ??= { reason };
    this.#deadline.expire(reason);
    while (this.#running > 0) await this.#nextEnd();
  }

  close(): void {
    this.#deadline.clear();
  }

  /** Resolves when the next visit ends. */
  #nextEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = resolve;
    });
  }

  #stopInTime(): void {
    const { timeMs } = this.#budget.limits;
    this.stop(
      breachOf(this.#budget.limits, "timeMs", Math.max(timeMs, runningClock.now() - this.#startedAt)),
    );
  }
}
