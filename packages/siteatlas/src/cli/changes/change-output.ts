/**
 * Writes changes in one of three forms: a summary for people, one object per change, or the URLs of added and changed
 * pages.
 */
import { terminalText } from "../../escape/terminal.ts";
import type { PageChange, SyncStart } from "../../sync/changes.ts";
import type { SyncSummary } from "../../sync/sync-summary.ts";
import type { Run } from "../command.ts";
import type { ChangeName } from "../config/output-formats.ts";
import { openTextOutput, type TextOutput } from "../output/buffered-output.ts";
import { type ChangeFormat, chooseChangeFormat, outputFile } from "../output/choose-format.ts";
import { drawOptions } from "../output/finish-output.ts";
import { createJsonRecords, type JsonRecords } from "../output/json-records.ts";
import {
  type ChangeSummary,
  changeRecord,
  envelopeOf,
  isChange,
  startRecord,
  summaryRecord,
} from "./change-record.ts";
import { ChangeSamples } from "./change-samples.ts";
import type { ChangeDelivery } from "./delivery.ts";
import { drawChanges, momentText, SHOWN_EXAMPLES } from "./draw-changes.ts";

export class ChangeOutput {
  readonly #output: TextOutput;
  readonly #format: ChangeFormat;
  readonly #records: JsonRecords | undefined;
  #start: SyncStart | undefined;
  #isStarted = false;
  readonly #extra: object;
  readonly found: ChangeSamples = new ChangeSamples(SHOWN_EXAMPLES);

  /** @param extra additional properties of each object */
  constructor(output: TextOutput, format: ChangeFormat, extra: object = {}) {
    this.#output = output;
    this.#format = format;
    this.#extra = extra;
    if (format === "ndjson" || format === "json") this.#records = createJsonRecords(output, format);
  }

  /** Opens the output. Call it before the first request, to fail early. */
  static async open(run: Run, formats: readonly ChangeName[]): Promise<ChangeOutput> {
    const format = chooseChangeFormat(run, formats);
    const { settings } = run;
    const output = await openTextOutput({ file: outputFile(settings), force: settings.force });
    return new ChangeOutput(output, format);
  }

  /** Stores the start of the sync. Its record is written later, just before the first change or the summary. */
  start(start: SyncStart): void {
    this.#start = start;
  }

  async change(change: PageChange): Promise<void> {
    this.found.add(change);
    if (this.#records !== undefined) return this.#write(changeRecord(change));
    const isWanted = change.kind === "added" || change.kind === "changed";
    if (this.#format === "urls" && isWanted) await this.#output.write(`${terminalText(change.url)}\n`);
  }

  async summary(summary: ChangeSummary, draw: (found: ChangeSamples) => string): Promise<void> {
    if (this.#format === "text") await this.#output.write(draw(this.found));
    await this.#write(summaryRecord(summary));
  }

  async #write(record: object): Promise<void> {
    const records = this.#records;
    const start = this.#start;
    if (records === undefined || start === undefined) return;
    // A first sync without pages has no records: a reader that drops its pages at the start would lose them. If there
    // are pages, the first record is an added one.
    if (!this.#isStarted && start.isFirst && this.found.counts.added === 0) return;
    const envelope = { ...envelopeOf(start), ...this.#extra };
    if (!this.#isStarted) await records.write({ ...startRecord(start), ...envelope });
    this.#isStarted = true;
    await records.write({ ...record, ...envelope });
  }

  /** Resolves when everything is written. Only then may the snapshot be replaced. */
  async end(summary: ChangeSummary, draw: (found: ChangeSamples) => string): Promise<void> {
    await this.summary(summary, draw);
    await this.#records?.end();
    await this.#output.end();
  }

  /** Discards the output. An incomplete file is deleted. */
  async abort(): Promise<void> {
    await this.#output.abort();
  }
}

/** Creates the delivery that writes the changes of one sync to stdout. All sites of a watch share the output. */
export function deliverToStdout(
  run: Run,
  output: TextOutput,
  format: ChangeFormat,
  site: string,
): ChangeDelivery {
  const changes = new ChangeOutput(output, format, { site });
  const draw = ({ homepage, isFirst }: SyncSummary): string => {
    const when = `at ${momentText(new Date().toISOString())}`;
    return `${drawChanges(changes.found, { ...drawOptions(run, homepage), when, isFirst })}\n`;
  };
  return {
    start: (start) => changes.start(start),
    change: (change) => changes.change(change),
    finish: async (summary) => {
      await changes.summary(summary, () => (isChange(summary) ? draw(summary) : ""));
      await output.flush();
    },
    drop: async () => {},
  };
}
