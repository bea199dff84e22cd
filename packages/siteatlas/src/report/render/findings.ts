/** The findings of a report, with what to do about them. */
import { logLine } from "../../escape/log-line.ts";
import { checkRows, type FindingRow, findingRows } from "../finding-rows.ts";
import { readableUrl } from "../readable-text.ts";
import type { SiteReport } from "../report-model.ts";
import { count, inspected, number } from "../report-text.ts";
import { card, foreign, type Html, html } from "./html.ts";

const MAX_ROWS = 40;
/** Maximum lengths of texts. Rules of siteatlas have shorter ones, but a file of findings may not be from siteatlas. */
const [MAX_MESSAGE, MAX_FIX] = [200, 400];

/** Mistakes in robots.txt, sitemaps and responses: of lint if it ran, otherwise those that the walk noticed. */
export function findings(report: SiteReport, detail: number): Html | undefined {
  const { made, lint } = report;
  if (made.unknown.includes("issues") && lint === undefined) return undefined;
  const rows = findingRows(report);
  const by = lint === undefined ? "siteatlas" : "siteatlas lint";
  const lead =
    rows.length === 0
      ? `${by} found no mistakes in ${inspected(report)}.`
      : `Mistakes in ${inspected(report)}, and what to do about them.${lint === undefined ? "" : " Found by the rules of siteatlas lint."} Pages were not requested.`;
  return findingsCard("findings", "Findings", lead, { rows, site: made.site, detail });
}

/** What `siteatlas check` found when it requested pages. */
export function checkedPages(report: SiteReport, detail: number): Html | undefined {
  const { check, made } = report;
  if (check === undefined) return undefined;
  const rows = checkRows(report);
  const lead = `siteatlas check requested ${count(check.pages, "page")} of ${readableUrl(check.target, "", 80)}.${rows.length === 0 ? " It found nothing wrong." : ""}`;
  return findingsCard("check", "Checked pages", lead, { rows, site: made.site, detail });
}

interface FindingsTable {
  readonly rows: readonly FindingRow[];
  readonly site: string;
  readonly detail: number;
}

function findingsCard(id: string, title: string, lead: string, { rows, site, detail }: FindingsTable): Html {
  if (rows.length === 0) return card(id, title, lead);
  const shown = rows.slice(0, Math.ceil(MAX_ROWS * detail));
  const hidden = rows.length - shown.length;
  return card(
    id,
    title,
    `${lead}${hidden > 0 ? ` ${count(hidden, "more kind")} of findings ${hidden === 1 ? "is" : "are"} not shown.` : ""}`,
    html`<table class="rows findings"><caption class="sr">${title}</caption><thead><tr><th scope="col">Severity</th><th scope="col">What, and how to fix it</th><th scope="col" class="n">Count</th><th scope="col">First example</th></tr></thead><tbody>${shown.map((row) => line(row, site))}</tbody></table>`,
  );
}

const WORDS = { error: "error", warning: "warning", info: "note" } as const;

function line({ id, severity, message, fix, count: times, example }: FindingRow, site: string): Html {
  const where =
    example !== undefined &&
    html`${foreign(readableUrl(example.url, site, 60))}${example.line !== undefined && html`<span class="soft">, line ${number(example.line)}</span>`}`;
  const [what, how] = [logLine(message, { maxLength: MAX_MESSAGE }), logLine(fix, { maxLength: MAX_FIX })];
  return html`<tr><td><span class="${severity}">${WORDS[severity]}</span></td><td><strong>${what}</strong> <code class="soft">${logLine(id, { maxLength: 60 })}</code><br>${how}</td><td class="n">${number(times)}</td><td class="url">${where}</td></tr>`;
}
