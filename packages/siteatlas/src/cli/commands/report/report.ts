/** `siteatlas report`: writes a report about a site or a snapshot as HTML, Markdown, JSON, picture or PDF. */
import { jsonLine } from "../../../escape/json.ts";
import { logLine } from "../../../escape/log-line.ts";
import { maskNoUrl } from "../../../escape/userinfo.ts";
import { FindingGroups } from "../../../lint/group-findings.ts";
import { createLintRun } from "../../../lint/lint-site.ts";
import { VERSION } from "../../../model/generated/version.ts";
import { type RenderReportOptions, renderReport } from "../../../report/render/render-report.ts";
import { markdownReport } from "../../../report/render-markdown.ts";
import { ReportCounter, type ReportFacts } from "../../../report/report-counter.ts";
import type { ReportFindings, SiteReport } from "../../../report/report-model.ts";
import type { Command, Run } from "../../command.ts";
import type { Settings } from "../../config/flags.ts";
import { argumentKind, isLocalPath } from "../../config/local-files.ts";
import { readTarget } from "../../config/target.ts";
import { RunCounts } from "../../messages/run-counts.ts";
import { outputFile } from "../../output/choose-format.ts";
import { chooseSiteReportFormat, type SiteReportFormat } from "../../output/choose-site-report-format.ts";
import { endOutput, hasResult, withTextOutput } from "../../output/finish-output.ts";
import { EXIT, type ExitCode } from "../../process/exit-codes.ts";
import { UsageError } from "../../process/usage-error.ts";
import { readSiteOrFiles } from "../../walk/read-files.ts";
import { createSitemapFilter } from "../../walk/sitemap-filter.ts";
import { conclude } from "../../walk/walk-sites.ts";
import { type Linting, lintedWalk } from "../lint/linted-walk.ts";
import { filterOptions } from "../ls.ts";
import { readEarlierReport } from "./earlier-report.ts";
import { readLogo } from "./read-logo.ts";
import { findingsOfWalk, MAX_EXAMPLES, readFindings } from "./report-findings.ts";
import { ReportPictures } from "./report-pictures.ts";
import { snapshotReport } from "./snapshot-report.ts";

export const report: Command = async (run) => {
  const { settings } = run;
  const format = writesText(settings) ? chooseSiteReportFormat(run) : undefined;
  const { compare, title, logo } = settings;
  if (logo !== undefined && format !== undefined && format !== "html")
    throw new UsageError("--logo can only be used with html");
  if (compare !== undefined && format !== undefined && format !== "html")
    throw new UsageError("--compare can only be used with html");
  const before = compare === undefined ? undefined : await readEarlierReport(compare);
  const findings = readFindings(settings.findings ?? []);
  if (settings.lint) checkLint(run, findings);
  const page = { title, before, logo: logo === undefined ? undefined : readLogo(logo) };
  const pictures = await ReportPictures.open(run);
  try {
    return await writeReport(run, { format, pictures, page, findings });
  } catch (error) {
    await pictures?.discard();
    throw error;
  }
};

/** The outputs of a run, and the options and findings for them. */
interface ReportParts {
  /** The format of the text. Undefined if only pictures are written. */
  readonly format: SiteReportFormat | undefined;
  readonly pictures: ReportPictures | undefined;
  readonly page: RenderReportOptions;
  readonly findings: Pick<ReportFacts, "lint" | "check">;
}

/** @throws {UsageError} if the arguments do not name a site */
function checkLint({ args }: Run, { lint }: ReportParts["findings"]): void {
  if (lint !== undefined) throw new UsageError("--lint cannot be used with --findings of siteatlas lint");
  if (args.some((arg) => arg === "-" || isLocalPath(arg)))
    throw new UsageError(
      "--lint needs a site",
      "For files, write the findings with siteatlas lint -f json, and pass them with --findings.",
    );
}

