#!/usr/bin/env node
import { UsageError } from "./connections.ts";
/**
 * The command line. Exit codes: 0 done, 1 failed, 2 used wrongly.
 *
 * What commands give goes to standard output, one JSON object a line with `--json`; what they have to say, to
 * standard error.
 */
import { createProgram } from "./program.ts";

try {
  await createProgram().parseAsync();
} catch (error) {
  const { message, name } = error as Error;
  process.stderr.write(`siteatlas-fleet: ${message}\n`);
  process.exitCode = error instanceof UsageError || name === "CommanderError" ? 2 : 1;
}
