/**
 * Delivers the changes of one site to a shell command, through an outbox. The changes of a sync are saved, then the
 * snapshot is replaced, then the command runs. If it fails, it gets the same changes again before the next sync.
 *
 * The snapshot does not wait for the command. Otherwise a command that fails halfway could keep a wrong page: one that
 * was added in this sync and is gone in the next. The old snapshot does not have it, so no sync would report it.
 */
import { jsonLine } from "../../../escape/json.ts";
import { CHANGE_VARIABLES } from "../../config/unknown-variables.ts";
import { type ChangeSummary, type Envelope, failureRecord, summaryRecord } from "../change-record.ts";
import type { DeliveryError, SyncFailure } from "../delivery.ts";
import type { Batch } from "../outbox/batch-file.ts";
import { COMMAND, type Outbox } from "../outbox/outbox.ts";
import { OutboxDelivery, type Sender } from "../outbox/outbox-delivery.ts";
import { type CommandOptions, runCommand, Spool } from "./run-command.ts";

const [SITE, ADDED, CHANGED, REMOVED] = CHANGE_VARIABLES;

interface CommandDeliveryOptions extends CommandOptions {
  /** Path of the snapshot. */
  readonly snapshot: string;
  readonly site: string;
  /** Called if changes are lost, because the folder of the outbox was deleted. */
  readonly onLoss: (error: DeliveryError) => void;
}

export function deliverToCommand(options: CommandDeliveryOptions): OutboxDelivery {
  const { snapshot, site, onLoss } = options;
  const createSender = (outbox: Outbox): Sender => new CommandSender(outbox, options);
  return new OutboxDelivery({ snapshot, site, receiver: COMMAND, createSender, onLoss });
}

class CommandSender implements Sender {
  readonly #outbox: Outbox;
  readonly #options: CommandOptions;
  #running: Promise<void> = Promise.resolve();

  constructor(outbox: Outbox, options: CommandOptions) {
    this.#outbox = outbox;
    this.#options = options;
  }

  /** Runs the command for each run that waits, the oldest first. Throws if the command fails. */
  wake(): Promise<void> {
    this.#running = this.settled().then(() => this.#runAll());
    return this.#running;
  }

  async settled(): Promise<void> {
    await this.#running.catch(() => {});
  }

  async #runAll(): Promise<void> {
    for (let first = await this.#outbox.first(); first !== undefined; first = await this.#outbox.first()) {
      const { batch, close, remove } = first;
      try {
        await deliverRun(batch, this.#options);
      } finally {
        await close();
      }
      await remove();
    }
  }
}

/** A body of `DeliveryBodies`. */
interface Body extends Envelope {
  readonly site: string;
  readonly homepage?: string;
  readonly isFirst?: boolean;
  readonly changes?: readonly object[];
  readonly summary?: ChangeSummary;
  readonly message?: string;
  readonly failures?: number;
}

/** Runs the command, with the records of a run as NDJSON on stdin: the same as `siteatlas sync` writes. */
async function deliverRun(batch: Batch, options: CommandOptions): Promise<void> {
  const spool = await Spool.open();
  try {
    let isStarted = false;
    let summary: Partial<ChangeSummary> = {};
    for await (const { body: bytes } of batch.all()) {
      const body = JSON.parse(bytes.toString()) as Body;
      const { schema, run, at, site, homepage = site, isFirst = false, changes = [] } = body;
      const write = (record: object): Promise<void> =>
        spool.write(`${jsonLine({ ...record, schema, run, at })}\n`);
      if (!isStarted) await write({ kind: "start", homepage, isFirst });
      isStarted = true;
      for (const change of changes) await write(change);
      if (body.message !== undefined) await write(failureRecord(body as SyncFailure));
      if (body.summary !== undefined) await write(summaryRecord(body.summary));
      summary = body.summary ?? { homepage };
    }
    const { homepage = "", added = 0, changed = 0, removed = 0 } = summary;
    await runCommand(options, await spool.end(), {
      [SITE]: homepage,
      [ADDED]: String(added),
      [CHANGED]: String(changed),
      [REMOVED]: String(removed),
    });
  } finally {
    await spool.close();
  }
}
