/**
 * Walks sites, several at once, and tells a command what they give. Counts along the way, says what -v asks
 * for, and ends with the last line and the exit code.
 */
import { readHomepageUrl } from "../discover/homepage-url.ts";
import { AddressPolicy } from "../fetch/address-policy.ts";
import { describeIssue } from "../issue-texts.ts";
import type { Issue, Page } from "../model.ts";
import { logUrl } from "../sinks/log-line.ts";
import type { WalkEvent, WalkedSitemap } from "../walk/events.ts";
import type { WalkOptions } from "../walk/options.ts";
import { walkInBatches } from "../walk/walk-sitemaps.ts";
import { Enough } from "./enough.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { Interruption } from "./interrupt.ts";
import type { Run } from "./run.ts";
import { failureReason, failureText } from "./talk/failures.ts";
import { type Message, nothingFound, partialHint } from "./talk/hints.ts";
import { StrictLosses } from "./talk/strict-losses.ts";
import { summaryLine } from "./talk/summary.ts";
import type { Talk } from "./talk/talk.ts";
import { countEvent, isFailure, SiteFacts, type Tally } from "./talk/tally.ts";
import { bytes, count } from "./talk/words.ts";
import { readTargets, type Target, targetOptions } from "./target.ts";
import { UsageError } from "./usage-error.ts";
import { walkOptions } from "./walk-options.ts";

const DEFAULT_JOBS = 8;

/** What a command does with what it is told. A promise makes the walk wait. */
export interface WalkHandlers {
  page?(page: Page, sitemapUrl: string, target: Target): void | Promise<void>;
  sitemap?(sitemap: WalkedSitemap, target: Target): void | Promise<void>;
  issue?(issue: Issue, target: Target): void;
  /** A site came to its end. */
  siteEnd?(target: Target): void | Promise<void>;
}

export type WalkOne = (target: Target, options: WalkOptions, visit: Visit) => Promise<void>;
/** Takes each event of a walk. */
export type Visit = (event: WalkEvent) => void | Promise<void>;

export interface WalkSitesOptions {
  readonly tally: Tally;
  readonly handlers: WalkHandlers;
  /** Options of one walk, on top of those of the settings. */
  readonly optionsFor?: (target: Target, options: WalkOptions) => WalkOptions;
  /** The event as the command wants it counted and told, or undefined for not at all. */
  readonly mapEvent?: (event: WalkEvent) => WalkEvent | undefined;
  /** What -v says of a sitemap that was read, or of any with `null` nothing at all; unless told, what is in it. */
  readonly describe?: (sitemap: WalkedSitemap) => string | null | undefined;
  /** What is said of a site that gave nothing, where there is more to say than that. */
  readonly explainNothing?: (target: Target, facts: SiteFacts) => Message | undefined;
  /** How one site is walked; as a stream unless told. */
  readonly walkOne?: WalkOne;
  /** @default settings.jobs */
  readonly jobs?: number;
}

/** Ends when all sites are done, somebody has enough, or the user interrupts. Never throws for these. */
export async function walkSites(run: Run, given: WalkSitesOptions): Promise<void> {
  const { settings, args, talk } = run;
  const { tally, jobs = settings.jobs ?? DEFAULT_JOBS } = given;
  checkAllow(settings.allow);
  if (settings.strict) tally.strict = new StrictLosses();
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const targets = readTargets(args, settings, signal);
  const isSingle = args.length === 1 && args[0] !== "-";
  const base = { ...walkOptions(settings), signal };
  talk.startProgress(tally);
  const worker = async (): Promise<void> => {
    for (let next = await targets.next(); !next.done && !signal.aborted; next = await targets.next()) {
      const line = next.value;
      if ("problem" in line) {
        tally.badLines++;
        talk.warn(line.problem.message, undefined, true);
      } else await walkSite(line.target, base, run, given, isSingle);
    }
  };
  const ended = await Promise.allSettled(
    Array.from({ length: isSingle ? 1 : jobs }, () =>
      worker().catch((error: unknown) => endAll(error, stop)),
    ),
  );
  // What came of the abort itself is no news; the first reason is.
  const reason: unknown = stop.signal.aborted ? stop.signal.reason : undefined;
  if (reason !== undefined && !(reason instanceof Enough)) throw reason;
  const failure = ended.find((result) => result.status === "rejected");
  if (failure !== undefined && !signal.aborted) throw failure.reason;
}

function endAll(error: unknown, stop: AbortController): never {
  if (!(error instanceof Interruption) && !stop.signal.aborted) stop.abort(error);
  throw error;
}

