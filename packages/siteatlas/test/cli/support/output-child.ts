/**
 * A process that writes pages, for tests that need a real stdout. Reports on stderr what happened.
 * `node output-child.mjs '{"format":"urls","count":10}'`
 */
import { openWriter, type WriterOptions } from "../../../src/cli/output/open-writer.ts";
import type { PageWriter } from "../../../src/cli/output/page-writer.ts";
import { ClosedPipeError, OutputError } from "../../../src/cli/process/output-error.ts";
import { lazyRecord } from "../../../src/output/page-fields.ts";
import { ordinaryPages } from "./output-records.ts";

export interface ChildOptions extends Omit<WriterOptions, "meta"> {
  readonly count: number;
  /** Wait for a line on stdin before each page but the first. */
  readonly paced?: boolean;
  /** Exit after this number of pages, like a second Ctrl-C. */
  readonly exitAfter?: number;
  /** Report a write that waits for the reader of the pipe. */
  readonly reportsWaits?: boolean;
}

const {
  count,
  paced = false,
  exitAfter,
  reportsWaits = false,
  ...options
}: ChildOptions = JSON.parse(process.argv[2] ?? "{}");
let written = 0;
let writer: PageWriter | undefined;
try {
  writer = await openWriter({ ...options, meta: {} });
  for (const { page, sitemap } of ordinaryPages(count)) {
    if (paced && written > 0) await new Promise((resolve) => process.stdin.once("data", resolve));
    const wait = writer.write(lazyRecord(page, sitemap));
    written++;
    if (wait !== undefined) await (reportsWaits ? tellIfLong(wait) : wait);
    if (written === exitAfter) process.exit(130);
  }
  await writer.end();
  tell("done");
} catch (error) {
  await writer?.abort();
  if (error instanceof ClosedPipeError) tell("closed");
  else if (error instanceof OutputError) {
    tell(`${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`);
    process.exitCode = error.exitCode;
  } else throw error;
}
if (paced) process.stdin.destroy();

async function tellIfLong(wait: Promise<void>): Promise<void> {
  const timer = setTimeout(() => tell(`waits after ${written}`), 300);
  await wait.finally(() => clearTimeout(timer));
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
