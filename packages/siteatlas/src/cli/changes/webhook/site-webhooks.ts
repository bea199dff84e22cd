/**
 * The webhook deliveries of all sites of a watch. The sites share the webhook and a maximum number of requests in
 * flight.
 */
import type { DeliveryError } from "../delivery.ts";
import type { OutboxDelivery } from "../outbox/outbox-delivery.ts";
import { deliverToWebhook } from "./deliver-webhook.ts";
import type { Webhook } from "./post-delivery.ts";

export interface SiteWebhooksOptions {
  readonly webhook: Webhook;
  readonly signal: AbortSignal;
  readonly backoffMs: number;
  /** Maximum number of requests in flight. Each site has at most one. */
  readonly atOnce: number;
  readonly onProblem: (snapshot: string, error: DeliveryError, waiting: number) => void;
  readonly onRecovery: (snapshot: string) => void;
  /** Called after each request. */
  readonly onTry: (isAccepted: boolean) => void;
}

export class SiteWebhooks {
  readonly #options: SiteWebhooksOptions;
  readonly #bySnapshot: Map<string, OutboxDelivery> = new Map();
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(options: SiteWebhooksOptions) {
    this.#options = options;
    this.#free = options.atOnce;
  }

  of(snapshot: string, site: string): OutboxDelivery {
    const known = this.#bySnapshot.get(snapshot);
    if (known !== undefined) return known;
    const { webhook, signal, backoffMs, onProblem, onRecovery, onTry } = this.#options;
    const made = deliverToWebhook({
      ...{ snapshot, site, webhook, signal, backoffMs, onTry },
      inTurn: (send) => this.#inTurn(send),
      onProblem: (error, waiting) => onProblem(snapshot, error, waiting),
      onRecovery: () => onRecovery(snapshot),
    });
    this.#bySnapshot.set(snapshot, made);
    return made;
  }

  /** Number of waiting deliveries of a site. Undefined if the site never had a delivery. */
  waiting(snapshot: string): number | undefined {
    return this.#bySnapshot.get(snapshot)?.waiting?.deliveries;
  }

  /** The waiting deliveries of all sites, including sites that were removed from the list. */
  size(): { readonly deliveries: number; readonly oldestAt: number | undefined } {
    let deliveries = 0;
    let oldestAt: number | undefined;
    for (const { waiting } of this.#bySnapshot.values()) {
      if (waiting?.oldestAt === undefined) continue;
      deliveries += waiting.deliveries;
      oldestAt = Math.min(oldestAt ?? waiting.oldestAt, waiting.oldestAt);
    }
    return { deliveries, oldestAt };
  }

  async commit(snapshot: string): Promise<void> {
    await this.#bySnapshot.get(snapshot)?.commit();
  }

  async close(): Promise<void> {
    for (const delivery of this.#bySnapshot.values()) await delivery.close();
  }

  async #inTurn(send: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      await send();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
