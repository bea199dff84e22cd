/**
 * Builds the command line from the tables of commands and flags. Connects to PostgreSQL, Redis and the store if the
 * command needs them, and runs it.
 */
import { Command, Option } from "commander";
import { VERSION } from "../version.ts";
import { type CommandInfo, commands } from "./command-table.ts";
import { Connections } from "./connections.ts";
import {
  type CommandName,
  type ConnectionOptions,
  connectionFlags,
  environmentName,
  type Flag,
  flagName,
  flags,
} from "./flags.ts";
import { logCommanderError } from "./messages.ts";
import { KINDS } from "./parse-value.ts";
import { UsageError } from "./usage-error.ts";

/** Lines for the end of a help text that explain its placeholders. */
const UNITS = [
  ["TIME", "TIME is 500ms, 30s, 10m, 2h or 7d; a plain number is seconds."],
  ["SIZE", "SIZE is 500kB, 10MB, 10MiB or 1GB; a plain number is bytes."],
] as const;

export function createProgram(): Command {
  const program = new Command("siteatlas-fleet")
    .description(
      "Follows the sitemaps of millions of sites. PostgreSQL stores the sites and when each is due. BullMQ on Redis gives due sites to workers. Parquet files hold the results.",
    )
    .version(VERSION)
    .helpOption("-h, --help", "show this help")
    .showHelpAfterError("(--help lists all commands and flags)")
    .configureOutput({ outputError: logCommanderError })
    .exitOverride();
  for (const [name, info] of Object.entries(commands) as [CommandName, CommandInfo][]) {
    addCommand(program, name, info);
  }
  return program;
}

function addCommand(program: Command, name: CommandName, { argument, summary, run }: CommandInfo): void {
  const command = program.command(name).description(summary);
  if (argument !== undefined) command.argument(...argument);
  const options = Object.entries({ ...connectionFlags, ...flags[name] }).map(createOption);
  for (const option of options) command.addOption(option);
  for (const [value, meaning] of UNITS) {
    if (options.some((option) => option.flags.endsWith(`<${value}>`))) {
      command.addHelpText("after", `\n${meaning}`);
    }
  }
  command.action(async () => {
    const connections = new Connections(command.opts<ConnectionOptions>());
    try {
      await run(connections, command.opts(), command.args);
    } finally {
      await connections.close();
    }
  });
}

function createOption([name, flag]: readonly [string, Flag]): Option {
  const { short, kind, default: preset, negated, env, hidden = false, text } = flag;
  const long = `${short ? `-${short}, ` : ""}--${negated ? "no-" : ""}${flagName(name)}`;
  if (kind === undefined) return new Option(long, text);
  const [placeholder, read] = KINDS[kind];
  const option = new Option(`${long} <${flag.value ?? placeholder}>`, text).hideHelp(hidden);
  option.argParser((given) => readFlag(`--${flagName(name)}`, given, read));
  if (env) option.env(environmentName(name));
  if (preset !== undefined) option.default(read(preset), preset);
  return option;
}

function readFlag(flag: string, text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text);
  } catch (error) {
    throw new UsageError(`${flag} ${(error as Error).message}, not ${JSON.stringify(text)}`);
  }
}
