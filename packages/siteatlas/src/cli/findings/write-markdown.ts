/** Findings as Markdown, for the comment of a pull request or a job summary. */
import { terminalText } from "../../escape/terminal.ts";
import type { FindingGroup, GroupExample } from "../../lint/group-findings.ts";
import { count, number } from "../terminal/format-text.ts";
import { documentOf, type FindingsReport } from "./findings-report.ts";
import { timesText } from "./times-text.ts";

const EXAMPLES = 3;

export function findingsMarkdown(report: FindingsReport): string {
  const { groups, target, pages, sitemaps, notes, known, tool } = report;
  const lists = sitemaps > 0 ? ` in ${count(sitemaps, "sitemap")}` : "";
  const head = `## siteatlas ${tool}: ${code(terminalText(target))}\n\n${count(pages, "page")}${lists}.`;
  const before = known > 0 ? ` Without ${count(known, "entry", "entries")} of the baseline.` : "";
  if (groups.length === 0) return `${head} No findings.${before}\n`;
  const table = [
    "| Severity | Rule | Problem | Found |",
    "|---|---|---|---|",
    ...groups.map(
      ({ severity, rule, count: times }) =>
        `| ${severity} | [${rule.id}](${rule.source}) | ${plain(rule.message)} | ${number(times)} |`,
    ),
  ].join("\n");
  const details = groups.map((group) => section(group, report)).join("\n");
  const ending = notes.map((note) => `\n${plain(note)}\n`).join("");
  return `${head}${before}\n\n${table}\n\n${details}${ending}`;
}

function section(group: FindingGroup, report: FindingsReport): string {
  const { rule, severity, examples } = group;
  const times = timesText(group, report);
  return [
    `### ${severity}: ${rule.id}\n`,
    `${plain(rule.message)}.${times === "" ? "" : ` Found ${times}.`}\n`,
    ...examples.slice(0, EXAMPLES).map((example) => `- ${place(example)}`),
    "",
    `Why: ${plain(rule.why)}\n`,
    `Fix: ${plain(rule.fix)}\n`,
  ].join("\n");
}

function place(example: GroupExample): string {
  const { line, column, value, detail } = example;
  const position = line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`;
  const what = [value, detail].filter((part) => part !== undefined).map(code);
  return [code(`${documentOf(example)}${position}`), ...what].join(": ");
}

/** Text of the site as code, with a fence that the text does not contain. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${text.replace(/\s+/g, " ")}${space}${fence}`;
}

function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>|]/g, "\\$&");
}
