/** The topics of `siteatlas help`: limits, fields, settings and exit codes. */
import { FIELDS } from "../output/page-fields.ts";
import type { TopicName } from "./config/command-table.ts";
import { type Flag, flags, SETTING_NAMES, type SettingName } from "./config/flags.ts";
import { flagGroups, flagRows, type HelpOptions, isLimit, LIMIT_GROUPS, PROJECT, unitTexts } from "./help.ts";
import { columnOf, paragraphs, sections, table } from "./help-layout.ts";
import { EXIT_TEXTS } from "./process/exit-codes.ts";
import { type Paint, paintFor } from "./terminal/style.ts";

interface Topic {
  readonly title: string;
  readonly parts: (paint: Paint, width: number) => readonly string[];
}

const TOPICS: Readonly<Record<TopicName, Topic>> = {
  limits: {
    title: "Limits and timeouts",
    parts: (paint, width) => {
      const names = SETTING_NAMES.filter(isLimit);
      const column = columnOf(flagRows(names, {}).map(([term]) => term));
      return [
        ...paragraphs(
          [
            'These limits apply to ls, tree, find, stats, lint, check, report, compare, sync and watch. The command robots accepts only --deadline, --max-bytes and the limits per request. The command parse accepts only the limits inside a document. When a limit is reached, siteatlas keeps what it has found, says which limit it was, and exits with code 7 if the site was not read to the end. Defaults are in parentheses. "none" removes a limit: --deadline none.',
          ],
          width,
        ),
        ...flagGroups(LIMIT_GROUPS, names, {}, paint, width, column),
        ...paragraphs(unitTexts(names), width),
        `What each limit protects against:\n${PROJECT}/blob/main/docs/limits.md`,
      ];
    },
  },
  fields: {
    title: "Fields of a page",
    parts: (_, width) => [
      ...paragraphs(
        [
          "--fields url,lastmod,title writes these fields in this order. Without --fields, all fields are written, but lastmod_precision and published_precision only to parquet files. A field that a site does not declare is empty.",
          "In a pipe, --fields also changes the format from urls to tsv.",
          "In csv and tsv, a value that a spreadsheet could run as a formula gets an apostrophe (') at its start. --csv-raw writes it unchanged.",
        ],
        width,
      ),
      table(
        Object.entries(FIELDS).map(([name, { text }]) => [name, text]),
        width,
      ),
    ],
  },
  config: {
    title: "Settings files and environment variables",
    parts: (_, width) => [
      ...paragraphs(["Every flag can also be set as an environment variable or in a settings file:"], width),
      table(
        [
          ["--max-depth 3", "on the command line"],
          ["SITEATLAS_MAX_DEPTH=3", "in the environment"],
          ['"maxDepth": 3', "in a settings file"],
        ],
        width,
      ),
      ...paragraphs(
        [
          'Flags override environment variables, which override settings files. --no-robots is SITEATLAS_ROBOTS=false or "robots": false. If a flag can be repeated, its variable has one value per line.',
          "--config FILE or SITEATLAS_CONFIG=FILE names the only settings file to read. If it is a .js or .mjs file, siteatlas executes it and uses its default export. If no file is named, siteatlas reads these files:",
        ],
        width,
      ),
      table(
        [
          ["~/.config/siteatlas/config.json", "your own settings; in $XDG_CONFIG_HOME if that is set"],
          ["siteatlas.config.json", "in the current directory; your own settings override it"],
        ],
        width,
      ),
      ...paragraphs(
        [
          `The file in the current directory is untrusted: it may come with an archive or a cloned repository. siteatlas prints a note when it reads this file. The file may not contain settings that run, send or write something, or that remove a protection: ${riskyNames().join(", ")}.`,
        ],
        width,
      ),
    ],
  },
  "exit-codes": {
    title: "Exit codes",
    parts: (_, width) => [
      table(
        Object.entries(EXIT_TEXTS).map(([code, text]) => [code.padStart(3), text]),
        width,
      ),
    ],
  },
};

function riskyNames(): SettingName[] {
  return SETTING_NAMES.filter((name) => (flags[name] as Flag).risk !== undefined);
}

/** Returns the help on one topic. Returns undefined if the topic is unknown. */
export function topicHelp(name: string, { width, color }: HelpOptions): string | undefined {
  if (!Object.hasOwn(TOPICS, name)) return undefined;
  const { title, parts } = TOPICS[name as TopicName];
  const paint = paintFor(color);
  return sections(paint("bold", title), ...parts(paint, width));
}
