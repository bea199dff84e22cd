/**
 * Walks the sites of a command, several at the same time. It calls the command's handlers, counts the results, and
 * writes the messages of `-v`. At the end it prints the summary and sets the exit code.
 */
import { readHomepageUrl } from "../../discover/homepage-url.ts";
import { logUrl } from "../../escape/log-line.ts";
import { AddressPolicy } from "../../fetch/guard/address-policy.ts";
import { describeIssue } from "../../model/issue-table.ts";
import type { Issue, Page } from "../../model/model.ts";
import { eventsOf } from "../../walk/events/event-reporter.ts";
import type { WalkEvent, WalkedSitemap } from "../../walk/events/events.ts";
import { isFailure } from "../../walk/events/failed-sitemap.ts";
import type { WalkOptions } from "../../walk/options.ts";
import { walkInBatches } from "../../walk/walk-sitemaps.ts";
import type { Run } from "../command.ts";
import { EMPTY_STDIN, readTargets, startOf, type Target, targetOptions } from "../config/target.ts";
import { walkOptions } from "../config/walk-options.ts";
import { failureText, withFlagNames } from "../messages/failure-texts.ts";
import { type Message, nothingFound, partialHint } from "../messages/hints.ts";
import { hostnameOf } from "../messages/no-answer.ts";
import { emptyWord } from "../messages/refusals.ts";
import type { Reporter } from "../messages/reporter.ts";
import { countEvent, isCutByLimit, isDisallowed, type RunCounts, SiteFacts } from "../messages/run-counts.ts";
import { noteStdin } from "../messages/stdin-notice.ts";
import { StrictLosses } from "../messages/strict-losses.ts";
import { summaryLine } from "../messages/summary.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { Interruption } from "../process/interrupt.ts";
import type { Taken } from "../process/limit-reached.ts";
import { UsageError } from "../process/usage-error.ts";
import { bytes, count } from "../terminal/format-text.ts";
import { NetworkNotes, notePauses } from "./network-notes.ts";

const DEFAULT_JOBS = 8;

/** The callbacks of a command. If one returns a promise, the walk waits for it. */
interface WalkHandlers {
  page?(page: Page, sitemapUrl: string, target: Target): Taken;
  sitemap?(sitemap: WalkedSitemap, target: Target): void | Promise<void>;
  issue?(issue: Issue, target: Target): void;
  siteEnd?(target: Target): void | Promise<void>;
}

type Visit = (event: WalkEvent) => Taken;
export type WalkOne = (target: Target, options: WalkOptions, visit: Visit) => Promise<Awaited<Taken>>;

export interface WalkSitesOptions {
  readonly runCounts: RunCounts;
  readonly handlers: WalkHandlers;
  /** Returns the options for the walk of one site. `options` come from the settings. */
  readonly optionsFor?: (target: Target, options: WalkOptions) => WalkOptions;
  /** Changes an event before it is counted and reported. If it returns undefined, the event is dropped. */
  readonly mapEvent?: (event: WalkEvent) => WalkEvent | undefined;
  /** The text about a sitemap for `-v`. `null` for no text. @default its format and size */
  readonly describe?: (sitemap: WalkedSitemap) => string | null | undefined;
  /** The message for a site without any sitemap. @default nothingFound */
  readonly explainNothing?: (target: Target, facts: SiteFacts) => Message | undefined;
  /** Walks one site. @default a walk that yields events as they happen */
  readonly walkOne?: WalkOne;
  /** Maximum number of sites that are walked at the same time. @default settings.jobs */
  readonly jobs?: number;
}

