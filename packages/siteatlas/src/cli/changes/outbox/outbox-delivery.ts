/** Delivers the changes of one site to a webhook or a command, through an outbox of the site. */
import type { PageChange, SyncStart } from "../../../sync/changes.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import { type ChangeDelivery, DeliveryError, type SyncFailure } from "../delivery.ts";
import type { BatchWriter } from "./batch-file.ts";
import { DeliveryBodies } from "./delivery-body.ts";
import { folderOf, Outbox, type OutboxSize, type Receiver } from "./outbox.ts";

/**
 * While more bytes than this wait in the outbox, the site is not synced. This is checked before a sync, so a single run
 * may be larger.
 */
const MAX_OUTBOX_BYTES = 256 * 1024 * 1024;

/** Delivers the runs that wait in an outbox. */
export interface Sender {
  /** Delivers all runs. Throws if one cannot be delivered now, or reports this later. */
  wake(): void | Promise<void>;
  /** Resolves when nothing is being delivered. */
  settled(): Promise<void>;
}

export interface OutboxDeliveryOptions {
  /** Path of the snapshot. */
  readonly snapshot: string;
  /** The site, as each delivery names it. */
  readonly site: string;
  readonly receiver: Receiver;
  readonly createSender: (outbox: Outbox) => Sender;
  /** Called if deliveries are lost, because the folder was deleted. */
  readonly onLoss: (error: DeliveryError) => void;
  /** @default 256 MiB */
  readonly maxBytes?: number;
}

export class OutboxDelivery implements ChangeDelivery {
  readonly #options: OutboxDeliveryOptions;
  #outbox: Outbox | undefined;
  #sender: Sender | undefined;
  #bodies: DeliveryBodies | undefined;
  #run = "";
  #writer: BatchWriter | undefined;
  /** Whether the file of this run is complete, so that the snapshot may be replaced. */
  #isPrepared = false;

  constructor(options: OutboxDeliveryOptions) {
    this.#options = options;
  }

  /**
   * Opens the outbox if an earlier process left deliveries in it. Returns a function that delivers them. Call this
   * before the first sync.
   */
  async resume(): Promise<() => void | Promise<void>> {
    const { snapshot, receiver } = this.#options;
    if (!Outbox.exists(snapshot, receiver)) return () => {};
    await this.#open();
    return () => this.#sender?.wake();
  }

  async start(start: SyncStart): Promise<void> {
    const { snapshot, site, receiver, maxBytes = MAX_OUTBOX_BYTES } = this.#options;
    this.#bodies = new DeliveryBodies(site, start);
    this.#run = start.run;
    if (this.#outbox === undefined && !Outbox.exists(snapshot, receiver)) return;
    const outbox = await this.#open();
    await outbox.settle();
    await this.#sender!.wake();
    const { bytes } = outbox.size();
    if (bytes <= maxBytes) return;
    throw new DeliveryError(
      `${Math.round(bytes / 1024 / 1024)} MiB of changes wait for the ${receiver.name}`,
      `The site is not synced until they are accepted. They are in ${folderOf(snapshot, receiver)}.`,
    );
  }

  async change(change: PageChange): Promise<void> {
    const body = this.#bodies!.add(change);
    if (body !== undefined) await this.#write(body);
  }

  async finish(summary: SyncSummary, isWanted: boolean, outage?: SyncFailure): Promise<void> {
    if (!isWanted || outage !== undefined) await this.drop();
    if (!isWanted) return;
    await this.#write(outage ? this.#bodies!.failure(outage) : this.#bodies!.last(summary));
    await this.#prepared();
  }

  async commit(): Promise<void> {
    if (!this.#isPrepared) return;
    this.#isPrepared = false;
    await this.#outbox!.commit(this.#run);
    await this.#sender!.wake();
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

  /** Resolves when nothing is being delivered. */
  async settled(): Promise<void> {
    await this.#sender?.settled();
  }

  /** Closes the outbox when nothing is being delivered. */
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
    const { snapshot, site, receiver, createSender, onLoss } = this.#options;
    if (this.#outbox === undefined) {
      this.#outbox = await Outbox.open(snapshot, site, receiver);
      this.#sender = createSender(this.#outbox);
    }
    const losses = await this.#outbox.restore();
    if (losses !== undefined) onLoss(losses);
    return this.#outbox;
  }
}
