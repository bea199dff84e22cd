/**
 * Where `sync` and `diff` put changes: a summary for people, one object for each change, or the URLs that were
 * added or changed. What was told is where it belongs when `end` is through: only then a snapshot may move on.
 */
import { terminalText } from "../sinks/terminal.ts";
import type { PageChange } from "../sync/changes.ts";
import { type ChangeSummary, changeRecord, summaryRecord } from "./change-record.ts";
import { ChangeSamples } from "./change-samples.ts";
import type { FormatName } from "./flags.ts";
import { formatOfFile } from "./output/file-format.ts";
import { openTextOutput, type TextOutput } from "./output/text-output.ts";
import { namesJson, outputFile } from "./page-sink.ts";
import { SHOWN_EXAMPLES } from "./picture/draw-changes.ts";
import type { Run } from "./run.ts";
import { JsonRecords } from "./text-format.ts";
import { UsageError } from "./usage-error.ts";

export type ChangeFormat = "text" | "urls" | "ndjson" | "json";

const FORMATS: readonly FormatName[] = ["urls", "ndjson", "json"];

/** By `-f`, by `--json`, by the file's name, by where stdout leads. */
export function chooseChangeFormat({ settings, command }: Run): ChangeFormat {
  const { format = "auto", json } = settings;
  const file = outputFile(settings);
  const named = file === undefined ? undefined : formatOfFile(file);
  const wanted = format === "auto" ? (json ? (namesJson(file) ? "json" : "ndjson") : named) : format;
  if (json && format !== "auto" && format !== "ndjson" && format !== "json") {
    throw new UsageError(`--json and --format ${format} cannot both be`);
  }
  if (wanted === undefined) {
    return file === undefined && process.stdout.isTTY === true ? "text" : "ndjson";
  }
  if (FORMATS.includes(wanted)) return wanted as ChangeFormat;
  throw new UsageError(
    `Changes cannot be written as ${wanted}`,
    `siteatlas ${command} writes ndjson, json, and the URLs alone (urls, .txt)`,
  );
}

/** Draws what was found, when all is known. */
export type DrawFound = (found: ChangeSamples) => string;

export class ChangeSink {
  readonly #output: TextOutput;
  readonly #format: ChangeFormat;
  readonly #records: JsonRecords | undefined;
  /** Counts, and some examples. */
  readonly found: ChangeSamples = new ChangeSamples(SHOWN_EXAMPLES);

  private constructor(output: TextOutput, format: ChangeFormat) {
    this.#output = output;
    this.#format = format;
    if (format === "ndjson" || format === "json") this.#records = new JsonRecords(output, format);
  }

  /** Opened before the first request: what cannot be written is known then. */
  static async open(run: Run): Promise<ChangeSink> {
    const format = chooseChangeFormat(run);
    const { settings } = run;
    const output = await openTextOutput({ file: outputFile(settings), force: settings.force });
    return new ChangeSink(output, format);
  }

  get isText(): boolean {
    return this.#format === "text";
  }

  async change(change: PageChange): Promise<void> {
    this.found.add(change);
    if (this.#records !== undefined) return this.#records.write(changeRecord(change));
    const isWanted = change.kind === "added" || change.kind === "changed";
    if (this.#format === "urls" && isWanted) await this.#output.write(`${terminalText(change.url)}\n`);
  }

  /** The last of all. */
  async end(summary: ChangeSummary, draw: DrawFound): Promise<void> {
    if (this.isText) await this.#output.write(draw(this.found));
    await this.#records?.write(summaryRecord(summary));
    await this.#records?.end();
    await this.#output.end();
  }

  /** Drops a file; what is on stdout stays. */
  async abort(): Promise<void> {
    await this.#output.abort();
  }
}
