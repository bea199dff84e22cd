/** The type of a row in the table of commands, and of a row for one action, such as `snapshot show`. */
import type { SettingName } from "./flags.ts";

export interface CommandInfo {
  readonly name: string;
  /** The arguments as usage shows them: `<url...>`. */
  readonly argument: string;
  /** The kind of the arguments, for completion. */
  readonly takes: "urls" | "files" | "both" | "shell";
  /** Additional lines of usage. */
  readonly usage?: readonly string[];
  /** Actions that the first argument can name: `snapshot show`. */
  readonly actions?: Readonly<Record<string, CommandAction>>;
  /** The heading in the list of commands. */
  readonly group: "Read a site" | "Follow changes" | "Without the network";
  /** Summary in the list of commands: lower case, no final period. */
  readonly summary: string;
  /** The first lines of the command's help, in complete sentences. */
  readonly about: string;
  /** The allowed arguments, one paragraph each. */
  readonly notes?: readonly string[];
  /** Further details, one paragraph each. Only `--help` shows them. */
  readonly details?: readonly string[];
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly settings: readonly SettingName[];
  /** Help texts of flags that mean something else in this command. They replace those of the table of flags. */
  readonly texts?: Readonly<Partial<Record<SettingName, string>>>;
  /** The noun in the message about missing arguments: `siteatlas diff needs …`. @default by `takes` */
  readonly needs?: string;
}

/** The properties in which an action differs from its command. */
interface CommandAction {
  /** Summary in the list of commands: lower case, no final period. */
  readonly summary: string;
  readonly about: string;
  /** The settings of this action alone. @default those of the command */
  readonly settings?: readonly SettingName[];
  readonly texts: NonNullable<CommandInfo["texts"]>;
}

/** The command reduced to one action: `snapshot show` has fewer flags than `snapshot export`. */
export function commandOfAction(command: CommandInfo, action: string): CommandInfo {
  const { name, argument, actions = {}, examples } = command;
  const own = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (own === undefined) return command;
  const { actions: _, ...shared } = command;
  return {
    ...shared,
    ...own,
    settings: own.settings ?? shared.settings,
    name: `${name} ${action}`,
    argument: argument.replace(/^\S+ /, ""),
    examples: examples.filter(([line]) => line.startsWith(`siteatlas ${name} ${action} `)),
  };
}
