/** Findings as JUnit XML: one test case per rule with findings. Errors are failures, other findings are output. */
import { htmlAttribute, htmlText } from "../../escape/html.ts";
import { terminalText } from "../../escape/terminal.ts";
import type { FindingGroup, GroupExample } from "../../lint/group-findings.ts";
import { documentOf, type FindingsReport } from "./findings-report.ts";
import { timesText } from "./times-text.ts";

export function findingsJunit(report: FindingsReport, isFailure: (group: FindingGroup) => boolean): string {
  const { groups, tool } = report;
  const failures = groups.filter(isFailure).length;
  const cases = groups.map((group) => testCase(group, report, isFailure(group)));
  // A suite without a test counts as broken in some tools.
  const passed = '    <testcase name="all rules" classname="siteatlas"/>\n';
  const tests = Math.max(1, groups.length);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="siteatlas ${tool}" tests="${tests}" failures="${failures}">\n`,
    `  <testsuite name="${attribute(terminalText(report.target))}" tests="${tests}" failures="${failures}" errors="0" skipped="0">\n`,
    ...(cases.length === 0 ? [passed] : cases),
    "  </testsuite>\n</testsuites>\n",
  ].join("");
}

function testCase(group: FindingGroup, report: FindingsReport, isFailure: boolean): string {
  const { rule, severity, examples } = group;
  const times = timesText(group, report);
  const lines = [
    ...examples.map(placeLine),
    ...(times === "" ? [] : [`found: ${times}`]),
    `why: ${rule.why}`,
    `fix: ${rule.fix}`,
    `see: ${rule.source}`,
  ];
  const body = text(lines.join("\n"));
  const content = isFailure
    ? `<failure type="${severity}" message="${attribute(rule.message)}">${body}</failure>`
    : `<system-out>${text(`${severity}: ${rule.message}\n`)}${body}</system-out>`;
  return `    <testcase name="${attribute(rule.id)}" classname="siteatlas.${severity}">${content}</testcase>\n`;
}

function placeLine(example: GroupExample): string {
  const { line, column, value, detail } = example;
  const position = line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`;
  const what = [value, detail].filter((part) => part !== undefined).join(": ");
  return `${documentOf(example)}${position}${what === "" ? "" : ` ${what}`}`;
}

/** Characters that XML does not allow. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function text(value: string): string {
  return htmlText(value.replace(FORBIDDEN, "?"));
}

function attribute(value: string): string {
  return htmlAttribute(value.replace(FORBIDDEN, "?"));
}
