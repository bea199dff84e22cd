/** Findings as JSON. `schemas/findings.json` describes it. */
import type { FindingGroup } from "../../lint/group-findings.ts";
import type { FindingsReport } from "./findings-report.ts";

export function findingsJson(report: FindingsReport): string {
  const { tool, target, version, pages, sitemaps, counts, known, notes, groups } = report;
  const value = {
    $schema: "https://unpkg.com/siteatlas/schemas/findings.json",
    format: 1,
    tool: `siteatlas ${tool}`,
    version,
    target,
    pages,
    sitemaps,
    rules: counts,
    known,
    notes,
    findings: groups.map((group) => groupRecord(group, pages)),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function groupRecord({ rule, severity, count, documents, examples }: FindingGroup, pages: number): object {
  const { id, message, why, fix, source, counts } = rule;
  const share = counts === "page" && pages > 0 ? Math.min(1, count / pages) : undefined;
  return {
    rule: id,
    severity,
    message,
    why,
    fix,
    source,
    counts,
    count,
    documents,
    ...(share !== undefined && { share: Number(share.toPrecision(4)) }),
    examples: examples.map(({ url, file, value, detail, line, column, excerpt }) => ({
      url,
      file,
      line,
      column,
      value,
      detail,
      excerpt: excerpt?.text,
    })),
  };
}
