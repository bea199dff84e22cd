/** `siteatlas check`: requests the pages of a site, a snapshot or a list, and says what is wrong with them. */
import { readFile } from "../../compare/read/read-file.ts";
import { readText } from "../../compare/read/read-text.ts";
import { FactCounts } from "../../compare/source-facts.ts";
import type { Page } from "../../model/model.ts";
import { checkList } from "../../page-check/check-pages.ts";
import type { PageToCheck } from "../../page-check/checked-page.ts";
import { PageCheck, pageToCheck } from "../../page-check/page-check.ts";
import type { PageAccess } from "../../page-check/request-page.ts";
import { CheckFileError } from "../../page-check/state/check-file.ts";
import { eventsOf } from "../../walk/events/event-reporter.ts";
import { checkWalk } from "../../walk/option-rules.ts";
import type { WalkOptions } from "../../walk/options.ts";
import { Walk } from "../../walk/walk.ts";
import { clientFor } from "../../walk/walk-sitemaps.ts";
import { openSnapshot } from "../changes/snapshot-file.ts";
import type { Command, Run } from "../command.ts";
import { type CompareInput, readInput } from "../compare/compare-input.ts";
import { inputProblem, noteInput } from "../compare/input-notes.ts";
import { createSelection } from "../config/page-filter.ts";
import { startOf } from "../config/target.ts";
import { walkOptions } from "../config/walk-options.ts";
import { chooseReportFormat } from "../findings/choose-report-format.ts";
import { CollectedFindings } from "../findings/collect-findings.ts";
import { finishFindings } from "../findings/finish-findings.ts";
import { ruleSettings, unknownRule } from "../findings/rule-settings.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { noteStdin } from "../messages/stdin-notice.ts";
import { withTextOutput } from "../output/finish-output.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";
import { count } from "../terminal/format-text.ts";
import { NetworkNotes } from "../walk/network-notes.ts";
import { walkSites } from "../walk/walk-sites.ts";

/** The parts of one run. */
interface Checking {
  readonly run: Run;
  readonly check: PageCheck;
  readonly found: CollectedFindings;
  readonly runCounts: RunCounts;
}

export const check: Command = async (run) => {
  const format = chooseReportFormat(run);
  const { settings, args, reporter } = run;
  if (args.length > 1) throw new UsageError("siteatlas check takes one site, snapshot or list");
  const input = readInput(args[0] ?? "", settings);
  if (input.kind === "folder")
    throw new UsageError("siteatlas check cannot read a folder", "siteatlas lint reads it without a server.");
  noteStdin(reporter, args, "URLs");
  const pageCheck = await createCheck(run);
  try {
    const found = new CollectedFindings(pageCheck.rules, settings);
    return await withTextOutput(run, async (output) => {
      const runCounts = new RunCounts();
      const checking = { run, check: pageCheck, found, runCounts };
      if (input.kind === "site") await checkSite(checking);
      else await checkFile(checking, input);
      addNotes(checking);
      const pages = pageCheck.checked + pageCheck.recorded;
      const { sitemaps } = runCounts;
      const target = input.kind === "site" ? args[0]! : input.name;
      return finishFindings(run, output, found, {
        tool: "check",
        target,
        pages,
        sitemaps,
        format,
        runCounts,
      });
    });
  } catch (error) {
    throw explain(error, settings.state);
  } finally {
    await pageCheck.close();
  }
};

/** @throws {UsageError} if a setting names an unknown rule */
async function createCheck({ settings }: Run): Promise<PageCheck> {
  const { sample, stratify, headersOnly, maxChecks, state } = settings;
  if (stratify !== undefined && sample === undefined) throw new UsageError("--stratify needs --sample");
  try {
    return await PageCheck.create({
      ...ruleSettings(settings),
      sample,
      stratify,
      headersOnly,
      maxChecks,
      state,
    });
  } catch (error) {
    throw unknownRule(error);
  }
}

async function checkSite(checking: Checking): Promise<void> {
  const { run, check: pageCheck, runCounts } = checking;
  const select = createSelection(run.settings);
  await walkSites(run, {
    runCounts,
    handlers: {
      page: (page, sitemapUrl) => {
        const selected = select === undefined ? page : select(page);
        return selected && pageCheck.add(pageToCheck(selected, sitemapUrl));
      },
    },
    walkOne: async (target, options, visit) => {
      const site = checkWalk("check", startOf(target), options);
      const { client, close } = clientFor(site, options);
      try {
        const walk = new Walk(site, options, client);
        for await (const batch of walk.run()) {
          options.signal?.throwIfAborted();
          for (const step of batch) for (const event of eventsOf(step)) await visit(event);
        }
        await requestPages(checking, walk, options);
      } finally {
        await close();
      }
      return undefined;
    },
  });
}

