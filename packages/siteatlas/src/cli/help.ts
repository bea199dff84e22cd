/**
 * Builds the help texts. `-h` shows a command's usage, examples and usual flags on one screen. `--help` shows all flags
 * except limits. `siteatlas help <topic>` shows what is the same for all commands.
 */
import type { CommandInfo } from "./config/command-info.ts";
import { commands, topics } from "./config/command-table.ts";
import {
  type Flag,
  type FlagGroup,
  flagName,
  flags,
  SETTING_NAMES,
  type SettingName,
} from "./config/flags.ts";
import { columnOf, paragraphs, type Rows, sections, table } from "./help-layout.ts";
import { joined } from "./terminal/format-text.ts";
import { type Paint, paintFor } from "./terminal/style.ts";

export interface HelpOptions {
  readonly isLong: boolean;
  readonly width: number;
  readonly color: boolean;
}

export type Titles = readonly (readonly [group: FlagGroup, title: string])[];

/** The groups of flags, in the order of the help texts. */
export const GROUPS: Titles = [
  ["Command", "This command"],
  ["Selection", "Choose pages"],
  ["Sitemaps", "Choose sitemaps"],
  ["Output", "Output"],
  ["Discovery", "Find sitemaps"],
  ["Parsing", "Parsing"],
  ["Requests", "Requests"],
  ["Politeness", "Politeness"],
  ["Messages", "Messages"],
];

/** The groups of limits, in the order of the help texts. */
export const LIMIT_GROUPS: Titles = [
  ["Site", "Per site"],
  ["Index", "Per index"],
  ["Document", "Per sitemap"],
  ["Request", "Per request"],
  ["Value", "Inside a document"],
];

const UNITS: Readonly<Record<string, string>> = {
  TIME: "TIME is 500ms, 30s, 10m, 2h or 7d. A plain number is seconds.",
  SIZE: "SIZE is 500kB, 10MB (powers of 1000) or 500KiB, 10MiB (powers of 1024). A plain number is bytes.",
};

/** The help on `--config`. It is not in the table of flags, because it is not a setting (settings-file.ts). */
export const CONFIG_ROW = [
  "    --config FILE",
  "read settings only from FILE; it is executed if it is a .js or .mjs file (default: see siteatlas help config)",
] as const;

export const PROJECT = "https://github.com/siteatlas/siteatlas";
const DOCS = `Documentation: ${PROJECT}#documentation`;
export const BUGS: string = `${PROJECT}/issues`;

// ---------------------------------------------------------------- siteatlas --help

const EXAMPLES = ["siteatlas ls example.com -o pages.csv", "siteatlas sync example.com"];

export function programHelp({ width, color }: HelpOptions): string {
  const paint = paintFor(color);
  const usage: Rows = [
    ["siteatlas <url>", "overview of a site"],
    ["siteatlas <command> [flags]", ""],
  ];
  const help: Rows = [
    ["siteatlas <command> -h", "usual flags and examples"],
    ["siteatlas <command> --help", "all flags except limits"],
    ["siteatlas help <topic>", `about ${joined(topics, "or")}`],
    ["siteatlas --version", ""],
  ];
  const column = columnOf([...usage, ...help].map(([term]) => term));
  const section = (title: string, rows: Rows): string => titled(paint, title, table(rows, width, column));
  const groups = [...new Set(commands.map(({ group }) => group))];
  return sections(
    ...paragraphs(["siteatlas finds every page a site declares in robots.txt, sitemaps and feeds."], width),
    section("Usage", usage),
    ...groups.map((name) => section(name, commandRows(commands.filter(({ group }) => group === name)))),
    titled(paint, "Examples", EXAMPLES.map((line) => `  ${line}`).join("\n")),
    section("Help", help),
    `${DOCS}\nBugs: ${BUGS}`,
  );
}

/** The rows of the list of commands. A command with actions, such as `snapshot show`, has one row per action. */
function commandRows(list: readonly CommandInfo[]): Rows {
  return list.flatMap(({ name, argument, summary, actions }) =>
    actions === undefined
      ? [[`${name} ${argument}`, summary] as const]
      : Object.entries(actions).map(
          ([action, own]) => [`${name} ${action} ${argument.replace(/^\S+ /, "")}`, own.summary] as const,
        ),
  );
}

