/** Writes the findings of a run in the format that the user chose, and returns the exit code. */
import { terminalText } from "../../escape/terminal.ts";
import type { FindingGroup, SeverityCounts } from "../../lint/group-findings.ts";
import { VERSION } from "../../model/generated/version.ts";
import type { Run } from "../command.ts";
import type { Settings } from "../config/flags.ts";
import type { ReportFormat } from "../config/output-formats.ts";
import type { RunCounts } from "../messages/run-counts.ts";
import type { TextOutput } from "../output/buffered-output.ts";
import { drawOptions, endOutput } from "../output/finish-output.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { count, joined } from "../terminal/format-text.ts";
import { conclude } from "../walk/walk-sites.ts";
import type { CollectedFindings } from "./collect-findings.ts";
import { drawFindings } from "./draw-findings.ts";
import type { FindingsReport } from "./findings-report.ts";
import { findingsGithub } from "./write-github.ts";
import { findingsJson } from "./write-json.ts";
import { findingsJunit } from "./write-junit.ts";
import { findingsMarkdown } from "./write-markdown.ts";
import { findingsSarif } from "./write-sarif.ts";

/** The site or the files with the findings. */
export interface FindingsTarget extends Pick<FindingsReport, "tool" | "target" | "pages" | "sitemaps"> {
  readonly format: ReportFormat;
  readonly runCounts: RunCounts;
}

/** Writes findings, the baseline and the summary. */
export async function finishFindings(
  run: Run,
  output: TextOutput,
  found: CollectedFindings,
  { format, runCounts, ...about }: FindingsTarget,
): Promise<ExitCode> {
  const { settings, reporter } = run;
  const { counts } = found.groups;
  const { known, notes, draft } = found;
  const report: FindingsReport = {
    ...about,
    version: VERSION,
    groups: found.groups.sorted(),
    counts,
    known,
    notes,
  };
  reporter.stopProgress();
  await output.write(textOf(report, format, run));
  await endOutput(run, output);
  if (draft !== undefined) {
    await draft.write(settings.baseline!);
    const entries = count(draft.size, "entry", "entries");
    reporter.say(0, `Wrote ${entries} to ${terminalText(settings.baseline!)}, one per rule and document`);
  }
  const code = conclude(run, runCounts, summaryText(report));
  const isSound = code === EXIT.done || code === EXIT.nothingFound || code === EXIT.partial;
  if (!isSound || draft !== undefined) return code;
  return fails(counts, settings) ? EXIT.findings : code;
}

/** The summary counts rules: `2 errors and 1 warning in 12 pages, 3 sitemaps`. */
function summaryText({ counts, pages, sitemaps, known }: FindingsReport): string {
  const words = [
    counts.error > 0 ? count(counts.error, "error") : "",
    counts.warning > 0 ? count(counts.warning, "warning") : "",
    counts.info > 0 ? `${count(counts.info, "note")}` : "",
  ].filter((word) => word !== "");
  const found = words.length === 0 ? "no findings" : joined(words);
  const before = known > 0 ? ` (without ${count(known, "entry", "entries")} of the baseline)` : "";
  const lists = sitemaps > 0 ? `, ${count(sitemaps, "sitemap")}` : "";
  return `${found} in ${count(pages, "page")}${lists}${before}`;
}

function textOf(report: FindingsReport, format: ReportFormat, run: Run): string {
  switch (format) {
    case "json":
      return findingsJson(report);
    case "sarif":
      return findingsSarif(report);
    case "github":
      return findingsGithub(report);
    case "markdown":
      return findingsMarkdown(report);
    case "junit":
      return findingsJunit(report, (group) => isFailure(group, run.settings));
    case "text": {
      const { width, color, ascii = false } = drawOptions(run, report.target);
      return drawFindings(report, { width, color, ascii });
    }
  }
}

function isFailure({ severity }: Pick<FindingGroup, "severity">, { failOn = "error" }: Settings): boolean {
  return (failOn === "warning" && severity === "warning") || (failOn !== "never" && severity === "error");
}

function fails(counts: SeverityCounts, settings: Settings): boolean {
  return (["error", "warning"] as const).some(
    (severity) => counts[severity] > 0 && isFailure({ severity }, settings),
  );
}
