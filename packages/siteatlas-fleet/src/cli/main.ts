#!/usr/bin/env node
/** Starts the command line. Exit codes: 0 for success, 1 for a failure, 2 for a usage error. */
import { CommanderError } from "commander";
import { systemReason } from "./error-text.ts";
import { log, logError } from "./messages.ts";
import { createProgram } from "./program.ts";
import type { UsageError } from "./usage-error.ts";

// A reader that closes the pipe early, as in `siteatlas-fleet export | head`, does not make the command fail.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  log(`error: cannot write to standard output: ${systemReason(error)}`);
  process.exit(1);
});

// Without a listener, a worker would end if the program that reads its messages ended.
process.stderr.on("error", () => {});

// An error that no code expects ends the process, with one line in place of a stack.
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    logError(error);
    process.exit(1);
  });
}

try {
  await createProgram().parseAsync();
} catch (error) {
  // Commander has already printed the help text or the error.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    logError(error);
    process.exitCode = (error as Partial<UsageError>).exitCode ?? 1;
  }
}
