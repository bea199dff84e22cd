/** `siteatlas parse`: reads sitemaps and feeds from files or stdin, without the network. */

import { createReadStream } from "node:fs";
import { logLine } from "../../escape/log-line.ts";
import { describeIssue } from "../../model/issue-table.ts";
import type { Entry, Issue } from "../../model/model.ts";
import type { DocumentKind, DocumentParser } from "../../parse/document.ts";
import { type OnEnd, parseEntriesWith } from "../../parse/parse-sitemap.ts";
import type { Command, Run } from "../command.ts";
import type { Settings } from "../config/flags.ts";
import { listFiles, robotsAddress } from "../config/local-files.ts";
import { commandFormats } from "../config/output-formats.ts";
import { walkOptions } from "../config/walk-options.ts";
import { codeWord, failureWord, isStrictEnd } from "../messages/failure-texts.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { noteStdin } from "../messages/stdin-notice.ts";
import { StrictLosses } from "../messages/strict-losses.ts";
import { summaryLine } from "../messages/summary.ts";
import { choosePageFormat } from "../output/choose-format.ts";
import { abortOnError, endOutput } from "../output/finish-output.ts";
import { openPageOutput } from "../output/page-output.ts";
import { PagePipeline } from "../output/page-pipeline.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { Interruption } from "../process/interrupt.ts";
import type { Taken } from "../process/limit-reached.ts";
import { systemReason } from "../process/system-reason.ts";
import { count, lowerFirst, number } from "../terminal/format-text.ts";
import { linkFormatsOf } from "../walk/file-links.ts";

/** State of the run that all its documents share. */
interface Parsing {
  readonly run: Run;
  readonly files: readonly string[];
  readonly runCounts: RunCounts;
  readonly pipeline: PagePipeline;
  /** Number of sitemaps that the documents list. */
  children: number;
  unreadable: number;
}

export const parse: Command = async (run) => {
  const { settings, args } = run;
  const files = listFiles(args, settings.htmlSitemaps);
  const format = choosePageFormat(run, commandFormats.parse.names);
  const runCounts = new RunCounts();
  if (settings.strict) runCounts.strict = new StrictLosses();
  if (settings.maxIssues !== undefined) runCounts.maxIssues = settings.maxIssues;
  const meta = { tool: "siteatlas parse", files: args.join(" "), started: new Date().toISOString() };
  const output = await openPageOutput(run, format, meta);
  return abortOnError(output, async () => {
    const pipeline = new PagePipeline(settings, output, runCounts);
    const parsing: Parsing = { run, files, runCounts, pipeline, children: 0, unreadable: 0 };
    noteStdin(run.reporter, args, "a sitemap");
    run.reporter.startProgress(runCounts);
    await parseAll(parsing);
    await pipeline.finish();
    await endOutput(run, output, runCounts);
    return concludeParse(parsing);
  });
};

async function parseAll(parsing: Parsing): Promise<void> {
  const { run, files, runCounts } = parsing;
  try {
    for (const file of files) {
      run.signal.throwIfAborted();
      runCounts.current = file;
      if ((await parseFile(file, parsing)) === "limit-reached") return;
    }
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
  }
}

/** Parses a file. A file that cannot be read is reported, and does not end the run. */
async function parseFile(file: string, parsing: Parsing): Promise<Awaited<Taken>> {
  const { run, runCounts } = parsing;
  const { url, contentType, strict } = run.settings;
  const address = url ?? robotsAddress(file);
  const source = file === "-" ? process.stdin : createReadStream(file);
  const abort = (): void => void source.destroy(run.signal.reason as Error);
  run.signal.addEventListener("abort", abort, { once: true });
  if (run.signal.aborted) abort();
  const options = {
    ...(address !== undefined && { url: address }),
    ...(contentType !== undefined && { contentType }),
    ...(strict !== undefined && { strict }),
    limits: walkOptions(run.settings).limits ?? {},
  };
  const name = file === "-" ? "stdin" : file;
  const formats = linkFormatsOf(file, run.settings);
  let end: Parameters<OnEnd> | undefined;
  const onEnd: OnEnd = (...found) => {
    end = found;
  };
  try {
    for await (const entry of parseEntriesWith(source, options, formats, onEnd)) {
      const taken = take(entry, name, parsing);
      if (taken === "limit-reached") return taken;
      if (taken !== undefined) await taken;
    }
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    parsing.unreadable++;
    run.reporter.error(`cannot read ${logLine(file)}: ${systemReason(error)}`);
    return undefined;
  } finally {
    run.signal.removeEventListener("abort", abort);
    source.destroy();
  }
  runCounts.closeSitemap(name);
  if (end !== undefined) addDocument(name, ...end, run, runCounts);
  return undefined;
}

function take(entry: Entry, name: string, parsing: Parsing): Taken {
  const { run, runCounts, pipeline } = parsing;
  const source = run.settings.url ?? name;
  if (entry.kind === "issue") {
    sayIssue(run, name, entry.issue, runCounts.strict?.addIssue(entry.issue) === true);
    return undefined;
  }
  if (entry.kind === "page") {
    runCounts.addPage(name);
    if (run.settings.sitemaps) return undefined;
    const taken = pipeline.page(entry.page, source);
    if (taken === "limit-reached") runCounts.dropPage();
    return taken;
  }
  parsing.children++;
  runCounts.openSitemap(name);
  return run.settings.sitemaps ? pipeline.page(entry.sitemap, source) : undefined;
}

