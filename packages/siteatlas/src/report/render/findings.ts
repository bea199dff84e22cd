/** The issues of a walk, with what to do about them. */
import { describeIssue } from "../../model/issue-table.ts";
import { fixOf } from "../issue-fixes.ts";
import { readableUrl } from "../readable-text.ts";
import type { ReportIssue, SiteReport } from "../report-model.ts";
import { count, inspected, number } from "../report-text.ts";
import { card, foreign, type Html, html } from "./html.ts";

const MAX_ROWS = 40;

export function findings(report: SiteReport, detail: number): Html | undefined {
  const { issues, made } = report;
  if (made.unknown.includes("issues")) return undefined;
  if (issues.length === 0)
    return card("findings", "Findings", `siteatlas found no mistakes in ${inspected(report)}.`);
  const shown = issues.slice(0, Math.ceil(MAX_ROWS * detail));
  const hidden = issues.length - shown.length;
  return card(
    "findings",
    "Findings",
    `Mistakes in ${inspected(report)}, and what to do about them. Pages were not requested.${hidden > 0 ? ` ${count(hidden, "more kind")} of notes ${hidden === 1 ? "is" : "are"} not shown.` : ""}`,
    html`<table class="rows findings"><caption class="sr">Findings</caption><thead><tr><th scope="col">Severity</th><th scope="col">What, and how to fix it</th><th scope="col" class="n">Count</th><th scope="col">First example</th></tr></thead><tbody>${shown.map((issue) => row(issue, made.site))}</tbody></table>`,
  );
}

const WORDS = { error: "error", warning: "warning", info: "note" } as const;

function row({ code, severity, count: times, examples }: ReportIssue, site: string): Html {
  const [first] = examples;
  const where =
    first !== undefined &&
    html`${foreign(readableUrl(first.url, site, 60))}${first.line !== undefined && html`<span class="soft">, line ${number(first.line)}</span>`}`;
  return html`<tr><td><span class="${severity}">${WORDS[severity]}</span></td><td><strong>${describeIssue(code).message}</strong> <code class="soft">${code}</code><br>${fixOf(code)}</td><td class="n">${number(times)}</td><td class="url">${where}</td></tr>`;
}
