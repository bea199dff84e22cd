#!/usr/bin/env node
/** The command line. Exit codes: 0 for success, 1 for a failure, 2 for a usage error. */
import { CommanderError } from "commander";
import { createProgram } from "./program.ts";
import type { UsageError } from "./usage-error.ts";

// A reader that closes the pipe early, as in `siteatlas-fleet export | head`, does not make the command fail.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  // Commander has already printed the help text or the error.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const { message, hint, exitCode } = error as Partial<UsageError>;
    process.stderr.write(`error: ${message}${hint === undefined ? "" : `\n  ${hint}`}\n`);
    process.exitCode = exitCode ?? 1;
  }
}
