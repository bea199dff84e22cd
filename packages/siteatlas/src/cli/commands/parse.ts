/** `siteatlas parse`: sitemaps and feeds from files or stdin, without the network: bytes in, records out. */

import { createReadStream } from "node:fs";
import { describeIssue } from "../../issue-texts.ts";
import { type IssueCode, refusals, strictActionOf } from "../../issues.ts";
import { PARSE_LIMITS } from "../../limits.ts";
import type { Entry, Issue } from "../../model.ts";
import { parseEntries } from "../../parse/parse-sitemap.ts";
import { logLine } from "../../sinks/log-line.ts";
import { Enough } from "../enough.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Settings } from "../flags.ts";
import { Interruption } from "../interrupt.ts";
import { PageFlow } from "../page-flow.ts";
import { chooseFormat, openPageSink } from "../page-sink.ts";
import type { Command, Run } from "../run.ts";
import { createSelection, type Selection } from "../select.ts";
import { failureWord } from "../talk/failures.ts";
import { StrictLosses } from "../talk/strict-losses.ts";
import { summaryLine } from "../talk/summary.ts";
import { Tally } from "../talk/tally.ts";
import { count } from "../talk/words.ts";
import { UsageError } from "../usage-error.ts";
import { walkOptions } from "../walk-options.ts";
import { endOutput, whole } from "../whole-output.ts";

/** The document goes on, but not here. */
const CUT: ReadonlySet<IssueCode> = new Set(["xml.truncated", "gzip.truncated", "gzip.corrupt", "gzip.bomb"]);

/** What all documents of a run share. */
interface Parsing {
  readonly run: Run;
  readonly tally: Tally;
  readonly flow: PageFlow;
  readonly select: Selection | undefined;
  /** Sitemaps that were listed. */
  children: number;
  unreadable: number;
}

export const parse: Command = async (run) => {
  const { settings, args } = run;
  if (args.filter((file) => file === "-").length > 1) throw new UsageError("stdin (-) can be read once only");
  const format = chooseFormat(settings);
  if (format === "tree") throw new UsageError("--format tree is for ls: a document has no tree");
  const tally = new Tally();
  if (settings.strict) tally.strict = new StrictLosses();
  const meta = { tool: "siteatlas parse", files: args.join(" "), started: new Date().toISOString() };
  const sink = await openPageSink(run, format, meta);
  return whole(sink, async () => {
    const flow = new PageFlow(settings, sink, tally);
    const select = createSelection(settings);
    const parsing: Parsing = { run, tally, flow, select, children: 0, unreadable: 0 };
    run.talk.startProgress(tally);
    await parseAll(parsing);
    await flow.finish();
    await endOutput(run, sink, tally.sitemaps > 0);
    return concludeParse(parsing);
  });
};

async function parseAll(parsing: Parsing): Promise<void> {
  const { run, tally } = parsing;
  try {
    for (const file of run.args) {
      run.signal.throwIfAborted();
      tally.current = file;
      await parseFile(file, parsing);
    }
  } catch (error) {
    if (!(error instanceof Enough) && !(error instanceof Interruption)) throw error;
  }
}

/** A file that cannot be read is a message; the others are read all the same. */
async function parseFile(file: string, parsing: Parsing): Promise<void> {
  const { run, tally } = parsing;
  const { url, contentType, strict } = run.settings;
  const source = file === "-" ? process.stdin : createReadStream(file);
  const abort = (): void => void source.destroy(run.signal.reason as Error);
  run.signal.addEventListener("abort", abort, { once: true });
  const options = {
    ...(url !== undefined && { url }),
    ...(contentType !== undefined && { contentType }),
    ...(strict !== undefined && { strict }),
    limits: walkOptions(run.settings).limits ?? {},
  };
  const document = new DocumentFacts(file === "-" ? "stdin" : file, run.settings);
  try {
    for await (const entry of parseEntries(source, options)) {
      const busy = take(entry, url ?? document.name, document, parsing);
      if (busy !== undefined) await busy;
    }
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    parsing.unreadable++;
    run.talk.error(`Cannot read ${logLine(file)}: ${reasonOf(message)}`);
    return;
  } finally {
    run.signal.removeEventListener("abort", abort);
    source.destroy();
  }
  document.addTo(tally, run);
}

/** `ENOENT: no such file or directory, open 'x'` */
function reasonOf(message: string): string {
  return message.replace(/^[A-Z]+: /, "").replace(/, \w+( '.*')?$/, "");
}

