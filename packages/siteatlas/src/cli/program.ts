/**
 * The command line: commander, built from the tables of commands and flags. Reads the arguments, puts the
 * settings together, runs the command, and turns whatever ends it into a message and an exit code.
 */
import { Command as Commander, CommanderError, Option } from "commander";
import { logLine } from "../sinks/log-line.ts";
import { type CommandInfo, commands } from "./commands.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { type Flag, flagName, flags, type SettingName } from "./flags.ts";
import { commandHelp, type HelpOptions, programHelp } from "./help.ts";
import { Interruption, listenForInterrupt } from "./interrupt.ts";
import { loadCommand } from "./load-command.ts";
import { nearestName } from "./nearest.ts";
import { ClosedPipeError, OutputError } from "./output/output-error.ts";
import { type RawSettings, type RawValue, readSettings } from "./settings.ts";
import { readSettingsFile } from "./settings-file.ts";
import { wantsColor } from "./talk/style.ts";
import { Talk } from "./talk/talk.ts";
import { UsageError } from "./usage-error.ts";

const DEFAULT_COMMAND = "stats";

/** Runs the program; the exit code. */
export async function main(argv: readonly string[], version: string): Promise<number> {
  // Until the settings are read, messages are said as if there were none.
  let talk = new Talk({});
  let code: ExitCode = EXIT.done;
  const program = createProgram(argv, version, async (info, args, raw, config) => {
    const settings = await settingsOf(info, raw, config);
    talk = new Talk(settings);
    code = await runCommand(info, args, settings, Object.keys(raw) as SettingName[], talk);
  });
  if (argv.length === 0) {
    process.stderr.write(programHelp(helpOptions(argv)));
    return EXIT.usage;
  }
  try {
    await program.parseAsync(argv as string[], { from: "user" });
  } catch (error) {
    code = explain(error, talk, argv);
  } finally {
    talk.close();
  }
  return code;
}

type Action = (info: CommandInfo, args: string[], raw: RawSettings, config?: string) => Promise<void>;

function createProgram(argv: readonly string[], version: string, action: Action): Commander {
  const program = new Commander("siteatlas");
  const help = helpOptions(argv);
  program
    .version(version, "-V, --version")
    .helpOption("-h, --help")
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ formatHelp: () => programHelp(help) })
    .enablePositionalOptions()
    // Those of one command only: commander takes a tenth of a millisecond for each of four hundred flags.
    .hook("preSubcommand", (_, command) => addFlags(command));
  for (const info of commands) {
    // What is missing or too much is said in our own words: see checkArguments.
    const command = program.command(`${info.name} [arguments...]`, {
      isDefault: info.name === DEFAULT_COMMAND,
    });
    command
      .summary(info.summary)
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .configureHelp({ formatHelp: () => commandHelp(info, help) })
      .action(async () => {
        checkArguments(info, command.args);
        const { config } = command.opts<{ config?: string }>();
        await action(info, command.args, givenFlags(command, info), config);
      });
  }
  return program;
}

function addFlags(command: Commander): void {
  const { settings = [] } = commands.find(({ name }) => name === command.name()) ?? {};
  for (const name of settings) addFlag(command, name);
  if (settings.length > 0) command.option("--config <FILE>", "read settings from this file");
}

function addFlag(command: Commander, name: SettingName): void {
  const { short, value, many, counted, negated }: Flag = flags[name];
  const long = flagName(name);
  const dash = short === undefined ? "" : `-${short}, `;
  if (negated !== undefined) {
    command.addOption(new Option(`--no-${long}`));
    if (negated === "only") return;
  }
  const option = new Option(`${dash}--${long}${value === undefined ? "" : " <value>"}`);
  // The values themselves are read with those of the environment and of the file.
  if (many) option.argParser((text: string, before: string[] = []) => [...before, text]);
  if (counted) option.preset(1).argParser((_, before: number = 0) => before + 1);
  command.addOption(option);
}

/** What is on the command line; commander's own defaults are not. */
function givenFlags(command: Commander, { settings }: CommandInfo): RawSettings {
  const given: Partial<Record<SettingName, RawValue>> = {};
  for (const name of settings) {
    if (command.getOptionValueSource(name) === "cli") given[name] = command.getOptionValue(name) as RawValue;
  }
  return given;
}

const NEEDS: Readonly<Record<CommandInfo["takes"], string>> = {
  urls: "a site, such as example.com",
  files: "a file, or - for stdin",
  shell: "a shell: bash, zsh or fish",
};

