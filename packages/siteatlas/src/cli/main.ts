#!/usr/bin/env node
/** The entry point of the command line. It loads only the code that is needed, so that `--version` is fast. */
import { VERSION } from "../model/generated/version.ts";

// Without a listener, an error such as a full disk (`--help > /dev/full`) would end the process with a stack trace.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") process.exitCode = 1;
});

const [, , first, ...rest] = process.argv;

// `watch --hosts` reads its list again after SIGHUP. A SIGHUP must not end it while its code is being loaded.
let isHungUp = false;
const holdHangUp = (): void => {
  isHungUp = true;
};
if (first === "watch") process.on("SIGHUP", holdHangUp);
/** Call this when another listener for SIGHUP is installed. Returns whether there was a SIGHUP until now. */
const releaseHangUp = (): boolean => {
  process.off("SIGHUP", holdHangUp);
  return isHungUp;
};

if (rest.length === 0 && (first === "--version" || first === "-V")) {
  process.stdout.write(`${VERSION}\n`);
} else {
  // -vv prints the stack of an unexpected error. With source maps, the stack names the source files.
  if (process.argv.some((arg) => /^-v{2,}$/.test(arg))) process.setSourceMapsEnabled(true);
  const { main } = await import("./program.ts");
  const code = await main(process.argv.slice(2), VERSION, releaseHangUp);
  // If an error of stdout has set an exit code, keep it.
  process.exitCode ||= code;
}
