/**
 * Chooses the output format. `-f` names the format. Without `-f`, the format depends on `--json`, the file extension,
 * and whether stdout is a terminal.
 */
import { terminalText } from "../../escape/terminal.ts";
import type { Run } from "../command.ts";
import type { Settings } from "../config/flags.ts";
import {
  commandFormats,
  type Format,
  formatOfFile,
  isBinary,
  mainExtension,
} from "../config/output-formats.ts";
import { UsageError } from "../process/usage-error.ts";
import { joined } from "../terminal/format-text.ts";

/**
 * Chooses the format for a command that writes pages. The default is `tsv` with `--fields`, `listing` on a terminal,
 * and otherwise `urls`.
 */
export function choosePageFormat<F extends Format>(
  run: Run,
  formats: readonly F[],
): F | "listing" | "urls" | "tsv" {
  const format = chosenPageFormat(run, formats);
  if (run.given.includes("csvRaw") && format !== "csv" && format !== "tsv") {
    throw new UsageError("--csv-raw can only be used with csv and tsv", "Choose one with -f.");
  }
  return format;
}

function chosenPageFormat<F extends Format>(run: Run, formats: readonly F[]): F | "listing" | "urls" | "tsv" {
  const { format = "auto", fields } = run.settings;
  const hasColumns = fields !== undefined && format === "auto";
  const wanted = wantedFormat(run, formats);
  if (format === "urls" && run.given.includes("fields")) {
    throw new UsageError("--fields cannot be used with --format urls", "Use csv, tsv or ndjson.");
  }
  if (wanted !== undefined) return hasColumns && wanted === "urls" ? "tsv" : wanted;
  const file = outputFile(run.settings);
  if (file !== undefined) {
    throw new UsageError(
      `${file}: unknown file extension`,
      `Use ${joined(formats.map(mainExtension), "or")}, or choose a format with -f.`,
    );
  }
  if (hasColumns) return "tsv";
  return process.stdout.isTTY === true ? "listing" : "urls";
}

export type TextFormat = "text" | "ndjson" | "json";

/**
 * Chooses the format for a command that does not write pages: JSON if it is selected, otherwise text. A `.txt` file and
 * the formats in `others` are accepted and mean text. Another format is an error.
 */
export function chooseTextFormat(run: Run, ...others: readonly Format[]): TextFormat {
  const wanted = wantedFormat(run, ["urls", ...others, "json", "ndjson"]);
  return wanted === "json" || wanted === "ndjson" ? wanted : "text";
}

export type ChangeFormat = TextFormat | "urls";

/** @param formats the formats of the command */
export function chooseChangeFormat<F extends ChangeFormat & Format>(
  run: Run,
  formats: readonly F[],
): F | "text" | "ndjson" {
  const isTerminal = outputFile(run.settings) === undefined && process.stdout.isTTY === true;
  return wantedFormat(run, formats) ?? (isTerminal ? "text" : "ndjson");
}

export type CompareFormat = TextFormat | "urls" | "csv" | "tsv";

/** Chooses the format for compared pages. With `--only`, the default is a list of URLs. */
export function chooseCompareFormat(run: Run): CompareFormat {
  const { only } = run.settings;
  const wanted = wantedFormat(run, commandFormats.compare.names);
  if (wanted === "urls" && only === undefined) {
    throw new UsageError(
      "a list of URLs needs --only",
      "Use --only a, --only b or --only both. ndjson and csv say which input has a page.",
    );
  }
  if (wanted !== undefined) return wanted;
  if (only !== undefined) return "urls";
  const isTerminal = outputFile(run.settings) === undefined && process.stdout.isTTY === true;
  return isTerminal ? "text" : "ndjson";
}

/** The format that the flags or the file extension select. Undefined if they select none. */
function wantedFormat<F extends Format>(
  { settings, command, reporter }: Run,
  formats: readonly F[],
): F | undefined {
  const { format = "auto", json } = settings;
  if (json && format !== "auto" && format !== "ndjson" && format !== "json") {
    throw new UsageError(`--json conflicts with --format ${format}`, "Use one of them.");
  }
  const file = outputFile(settings) ?? "";
  const byName = formatOfFile(file.replace(/\.gz$/i, ""));
  const byFlag = format !== "auto" ? format : json ? (byName === "json" ? "json" : "ndjson") : undefined;
  const wanted = byFlag ?? byName;
  const found = formats.find((name) => name === wanted);
  if (found !== undefined && !isExpected(found, byName)) {
    reporter.warn(
      `${terminalText(file)} will contain ${found}, although its name says otherwise`,
      `Name it *${mainExtension(found)}, or leave out ${format === "auto" ? "--json" : "-f"}.`,
    );
  }
  if (wanted === undefined || found !== undefined) return found;
  const names = byFlag === undefined ? formats.map(mainExtension) : formats;
  throw new UsageError(`siteatlas ${command} cannot write ${wanted}`, `Use ${joined(names, "or")}.`);
}

/** Whether a file with this extension may contain this format. A `.txt` file may contain any text format. */
function isExpected(format: Format, byName: Format | undefined): boolean {
  return byName === undefined || byName === format || (byName === "urls" && !isBinary(format));
}

/** The output file. Undefined for `-`, which is stdout. */
export function outputFile({ output }: Settings): string | undefined {
  return output === "-" ? undefined : output;
}
