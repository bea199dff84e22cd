/**
 * The command line, which commander parses. Its commands and flags come from two tables. This file reads the arguments
 * and the settings, runs the command, and turns errors into a message and an exit code.
 */
import { Command as Commander, CommanderError, Option } from "commander";
import { nearestName } from "../check/suggest-name.ts";
import { logLine } from "../escape/log-line.ts";
import { maskNoSite } from "../escape/userinfo.ts";
import { loadCommand } from "./commands/load-command.ts";
import { type CommandInfo, commandOfAction } from "./config/command-info.ts";
import { commands, HELP_NAMES } from "./config/command-table.ts";
import { type Flag, flagName, flags, type SettingName } from "./config/flags.ts";
import { isLocalPath } from "./config/local-files.ts";
import { namesIn, type RawSettings, type RawValue, readSettings } from "./config/settings.ts";
import { readSettingsFiles, type SettingsFiles } from "./config/settings-file.ts";
import { unknownVariables } from "./config/unknown-variables.ts";
import { BUGS, commandHelp, type HelpOptions, programHelp } from "./help.ts";
import { topicHelp } from "./help-topics.ts";
import { Reporter } from "./messages/reporter.ts";
import { EXIT, type ExitCode } from "./process/exit-codes.ts";
import { endLookups, Interruption, listenForInterrupt, reloadsOnHangUp } from "./process/interrupt.ts";
import { ClosedPipeError, OutputError } from "./process/output-error.ts";
import { UsageError } from "./process/usage-error.ts";
import { joined } from "./terminal/format-text.ts";
import { wantsColor } from "./terminal/style.ts";

const DEFAULT_COMMAND = "stats";

/**
 * Runs the program and returns the exit code.
 *
 * @param releaseHangUp called when the program handles SIGHUP. Returns whether there was a SIGHUP until then
 */
export async function main(
  argv: readonly string[],
  version: string,
  releaseHangUp: () => boolean = () => false,
): Promise<number> {
  // Used for errors before the settings are read.
  let reporter = new Reporter({});
  let code: ExitCode = EXIT.done;
  const program = createProgram(argv, version, async (info, args, raw, config) => {
    const found = await filesFor(info, config);
    const settings = readSettings({
      names: info.settings,
      flags: raw,
      environment: process.env,
      files: found.files,
    });
    reporter = new Reporter(settings);
    announceFiles(reporter, info, found);
    warnOfVariables(reporter);
    code = await runCommand(info, args, settings, Object.keys(raw) as SettingName[], reporter, releaseHangUp);
  });
  if (argv.length === 0) {
    process.stderr.write(programHelp(helpOptions(argv)));
    return EXIT.usage;
  }
  try {
    if (argv[0] === "help") process.stdout.write(helpFor(argv.slice(1), helpOptions(argv)));
    else await program.parseAsync(argv as string[], { from: "user" });
  } catch (error) {
    code = explain(error, reporter, argv);
  } finally {
    reporter.close();
  }
  endLookups(code);
  return code;
}

/**
 * Tells the user which settings come from a file in the current directory, because the user may not know of the file.
 */
function announceFiles(
  reporter: Reporter,
  { settings }: CommandInfo,
  { files, ignored }: SettingsFiles,
): void {
  for (const file of files.filter(({ source }) => source === "found")) {
    const names = namesIn(file, settings);
    const which = names.length === 0 ? "none for this command" : names.join(", ");
    reporter.say(0, `Settings from ${file.path} in the current directory: ${which}`);
  }
  if (ignored === undefined) return;
  reporter.warn(
    `${ignored} in the current directory was not read, because it is a program`,
    `Execute it with --config ${ignored}.`,
  );
}

function warnOfVariables(reporter: Reporter): void {
  for (const { name, nearest } of unknownVariables(process.env)) {
    const text = `unknown environment variable ${logLine(name, { maxLength: 80 })}`;
    reporter.warn(text, nearest === undefined ? undefined : `Did you mean ${nearest}?`);
  }
}

type Action = (info: CommandInfo, args: string[], raw: RawSettings, config?: string) => Promise<void>;