function take(entry: Entry, source: string, document: DocumentFacts, parsing: Parsing): void | Promise<void> {
  const { run, tally, flow, select } = parsing;
  if (entry.kind === "issue") {
    document.addIssue(entry.issue);
    sayIssue(run, document.name, entry.issue, tally.strict?.addIssue(entry.issue) === true);
    return undefined;
  }
  document.entries++;
  if (entry.kind === "page") {
    tally.pages++;
    if (!run.settings.sitemaps) return flow.page(entry.page, source, select);
    return undefined;
  }
  parsing.children++;
  return run.settings.sitemaps ? flow.page(entry.sitemap, source, select) : undefined;
}

/** What became of one document. */
class DocumentFacts {
  readonly name: string;
  entries = 0;
  readonly #settings: Settings;
  #refusal: IssueCode | undefined;
  #strictEnd: Issue | undefined;
  #isCut = false;
  #relative = 0;

  constructor(name: string, settings: Settings) {
    this.name = name;
    this.#settings = settings;
  }

  addIssue(issue: Issue): void {
    const { code } = issue;
    if (code in refusals) this.#refusal ??= code;
    if (CUT.has(code)) this.#isCut = true;
    if (isLostRelative(issue, this.#settings)) this.#relative++;
    if (this.#settings.strict && strictActionOf(code) === "fail") this.#strictEnd ??= issue;
  }

  addTo(tally: Tally, { talk }: Run): void {
    tally.relative.urls += this.#relative;
    // The library tells no more of one kind.
    const { maxIssues = PARSE_LIMITS.issues } = this.#settings;
    if (this.#relative >= Math.ceil(maxIssues / 10)) tally.relative.isAtLeast = true;
    const failure = this.#failure();
    if (failure !== undefined) {
      tally.failed.set(failure.word, (tally.failed.get(failure.word) ?? 0) + 1);
      talk.say(0, `${this.name} ${failure.text}`);
      return;
    }
    tally.sitemaps++;
    if (this.#isCut) {
      tally.truncated++;
      talk.say(1, `${this.name} is truncated: its complete entries were kept`);
    }
  }

  #failure(): { word: string; text: string } | undefined {
    if (this.#strictEnd !== undefined) {
      const { code, line } = this.#strictEnd;
      const where = line === undefined ? "" : ` at line ${line}`;
      const text = `was ended by --strict${where}: ${code}`;
      return { word: `${failureWord({ code })} under --strict`, text };
    }
    if (this.entries > 0 || this.#refusal === undefined) return undefined;
    const text = `is no sitemap: ${describeIssue(this.#refusal).message}`;
    return { word: failureWord({ code: this.#refusal }), text };
  }
}

/** Nobody knows where it leads. `//www.example.com/a` has a host of its own; strict mode counts its own. */
function isLostRelative({ code, value = "" }: Issue, { url, strict }: Settings): boolean {
  return code === "url.relative" && url === undefined && !strict && !value.startsWith("//");
}

function sayIssue({ talk, settings }: Run, file: string, issue: Issue, isStrict: boolean): void {
  const { code, severity, line, value } = issue;
  const isLost = isStrict || isLostRelative(issue, settings);
  if (!talk.hears(isLost ? 1 : 2)) return;
  const where = line === undefined ? file : `${file}:${line}`;
  const shown = value === undefined ? "" : ` «${value}»`;
  if (isLost) talk.say(1, `left out${isStrict ? " by --strict" : ""}: ${code} ${where}${shown}`);
  else talk.say(2, `${severity} ${code} ${where} ${describeIssue(code).message}${shown}`);
}

function concludeParse({ run, tally, children, unreadable }: Parsing): ExitCode {
  const { talk, settings, signal } = run;
  const isInterrupted = signal.aborted;
  const { sitemaps, isPartial } = tally;
  const listed = children > 0 ? `, ${count(children, "sitemap")}` : "";
  const hint = children > 0 && !settings.sitemaps ? " (--sitemaps lists them)" : "";
  const known = `${count(tally.selected ?? tally.pages, "page")}${listed}${hint} in ${count(sitemaps, "document")}`;
  const line = tally.isCutShort ? undefined : known;
  // What failed was said already.
  const lost = (tally.strict?.urls ?? 0) + tally.relative.urls;
  const isBrief = talk.level < 1 && tally.truncated + lost > 0;
  talk.summary(
    summaryLine(tally, { isInterrupted, isBrief, known: line }),
    { ...tally.facts(), sitemaps: children, documents: sitemaps },
    isPartial || isInterrupted || lost > 0,
  );
  if (signal.reason instanceof Interruption) return signal.reason.exitCode;
  if (unreadable > 0) return EXIT.usage;
  if (tally.isCutShort) return EXIT.done;
  if (sitemaps === 0) return EXIT.nothingFound;
  return settings.failOnPartial && isPartial ? EXIT.partial : EXIT.done;
}