/** Checks the pages of a file. Private addresses need --allow-private or --allow: the list is untrusted. */
async function checkFile(checking: Checking, input: CompareInput): Promise<void> {
  const { run, check: pageCheck, runCounts } = checking;
  const { signal, reporter, settings } = run;
  const select = createSelection(settings);
  runCounts.sites = 1;
  runCounts.isPageList = true;
  runCounts.current = input.name;
  reporter.startProgress(runCounts);
  for await (const pages of pagesOf(run, input)) {
    signal.throwIfAborted();
    for (const page of pages) {
      if (select !== undefined && select({ url: page.url }) === undefined) continue;
      runCounts.pages++;
      await pageCheck.add(page);
    }
  }
  if (pageCheck.firstUrl === undefined) {
    reporter.error(`${input.name} has no URLs${select === undefined ? "" : " that match"}`);
    return;
  }
  const given = walkOptions(settings);
  const notes = new NetworkNotes(reporter, given);
  const onRequest = (url: string): (() => void) => {
    notes.addRequest(url);
    return runCounts.startRequest(url);
  };
  const options = { ...given, signal, onRequest };
  startChecks(checking);
  try {
    for await (const finding of checkList(pageCheck, options)) checking.found.add(finding);
  } catch (error) {
    // After Ctrl-C, the findings so far are shown.
    if (!signal.aborted) throw error;
  }
}

async function* pagesOf(
  run: Run,
  { kind, text, name }: CompareInput,
): AsyncGenerator<readonly PageToCheck[]> {
  const { reporter } = run;
  if (kind === "snapshot") {
    const snapshot = await openSnapshot(text);
    try {
      for await (const { url, lastModified, sitemap, pendingSince } of snapshot.pages()) {
        if (pendingSince !== undefined) continue;
        yield [{ url, ...(lastModified !== undefined && { lastModified }), sitemapUrl: sitemap }];
      }
    } finally {
      await snapshot.close();
    }
    return;
  }
  const facts = new FactCounts();
  /** The pages of the current batch, if the file is a sitemap. */
  const pages = new Map<string, PageToCheck>();
  const onPage = (page: Page): void => {
    pages.set(page.url, pageToCheck(page));
  };
  const options = { onPage };
  const batches = kind === "file" ? readFile(text, facts, options) : readText(process.stdin, facts, options);
  for await (const urls of batches) {
    yield urls.map((url) => pages.get(url) ?? { url });
    pages.clear();
  }
  if (facts.problem !== undefined) throw inputProblem(name, facts.problem);
  noteInput(reporter, name, facts.facts());
}

async function requestPages(checking: Checking, access: PageAccess, options: WalkOptions): Promise<void> {
  startChecks(checking);
  for await (const finding of checking.check.run(access, options)) checking.found.add(finding);
}

/** Shows the progress of the requests. The counts of the check are read while it runs. */
function startChecks({ check: pageCheck, runCounts }: Checking): void {
  runCounts.checks = {
    startedAt: performance.now(),
    get total() {
      return pageCheck.total - pageCheck.recorded;
    },
    get done() {
      return pageCheck.checked + pageCheck.skipped;
    },
  };
}

function addNotes({ run, check: pageCheck, found: { notes } }: Checking): void {
  const { settings, signal } = run;
  const { total, checked, recorded, skipped, skippedBy, isCut } = pageCheck;
  if (recorded > 0) {
    notes.push(
      `${settings.state} had ${count(recorded, "page")} of ${count(total, "page")}. They were not requested again.`,
    );
  }
  for (const [why, pages] of skippedBy) notes.push(`Not requested: ${count(pages, "page")} (${why}).`);
  const left = total - checked - recorded - skipped;
  if (left === 0 || !(isCut || signal.aborted)) return;
  const why = isCut ? `--max-checks is ${settings.maxChecks}` : "the check was interrupted";
  const next = settings.state === undefined ? "" : " The same command continues.";
  notes.push(`Not checked: ${count(left, "page")}, because ${why}.${next}`);
}

/** Turns an error of the state file into a readable message. */
function explain(error: unknown, state: string | undefined): unknown {
  if (error instanceof CheckFileError)
    return new UsageError(error.message, "Choose another file for --state, or delete this one.");
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === undefined || state === undefined || path !== state) return error;
  return new UsageError(`cannot use ${state}: ${systemReason(error)}`);
}
