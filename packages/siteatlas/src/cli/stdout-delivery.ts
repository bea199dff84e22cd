/** The changes of a watch on stdout: for people a summary of each sync, else a line for each change. */
import { terminalText } from "../sinks/terminal.ts";
import type { PageChange } from "../sync/changes.ts";
import type { SyncSummary } from "../sync/sync-site.ts";
import type { ChangeDelivery } from "./change-delivery.ts";
import { changeRecord, isChange, summaryRecord } from "./change-record.ts";
import { ChangeSamples } from "./change-samples.ts";
import type { TextOutput } from "./output/text-output.ts";
import { drawChanges, momentText, SHOWN_EXAMPLES } from "./picture/draw-changes.ts";
import type { Run } from "./run.ts";
import { JsonRecords } from "./text-format.ts";
import { drawOptions } from "./whole-output.ts";

export class StdoutDelivery implements ChangeDelivery {
  readonly #run: Run;
  readonly #output: TextOutput;
  readonly #format: "text" | "urls" | "ndjson";
  readonly #site: string;
  readonly #records: JsonRecords;
  readonly #found = new ChangeSamples(SHOWN_EXAMPLES);

  /** The output is that of all sites. */
  constructor(run: Run, output: TextOutput, format: "text" | "urls" | "ndjson", site: string) {
    this.#run = run;
    this.#output = output;
    this.#format = format;
    this.#site = site;
    this.#records = new JsonRecords(output, "ndjson");
  }

  async change(change: PageChange): Promise<void> {
    if (this.#format === "text") return this.#found.add(change);
    if (this.#format === "ndjson") return this.#records.write({ ...changeRecord(change), site: this.#site });
    const isWanted = change.kind === "added" || change.kind === "changed";
    if (isWanted) await this.#output.write(`${terminalText(change.url)}\n`);
  }

  async finish(summary: SyncSummary): Promise<void> {
    const { homepage } = summary;
    if (this.#format === "ndjson") await this.#records.write({ ...summaryRecord(summary), site: this.#site });
    else if (this.#format === "text" && isChange(summary)) {
      const when = `at ${momentText(new Date().toISOString())}`;
      await this.#output.write(
        `${drawChanges(this.#found, { ...drawOptions(this.#run, homepage), when })}\n`,
      );
    }
    // Only what was written was told.
    await this.#output.flush();
  }

  async drop(): Promise<void> {}
}
