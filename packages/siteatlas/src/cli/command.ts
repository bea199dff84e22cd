/** The interface of all commands: what a command gets, and what it returns. */

import type { SettingName, Settings } from "./config/flags.ts";
import type { Reporter } from "./messages/reporter.ts";
import type { ExitCode } from "./process/exit-codes.ts";

export interface Run {
  /** The name of the command, such as `ls`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly settings: Settings;
  /** Names of the settings that were given as flags. */
  readonly given: readonly SettingName[];
  readonly reporter: Reporter;
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP. A command then ends its requests and closes its files. */
  readonly signal: AbortSignal;
  /** Sets the function that SIGHUP calls from now on. SIGHUP then no longer ends the run. */
  readonly onHangUp: (listener: () => void) => void;
}

export type Command = (run: Run) => Promise<ExitCode>;
