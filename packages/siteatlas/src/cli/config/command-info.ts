/**
 * The type of a row in the table of commands. Some commands have actions, such as `snapshot show`, with rows of their
 * own.
 */
import type { SettingName } from "./flags.ts";

export interface CommandInfo {
  readonly name: string;
  /** The arguments as the usage line shows them, such as `<url...>`. */
  readonly argument: string;
  /** The kind of arguments that the command takes. Shell completion uses it. */
  readonly takes: "urls" | "files" | "both" | "shell";
  /** Additional usage lines. */
  readonly usage?: readonly string[];
  /** Actions of the command by name. The first argument names the action: `show` in `snapshot show`. */
  readonly actions?: Readonly<Record<string, CommandAction>>;
  /** The heading under which the list of commands shows this command. */
  readonly group: "Read a site" | "Follow changes" | "Without the network";
  /** Summary in the list of commands: lower case, no final period. */
  readonly summary: string;
  /** The first lines of the command's help, in complete sentences. */
  readonly about: string;
  /** Explanations of the arguments, one paragraph each. */
  readonly notes?: readonly string[];
  /** Further details, one paragraph each. Only `--help` shows them. */
  readonly details?: readonly string[];
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly settings: readonly SettingName[];
  /** Help texts of flags that mean something else in this command. They replace those of the table of flags. */
  readonly texts?: Readonly<Partial<Record<SettingName, string>>>;
  /** The setting that names a file with more arguments. With such a file, the command line needs no arguments. */
  readonly listSetting?: SettingName;
  /** The end of the message about missing arguments: `siteatlas diff needs …`. @default depends on `takes` */
  readonly needs?: string;
}

/** The properties of an action that differ from those of its command. */
interface CommandAction {
  /** Summary in the list of commands: lower case, no final period. */
  readonly summary: string;
  readonly about: string;
  /** The settings of this action. @default the settings of the command */
  readonly settings?: readonly SettingName[];
  readonly texts: NonNullable<CommandInfo["texts"]>;
}

/**
 * The row of a command with only one of its actions. `snapshot show`, for example, has fewer flags than
 * `snapshot export`.
 */
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
