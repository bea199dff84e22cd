#!/usr/bin/env node
/** Where the program starts. Nothing is loaded before it is needed: `--version` answers at once. */
import { readVersion } from "./version.ts";

const [, , first, ...rest] = process.argv;
if (rest.length === 0 && (first === "--version" || first === "-V")) {
  process.stdout.write(`${readVersion()}\n`);
} else {
  // The stack of an unexpected error, which this flag shows, is to name the sources.
  if (process.argv.some((arg) => /^-v{2,}$/.test(arg))) process.setSourceMapsEnabled(true);
  const { main } = await import("./program.ts");
  process.exitCode = await main(process.argv.slice(2), readVersion());
}
