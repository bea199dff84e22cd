/**
 * What can go wrong with an output, in words for the person who asked for it. A closed pipe is none of it:
 * whoever read the output has enough, and the command ends in peace.
 */
import { terminalText } from "../../sinks/terminal.ts";

/** `2`: could be known before the start, as a wrong flag can; `1`: happened on the way. */
export type OutputExitCode = 1 | 2;

export interface OutputErrorOptions extends ErrorOptions {
  readonly exitCode?: OutputExitCode;
  /** What to do about it. */
  readonly hint?: string;
}

/** The message is one line: `Cannot write site.csv: it exists already`. */
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

/** The reader of stdout is gone (`| head -1`). Told to the caller, never to the user. */
export class ClosedPipeError extends Error {
  override readonly name = "ClosedPipeError";

  constructor() {
    super("The output pipe was closed");
  }
}

/** What the usual system errors mean to somebody who writes a file. */
const REASONS: Readonly<Record<string, readonly [reason: string, hint?: string]>> = {
  EACCES: ["permission denied"],
  EPERM: ["permission denied"],
  EROFS: ["the file system is read-only"],
  ENOSPC: ["no space left on the device"],
  EDQUOT: ["the disk quota is used up"],
  EFBIG: ["the file would be larger than allowed (ulimit -f)"],
  ENOENT: ["no such directory"],
  ENOTDIR: ["a part of the path is no directory"],
  EISDIR: ["it is a directory"],
  EEXIST: ["it exists already", "--force overwrites it"],
  ENAMETOOLONG: ["the name is too long"],
  EMFILE: ["too many open files"],
  EIO: ["the device reported an error"],
};

/** Any error while writing, as an `OutputError` or `ClosedPipeError`. */
export function toOutputError(error: unknown, target: string, exitCode: OutputExitCode = 1): Error {
  if (error instanceof OutputError || error instanceof ClosedPipeError) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") return new ClosedPipeError();
  const [reason, hint] = REASONS[code] ?? [message];
  return new OutputError(`Cannot write ${terminalText(target)}: ${reason}`, {
    exitCode,
    cause: error,
    ...(hint !== undefined && { hint }),
  });
}