/** `siteatlas lss example.com`: the first word is neither a command nor a host. */
function checkArguments(
  { name, argument, takes, needs = NEEDS[takes] }: CommandInfo,
  args: readonly string[],
): void {
  if (args.length === 0)
    throw new UsageError(`siteatlas ${name} needs ${needs}`, `siteatlas ${name} -h shows examples`);
  const [first = ""] = args;
  const isWord = /^[a-z]+$/i.test(first) && first !== "localhost";
  if (name === DEFAULT_COMMAND && isWord) {
    const nearest = nearestName(first, [...commands.map((command) => command.name), "help"]);
    throw new UsageError(
      `There is no command "${first}"`,
      nearest === undefined ? "siteatlas --help lists them" : `Did you mean siteatlas ${nearest}?`,
    );
  }
  const most = argument.split(" ").length;
  if (args.length > most && !argument.includes("...")) {
    const more = `"${logLine(args[most]!, { maxLength: 80 })}"`;
    // The first word says what to do with the file.
    const hasAction = argument.includes("|");
    const subject = hasAction ? `${name} ${logLine(first, { maxLength: 80 })}` : name;
    const taken = hasAction ? most - 1 : most;
    const noun = takes === "files" ? "file" : "argument";
    const hint =
      name === DEFAULT_COMMAND || name === "tree" ? "siteatlas ls and find take several sites" : undefined;
    throw new UsageError(
      `siteatlas ${subject} takes ${taken === 1 ? `one ${noun}` : `${taken} ${noun}s`}: ${more} is too many`,
      hint,
    );
  }
}

async function settingsOf(
  { settings: names }: CommandInfo,
  raw: RawSettings,
  config: string | undefined,
): Promise<ReturnType<typeof readSettings>> {
  const { env: environment } = process;
  const file =
    names.length === 0
      ? undefined
      : await readSettingsFile(process.cwd(), config ?? (environment["SITEATLAS_CONFIG"] || undefined));
  return readSettings({ names, flags: raw, environment, file });
}

async function runCommand(
  info: CommandInfo,
  args: readonly string[],
  settings: ReturnType<typeof readSettings>,
  given: readonly SettingName[],
  talk: Talk,
): Promise<ExitCode> {
  const interrupt = listenForInterrupt((signal) => {
    if (signal === "SIGINT") talk.say(0, "Stopping; Ctrl-C again ends at once");
  });
  const { signal } = interrupt;
  try {
    const command = await loadCommand(info.name);
    return await command({ command: info.name, args, settings, given, talk, signal });
  } finally {
    interrupt.close();
  }
}

// ---------------------------------------------------------------- what ends it

/** Says what went wrong; the exit code. */
function explain(error: unknown, talk: Talk, argv: readonly string[]): ExitCode {
  talk.stopProgress();
  if (error instanceof ClosedPipeError) return EXIT.done;
  if (error instanceof Interruption) return error.exitCode;
  if (error instanceof CommanderError) return explainCommander(error, talk, argv);
  if (error instanceof UsageError || error instanceof OutputError) {
    talk.error(error.message, error.hint);
    return error.exitCode;
  }
  const { message = String(error), stack } = error as Partial<Error>;
  talk.error(
    `Unexpected: ${logLine(message)}`,
    talk.level >= 2 ? undefined : "This is a bug: please report it with what -vv shows",
  );
  if (stack !== undefined) for (const line of stack.split("\n").slice(1)) talk.say(2, line);
  return EXIT.unexpected;
}

function explainCommander(
  { exitCode, message }: CommanderError,
  talk: Talk,
  argv: readonly string[],
): ExitCode {
  if (exitCode === 0) return EXIT.done;
  const [text = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const hint = suggestion?.replace(/^\((.*)\)$/, "$1");
  const { name } = commands.find((command) => command.name === argv[0]) ?? { name: DEFAULT_COMMAND };
  talk.error(text, hint ?? `siteatlas ${name} --help shows what there is`);
  return EXIT.usage;
}

function helpOptions(argv: readonly string[]): HelpOptions {
  const { stdout, stderr, env: environment } = process;
  return {
    isLong: argv.includes("--help") || argv[0] === "help",
    // Behind a pipe there is a pager mostly, on the same terminal.
    width: stdout.columns || Number(environment["COLUMNS"]) || stderr.columns || 100,
    color: wantsColor({ color: undefined, environment, isTerminal: stdout.isTTY === true }),
  };
}
