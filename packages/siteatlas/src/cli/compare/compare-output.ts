/** Writes compared pages in one of the formats. The summary for people is drawn at the end. */
import type { ComparedPage } from "../../compare/merge-pages.ts";
import type { PageIn } from "../../compare/section-counts.ts";
import { csvCell } from "../../escape/csv.ts";
import { terminalText } from "../../escape/terminal.ts";
import type { TextOutput } from "../output/buffered-output.ts";
import type { CompareFormat } from "../output/choose-format.ts";
import { createJsonRecords, type JsonRecords } from "../output/json-records.ts";

interface CompareOutputOptions {
  readonly format: CompareFormat;
  /** The sets to write. @default all */
  readonly only: readonly PageIn[] | undefined;
  readonly csvRaw: boolean | undefined;
  /** Whether the output is a terminal, so that escape sequences in tables are disabled. */
  readonly isTerminal: boolean;
}

export class CompareOutput {
  readonly #output: TextOutput;
  readonly #records: JsonRecords | undefined;
  readonly #row: ((page: ComparedPage) => string) | undefined;
  readonly #head: string;
  readonly #only: ReadonlySet<PageIn> | undefined;

  constructor(output: TextOutput, { format, only, csvRaw = false, isTerminal }: CompareOutputOptions) {
    this.#output = output;
    this.#only = only === undefined ? undefined : new Set(only);
    if (format === "json" || format === "ndjson") this.#records = createJsonRecords(output, format);
    this.#head = "";
    if (format === "urls") this.#row = ({ url }) => `${terminalText(url)}\n`;
    if (format === "csv" || format === "tsv") {
      const [delimiter, end] = format === "csv" ? [",", "\r\n"] : ["\t", "\n"];
      const line = (...cells: readonly string[]): string =>
        cells
          .map((cell) => csvCell(isTerminal ? terminalText(cell) : cell, { raw: csvRaw }))
          .join(delimiter) + end;
      this.#head = line("in", "url", "urlInB");
      this.#row = ({ in: where, url, urlInB = "" }) => line(where, url, urlInB);
    }
  }

  async start(): Promise<void> {
    if (this.#head !== "") await this.#output.write(this.#head);
  }

  async pages(pages: readonly ComparedPage[]): Promise<void> {
    const row = this.#row;
    const only = this.#only;
    if (row !== undefined) {
      let text = "";
      for (const page of pages) if (only === undefined || only.has(page.in)) text += row(page);
      if (text !== "") await this.#output.write(text);
    } else if (this.#records !== undefined) {
      for (const page of pages) {
        if (only === undefined || only.has(page.in)) await this.#records.write(page);
      }
    }
  }

  /** Writes the last record, which only JSON has. */
  async end(summary: object): Promise<void> {
    await this.#records?.write(summary);
    await this.#records?.end();
  }
}
