/** `siteatlas lint`: what a site, a folder or files get wrong. */
import type { Finding } from "../../../lint/finding.ts";
import { createLintRun, type LintOptions, type LintSetup, withClient } from "../../../lint/lint-site.ts";
import { openSnapshot } from "../../changes/snapshot-file.ts";
import type { Command, Run } from "../../command.ts";
import type { Settings } from "../../config/flags.ts";
import { isLocalPath, nameOfFiles } from "../../config/local-files.ts";
import { readTarget } from "../../config/target.ts";
import { walkOptions } from "../../config/walk-options.ts";
import { chooseReportFormat } from "../../findings/choose-report-format.ts";
import { CollectedFindings } from "../../findings/collect-findings.ts";
import { finishFindings } from "../../findings/finish-findings.ts";
import { ruleSettings, unknownRule } from "../../findings/rule-settings.ts";
import { RunCounts, SiteFacts } from "../../messages/run-counts.ts";
import type { TextOutput } from "../../output/buffered-output.ts";
import { withTextOutput } from "../../output/finish-output.ts";
import type { ExitCode } from "../../process/exit-codes.ts";
import { UsageError } from "../../process/usage-error.ts";
import { checkFileFlags } from "../../walk/read-files.ts";
import { createVisit, type WalkSitesOptions, walkSites } from "../../walk/walk-sites.ts";
import { fixFiles } from "./fix-files.ts";
import { lintedWalk, lintWalk } from "./linted-walk.ts";
import { type LocalSite, openLocalSite } from "./local-site.ts";

/** The parts of one run. */
interface LintRunParts {
  readonly run: Run;
  readonly setup: LintSetup;
  readonly found: CollectedFindings;
  readonly runCounts: RunCounts;
}

export const lint: Command = async (run) => {
  const format = chooseReportFormat(run);
  const { settings, args } = run;
  const local = args.every(isLocalPath) ? openLocalSite(args, settings.origin) : undefined;
  if (settings.fix) {
    if (local === undefined) throw new UsageError("--fix repairs local files", "Name a folder or a file.");
    return fixFiles(run, local);
  }
  if (settings.write) throw new UsageError("--write can only be used with --fix");
  if (local === undefined && args.length > 1) throw new UsageError("siteatlas lint takes one site, or files");
  const start = local === undefined ? readTarget(args[0] ?? "", settings).url : `${local.origin}/`;
  const snapshot = settings.snapshot === undefined ? undefined : await openSnapshot(settings.snapshot);
  const previous = snapshot && { pageCount: snapshot.facts.pageCount, pages: () => snapshot.pages() };
  const setup = createRun(start, settings, { folder: local?.folder, previous });
  const found = new CollectedFindings(setup.rules, settings);
  const work = async (output: TextOutput): Promise<ExitCode> => {
    const runCounts = new RunCounts();
    const linting = { run, setup, found, runCounts };
    if (local === undefined) await lintSite(linting);
    else await lintLocal(local, linting);
    addNotes(setup, found);
    const { pageCount: pages, sitemapCount: sitemaps } = setup.run;
    const target = local === undefined ? start : nameOfFiles(args);
    return finishFindings(run, output, found, { tool: "lint", target, pages, sitemaps, format, runCounts });
  };
  try {
    return await withTextOutput(run, work);
  } finally {
    await snapshot?.close();
  }
};

/** Creates the engine. @throws {UsageError} if a setting names an unknown rule */
function createRun(
  start: string,
  settings: Settings,
  more: Pick<LintOptions, "folder" | "previous">,
): LintSetup {
  try {
    return createLintRun(start, { ...ruleSettings(settings), ...more });
  } catch (error) {
    throw unknownRule(error);
  }
}

async function lintSite({ run, runCounts, setup, found }: LintRunParts): Promise<void> {
  const walkOne = lintedWalk({ setup, add: (finding) => found.add(finding) });
  await walkSites(run, { runCounts, handlers: {}, walkOne });
}

/** Lints a folder or files. The walk is the same: its client reads files. */
async function lintLocal(local: LocalSite, parts: LintRunParts): Promise<void> {
  const { run, runCounts, setup, found } = parts;
  const { origin, start, client, options } = local;
  checkFileFlags(run.given);
  const handlers: WalkSitesOptions = { runCounts, handlers: {} };
  const target = { name: origin, url: `${origin}/`, isCompleted: false };
  const visit = createVisit(run, handlers, target, new SiteFacts(target.url));
  runCounts.sites = 1;
  run.reporter.startProgress(runCounts);
  const walk = { ...walkOptions(run.settings), ...options, signal: run.signal };
  const linting = { setup, add: (finding: Finding) => found.add(finding) };
  await lintWalk(linting, start, withClient(walk, setup.recorder.record(client)), visit);
  if (runCounts.sitemaps === 0) run.reporter.error(`no sitemaps in ${nameOfFiles(run.args)}`);
}

function addNotes({ run }: LintSetup, { notes }: CollectedFindings): void {
  if (run.urls.isFull) {
    notes.push(
      `The site has more than ${run.urls.size} pages. Later pages were not compared with each other, so duplicates among them are missing.`,
    );
  }
}
