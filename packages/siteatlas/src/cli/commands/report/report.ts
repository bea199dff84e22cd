/** `siteatlas report`: writes a report about a site or a snapshot as HTML, Markdown or JSON. */
import { jsonLine } from "../../../escape/json.ts";
import { logLine } from "../../../escape/log-line.ts";
import { maskNoUrl } from "../../../escape/userinfo.ts";
import { VERSION } from "../../../model/generated/version.ts";
import { renderReport } from "../../../report/render/render-report.ts";
import { markdownReport } from "../../../report/render-markdown.ts";
import { ReportCounter } from "../../../report/report-counter.ts";
import type { SiteReport } from "../../../report/report-model.ts";
import type { Command, Run } from "../../command.ts";
import { isLocalPath } from "../../config/local-files.ts";
import { RunCounts } from "../../messages/run-counts.ts";
import { outputFile } from "../../output/choose-format.ts";
import { chooseSiteReportFormat, type SiteReportFormat } from "../../output/choose-site-report-format.ts";
import { endOutput, hasResult, withTextOutput } from "../../output/finish-output.ts";
import { EXIT, type ExitCode } from "../../process/exit-codes.ts";
import { UsageError } from "../../process/usage-error.ts";
import { readSiteOrFiles } from "../../walk/read-files.ts";
import { createSitemapFilter } from "../../walk/sitemap-filter.ts";
import { conclude } from "../../walk/walk-sites.ts";
import { filterOptions } from "../ls.ts";
import { readEarlierReport } from "./earlier-report.ts";
import { snapshotReport } from "./snapshot-report.ts";

/** The name of a snapshot, with or without `@1` for an earlier one. */
const SNAPSHOT_NAME = /\.snapshot(?:\.gz)?(?:@\d+)?$/i;

export const report: Command = async (run) => {
  const format = chooseSiteReportFormat(run);
  const [first = ""] = run.args;
  const { compare } = run.settings;
  if (compare !== undefined && format !== "html")
    throw new UsageError("--compare can only be used with html");
  const before = compare === undefined ? undefined : await readEarlierReport(compare);
  if (run.args.length === 1 && SNAPSHOT_NAME.test(first)) return reportOfSnapshot(run, first, format, before);
  return withTextOutput(run, async (output) => {
    const { settings, signal } = run;
    const runCounts = new RunCounts();
    const counter = new ReportCounter(first.includes("://") ? first : `https://${first}/`);
    const filter = createSitemapFilter(settings);
    const startedAt = performance.now();
    let requests = 0;
    const { optionsFor = (_: unknown, options) => options, ...more } = filterOptions(filter);
    const site = await readSiteOrFiles(run, {
      runCounts,
      handlers: {
        page: (page, sitemapUrl) => {
          if (filter?.givesPages(sitemapUrl) !== false) counter.addPage(page);
          return undefined;
        },
        sitemap: (sitemap) => counter.addSitemap(sitemap),
        issue: (issue) => counter.addIssue(issue),
      },
      ...more,
      optionsFor: (target, options) => {
        const { onRequest, ...others } = optionsFor(target, options);
        return {
          ...others,
          onRequest: (url: string) => {
            requests++;
            return onRequest?.(url);
          },
        };
      },
    });
    run.reporter.stopProgress();
    if (hasResult(signal, runCounts)) {
      const isFiles = run.args.every((arg) => arg === "-" || isLocalPath(arg));
      const numbers = counter.numbers({
        site,
        from: isFiles ? "files" : "walk",
        command: commandText(run),
        siteatlas: VERSION,
        ms: Math.round(performance.now() - startedAt),
        ...(!isFiles && { requests }),
        stops: signal.aborted ? ["interrupted"] : [],
        unknown: isFiles ? ["transfer"] : [],
      });
      await output.write(textOf(numbers, format, run, before));
    }
    await endOutput(run, output, runCounts);
    return conclude(run, runCounts);
  });
};

async function reportOfSnapshot(
  run: Run,
  file: string,
  format: SiteReportFormat,
  before: SiteReport | undefined,
): Promise<ExitCode> {
  return withTextOutput(run, async (output) => {
    const numbers = await snapshotReport(run, file, { command: commandText(run), siteatlas: VERSION });
    await output.write(textOf(numbers, format, run, before));
    await endOutput(run, output);
    return EXIT.done;
  });
}

/** The command for the reader of the report, without passwords. Only the arguments: flags may contain secrets. */
function commandText({ args, given, settings }: Run): string {
  const file = outputFile(settings);
  const flags = given.filter((name) => name !== "output").length;
  // Without a scheme, all before the last @ may be a password.
  const shown = args.map((arg) => logLine(/^[^/\\]*@/.test(arg) ? maskNoUrl(arg) : arg));
  return `siteatlas report ${shown.join(" ")}${file === undefined ? "" : ` -o ${file}`}${flags === 0 ? "" : " …"}`;
}

function textOf(
  numbers: SiteReport,
  format: SiteReportFormat,
  { settings }: Run,
  before: SiteReport | undefined,
): string {
  const { title } = settings;
  if (format === "json") return `${jsonLine(numbers)}\n`;
  if (format === "markdown") return markdownReport(numbers, title);
  return renderReport(numbers, { title, before });
}
