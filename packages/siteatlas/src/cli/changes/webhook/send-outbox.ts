/**
 * Sends the deliveries of an outbox in order. Repeats each one until the webhook accepts it. Runs at the same time as
 * the syncs of the site, so that a webhook that is down does not delay them.
 */
import { sleep } from "../../../fetch/timeout-signal.ts";
import { DeliveryError } from "../delivery.ts";
import type { Batch } from "../outbox/batch-file.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { postDelivery, RefusedError, type Webhook } from "./post-delivery.ts";

/** Longest wait between two tries. */
const MAX_WAIT_MS = 5 * 60_000;

/** Longest wait that a webhook can ask for with Retry-After. A longer one is shortened to this. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

export interface SenderOptions {
  readonly webhook: Webhook;
  readonly signal: AbortSignal;
  /** Wait before the second try. It doubles with each further try. */
  readonly backoffMs: number;
  /** After this number of failures in a row, nothing more is sent. @default no limit */
  readonly maxTries?: number;
  /** If the wait before the next try would be longer, nothing more is sent. @default no limit */
  readonly maxWaitMs?: number;
  /** Calls `send` now, or later if too many deliveries of other sites are in flight. */
  readonly inTurn: (send: () => Promise<void>) => Promise<void>;
  /** Called after each try. */
  readonly onTry?: (isAccepted: boolean) => void;
  /** Called when a try fails, but not if the try before it failed for the same reason. */
  readonly onProblem: (error: DeliveryError, waiting: number) => void;
  /** Called when the webhook accepts a delivery after a failure. */
  readonly onRecovery: () => void;
}

export class OutboxSender {
  readonly #outbox: Outbox;
  readonly #options: SenderOptions;
  #running: Promise<void> | undefined;
  /** Whether deliveries may have been added after `#sendAll` started. */
  #isDirty = false;
  #hasGivenUp = false;
  #problem: string | undefined;

  constructor(outbox: Outbox, options: SenderOptions) {
    this.#outbox = outbox;
    this.#options = options;
  }

  /**
   * Starts to send the waiting deliveries. If some are already being sent, the others follow, including deliveries that
   * were added since then.
   */
  wake(): void {
    if (this.#hasGivenUp) return;
    this.#isDirty = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when no delivery is being sent. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isDirty && !this.#options.signal.aborted) {
      this.#isDirty = false;
      try {
        await this.#sendAll();
      } catch (error) {
        if (this.#options.signal.aborted) return;
        // The first file is damaged, or the folder was deleted. Later files wait, so that the order is kept. The next
        // sync tries again.
        this.#report(asDeliveryError(error), 0);
        return;
      }
    }
  }

  async #sendAll(): Promise<void> {
    for (let first = await this.#outbox.first(); first !== undefined; first = await this.#outbox.first()) {
      const { batch, accept, close, remove } = first;
      try {
        await this.#sendBatch(batch, accept);
      } finally {
        await close();
      }
      await remove();
    }
  }

  async #sendBatch(batch: Batch, accept: () => Promise<void>): Promise<void> {
    const { webhook, signal, inTurn, onTry } = this.#options;
    let tries = 0;
    for (let next = await batch.next(); next !== undefined; next = await batch.next()) {
      signal.throwIfAborted();
      const { id, body } = next;
      try {
        await inTurn(() => postDelivery(webhook, id, body, signal));
      } catch (error) {
        signal.throwIfAborted();
        onTry?.(false);
        this.#report(asDeliveryError(error), batch.waiting);
        await this.#wait(tries++, error);
        continue;
      }
      onTry?.(true);
      tries = 0;
      await accept();
      if (this.#problem !== undefined) this.#options.onRecovery();
      this.#problem = undefined;
    }
  }

  /** Waits until the next try. @throws the given error if the limits allow no other try */
  async #wait(tries: number, error: unknown): Promise<void> {
    const { signal, backoffMs, maxTries, maxWaitMs } = this.#options;
    const usualMs = Math.min(MAX_WAIT_MS, backoffMs * 2 ** Math.min(tries, 30));
    const wantedMs = error instanceof RefusedError ? (error.retryAfterMs ?? 0) : 0;
    const ms = Math.max(usualMs, Math.min(MAX_RETRY_AFTER_MS, wantedMs));
    this.#hasGivenUp = tries + 1 >= (maxTries ?? Number.POSITIVE_INFINITY) || ms > (maxWaitMs ?? ms);
    if (this.#hasGivenUp) throw error;
    await sleep(ms, signal);
  }

  #report(error: DeliveryError, waiting: number): void {
    if (error.message !== this.#problem) this.#options.onProblem(error, waiting);
    this.#problem = error.message;
  }
}

function asDeliveryError(error: unknown): DeliveryError {
  return error instanceof DeliveryError ? error : new DeliveryError((error as Error).message);
}