async function walkSite(
  target: Target,
  base: WalkOptions,
  run: Run,
  { tally, handlers, optionsFor, mapEvent, describe, explainNothing, walkOne = walkStream }: WalkSitesOptions,
  isSingle: boolean,
): Promise<void> {
  const { talk, settings } = run;
  const options = targetOptions(target, base);
  const { href } = readHomepageUrl(target.url, { normalize: settings.normalize ?? true });
  const facts = new SiteFacts(href);
  const visit: Visit = (told) => {
    const event = mapEvent === undefined ? told : mapEvent(told);
    if (event === undefined) return undefined;
    if (event.kind === "page") {
      tally.pages++;
      tally.current = event.sitemapUrl;
      return handlers.page?.(event.page, event.sitemapUrl, target);
    }
    countEvent(event, tally, facts);
    if (event.kind === "issue") {
      sayIssue(talk, event.issue, tally.strict?.addIssue(event.issue) === true);
      return handlers.issue?.(event.issue, target);
    }
    saySitemap(talk, event.sitemap, describe?.(event.sitemap));
    return handlers.sitemap?.(event.sitemap, target);
  };
  await walkOne({ ...target, url: href }, optionsFor?.(target, options) ?? options, visit);
  tally.sites++;
  await handlers.siteEnd?.(target);
  if (facts.sitemaps > 0 || tally.limits.size > 0) return;
  tally.addEmptySite(facts);
  const { text, hint } = explainNothing?.(target, facts) ?? nothingFound(target, facts, settings);
  if (isSingle) talk.error(text, hint);
  else talk.say(1, text);
}

const walkStream: WalkOne = async ({ url }, options, visit) => {
  for await (const batch of walkInBatches(url, options)) {
    options.signal?.throwIfAborted();
    for (const event of batch) {
      const busy = visit(event);
      if (busy === undefined) continue;
      await busy;
      // Nobody interrupts in between.
      options.signal?.throwIfAborted();
    }
  }
};

/** The library would throw on the first site. */
export function checkAllow(allow: readonly string[] | undefined): void {
  try {
    if (allow !== undefined) new AddressPolicy({ allow });
  } catch (error) {
    throw new UsageError(`--allow: ${(error as Error).message}`);
  }
}

// ---------------------------------------------------------------- what is said on the way

function saySitemap(talk: Talk, sitemap: WalkedSitemap, given: string | null | undefined): void {
  if (given === null) return;
  const level = isFailure(sitemap) || sitemap.partial || sitemap.outcome === "stopped" ? 1 : 2;
  if (!talk.hears(level)) return;
  const { url, requestedUrl, outcome, partial } = sitemap;
  const shown = requestedUrl === undefined ? logUrl(url) : `${logUrl(requestedUrl)} → ${logUrl(url)}`;
  const what = outcome === "found" ? (given ?? contentText(sitemap)) : failureText(sitemap);
  talk.say(level, `${partial ? "truncated" : outcome} ${shown} (${what})`);
}

/** `xml, 3 pages, 12 kB`; of one that was cut, the complete ones. */
function contentText({ kind, format, childCount, pageCount, partial, http }: WalkedSitemap): string {
  const complete = partial ? "complete " : "";
  const amount =
    kind === "index" ? count(childCount, `${complete}sitemap`) : count(pageCount, `${complete}page`);
  return [format, amount, ...(http === undefined ? [] : [bytes(http.bytes)])].join(", ");
}

function sayIssue(talk: Talk, { code, severity, url, line, value }: Issue, isLost: boolean): void {
  const level = isLost ? 1 : 2;
  if (!talk.hears(level)) return;
  const where = line === undefined ? logUrl(url) : `${logUrl(url)}:${line}`;
  // Where the library names an option of its own, here is a flag.
  const text = failureReason({ url, code, ...(value !== undefined && { reason: value }) });
  const shown = text === undefined ? "" : ` «${text}»`;
  if (isLost) talk.say(1, `left out by --strict: ${code} ${where}${shown}`);
  else talk.say(2, `${severity} ${code} ${where} ${describeIssue(code).message}${shown}`);
}

// ---------------------------------------------------------------- the end

/** Says the last line and gives the exit code. `known` is what there is, in other words than pages in sitemaps. */
export function conclude(run: Run, tally: Tally, known?: string): ExitCode {
  const { talk, settings, signal } = run;
  const isInterrupted = signal.aborted;
  const code = exitCodeOf(run, tally);
  // A single site without anything had its own message.
  if (code === EXIT.nothingFound && tally.sites <= 1) return code;
  const line = summaryLine(tally, { isInterrupted, isBrief: talk.level < 1, known });
  const isLoud = tally.isPartial || isInterrupted || (tally.strict?.urls ?? 0) > 0;
  const hint = settings.allowPrivate ? undefined : partialHint(tally);
  if (hint !== undefined) talk.say(0, hint);
  talk.summary(line, { ...tally.facts(), sites: tally.sites, exitCode: code }, isLoud);
  return code;
}

function exitCodeOf({ signal, settings }: Run, tally: Tally): ExitCode {
  if (signal.reason instanceof Interruption) return signal.reason.exitCode;
  if (tally.limits.size > 0) return EXIT.limit;
  if (tally.isCutShort) return EXIT.done;
  if (tally.sitemaps === 0) return EXIT.nothingFound;
  return settings.failOnPartial && tally.isPartial ? EXIT.partial : EXIT.done;
}
