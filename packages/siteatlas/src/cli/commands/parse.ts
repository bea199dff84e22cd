/** `siteatlas parse`: reads sitemaps and feeds from files or stdin, without the network. */

import { createReadStream } from "node:fs";
import { logLine } from "../../escape/log-line.ts";
import { PARSE_LIMITS } from "../../model/generated/limits.ts";
import { type IssueCode, refusals, strictActionOf } from "../../model/issue-severity.ts";
import { describeIssue } from "../../model/issue-table.ts";
import type { Entry, Issue } from "../../model/model.ts";
import { parseEntriesWith } from "../../parse/parse-sitemap.ts";
import type { Command, Run } from "../command.ts";
import type { Settings } from "../config/flags.ts";
import { listFiles, robotsAddress } from "../config/local-files.ts";
import { walkOptions } from "../config/walk-options.ts";
import { codeWord, failureWord } from "../messages/failure-texts.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { noteStdin } from "../messages/stdin-notice.ts";
import { StrictLosses } from "../messages/strict-losses.ts";
import { summaryLine } from "../messages/summary.ts";
import { choosePageFormat, FLAT_FORMATS } from "../output/choose-format.ts";
import { abortOnError, endOutput } from "../output/finish-output.ts";
import { openPageOutput } from "../output/page-output.ts";
import { PagePipeline } from "../output/page-pipeline.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { Interruption } from "../process/interrupt.ts";
import type { Taken } from "../process/limit-reached.ts";
import { systemReason } from "../process/system-reason.ts";
import { count, lowerFirst, number } from "../terminal/format-text.ts";
import { linkFormatsOf } from "../walk/file-links.ts";

/** Codes of issues which mean that the document is incomplete. */
const CUT: ReadonlySet<IssueCode> = new Set(["xml.truncated", "gzip.truncated", "gzip.corrupt"]);

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
  const format = choosePageFormat(run, FLAT_FORMATS);
  const runCounts = new RunCounts();
  if (settings.strict) runCounts.strict = new StrictLosses();
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
  const options = {
    ...(address !== undefined && { url: address }),
    ...(contentType !== undefined && { contentType }),
    ...(strict !== undefined && { strict }),
    limits: walkOptions(run.settings).limits ?? {},
  };
  const document = new DocumentFacts(file === "-" ? "stdin" : file, run.settings);
  try {
    for await (const entry of parseEntriesWith(source, options, linkFormatsOf(file, run.settings))) {
      const taken = take(entry, url ?? document.name, document, parsing);
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
  runCounts.closeSitemap(document.name);
  document.addTo(runCounts, run);
  return undefined;
}

function take(entry: Entry, source: string, document: DocumentFacts, parsing: Parsing): Taken {
  const { run, runCounts, pipeline } = parsing;
  if (entry.kind === "issue") {
    document.addIssue(entry.issue);
    sayIssue(run, document.name, entry.issue, runCounts.strict?.addIssue(entry.issue) === true);
    return undefined;
  }
  document.entries++;
  if (entry.kind === "page") {
    runCounts.addPage(document.name);
    if (run.settings.sitemaps) return undefined;
    const taken = pipeline.page(entry.page, source);
    if (taken === "limit-reached") runCounts.dropPage();
    return taken;
  }
  parsing.children++;
  runCounts.openSitemap(document.name);
  return run.settings.sitemaps ? pipeline.page(entry.sitemap, source) : undefined;
}

class DocumentFacts {
  readonly name: string;
  entries = 0;
  readonly #settings: Settings;
  #refusal: IssueCode | undefined;
  #strictEnd: Issue | undefined;
  #cut: IssueCode | undefined;
  #relative = 0;
  readonly #issues: Map<IssueCode, number> = new Map();

  constructor(name: string, settings: Settings) {
    this.name = name;
    this.#settings = settings;
  }

  addIssue(issue: Issue): void {
    const { code } = issue;
    this.#issues.set(code, (this.#issues.get(code) ?? 0) + 1);
    if (code in refusals) this.#refusal ??= code;
    if (CUT.has(code)) this.#cut ??= code;
    if (isLostRelative(issue, this.#settings)) this.#relative++;
    if (this.#settings.strict && strictActionOf(code) === "fail") this.#strictEnd ??= issue;
  }

  addTo(runCounts: RunCounts, { reporter }: Run): void {
    runCounts.relative.urls += this.#relative;
    // The parser reports at most a tenth of `maxIssues` per code. If this number is reached, there may be more.
    const { maxIssues = PARSE_LIMITS.issues } = this.#settings;
    const most = Math.ceil(maxIssues / 10);
    if (this.#relative >= most) runCounts.relative.isAtLeast = true;
    const isMore = [...this.#issues].some(
      ([code, times]) => times >= most && strictActionOf(code) === "drop",
    );
    if (runCounts.strict !== undefined && isMore) runCounts.strict.isAtLeast = true;
    for (const [code, times] of this.#issues) {
      if (times < most) continue;
      reporter.say(
        2,
        `${code} ${this.name}: only the first ${times} are shown; show more with --max-issues ${10 * maxIssues}`,
      );
    }
    const failure = this.#failure();
    if (failure !== undefined) {
      runCounts.failed.set(failure.word, (runCounts.failed.get(failure.word) ?? 0) + 1);
      reporter.say(0, failure.text);
      return;
    }
    runCounts.sitemaps++;
    if (this.#cut !== undefined) {
      runCounts.truncated++;
      reporter.say(1, `${this.name} is truncated; its complete entries were kept`);
    }
  }

  #failure(): { word: string; text: string } | undefined {
    if (this.#strictEnd !== undefined) {
      const { code, line } = this.#strictEnd;
      const where = line === undefined ? "" : ` at line ${line}`;
      const text = `${this.name} was rejected by --strict${where}: ${codeWord(code)} (${code})`;
      return { word: failureWord({ code }), text };
    }
    if (this.entries > 0 || this.#refusal === undefined) return undefined;
    // If the document was cut before its format was known, report the cut, not the unknown format.
    const code = this.#cut ?? this.#refusal;
    const text = `cannot read ${this.name}: ${lowerFirst(describeIssue(code).message)}${this.#robotsHint()}`;
    return { word: failureWord({ code }), text };
  }

  /** The hint to use `--url`, for a document that may be a robots.txt. Such a file is recognized only by its name. */
  #robotsHint(): string {
    const mayBeRobots = this.name === "stdin" || /robots/i.test(this.name);
    return this.#refusal === "content.no-urls" && this.#settings.url === undefined && mayBeRobots
      ? ". If it is a robots.txt, name its URL: --url https://example.com/robots.txt"
      : "";
  }
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
  const isInterrupted = signal.aborted;
  const { sitemapsRead: sitemaps, isPartial } = runCounts;
  // Documents that could not be read are not included: a message about each of them was already written.
  const lost = (runCounts.strict?.urls ?? 0) + runCounts.relative.urls;
  const isBrief = reporter.level < 1 && runCounts.truncated + lost > 0;
  reporter.summary(
    summaryLine(runCounts, { isInterrupted, isBrief, known: knownText(parsing), unit: "document" }),
    { ...runCounts.facts(), sitemaps: children, documents: sitemaps },
    isPartial || isInterrupted || lost > 0,
  );
  if (signal.reason instanceof Interruption) return signal.reason.exitCode;
  if (unreadable > 0) return EXIT.usage;
  if (runCounts.isCutShort) return EXIT.done;
  if (sitemaps === 0) return EXIT.nothingFound;
  return settings.failOnPartial && isPartial ? EXIT.partial : EXIT.done;
}
