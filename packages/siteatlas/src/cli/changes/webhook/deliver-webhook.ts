/** Delivers the changes of one site to a webhook, through the outbox of the site. */
import type { PageChange, SyncStart } from "../../../sync/changes.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import { type ChangeDelivery, DeliveryError, type SyncFailure } from "../delivery.ts";
import type { BatchWriter } from "./batch-file.ts";
import { DeliveryBodies } from "./delivery-body.ts";
import { folderOf, Outbox, type OutboxSize } from "./outbox.ts";
import { OutboxSender, type SenderOptions } from "./send-outbox.ts";

/**
 * While more bytes than this wait in the outbox, the site is not synced. This is checked before a sync, so a single run
 * may be larger.
 */
const MAX_OUTBOX_BYTES = 256 * 1024 * 1024;

export interface WebhookDeliveryOptions extends SenderOptions {
  /** Path of the snapshot. */
  readonly snapshot: string;
  /** The site, as each delivery names it. */
  readonly site: string;
  /** @default 256 MiB */
  readonly maxBytes?: number;
}

export class WebhookDelivery implements ChangeDelivery {
  readonly #options: WebhookDeliveryOptions;
  #outbox: Outbox | undefined;
  #sender: OutboxSender | undefined;
  #bodies: DeliveryBodies | undefined;
  #run = "";
  #writer: BatchWriter | undefined;
  /** Whether the file of this run is complete, so that the snapshot may be replaced. */
  #isPrepared = false;

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
  }

  /** Sends the deliveries that an earlier process left in the outbox. */
  async resume(): Promise<void> {
    if (!Outbox.exists(this.#options.snapshot)) return;
    await this.#open();
    this.#sender!.wake();
  }

  async start(start: SyncStart): Promise<void> {
    const { snapshot, site, maxBytes = MAX_OUTBOX_BYTES } = this.#options;
    this.#bodies = new DeliveryBodies(site, start);
    this.#run = start.run;
    if (this.#outbox === undefined && !Outbox.exists(snapshot)) return;
    const outbox = await this.#open();
    await outbox.settle();
    this.#sender!.wake();
    const { bytes } = outbox.size();
    if (bytes <= maxBytes) return;
    throw new DeliveryError(
      `${Math.round(bytes / 1024 / 1024)} MiB of changes wait for the webhook`,
      `The site is not synced until the webhook accepts them. They are in ${folderOf(snapshot)}.`,
    );
  }

  async change(change: PageChange): Promise<void> {
    const body = this.#bodies!.add(change);
    if (body !== undefined) await this.#write(body);
  }

  async finish(summary: SyncSummary, isWanted: boolean): Promise<void> {
    if (!isWanted) return this.drop();
    await this.#write(this.#bodies!.last(summary));
    await this.#prepared();
  }

  async commit(): Promise<void> {
    if (!this.#isPrepared) return;
    this.#isPrepared = false;
    await this.#outbox!.commit(this.#run);
    this.#sender!.wake();
  }

  async fail(start: SyncStart, failure: SyncFailure): Promise<void> {
    this.#run = start.run;
    this.#bodies = new DeliveryBodies(this.#options.site, start);
    await this.#write(this.#bodies.failure(failure));
    await this.#prepared();
    await this.commit();
  }

  /** Discards the changes. If the snapshot was already replaced, the changes are kept and sent. */
  async drop(): Promise<void> {
    await this.#writer?.close();
    this.#writer = undefined;
    this.#isPrepared = false;
    await this.#outbox?.settle();
  }

  /** The runs that wait. Undefined if no outbox was opened, because there was nothing to send. */
  get waiting(): OutboxSize | undefined {
    return this.#outbox?.size();
  }

  /** Resolves when no delivery is being sent. */
  async settled(): Promise<void> {
    await this.#sender?.settled();
  }

  /** Closes the outbox when no delivery is being sent. */
  async close(): Promise<void> {
    await this.#sender?.settled();
    await this.#outbox?.close();
    this.#outbox = undefined;
  }

  async #write(body: string): Promise<void> {
    this.#writer ??= await (await this.#open()).prepare(this.#run);
    await this.#writer.add(body);
  }

  async #prepared(): Promise<void> {
    await this.#writer!.end();
    this.#writer = undefined;
    await this.#outbox!.sync(this.#run);
    this.#isPrepared = true;
  }

  /** Opens the outbox. Creates its folder again if it was deleted. */
  async #open(): Promise<Outbox> {
    const { snapshot, site } = this.#options;
    if (this.#outbox === undefined) {
      this.#outbox = await Outbox.open(snapshot, site);
      this.#sender = new OutboxSender(this.#outbox, this.#options);
    }
    const losses = await this.#outbox.restore();
    if (losses !== undefined) this.#options.onProblem(losses, 0);
    return this.#outbox;
  }
}