/** Adds a document to the counts of the run when it has ended. */
function addDocument(
  name: string,
  kind: DocumentKind,
  { log, partial }: DocumentParser,
  run: Run,
  runCounts: RunCounts,
): void {
  const { reporter, settings } = run;
  const { kept, perCode } = log;
  runCounts.addHiddenIssues([...perCode.values()]);
  if (kind.kind === "invalid") {
    const word = failureWord(kind);
    runCounts.failed.set(word, (runCounts.failed.get(word) ?? 0) + 1);
    reporter.say(0, failureText(name, kind, kept, settings));
    return;
  }
  if (!settings.strict) runCounts.relative += perCode.get("url.no-base") ?? 0;
  runCounts.strict?.addDocument({
    url: log.url,
    outcome: "found",
    issueCounts: Object.fromEntries(perCode),
  });
  runCounts.sitemaps++;
  if (partial) {
    runCounts.truncated++;
    reporter.say(1, `${name} is truncated; its complete entries were kept`);
  }
}

type InvalidKind = Extract<DocumentKind, { kind: "invalid" }>;

function failureText(
  name: string,
  { code, reason }: InvalidKind,
  issues: readonly Issue[],
  { strict, url }: Settings,
): string {
  if (strict && isStrictEnd(code)) {
    const line = issues.find((issue) => issue.code === code)?.line;
    const where = line === undefined ? "" : ` at line ${line}`;
    return `${name} was rejected by --strict${where}: ${codeWord(code)} (${code})`;
  }
  // A robots.txt is recognized only by its name.
  const mayBeRobots = code === "content.no-urls" && url === undefined && /^stdin$|robots/i.test(name);
  const hint = mayBeRobots
    ? ". If it is a robots.txt, name its URL: --url https://example.com/robots.txt"
    : "";
  return `cannot read ${name}: ${lowerFirst(reason)}${hint}`;
}

/**
 * Whether a URL was dropped because it is relative and the URL of the document is unknown. False with `--strict`:
 * `runCounts.strict` counts the URLs that strict mode drops.
 */
function isLostRelative({ code }: Issue, { strict }: Settings): boolean {
  return code === "url.no-base" && !strict;
}

function sayIssue({ reporter, settings }: Run, file: string, issue: Issue, isStrict: boolean): void {
  const { code, severity, line, value } = issue;
  const isLost = isStrict || isLostRelative(issue, settings);
  if (!reporter.hears(isLost ? 1 : 2)) return;
  const where = line === undefined ? file : `${file}:${line}`;
  const shown = value === undefined ? "" : ` "${value}"`;
  if (isLost) reporter.say(1, `dropped${isStrict ? " by --strict" : ""}: ${code} ${where}${shown}`);
  else reporter.say(2, `${severity} ${code} ${where} ${describeIssue(code).message}${shown}`);
}

/**
 * The result of the run: `2 pages in 1 document`, `1 of 2 pages in 1 document`,
 * `0 pages, 3 of 5 sitemaps in 1 document`.
 */
function knownText({ run, runCounts, children }: Parsing): string {
  const { pages, selected, sitemaps, isCutShort } = runCounts;
  // With --sitemaps, flags such as --include select sitemaps instead of pages.
  const { sitemaps: isSitemaps = false } = run.settings;
  // If --limit ended the run, the number of all entries is unknown.
  if (isCutShort && selected !== undefined) return count(selected, isSitemaps ? "sitemap" : "page");
  const text = (all: number, unit: string, isSelected: boolean): string =>
    isSelected && selected !== undefined && selected !== all
      ? `${number(selected)} of ${count(all, unit)}`
      : count(all, unit);
  const listed = children > 0 ? `, ${text(children, "sitemap", isSitemaps)}` : "";
  const hint = children > 0 && !isSitemaps ? " (list with --sitemaps)" : "";
  return `${text(pages, "page", !isSitemaps)}${listed}${hint} in ${count(sitemaps, "document")}`;
}

function concludeParse(parsing: Parsing): ExitCode {
  const { run, runCounts, children, unreadable } = parsing;
  const { reporter, settings, signal } = run;
  // A message about each file was already written.
  if (unreadable > 0 && unreadable === parsing.files.length) return EXIT.usage;
  const isInterrupted = signal.aborted;
  const { sitemapsRead: sitemaps, isPartial } = runCounts;
  // Documents that could not be read are not included: a message about each of them was already written.
  const lost = (runCounts.strict?.urls ?? 0) + runCounts.relative;
  const isBrief = reporter.level < 1 && runCounts.truncated + lost > 0;
  reporter.summary(
    summaryLine(runCounts, {
      isInterrupted,
      isBrief,
      showsIssues: reporter.hears(2),
      known: knownText(parsing),
      unit: "document",
    }),
    { ...runCounts.facts(), sitemaps: children, documents: sitemaps },
    isPartial || isInterrupted || lost > 0,
  );
  if (signal.reason instanceof Interruption) return signal.reason.exitCode;
  if (unreadable > 0) return EXIT.usage;
  if (runCounts.isCutShort) return EXIT.done;
  if (sitemaps === 0) return EXIT.nothingFound;
  return settings.failOnPartial && isPartial ? EXIT.partial : EXIT.done;
}
