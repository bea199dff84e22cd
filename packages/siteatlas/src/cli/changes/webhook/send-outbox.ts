/**
 * Sends the deliveries of an outbox in order. Repeats each one until the webhook accepts it. Runs at the same time as
 * the syncs of the site, so that a webhook that is down does not delay them.
 */
import { sleep } from "../../../fetch/timeout-signal.ts";
import { DeliveryError } from "../delivery.ts";
import type { Batch } from "./batch-file.ts";
import type { Outbox } from "./outbox.ts";
import { postDelivery, type Webhook } from "./post-delivery.ts";

/** Longest wait between two tries. */
const MAX_WAIT_MS = 5 * 60_000;

export interface SenderOptions {
  readonly webhook: Webhook;
  readonly signal: AbortSignal;
  /** Wait before the second try. It doubles with each further try. */
  readonly backoffMs: number;
  /** Calls `send` now, or later if too many deliveries of other sites are in flight. */
  readonly inTurn: (send: () => Promise<void>) => Promise<void>;
  /** Called when a delivery fails, but not if its last try failed for the same reason. */
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
        // The first file is damaged. Later files wait, so that the order is kept. The next sync tries again.
        this.#report(asDeliveryError(error), 0);
        return;
      }
    }
  }

  async #sendAll(): Promise<void> {
    for (let first = await this.#outbox.first(); first !== undefined; first = await this.#outbox.first()) {
      const { batch, remove } = first;
      try {
        await this.#sendBatch(batch);
      } finally {
        await batch.close();
      }
      await remove();
    }
  }

  async #sendBatch(batch: Batch): Promise<void> {
    const { webhook, signal, backoffMs, inTurn } = this.#options;
    let tries = 0;
    for (let next = await batch.next(); next !== undefined; next = await batch.next()) {
      signal.throwIfAborted();
      const { id, body } = next;
      try {
        await inTurn(() => postDelivery(webhook, id, body, signal));
      } catch (error) {
        signal.throwIfAborted();
        this.#report(asDeliveryError(error), batch.waiting);
        await sleep(Math.min(MAX_WAIT_MS, backoffMs * 2 ** Math.min(tries++, 30)), signal);
        continue;
      }
      tries = 0;
      await batch.accept();
      if (this.#problem !== undefined) this.#options.onRecovery();
      this.#problem = undefined;
    }
  }

  #report(error: DeliveryError, waiting: number): void {
    if (error.message !== this.#problem) this.#options.onProblem(error, waiting);
    this.#problem = error.message;
  }
}

function asDeliveryError(error: unknown): DeliveryError {
  return error instanceof DeliveryError ? error : new DeliveryError((error as Error).message);
}