// ---------------------------------------------------------------- siteatlas ls --help

export function commandHelp(command: CommandInfo, { isLong, width, color }: HelpOptions): string {
  const paint = paintFor(color);
  const { name, about, examples, notes = [], details = [], settings } = command;
  const own = settings.filter((setting) => !isLimit(setting));
  const usual = SETTING_NAMES.filter((setting) => own.includes(setting) && flags[setting].usual);
  const others = own.filter((setting) => !flags[setting].usual);
  const hidden = isLong ? 0 : flagRows(others, command).length + (settings.length > 0 ? 1 : 0);
  const hasTimeouts = settings.some((setting) => flags[setting].group === "Request");
  const more = [
    ...(hidden > 0 ? [`siteatlas ${name} --help (${hidden} flags)`] : []),
    ...(own.length < settings.length ? [`siteatlas help limits${hasTimeouts ? " (and timeouts)" : ""}`] : []),
  ];
  const usualRows = flagRows(usual, command);
  return sections(
    ...paragraphs([about], width),
    titled(paint, "Usage", usageLines(command).join("\n")),
    ...paragraphs([...notes, ...(isLong ? details : [])], width, "  "),
    titled(paint, "Examples", table(examples, width)),
    usualRows.length === 0 ? "" : titled(paint, "Usual flags", table(usualRows, width)),
    ...(isLong ? otherFlags(others, command, paint, width) : []),
    ...(isLong ? paragraphs(unitTexts(own), width) : []),
    more.length === 0 ? "" : `More: ${more.join(", ")}`,
    isLong ? DOCS : "",
  );
}

export function usageLines({ name, argument, usage = [], settings }: CommandInfo): string[] {
  const first = `siteatlas ${name} ${argument}${settings.length > 0 ? " [flags]" : ""}`;
  return [first, ...usage].map((line) => `  ${line}`);
}

/** The flags that only `--help` shows, in groups. The first column of all groups has the same width. */
function otherFlags(
  names: readonly SettingName[],
  command: CommandInfo,
  paint: Paint,
  width: number,
): string[] {
  if (command.settings.length === 0) return [];
  const column = columnOf([...flagRows(names, command), CONFIG_ROW].map(([term]) => term));
  return [
    ...flagGroups(GROUPS, names, command, paint, width, column),
    titled(paint, "Settings", table([CONFIG_ROW], width, column)),
  ];
}

export function isLimit(name: SettingName): boolean {
  return LIMIT_GROUPS.some(([group]) => group === flags[name].group);
}

export function flagGroups(
  titles: Titles,
  names: readonly SettingName[],
  command: Pick<CommandInfo, "texts">,
  paint: Paint,
  width: number,
  column: number,
): string[] {
  return titles.flatMap(([group, title]) => {
    const rows = flagRows(
      names.filter((name) => flags[name].group === group),
      command,
    );
    return rows.length === 0 ? [] : [titled(paint, title, table(rows, width, column))];
  });
}

export function flagRows(names: readonly SettingName[], { texts = {} }: Pick<CommandInfo, "texts">): Rows {
  return names.flatMap((name) => {
    const { short, negatedText }: Flag = flags[name];
    const indent = isLimit(name) || short !== undefined ? "" : "    ";
    const row = [indent + flagTerm(name), texts[name] ?? flags[name].text] as const;
    return negatedText === undefined ? [row] : [row, [`    --no-${flagName(name)}`, negatedText] as const];
  });
}

/** The flag as help texts show it: `-o, --output FILE`, `--no-robots`. @internal exported for docs/cli.md */
export function flagTerm(name: SettingName): string {
  const { short, value, negated }: Flag = flags[name];
  const long = `--${negated === "only" ? "no-" : ""}${flagName(name)}`;
  return `${short === undefined ? "" : `-${short}, `}${long}${value === undefined ? "" : ` ${value}`}`;
}

export function unitTexts(names: readonly SettingName[]): string[] {
  return Object.keys(UNITS)
    .filter((unit) => names.some((name) => flags[name].value === unit))
    .map((unit) => UNITS[unit]!);
}

function titled(paint: Paint, title: string, text: string): string {
  return `${paint("bold", title)}\n${text}`;
}
