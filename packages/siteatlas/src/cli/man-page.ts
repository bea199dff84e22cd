/**
 * The manual page siteatlas(1), generated from the tables of the help texts. scripts/build-man-page.mjs writes it
 * into the package.
 *
 * @internal not a part of the command line itself
 */
import { FIELDS } from "../output/page-fields.ts";
import type { CommandInfo } from "./config/command-info.ts";
import { commands } from "./config/command-table.ts";
import { flags, SETTING_NAMES, type SettingName } from "./config/flags.ts";
import {
  BUGS,
  CONFIG_ROW,
  flagRows,
  GROUPS,
  isLimit,
  LIMIT_GROUPS,
  type Titles,
  usageLines,
} from "./help.ts";
import { EXIT_TEXTS } from "./process/exit-codes.ts";

/** Returns the page in roff, the format of `man`. */
export function manPage(version: string): string {
  const name = "finds every page a website declares: robots.txt, sitemaps, feeds";
  const lines = [
    `.TH SITEATLAS 1 "" ${quoted(`siteatlas ${version}`)}`,
    ".SH NAME",
    `siteatlas \\- ${text(name)}`,
    ".SH SYNOPSIS",
    ".nf",
    text("siteatlas <url>"),
    ...commands.flatMap((command) => usageLines(command).map((line) => text(line.trim()))),
    text("siteatlas help <command or topic>"),
    ".fi",
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH FLAGS",
    text("siteatlas <command> --help shows which flags a command has."),
    ...flagSections(GROUPS, (setting) => !isLimit(setting)),
    ".SS Settings",
    ...item(CONFIG_ROW[0].trim(), CONFIG_ROW[1]),
    ".SH LIMITS",
    text('Defaults are in parentheses. "none" removes a limit.'),
    ...flagSections(LIMIT_GROUPS, isLimit),
    ".SH FIELDS",
    ...Object.entries(FIELDS).flatMap(([field, { text: meaning }]) => item(field, meaning)),
    ".SH ENVIRONMENT",
    text(
      "Every flag can also be set by a variable: SITEATLAS_MAX_DEPTH=3 is --max-depth 3. NO_COLOR turns colors off.",
    ),
    ".SH EXIT STATUS",
    ...Object.entries(EXIT_TEXTS).flatMap(([code, meaning]) => item(code, meaning)),
    ".SH BUGS",
    text(`Report bugs at ${BUGS}.`),
  ];
  return `${lines.join("\n")}\n`;
}

function commandLines({ name, about, notes = [], details = [], examples }: CommandInfo): string[] {
  return [
    `.SS ${quoted(`siteatlas ${name}`)}`,
    text(about),
    ...[...notes, ...details].flatMap((note) => [".PP", text(note)]),
    ...examples.flatMap(([line, meaning]) => item(line, meaning)),
  ];
}

function flagSections(titles: Titles, isShown: (name: SettingName) => boolean): string[] {
  return titles.flatMap(([group, title]) => {
    const names = SETTING_NAMES.filter((name) => isShown(name) && flags[name].group === group);
    const heading = group === "Command" ? "Single commands" : title;
    return [
      `.SS ${quoted(heading)}`,
      ...flagRows(names, {}).flatMap(([term, meaning]) => item(term.trim(), meaning)),
    ];
  });
}

/** Formats one item of a list: a term in bold, with its meaning below. */
function item(term: string, meaning: string): string[] {
  return [".TP", `\\fB${text(term)}\\fR`, text(meaning)];
}

/**
 * Escapes text for roff. Otherwise roff would change dashes and apostrophes, and would run a line that starts with a
 * period as a command.
 */
function text(plain: string): string {
  return plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replace(/^(?=\.)/, "\\&");
}

function quoted(plain: string): string {
  return `"${text(plain).replaceAll('"', '""')}"`;
}
