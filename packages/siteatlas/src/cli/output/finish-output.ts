/** Opens outputs and completes them. If the work fails, the unfinished file is deleted. */
import { existsSync } from "node:fs";
import { terminalText } from "../../escape/terminal.ts";
import type { Run } from "../command.ts";
import { withLimitFlags } from "../messages/limit-names.ts";
import type { RunCounts } from "../messages/run-counts.ts";
import type { DrawOptions } from "../render/draw-options.ts";
import { count } from "../terminal/format-text.ts";
import { isAsciiTerminal } from "../terminal/glyphs.ts";
import { openTextOutput, type TextOutput } from "./buffered-output.ts";
import { outputFile } from "./choose-format.ts";

interface Output {
  end(isCut?: boolean): Promise<string | undefined>;
  abort(): Promise<void>;
}

/** Runs `work`. If it fails, deletes the unfinished output. */
export async function abortOnError<T>(output: Pick<Output, "abort">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await output.abort().catch(() => {});
    throw error;
  }
}

/** Opens stdout or the file of `-o` for text, and runs `work` with it. */
export async function withTextOutput<T>(
  { settings }: Run,
  work: (output: TextOutput) => Promise<T>,
): Promise<T> {
  const output = await openTextOutput({ file: outputFile(settings), force: settings.force });
  return abortOnError(output, () => work(output));
}

/**
 * Completes an output. If nothing was found, the file is deleted. If the run was interrupted, the file gets another
 * name. If a limit cut the result, a warning says that the file is incomplete.
 */
export async function endOutput(
  { settings, signal, reporter }: Run,
  output: Output,
  runCounts?: RunCounts,
): Promise<void> {
  const file = outputFile(settings);
  if (file !== undefined && runCounts !== undefined && !hasResult(signal, runCounts)) return output.abort();
  const elsewhere = await output.end(signal.aborted);
  if (elsewhere === undefined) {
    const reason = file === undefined || runCounts === undefined ? "" : limitText(runCounts);
    if (reason !== "") reporter.warn(`${terminalText(file!)} is incomplete: ${reason}`, undefined, true);
    return;
  }
  const [name, partial] = [file ?? "", elsewhere].map((path) => terminalText(path));
  const state = existsSync(file ?? "") ? "changed" : "written";
  reporter.warn(`${name} was not ${state}; the incomplete result is in ${partial}`, undefined, true);
}

/** Whether there is anything to write: a sitemap was read, or pages of the first one were read before an interrupt. */
export function hasResult({ aborted }: AbortSignal, { sitemapsRead, pages }: RunCounts): boolean {
  return sitemapsRead > 0 || (aborted && pages > 0);
}

/** Text about the limit that cut the result, such as `stopped at --deadline 3s`. Empty if no limit cut the result. */
function limitText({ limits, cutByLimit, notRead }: RunCounts): string {
  if (limits.size > 0) return `stopped at ${[...limits.values()].map(withLimitFlags).join(", ")}`;
  const cut = cutByLimit + notRead;
  return cut === 0 ? "" : `a limit cut ${count(cut, "sitemap")}`;
}

export function drawOptions(
  { settings, reporter, signal }: Run,
  homepage: string,
  runCounts?: RunCounts,
): DrawOptions {
  const { color } = reporter;
  const isLimited = (runCounts?.limits.size ?? 0) > 0;
  const incomplete = signal.aborted ? "interrupted" : isLimited ? "stopped at a limit" : undefined;
  const width = outputWidth(outputFile(settings));
  return { homepage, width, color, ascii: isAsciiTerminal(process.env), incomplete };
}

/** The width for pictures. It is unlimited for a file, and for a pipe unless COLUMNS is set. */
function outputWidth(file: string | undefined): number {
  if (file !== undefined) return Number.POSITIVE_INFINITY;
  const { env, stdout } = process;
  const wanted = Number(env["COLUMNS"]);
  if (Number.isInteger(wanted) && wanted > 0) return wanted;
  // Some terminals report 0 columns.
  return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
}
