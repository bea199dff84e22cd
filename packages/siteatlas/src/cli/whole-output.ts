/** An output that is not brought to its end is dropped: nobody takes half a file for a whole one. */
import { terminalText } from "../sinks/terminal.ts";
import { openTextOutput, type TextOutput } from "./output/text-output.ts";
import { outputFile } from "./page-sink.ts";
import type { DrawOptions } from "./picture/draw-options.ts";
import { isAsciiTerminal } from "./picture/glyphs.ts";
import type { Run } from "./run.ts";

interface Output {
  end(isCut?: boolean): Promise<string | undefined>;
  abort(): Promise<void>;
}

/** Runs what writes to it and ends it. */
export async function whole<T>(output: Pick<Output, "abort">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await output.abort().catch(() => {});
    throw error;
  }
}

/** stdout or `-o FILE`, for a text. */
export async function withTextOutput<T>(
  { settings }: Run,
  work: (output: TextOutput) => Promise<T>,
): Promise<T> {
  const output = await openTextOutput({ file: outputFile(settings), force: settings.force });
  return whole(output, () => work(output));
}

/**
 * Ends an output. Where nothing was found there is nothing to put in the place of an earlier file; what an
 * interrupted run has so far is put beside one.
 */
export async function endOutput(
  { settings, signal, talk }: Run,
  output: Output,
  isWorthwhile: boolean,
): Promise<void> {
  const file = outputFile(settings);
  if (file !== undefined && !isWorthwhile) return output.abort();
  const elsewhere = await output.end(signal.aborted);
  if (elsewhere === undefined) return;
  const [kept, partial] = [file ?? "", elsewhere].map((path) => terminalText(path));
  talk.warn(`${kept} is still the earlier one; what was read so far is in ${partial}`, undefined, true);
}

/** What pictures are drawn with. */
export function drawOptions({ settings, talk }: Run, homepage: string): DrawOptions {
  const { color } = talk;
  return { homepage, width: outputWidth(outputFile(settings)), color, ascii: isAsciiTerminal(process.env) };
}

/** How wide a picture may be. In a file or a pipe nothing is cut, unless COLUMNS says so for the pipe. */
function outputWidth(file: string | undefined): number {
  if (file !== undefined) return Number.POSITIVE_INFINITY;
  const { env, stdout } = process;
  const wanted = Number(env["COLUMNS"]);
  if (Number.isInteger(wanted) && wanted > 0) return wanted;
  // A terminal that does not know says 0.
  return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
}