/** The rules of lint for one walk, and their findings. */
function startLint(site: string): { linting: Linting; findings: () => ReportFindings } {
  const setup = createLintRun(site, {});
  const groups = new FindingGroups(setup.rules, MAX_EXAMPLES);
  return {
    linting: { setup, add: (finding) => groups.add(finding) },
    findings: () => findingsOfWalk(groups.sorted(), site, setup.run.pageCount),
  };
}

/** Whether the run writes text. With `--png` or `--pdf`, it does so only if a file or a format is named. */
function writesText(settings: Settings): boolean {
  const { format = "auto", json = false, output } = settings;
  return !ReportPictures.areWanted(settings) || format !== "auto" || json || output !== undefined;
}

async function writeReport(run: Run, parts: ReportParts): Promise<ExitCode> {
  const [first = ""] = run.args;
  if (run.args.length === 1 && argumentKind(first) === "snapshot") return reportOfSnapshot(run, first, parts);
  return withTextOutput(run, async (output) => {
    const { settings, signal } = run;
    const runCounts = new RunCounts();
    const counter = new ReportCounter(first.includes("://") ? first : `https://${first}/`);
    const filter = createSitemapFilter(settings);
    const startedAt = performance.now();
    let requests = 0;
    const { optionsFor = (_: unknown, options) => options, ...more } = filterOptions(filter);
    const lint = settings.lint ? startLint(readTarget(first, settings).url) : undefined;
    const site = await readSiteOrFiles(run, {
      runCounts,
      ...(lint !== undefined && { walkOne: lintedWalk(lint.linting) }),
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
    let numbers: SiteReport | undefined;
    if (hasResult(signal, runCounts)) {
      const isFiles = run.args.every((arg) => arg === "-" || isLocalPath(arg));
      numbers = counter.numbers({
        site,
        from: isFiles ? "files" : "walk",
        command: commandText(run),
        siteatlas: VERSION,
        ms: Math.round(performance.now() - startedAt),
        ...(!isFiles && { requests }),
        stops: signal.aborted ? ["interrupted"] : [],
        unknown: isFiles ? ["transfer"] : [],
        ...parts.findings,
        ...(lint !== undefined && { lint: lint.findings() }),
      });
      await output.write(textOf(numbers, parts));
    }
    await endOutput(run, output, runCounts);
    await draw(run, numbers, parts);
    return conclude(run, runCounts);
  });
}

async function reportOfSnapshot(run: Run, file: string, parts: ReportParts): Promise<ExitCode> {
  return withTextOutput(run, async (output) => {
    const facts = { command: commandText(run), siteatlas: VERSION, ...parts.findings };
    const numbers = await snapshotReport(run, file, facts);
    await output.write(textOf(numbers, parts));
    await endOutput(run, output);
    await draw(run, numbers, parts);
    return EXIT.done;
  });
}

/** Draws the pictures. Without numbers there are none, like the file of the text. */
async function draw(
  run: Run,
  numbers: SiteReport | undefined,
  { pictures, page }: ReportParts,
): Promise<void> {
  if (numbers === undefined) await pictures?.discard();
  else await pictures?.write(renderReport(numbers, page), run);
}

/** The command for the reader of the report, without passwords. Only the arguments: flags may contain secrets. */
function commandText({ args, given, settings }: Run): string {
  const file = outputFile(settings);
  const flags = given.filter((name) => name !== "output").length;
  // Without a scheme, all before the last @ may be a password.
  const shown = args.map((arg) => logLine(/^[^/\\]*@/.test(arg) ? maskNoUrl(arg) : arg));
  return `siteatlas report ${shown.join(" ")}${file === undefined ? "" : ` -o ${file}`}${flags === 0 ? "" : " …"}`;
}

function textOf(numbers: SiteReport, { format, page }: ReportParts): string {
  if (format === undefined) return "";
  if (format === "json") return `${jsonLine(numbers)}\n`;
  if (format === "markdown") return markdownReport(numbers, page.title);
  return renderReport(numbers, page);
}
