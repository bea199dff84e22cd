/**
 * Help texts: what it is for, examples, usage, then the flags by group. `-h` shows the usual flags, `--help`
 * all of them.
 */
import { type CommandInfo, commands } from "./commands.ts";
import { type Flag, type FlagGroup, flagName, flags, type SettingName } from "./flags.ts";
import { type Paint, paintFor } from "./talk/style.ts";
import { wrapWords } from "./talk/words.ts";

export interface HelpOptions {
  readonly isLong: boolean;
  readonly width: number;
  readonly color: boolean;
}

export const GROUPS: readonly (readonly [FlagGroup, string])[] = [
  ["Command", "This command"],
  ["Selection", "Which pages"],
  ["Output", "Output"],
  ["Discovery", "Where sitemaps are looked for"],
  ["Network", "Requests"],
  ["Limits", "Limits (none lifts one)"],
  ["Documents", "Limits of a document (none lifts one)"],
  ["Messages", "Messages"],
];

/** What stands behind flags in capitals, where that needs a word. */
const UNITS: readonly (readonly [value: string, meaning: string])[] = [
  ["TIME", "TIME is 500ms, 30s, 10m, 2h or 7d; a number alone is seconds."],
  ["SIZE", "SIZE is 500kB, 10MB (of 1000) or 500KiB, 10MiB (of 1024); a number alone is bytes."],
];

/** No setting itself: see settings-file.ts. */
const CONFIG_ROW = [
  "--config FILE",
  "read settings from this file (default: siteatlas.config.js, .mjs or .json in the current directory)",
] as const;

const MIN_WIDTH = 60;
const MAX_WIDTH = 110;
/** Flags that are longer have their text on the next line. */
const MAX_TERM = 30;
/** So much of the width may go to an example, what is left is for what it does. */
const EXAMPLE_SHARE = 0.55;

/** What `siteatlas --help` says. */
export function programHelp({ width, color }: HelpOptions): string {
  const paint = paintFor(color);
  const stats = commands.find(({ name }) => name === "stats")!;
  const examples: CommandInfo["examples"] = [
    ["siteatlas example.com", "what a site declares, in numbers and pictures"],
    ["siteatlas ls example.com", "every page, while it is being read"],
    ["siteatlas ls example.com -o site.csv", "the same as a table; .parquet, .sqlite, .ndjson.gz …"],
    ["siteatlas tree example.com", "its sitemaps"],
    ["siteatlas find example.com", "where they are, and how each was found"],
    ["siteatlas sync example.com", "what changed since the last time"],
  ];
  const rows = commands.map(({ name, argument, summary }) => [`${name} ${argument}`, summary] as const);
  return sections(
    paragraphs(
      ["siteatlas finds every page that a website declares: robots.txt, sitemaps of every format, feeds."],
      width,
    ),
    titled(paint, "Examples", table(examples, width)),
    titled(paint, "Commands", table([...rows, [stats.argument, "without a command: stats"]], width)),
    titled(
      paint,
      "More",
      table(
        [
          ["siteatlas ls -h", "the usual flags of a command, with examples"],
          ["siteatlas ls --help", "all of them"],
          ["siteatlas --version", "the version"],
        ],
        width,
      ),
    ),
    paragraphs(
      [
        "Every flag can also be set as a variable (--max-depth is SITEATLAS_MAX_DEPTH) or in siteatlas.config.js, .mjs or .json (maxDepth) in the current directory; --config FILE names another one.",
        "Exit codes: 0 done, 1 unexpected, 2 usage, 3 no sitemap found, 4 partial (with --fail-on-partial), 6 changed (with --exit-code), 7 a limit stopped it, 130 and 143 signals.",
      ],
      width,
    ),
  );
}

/** What `siteatlas ls --help` says. */
export function commandHelp(command: CommandInfo, options: HelpOptions): string {
  const { isLong, width, color } = options;
  const paint = paintFor(color);
  const { name, argument, summary, examples, notes = [], settings, texts = {} } = command;
  const shown = settings.filter((setting) => isLong || flags[setting].usual);
  const groups = GROUPS.flatMap(([group, title]) => {
    const rows = shown
      .filter((setting) => flags[setting].group === group)
      .map((setting) => flagRow(setting, texts));
    return rows.length === 0 ? [] : [titled(paint, title, table(rows, width))];
  });
  const hidden = settings.length - shown.length;
  const units = UNITS.filter(([value]) => shown.some((setting) => flags[setting].value === value));
  return sections(
    `siteatlas ${name}: ${summary}`,
    titled(paint, "Examples", table(examples, width)),
    titled(paint, "Usage", `  siteatlas ${name} ${argument}${settings.length > 0 ? " [flags]" : ""}`),
    paragraphs(notes, width),
    ...groups,
    isLong && settings.length > 0 ? titled(paint, "Settings", table([CONFIG_ROW], width)) : "",
    paragraphs(
      units.map(([, meaning]) => meaning),
      width,
    ),
    hidden > 0 ? `${hidden} more flags: siteatlas ${name} --help` : "",
  );
}

function flagRow(name: SettingName, texts: NonNullable<CommandInfo["texts"]>): readonly [string, string] {
  return [flagTerm(name), texts[name] ?? flags[name].text];
}

/** `-o, --output FILE`, `--no-robots` */
export function flagTerm(name: SettingName): string {
  const { short, value, negated }: Flag = flags[name];
  const long = `--${negated === "only" ? "no-" : ""}${flagName(name)}`;
  return `${short === undefined ? "" : `-${short}, `}${long}${value === undefined ? "" : ` ${value}`}`;
}

// ---------------------------------------------------------------- layout

function sections(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function titled(paint: Paint, title: string, text: string): string {
  return `${paint("bold", title)}\n${text}`;
}

function paragraphs(texts: readonly string[], width: number): string {
  return texts.map((text) => wrapWords(text, clamp(width)).join("\n")).join("\n\n");
}

function clamp(width: number): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width));
}

/** Two columns. */
function table(rows: readonly (readonly [string, string])[], width: number): string {
  const longest = Math.max(...rows.map(([term]) => term.length));
  // Examples are long lines: their texts stand below them where there is no room beside.
  const column = longest <= MAX_TERM || longest < clamp(width) * EXAMPLE_SHARE ? longest : MAX_TERM;
  const indent = " ".repeat(column + 4);
  return rows
    .map(([term, text]) => {
      const lines = wrapWords(text, clamp(width) - indent.length);
      const isBeside = term.length <= column;
      const first = isBeside ? `  ${term.padEnd(column)}  ${lines.shift() ?? ""}` : `  ${term}`;
      return [first, ...lines.map((line) => indent + line)].map((line) => line.trimEnd()).join("\n");
    })
    .join("\n");
}