/** Walks all sites. Returns when all are done, `--limit` is reached, or the user interrupts the run. */
export async function walkSites(run: Run, given: WalkSitesOptions): Promise<void> {
  const { settings, args, reporter } = run;
  const { runCounts, jobs = settings.jobs ?? DEFAULT_JOBS } = given;
  checkAllow(settings.allow);
  if (settings.strict) runCounts.strict = new StrictLosses();
  if (settings.maxIssues !== undefined) runCounts.maxIssues = settings.maxIssues;
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const targets = readTargets(args, settings, signal);
  const isSingle = args.length === 1 && args[0] !== "-";
  runCounts.isList = !isSingle;
  const options = walkOptions(settings);
  const notes = new NetworkNotes(reporter, options);
  const onRequest = (url: string): (() => void) => {
    notes.addRequest(url);
    return runCounts.startRequest(url);
  };
  const onPause = notePauses(reporter, runCounts);
  const base = { ...options, signal, onRequest, onPause };
  noteStdin(reporter, args, "hosts or URLs, one per line,");
  reporter.startProgress(runCounts);
  let failure: { readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (let next = await targets.next(); !next.done && !signal.aborted; next = await targets.next()) {
      const line = next.value;
      if ("problem" in line) {
        if (line.isBlocked) runCounts.blockedLines++;
        else runCounts.badLines++;
        reporter.warn(line.problem.message, undefined, true);
      } else {
        notes.add(line.target);
        if ((await walkSite(line.target, base, run, given, isSingle)) === "limit-reached") stop.abort();
      }
    }
  };
  const worker = (): Promise<void> =>
    work().catch((error: unknown) => {
      // Ignore errors after an abort: the abort has caused them.
      if (error instanceof Interruption || stop.signal.aborted) return;
      failure = { error };
      stop.abort();
    });
  await Promise.all(Array.from({ length: isSingle ? 1 : jobs }, worker));
  if (failure !== undefined) throw failure.error;
  const isEmpty = runCounts.sites + runCounts.badLines + runCounts.blockedLines === 0;
  if (isEmpty && args.includes("-") && !signal.aborted) throw new UsageError(EMPTY_STDIN);
}

async function walkSite(
  target: Target,
  base: WalkOptions,
  run: Run,
  given: WalkSitesOptions,
  isSingle: boolean,
): Promise<Awaited<Taken>> {
  const { reporter, settings } = run;
  const { runCounts, handlers, optionsFor, explainNothing, walkOne = walkStream } = given;
  const { href } = readHomepageUrl(target.url, { normalize: settings.normalize ?? true });
  const facts = new SiteFacts(href);
  const visit = createVisit(run, given, target, facts);
  const walked = target.sitemapPath === undefined ? { ...target, url: href } : target;
  const options = targetOptions(target, base);
  const end = await walkOne(walked, optionsFor?.(target, options) ?? options, visit);
  runCounts.sites++;
  const isSitemap = target.sitemapPath !== undefined;
  if (isSitemap) runCounts.givenSitemaps++;
  if (end === "limit-reached") return end;
  await handlers.siteEnd?.(target);
  if (facts.sitemaps > 0 || runCounts.limits.size > 0) return undefined;
  // If the host was not found, do not show the port: in `user:1234`, it may be a password.
  const host = facts.firstFailure?.code === "http.dns" ? hostnameOf(target.name) : target.name;
  const name = isSitemap ? logUrl(target.url) : host;
  runCounts.addEmptySite(facts, name, emptyWord(facts, isSitemap), isSitemap);
  const { text, hint } = explainNothing?.(target, facts) ?? nothingFound(target, facts, settings);
  if (isSingle) reporter.error(text, hint);
  else reporter.say(1, text);
  return undefined;
}

/**
 * Creates the function that handles an event: it counts the event, writes the messages of `-v`, and calls the handlers.
 */
export function createVisit(
  { reporter }: Run,
  { runCounts, handlers, mapEvent, describe }: WalkSitesOptions,
  target: Target,
  facts: SiteFacts,
): Visit {
  return (given) => {
    const event = mapEvent === undefined ? given : mapEvent(given);
    if (event === undefined) return undefined;
    if (event.kind === "page") {
      runCounts.addPage(event.sitemapUrl);
      const taken = handlers.page?.(event.page, event.sitemapUrl, target);
      if (taken === "limit-reached") runCounts.dropPage();
      return taken;
    }
    countEvent(event, runCounts, facts);
    if (event.kind === "issue") {
      sayIssue(reporter, event.issue, runCounts.strict?.addIssue(event.issue) === true);
      return handlers.issue?.(event.issue, target);
    }
    saySitemap(reporter, event.sitemap, describe?.(event.sitemap));
    return handlers.sitemap?.(event.sitemap, target);
  };
}

const walkStream: WalkOne = async (target, options, visit) => {
  for await (const batch of walkInBatches(startOf(target), options)) {
    options.signal?.throwIfAborted();
    for (const step of batch) {
      for (const event of eventsOf(step)) {
        const taken = visit(event);
        if (taken === undefined) continue;
        if (taken === "limit-reached") return taken;
        await taken;
        options.signal?.throwIfAborted();
      }
    }
  }
  return undefined;
};

/** Checks the values of `--allow` before the first site is read. */
export function checkAllow(allow: readonly string[] | undefined): void {
  try {
    if (allow !== undefined) new AddressPolicy({ allow });
  } catch (error) {
    throw new UsageError(`--allow: ${(error as Error).message}`);
  }
}

// ---------------------------------------------------------------- messages of -v

