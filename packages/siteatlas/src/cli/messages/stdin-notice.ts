/** A note that a command waits for input from the terminal. Without it, the command would seem to hang. */
import type { Reporter } from "./reporter.ts";

/** Writes the note if one of the arguments is `-` and stdin is a terminal. `what` names the expected input. */
export function noteStdin(reporter: Pick<Reporter, "say">, args: readonly string[], what: string): void {
  if (!args.includes("-") || process.stdin.isTTY !== true) return;
  const end = process.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D";
  reporter.say(0, `Reading ${what} from the terminal. End with ${end}.`);
}