function createProgram(argv: readonly string[], version: string, action: Action): Commander {
  const program = new Commander("siteatlas");
  const help = helpOptions(argv);
  program
    .version(version, "-V, --version")
    .helpOption("-h, --help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ formatHelp: () => programHelp(help) })
    .enablePositionalOptions()
    // Add only the flags of the command that runs. Commander needs 0.1 ms for each flag, and all commands together have
    // four hundred.
    .hook("preSubcommand", (_, command) => addFlags(command));
  for (const info of commands) {
    // `checkArguments` checks the number of arguments, because its messages are better than those of commander.
    const command = program.command(`${info.name} [arguments...]`, {
      isDefault: info.name === DEFAULT_COMMAND,
    });
    command
      .summary(info.summary)
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .configureHelp({ formatHelp: () => commandHelp(givenAction(info, argv), help) })
      .action(async () => {
        checkArguments(info, command.args);
        const { config } = command.opts<{ config?: string }>();
        await action(info, command.args, givenFlags(command, info), config);
      });
  }
  return program;
}

/**
 * The action that the arguments name, such as `show` in `siteatlas snapshot show --help`. Returns the command itself if
 * they name no action.
 */
function givenAction(info: CommandInfo, argv: readonly string[]): CommandInfo {
  const { actions = {} } = info;
  return commandOfAction(info, argv.find((word) => Object.hasOwn(actions, word)) ?? "");
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
  // Do not parse the values here. `readSettings` parses them together with those of the environment and the files.
  if (many) option.argParser((text: string, before: string[] = []) => [...before, text]);
  if (counted) option.preset(1).argParser((_, before: number = 0) => before + 1);
  command.addOption(option);
}

function givenFlags(command: Commander, { settings }: CommandInfo): RawSettings {
  const given: Partial<Record<SettingName, RawValue>> = {};
  for (const name of settings) {
    if (command.getOptionValueSource(name) === "cli") given[name] = command.getOptionValue(name) as RawValue;
  }
  return given;
}

const NEEDS: Readonly<Record<CommandInfo["takes"], string>> = {
  urls: "a host or URL, such as example.com",
  both: "a host, URL or file, such as example.com",
  files: "a file, or - for stdin",
  shell: "a shell: bash, zsh or fish",
};

function checkArguments(
  { name, argument, takes, listSetting, needs = NEEDS[takes] }: CommandInfo,
  args: readonly string[],
): void {
  // A command that can read a list of sites (`--hosts`) checks later whether it has sites, because an environment
  // variable may name the list.
  if (args.length === 0 && listSetting !== undefined) return;
  if (args.length === 0)
    throw new UsageError(`siteatlas ${name} needs ${needs}`, `Examples: siteatlas ${name} -h`);
  const [first = ""] = args;
  const unknown = name === DEFAULT_COMMAND ? unknownCommand(first) : undefined;
  if (unknown !== undefined) throw unknown;
  const most = argument.split(" ").length;
  // If the command takes a site or files, `readSiteOrFiles` checks how many there are.
  if (args.length > most && !argument.includes("...") && takes !== "both") {
    const more = `"${logLine(maskNoSite(args[most]!), { maxLength: 80 })}"`;
    // In `snapshot show FILE`, the first argument is the action.
    const hasAction = argument.includes("|");
    const subject = hasAction ? `${name} ${logLine(first, { maxLength: 80 })}` : name;
    const taken = hasAction ? most - 1 : most;
    const noun = { urls: "site", files: "file", shell: "shell" }[takes];
    throw new UsageError(
      `siteatlas ${subject} takes ${taken === 1 ? `one ${noun}` : `${taken} ${noun}s`}: ${more} is one too many`,
    );
  }
}

/** Words that people may type for a command. Values are the real names of the commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  list: "ls",
  pages: "ls",
  urls: "ls",
  crawl: "ls",
  discover: "find",
  search: "find",
  overview: "stats",
  show: "stats",
  orphans: "compare",
  update: "sync",
  monitor: "watch",
  read: "parse",
};

/** The error if the first argument is neither a command nor a host, as in `siteatlas lss example.com`. */
function unknownCommand(first: string): UsageError | undefined {
  if (!/^[a-z]+$/i.test(first) || first === "localhost" || isLocalPath(first)) return undefined;
  const other = new Map(Object.entries(OTHER_NAMES)).get(first.toLowerCase());
  const nearest = other ?? nearestName(first, [...commands.map((command) => command.name), "help"]);
  return new UsageError(
    `unknown command "${first}"`,
    nearest === undefined ? LIST_HINT : `Did you mean "siteatlas ${nearest}"?`,
  );
}

async function filesFor({ settings }: CommandInfo, config: string | undefined): Promise<SettingsFiles> {
  const { env: environment } = process;
  if (settings.length === 0) return { files: [] };
  const given = config ?? (environment["SITEATLAS_CONFIG"] || undefined);
  return readSettingsFiles({ directory: currentDirectory(), given, environment });
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError("the current directory does not exist any more", "Change to another folder: cd ~");
  }
}

async function runCommand(
  info: CommandInfo,
  args: readonly string[],
  settings: ReturnType<typeof readSettings>,
  given: readonly SettingName[],
  reporter: Reporter,
  releaseHangUp: () => boolean,
): Promise<ExitCode> {
  const interrupt = listenForInterrupt((signal) => {
    if (signal === "SIGINT") reporter.say(0, "Stopping. Press Ctrl-C again to quit immediately.");
  });
  const { signal, onHangUp } = interrupt;
  // Ignore SIGHUP until the command has read its list of sites for the first time.
  if (reloadsOnHangUp(settings)) onHangUp(() => {});
  if (releaseHangUp()) process.kill(process.pid, "SIGHUP");
  try {
    const command = await loadCommand(info.name);
    return await command({ command: info.name, args, settings, given, reporter, signal, onHangUp });
  } finally {
    interrupt.close();
  }
}

