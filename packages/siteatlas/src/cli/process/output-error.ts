/** Turns errors of outputs into readable messages. A closed pipe is not an error, but a normal end. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { terminalText } from "../../escape/terminal.ts";
import { systemReason } from "./system-reason.ts";

/**
 * Exit code of an output error. 2: the error was found before the first request, like a wrong flag. 1: it was found
 * later.
 */
type OutputExitCode = 1 | 2;

interface OutputErrorOptions extends ErrorOptions {
  readonly exitCode?: OutputExitCode;
  readonly hint?: string;
}

/** An error of an output. The message is one line, such as `cannot write site.csv: permission denied`. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly exitCode: OutputExitCode;
  readonly hint: string | undefined;

  constructor(message: string, { exitCode = 1, hint, ...options }: OutputErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** Thrown if the reader of stdout closed the pipe (`| head -1`). It is never shown to the user. */
export class ClosedPipeError extends Error {
  override readonly name = "ClosedPipeError";

  constructor() {
    super("The output pipe was closed");
  }
}

/** Turns an error that happened while writing into an `OutputError`. `target` is a path, or `stdout`. */
export function toOutputError(error: unknown, target: string, exitCode: OutputExitCode = 1): Error {
  if (error instanceof OutputError || error instanceof ClosedPipeError) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") return new ClosedPipeError();
  const options = { exitCode, cause: error };
  const [shown, folder] = [terminalText(target), terminalText(dirname(target))];
  if (code === "EEXIST") {
    return new OutputError(`${shown} already exists`, { ...options, hint: "Replace it with --force." });
  }
  // Some file systems, such as /proc, report ENOENT for every file that a program tries to create.
  if (code === "ENOENT" && existsSync(dirname(target))) {
    return new OutputError(`cannot write ${shown}: the folder ${folder} accepts no new files`, options);
  }
  if (code === "ENOENT") {
    const text = `cannot write ${shown}: the folder ${folder} does not exist`;
    return new OutputError(text, { ...options, hint: `Create it: mkdir -p ${folder}` });
  }
  return new OutputError(`cannot write ${shown}: ${systemReason(error)}`, options);
}
