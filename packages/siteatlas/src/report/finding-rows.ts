/** The findings of a report as rows of a table: those of lint if it ran, otherwise the issues of the walk. */
import type { Severity } from "../model/issue-severity.ts";
import { describeIssue } from "../model/issue-table.ts";
import { fixOf } from "./issue-fixes.ts";
import type { ReportExample, ReportFinding, SiteReport } from "./report-model.ts";

export interface FindingRow {
  /** The code of the issue, or the id of the rule. */
  readonly id: string;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
  readonly count: number;
  readonly example: ReportExample | undefined;
}

/** Lint has a rule for each issue, so its findings replace the issues. */
export function findingRows({ lint, issues }: SiteReport): FindingRow[] {
  if (lint !== undefined) return lint.rules.map(ruleRow);
  return issues.map(({ code, severity, count, examples }) => {
    const { message } = describeIssue(code);
    return { id: code, severity, message, fix: fixOf(code), count, example: examples[0] };
  });
}

/** The findings of `siteatlas check`. Empty without a check. */
export function checkRows({ check }: SiteReport): FindingRow[] {
  return check?.rules.map(ruleRow) ?? [];
}

function ruleRow({ rule, examples, ...texts }: ReportFinding): FindingRow {
  return { id: rule, ...texts, example: examples[0] };
}
