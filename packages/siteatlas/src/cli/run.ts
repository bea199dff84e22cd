/** What a command gets and gives. */
import type { ExitCode } from "./exit-codes.ts";
import type { SettingName, Settings } from "./flags.ts";
import type { Talk } from "./talk/talk.ts";

export interface Run {
  /** `ls` */
  readonly command: string;
  readonly args: readonly string[];
  readonly settings: Settings;
  /** Which of them stand on the command line. */
  readonly given: readonly SettingName[];
  readonly talk: Talk;
  /** Aborted by the first Ctrl-C, or SIGTERM: requests end, what was written is closed properly. */
  readonly signal: AbortSignal;
}

export type Command = (run: Run) => Promise<ExitCode>;
