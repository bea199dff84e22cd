#!/usr/bin/env node
/** The command line. Exit codes: 0 done, 1 failed, 2 used wrongly. */

import { CommanderError } from "commander";
import { UsageError } from "./connections.ts";
import { createProgram } from "./program.ts";

// Whoever reads has enough: `siteatlas-fleet export | head` is done then.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  // It has said what it has to say: the help, or what is wrong with the arguments.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`siteatlas-fleet: ${(error as Error).message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
