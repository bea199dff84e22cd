/** Errors of outputs as readable messages. A closed pipe is a normal end, not an error. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { terminalText } from "../../escape/terminal.ts";
import { systemReason } from "./system-reason.ts";

/** 2: detected before the start, like a wrong flag. 1: detected during the run. */
type OutputExitCode = 1 | 2;

interface OutputErrorOptions extends ErrorOptions {
  readonly exitCode?: OutputExitCode;
  readonly hint?: string;
}

/** The message is one line: `cannot write site.csv: permission denied`. */
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

/** The reader of stdout closed the pipe (`| head -1`). Never shown to the user. */
export class ClosedPipeError extends Error {
  override readonly name = "ClosedPipeError";

  constructor() {
    super("The output pipe was closed");
  }
}

/** Converts any error while writing. `target` is a path, or `stdout`. */
export function toOutputError(error: unknown, target: string, exitCode: OutputExitCode = 1): Error {
  if (error instanceof OutputError || error instanceof ClosedPipeError) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") return new ClosedPipeError();
  const options = { exitCode, cause: error };
  const [shown, folder] = [terminalText(target), terminalText(dirname(target))];
  if (code === "EEXIST") {
    return new OutputError(`${shown} already exists`, { ...options, hint: "Replace it with --force." });
  }
  // A file system such as /proc reports ENOENT for every file that a program tries to create.
  if (code === "ENOENT" && existsSync(dirname(target))) {
    return new OutputError(`cannot write ${shown}: the folder ${folder} accepts no new files`, options);
  }
  if (code === "ENOENT") {
    const text = `cannot write ${shown}: the folder ${folder} does not exist`;
    return new OutputError(text, { ...options, hint: `Create it: mkdir -p ${folder}` });
  }
  return new OutputError(`cannot write ${shown}: ${systemReason(error)}`, options);
}
