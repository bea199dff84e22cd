/**
 * The bodies that a webhook gets (`schemas/delivery.json`). The outbox of a command also stores them. A run with many
 * changes has several bodies. The last one has the summary.
 */
import { jsonLine } from "../../../escape/json.ts";
import type { PageChange, SyncStart } from "../../../sync/changes.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import { changeRecord, envelopeOf, summaryRecord } from "../change-record.ts";
import type { SyncFailure } from "../delivery.ts";

/** Maximum number of changes in a body. */
const MAX_CHANGES = 1000;
/** Maximum length of the changes in a body. The default limit of many servers is 100 KB. One change may be longer. */
const MAX_LENGTH = 64 * 1024;

export class DeliveryBodies {
  readonly #site: string;
  readonly #start: SyncStart;
  #changes: string[] = [];
  #length = 0;
  #sequence = 0;

  constructor(site: string, start: SyncStart) {
    this.#site = site;
    this.#start = start;
  }

  /** Adds a change. If it does not fit into the current body, returns that body and starts a new one. */
  add(change: PageChange): string | undefined {
    const text = jsonLine(changeRecord(change));
    const bytes = Buffer.byteLength(text);
    const isFull = this.#changes.length === MAX_CHANGES || this.#length + bytes > MAX_LENGTH;
    const body = isFull && this.#changes.length > 0 ? this.#body(false) : undefined;
    this.#changes.push(text);
    this.#length += bytes + 1;
    return body;
  }

  last(summary: SyncSummary): string {
    return this.#body(true, `,"summary":${jsonLine(summaryRecord(summary))}`);
  }

  failure({ message, failures }: SyncFailure): string {
    const { run } = this.#start;
    const head = { kind: "failure", id: deliveryId(run, 1), sequence: 1, isLast: true, site: this.#site };
    return jsonLine({ ...head, message, failures, ...envelopeOf(this.#start) });
  }

  #body(isLast: boolean, more = ""): string {
    const { run, homepage, isFirst } = this.#start;
    const sequence = ++this.#sequence;
    const id = deliveryId(run, sequence);
    const head = { kind: "changes", id, sequence, isLast, site: this.#site, homepage, isFirst };
    const envelope = jsonLine(envelopeOf(this.#start)).slice(1);
    const changes = this.#changes.join(",");
    this.#changes = [];
    this.#length = 0;
    return `${jsonLine(head).slice(0, -1)},"changes":[${changes}]${more},${envelope}`;
  }
}

/** The id of a delivery. It is the same for each try, so that a receiver can recognize a repeated delivery. */
export function deliveryId(run: string, sequence: number): string {
  return `${run}-${sequence}`;
}
