/** Where `ls` and `parse` put pages: records in any format, or the listing on a terminal. */
import type { Page } from "../model.ts";
import { toRecord } from "../output/page-record.ts";
import type { FormatName, Settings } from "./flags.ts";
import { TerminalListing } from "./listing.ts";
import { formatOfFile } from "./output/file-format.ts";
import { openWriter } from "./output/open-writer.ts";
import { readFields } from "./output/read-fields.ts";
import { openTextOutput } from "./output/text-output.ts";
import type { Run } from "./run.ts";
import { paintFor } from "./talk/style.ts";
import { UsageError } from "./usage-error.ts";

export interface PageSink {
  page(page: Page, sitemapUrl: string): void | Promise<void>;
  /** No more pages of this one. */
  sitemapEnd?(sitemapUrl: string): Promise<void>;
  /** Ends the output properly. What `isCut` does and what comes back: see `TextOutput`. */
  end(isCut?: boolean): Promise<string | undefined>;
  /** Drops what is not whole. */
  abort(): Promise<void>;
}

/** `listing` is what `auto` means on a terminal. */
export type ChosenFormat = Exclude<FormatName, "auto"> | "listing";

/** By `-f`, by `--json`, by the file's name, by where stdout leads. */
export function chooseFormat(settings: Settings): ChosenFormat {
  const { format = "auto", json } = settings;
  const file = outputFile(settings);
  if (json && format === "auto") return namesJson(file) ? "json" : "ndjson";
  if (json && format !== "ndjson" && format !== "json") {
    throw new UsageError(`--json and --format ${format} cannot both be`);
  }
  if (format !== "auto") return format;
  if (file !== undefined) {
    const byName = formatOfFile(file);
    if (byName !== undefined) return byName;
    throw new UsageError(
      `Cannot tell the format of ${file} by its name`,
      "Name it .txt, .csv, .tsv, .json, .ndjson, .tree, .parquet or .sqlite, or say -f FORMAT",
    );
  }
  return process.stdout.isTTY === true && settings.fields === undefined ? "listing" : "urls";
}

/** Whether a file is to be one JSON value, not one on each line. */
export function namesJson(file: string | undefined): boolean {
  return file !== undefined && formatOfFile(file) === "json";
}

/** `-` is stdout. */
export function outputFile({ output }: Settings): string | undefined {
  return output === "-" ? undefined : output;
}

/** Opened before the first request: what cannot be written is known then. */
export async function openPageSink(
  { settings, talk }: Run,
  format: Exclude<ChosenFormat, "tree">,
  meta: Record<string, string>,
): Promise<PageSink> {
  if (format === "listing") {
    return new TerminalListing(await openTextOutput({}), paintFor(talk.color));
  }
  const { force, fields, csvRaw } = settings;
  const writer = await openWriter({
    format: fields !== undefined && format === "urls" && settings.format === undefined ? "tsv" : format,
    file: outputFile(settings),
    force,
    csvRaw,
    fields: fields === undefined ? undefined : readFields(fields),
    meta,
  });
  return {
    page: (page, sitemapUrl) => writer.write(toRecord(page, sitemapUrl)),
    end: (isCut) => writer.end(isCut),
    abort: () => writer.abort(),
  };
}
