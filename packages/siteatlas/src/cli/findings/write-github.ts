/** Findings as annotations of GitHub Actions: `::error file=…,line=…::text`. */
import type { FindingGroup, GroupExample } from "../../lint/group-findings.ts";
import type { Severity } from "../../model/issue-severity.ts";
import { documentOf, type FindingsReport } from "./findings-report.ts";
import { timesText } from "./times-text.ts";

const COMMANDS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

export function findingsGithub(report: FindingsReport): string {
  return report.groups
    .flatMap((group) => group.examples.map((example) => annotation(group, example, report)))
    .map((line) => `${line}\n`)
    .join("");
}

function annotation(group: FindingGroup, example: GroupExample, report: FindingsReport): string {
  const { rule, severity } = group;
  const { file, line, column, value, detail } = example;
  const properties = {
    title: `${rule.id}: ${rule.message}`,
    ...(file !== undefined && { file: documentOf(example) }),
    ...(file !== undefined && line !== undefined && { line: String(line) }),
    ...(file !== undefined && column !== undefined && { col: String(column) }),
  };
  const where = file === undefined ? `${documentOf(example)}${line === undefined ? "" : `:${line}`}: ` : "";
  const what = [value, detail].filter((part) => part !== undefined).join(": ");
  const times = timesText(group, report);
  const text = [`${where}${what}`, rule.why, `Fix: ${rule.fix}`, times === "" ? "" : `Found ${times}.`];
  const list = Object.entries(properties).map(([name, text]) => `${name}=${property(text)}`);
  return `::${COMMANDS[severity]} ${list.join(",")}::${message(text.filter((part) => part !== "").join("\n"))}`;
}

/** Escapes a text as GitHub's toolkit does. */
function message(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return message(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