function saySitemap(reporter: Reporter, sitemap: WalkedSitemap, given: string | null | undefined): void {
  if (given === null) return;
  const isMissing = isFailure(sitemap) || isDisallowed(sitemap) || sitemap.outcome === "stopped";
  const level = isMissing || sitemap.partial ? 1 : 2;
  if (!reporter.hears(level)) return;
  const { url, requestedUrl, outcome, partial, errorPage } = sitemap;
  const shown = requestedUrl === undefined ? logUrl(url) : `${logUrl(requestedUrl)} → ${logUrl(url)}`;
  const what =
    outcome === "shared"
      ? "listed more than once"
      : outcome === "found"
        ? (given ?? contentText(sitemap))
        : failureText(sitemap);
  const state = isCutByLimit(sitemap) ? "cut by a limit:" : partial ? "truncated" : outcomeText(sitemap);
  reporter.say(level, `${state} ${shown} (${what})`);
  if (errorPage !== undefined) reporter.say(2, `error page of ${shown} "${errorPage}"`);
}

/** The outcome in a word. It is "failed" only if pages may be missing (isFailure). */
function outcomeText(sitemap: WalkedSitemap): string {
  const { outcome, source } = sitemap;
  if (outcome === "shared") return "already read";
  if (outcome !== "failed" || isFailure(sitemap)) return outcome;
  return source === "known"
    ? "nothing at known location"
    : source === "llms"
      ? "no llms.txt:"
      : source === "robots"
        ? "missing"
        : "not read again:";
}

/** The content of a sitemap, such as `xml, 3 pages, 12 kB`. */
function contentText({ kind, format, childCount, pageCount, partial, http }: WalkedSitemap): string {
  const complete = partial ? "complete " : "";
  const amount =
    kind === "index" ? count(childCount, `${complete}sitemap`) : count(pageCount, `${complete}page`);
  return [format, amount, ...(http === undefined ? [] : [bytes(http.bytes)])].join(", ");
}

function sayIssue(reporter: Reporter, { code, severity, url, line, value }: Issue, isStrict: boolean): void {
  // In a file, relative URLs are dropped, because its own URL is unknown.
  const isLost = isStrict || code === "url.no-base";
  const level = isLost ? 1 : 2;
  if (!reporter.hears(level)) return;
  const where = line === undefined ? logUrl(url) : `${logUrl(url)}:${line}`;
  const text = withFlagNames({ url, code, ...(value !== undefined && { reason: value }) });
  const { message } = describeIssue(code);
  const isNew = text !== undefined && text.toLowerCase() !== message.toLowerCase();
  const shown = isNew ? ` "${text}"` : "";
  if (isLost) reporter.say(1, `dropped${isStrict ? " by --strict" : ""}: ${code} ${where}${shown}`);
  else reporter.say(2, `${severity} ${code} ${where} ${message}${shown}`);
}

// ---------------------------------------------------------------- the end

/**
 * Writes the summary and returns the exit code.
 *
 * @param known text about the result, in place of `3 pages in 1 sitemap`
 */
export function conclude(run: Run, runCounts: RunCounts, known?: string): ExitCode {
  const { reporter, settings, signal } = run;
  const isInterrupted = signal.aborted;
  const code = exitCodeOf(run, runCounts);
  // For a single site without sitemaps, a message was already written.
  if (code === EXIT.nothingFound && !runCounts.isList) return code;
  const showsIssues = reporter.level >= 2;
  const line = summaryLine(runCounts, { isInterrupted, isBrief: reporter.level < 1, showsIssues, known });
  const isLoud =
    runCounts.isPartial ||
    isInterrupted ||
    runCounts.disallowed + runCounts.relative + (runCounts.strict?.urls ?? 0) > 0;
  const hint = settings.allowPrivate ? undefined : partialHint(runCounts);
  if (hint !== undefined) reporter.say(0, hint);
  reporter.summary(line, { ...runCounts.facts(), sites: runCounts.sites, exitCode: code }, isLoud);
  return code;
}

function exitCodeOf({ signal, settings }: Run, runCounts: RunCounts): ExitCode {
  if (signal.reason instanceof Interruption) return signal.reason.exitCode;
  if (runCounts.limits.size > 0) return EXIT.limit;
  if (runCounts.isCutShort) return EXIT.done;
  const isFound = runCounts.sitemaps > 0 || (runCounts.isPageList && runCounts.pages > 0);
  if (!isFound) return EXIT.nothingFound;
  return settings.failOnPartial && runCounts.isPartial ? EXIT.partial : EXIT.done;
}
