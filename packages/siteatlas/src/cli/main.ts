#!/usr/bin/env node
/** The entry point of the command line. It loads only the code that is needed, so that `--version` is fast. */
import { VERSION } from "../model/generated/version.ts";

// Without a listener, an error such as a full disk (`--help > /dev/full`) would end the process with a stack trace.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") process.exitCode = 1;
});

const [, , first, ...rest] = process.argv;
if (rest.length === 0 && (first === "--version" || first === "-V")) {
  process.stdout.write(`${VERSION}\n`);
} else {
  // -vv prints the stack of an unexpected error. With source maps, the stack names the source files.
  if (process.argv.some((arg) => /^-v{2,}$/.test(arg))) process.setSourceMapsEnabled(true);
  const { main } = await import("./program.ts");
  const code = await main(process.argv.slice(2), VERSION);
  // If an error of stdout has set an exit code, keep it.
  process.exitCode ||= code;
}
