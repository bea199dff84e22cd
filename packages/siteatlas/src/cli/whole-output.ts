/** An output that is not brought to its end is dropped: nobody takes half a file for a whole one. */
import { openTextOutput, type TextOutput } from "./output/text-output.ts";
import { outputFile } from "./page-sink.ts";
import type { Run } from "./run.ts";

interface Output {
  abort(): Promise<void>;
}

/** Runs what writes to it and ends it. */
export async function whole<T>(output: Output, work: () => Promise<T>): Promise<T> {
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

/** How wide a picture may be. */
export function outputWidth(): number {
  // A terminal that does not know says 0.
  return process.stdout.columns || 80;
}