// ---------------------------------------------------------------- errors

/** Reports the error and returns the exit code. */
function explain(error: unknown, reporter: Reporter, argv: readonly string[]): ExitCode {
  reporter.stopProgress();
  if (error instanceof ClosedPipeError) return EXIT.done;
  if (error instanceof Interruption) return error.exitCode;
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? EXIT.done : explainUsage(error, reporter, argv);
  }
  if (error instanceof UsageError || error instanceof OutputError) {
    reporter.error(error.message, error.hint);
    return error.exitCode;
  }
  const { message = String(error), stack } = error as Partial<Error>;
  reporter.error(
    logLine(message),
    `This should not happen. Please report it at ${BUGS}. Run the same command with -vv and include its output.`,
  );
  if (stack !== undefined) for (const line of stack.split("\n").slice(1)) reporter.say(2, line);
  return EXIT.unexpected;
}

function explainUsage(
  { code, message }: CommanderError,
  reporter: Reporter,
  argv: readonly string[],
): ExitCode {
  const [first = ""] = argv;
  const given = commands.find((command) => command.name === first);
  const unknown = given === undefined ? unknownCommand(first) : undefined;
  if (unknown !== undefined) {
    reporter.error(unknown.message, unknown.hint);
    return unknown.exitCode;
  }
  const { name } = given ?? { name: DEFAULT_COMMAND };
  const [text = "", suggestion] = message.replace(/^error: /, "").split("\n");
  // Show only the name of the flag. The value may be a secret, as in `--webhok=https://hooks.example.net/secret`.
  const flag = /'(?:-\w, )?(--?[^ '=]+)/.exec(text)?.[1] ?? "";
  const isDefault = given === undefined ? `Without a command, siteatlas runs ${name}. ` : "";
  const all = `${isDefault}All flags of ${name}: siteatlas ${name} --help`;
  if (code === "commander.unknownOption") {
    const takers = commands.filter(({ settings }) => settings.some((one) => `--${flagName(one)}` === flag));
    const owners = joined(takers.map((command) => command.name));
    const others = owners === "" ? "" : `${owners} ${takers.length === 1 ? "has" : "have"} it. `;
    // `--depth` for `--max-depth` is not a misspelling, so it has no suggestion.
    const limit = commands
      .find((command) => command.name === name)
      ?.settings.find((one) => flagName(one) === `max-${flag.slice(2)}`);
    const limitHint = limit && `Did you mean --${flagName(limit)}?`;
    // A flag of another command is not a misspelling.
    const nearest = owners === "" ? suggestion?.replace(/^\((.*)\)$/, "$1") : undefined;
    const hint = nearest ?? formatHint(name, flag) ?? limitHint ?? `${others}${all}`;
    const shown = logLine(flag, { maxLength: 80 });
    reporter.error(
      given === undefined ? `unknown flag ${shown}` : `siteatlas ${name} has no flag ${shown}`,
      hint,
    );
  } else if (code === "commander.optionMissingArgument") reporter.error(`${flag} needs a value`, all);
  else reporter.error(text, all);
  return EXIT.usage;
}

/** The hint for `-f` of a command without formats. */
function formatHint(command: string, flag: string): string | undefined {
  const { settings = [] } = commands.find(({ name }) => name === command) ?? {};
  if (!["-f", "--format"].includes(flag) || !settings.includes("json")) return undefined;
  return `It writes text, or JSON with --json. siteatlas ls writes pages in other formats.`;
}

const LIST_HINT = "List them with siteatlas --help.";

/**
 * The help for words after `help`: `siteatlas help`, `siteatlas help ls`, `siteatlas help snapshot show`,
 * `siteatlas help limits`.
 */
function helpFor(words: readonly string[], options: HelpOptions): string {
  const [name] = words;
  if (name === undefined) return programHelp(options);
  const info = commands.find((command) => command.name === name);
  const text = info === undefined ? topicHelp(name, options) : commandHelp(givenAction(info, words), options);
  if (text !== undefined) return text;
  const nearest = nearestName(name, HELP_NAMES);
  throw new UsageError(
    `no command or help topic "${logLine(name, { maxLength: 80 })}"`,
    nearest === undefined ? LIST_HINT : `Did you mean "siteatlas help ${nearest}"?`,
  );
}

function helpOptions(argv: readonly string[]): HelpOptions {
  const { stdout, stderr, env: environment } = process;
  return {
    isLong: argv.includes("--help") || argv[0] === "help",
    // If stdout is piped to a pager, it has no width. The pager usually is on the same terminal as stderr, so use that
    // width.
    width: stdout.columns || Number(environment["COLUMNS"]) || stderr.columns || 80,
    color: wantsColor({ color: undefined, environment, isTerminal: stdout.isTTY === true }),
  };
}
