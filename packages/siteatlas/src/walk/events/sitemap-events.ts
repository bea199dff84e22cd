/** Builds the events for sitemaps whose processing has ended, and the texts that explain failures. */
import { logLine, logUrl, MAX_MESSAGE_LENGTH } from "../../escape/log-line.ts";
import { issueValue } from "../../model/issue-log.ts";
import { type IssueCode, severityOf } from "../../model/issue-severity.ts";
import { describeIssue } from "../../model/issue-table.ts";
import type { HttpFacts, Issue } from "../../model/model.ts";
import type { Breach } from "../budget.ts";
import type { Place } from "../place.ts";
import { isBelowRobots, type SitemapDocument, type Verdict, verdictOf } from "../site-graph.ts";
import { urlKey } from "../url-key.ts";
import type { SitemapOutcome, WalkedSitemap } from "./events.ts";

/** An event while it is built, see `startEvent`. */
type EventDraft = { -readonly [Name in keyof WalkedSitemap]: WalkedSitemap[Name] };

/**
 * Builds the event that reports a document in full. `place`: the first place of the document that has ended. `chain`:
 * the documents that redirected to it, and the document itself. `original`: an earlier document with the same content.
 * `isSame`: the content is unchanged since the last sync. `extra`: additional issues of this place.
 */
export function documentEvent(
  place: Place,
  chain: readonly SitemapDocument[],
  {
    original,
    isSame,
    extra,
  }: { original: SitemapDocument | undefined; isSame: boolean; extra: readonly Issue[] },
): WalkedSitemap {
  const document = chain.at(-1)!;
  const { kind, outcome, cutBy, contentHash, errorPage } = document;
  const http = httpOf(chain);
  const event = startEvent(place, document.url, chain);
  event.outcome = outcome as SitemapOutcome;
  event.kind = kind?.kind ?? "invalid";
  if (kind?.kind === "invalid") addFailure(event, kind);
  else if (kind !== undefined) event.format = kind.format;
  event.pageCount = document.pageCount;
  event.childCount = document.children.length;
  addIssueCounts(event, chain, extra);
  event.duplicateCount = document.duplicateCount;
  if (document.partial) event.partial = true;
  if (cutBy !== undefined) event.cutBy = cutBy;
  if (contentHash !== undefined) event.contentHash = contentHash;
  if (original !== undefined) event.duplicateOf = original.url;
  if (isSame) event.sameContent = true;
  if (http !== undefined) event.http = http;
  if (errorPage !== undefined) event.errorPage = errorPage;
  return event;
}

/**
 * Builds the event of a place that has no document, or that shares the document of another place. `verdict`: the reason
 * why it has no document.
 */
export function placeEvent(
  place: Place,
  chain: readonly SitemapDocument[],
  verdict: Verdict | undefined,
  extra: readonly Issue[],
): WalkedSitemap {
  const { url } = chain.at(-1) ?? place.declaration;
  const event = startEvent(place, url, chain);
  event.outcome = verdict?.outcome ?? "shared";
  if (verdict !== undefined) addFailure(event, verdict);
  addIssueCounts(event, [], extra);
  return event;
}

/**
 * Starts an event with the properties that its place in the tree decides. Sets them one by one: an object with spread properties takes
 * 1.3 KB, which only a full garbage collection frees. A walk may have 50,000 events (sec-S10).
 */
function startEvent(place: Place, url: string, chain: readonly SitemapDocument[]): EventDraft {
  const { declaration, parent, source, level } = place;
  const event: EventDraft = {
    url,
    outcome: "shared",
    source,
    level,
    kind: "invalid",
    pageCount: 0,
    childCount: 0,
    issueCount: 0,
    duplicateCount: 0,
  };
  if (url !== urlKey(declaration.url)) event.requestedUrl = declaration.url;
  if (chain.length > 1) event.redirects = chain.slice(0, -1).map((document) => document.url);
  if (parent?.document !== undefined) event.parentUrl = parent.document.url;
  if (declaration.lastModified !== undefined) event.lastModified = declaration.lastModified;
  return event;
}

function addFailure(event: EventDraft, failure: FailureFacts): void {
  event.code = failure.code;
  event.reason = reasonText(failure.reason);
  if (failure.cause !== undefined) event.cause = failure.cause;
}

/** Sets the number of issues: the issues of the redirect chain plus the additional issues of the place. */
function addIssueCounts(event: EventDraft, chain: readonly SitemapDocument[], extra: readonly Issue[]): void {
  event.issueCount = issueCountOf(chain) + extra.length;
  if (event.issueCount === 0) return;
  const counts: Partial<Record<IssueCode, number>> = {};
  const add = (code: IssueCode, times: number): void => {
    counts[code] = (counts[code] ?? 0) + times;
  };
  for (const log of chain.flatMap((document) => document.issueCounts)) {
    for (const [code, times] of log) add(code, times);
  }
  for (const { code } of extra) add(code, 1);
  event.issueCounts = counts;
}

/** The facts about the response at the end of a redirect chain. The times include all requests of the chain. */
export function httpOf(chain: readonly SitemapDocument[]): HttpFacts | undefined {
  const http = chain.at(-1)?.http;
  if (http === undefined || chain.length === 1) return http;
  const sum = (name: "ms" | "waitMs"): number =>
    chain.reduce((total, document) => total + (document.http?.[name] ?? 0), 0);
  const waitMs = sum("waitMs");
  return { ...http, ms: sum("ms"), ...(waitMs > 0 && { waitMs }) };
}

export function issueCountOf(chain: readonly SitemapDocument[]): number {
  return chain.reduce((total, { issueCount }) => total + issueCount, 0);
}

type FailureFacts = Pick<Verdict, "code" | "reason" | "cause">;

/** The facts about a failure, for a node of the tree. The reason is safe to print. */
export function failureFacts({ code, reason, cause }: FailureFacts): Omit<FailureFacts, "cause"> & {
  readonly cause?: string;
} {
  return { code, reason: reasonText(reason), ...(cause !== undefined && { cause }) };
}

/**
 * Makes a reason safe to print. A reason may contain text from a server. So control characters and secrets are removed,
 * and the reason is cut to 512 characters (sec-O01, sec-O07).
 */
function reasonText(reason: string): string {
  return logLine(reason, { maxLength: MAX_MESSAGE_LENGTH });
}

/** The reason why a sitemap is not read again: recursion, because it is its own ancestor in the tree. */
export function recursionVerdict({ declaration, parent }: Place, document: SitemapDocument): Verdict {
  const by = parent!.document!;
  const [listed, target, index] = [logUrl(declaration.url), logUrl(document.url), logUrl(by.url)];
  const isDirect = urlKey(declaration.url) === document.url;
  return verdictOf("failed", {
    code: isDirect && by === document ? "index.self-reference" : "index.cycle",
    reason: isDirect
      ? `recursion: ${index} lists ${listed}, which is ${by === document ? "itself" : "its ancestor"}`
      : `recursion: ${index} lists ${listed}, which redirects to its ancestor ${target}`,
  });
}

/** Returns the reason why a known location counts as failed, if it redirects to a sitemap below robots.txt. */
export function guessVerdict(
  { source, declaration }: Place,
  chain: readonly SitemapDocument[],
): Verdict | undefined {
  const document = chain.at(-1)!;
  if (source !== "known" || chain.length === 1 || !isBelowRobots(document)) return undefined;
  const { url } = document;
  return verdictOf("failed", {
    code: "index.cycle",
    reason: `${logUrl(declaration.url)} redirects to ${logUrl(url)}, which is listed below robots.txt: it is read once`,
  });
}

/**
 * The message of an issue code, with the observed value. Omits the part after the semicolon: it describes the data that
 * was kept, but this sitemap has no data.
 */
export function reasonOf({ code, value }: { readonly code: IssueCode; readonly value?: string }): string {
  const [why = ""] = describeIssue(code).message.split(";", 1);
  return value === undefined ? why : `${why} (${value})`;
}

/** For each reached limit: the reason that all stopped sitemaps share. One limit may stop 50,000 sitemaps. */
const verdicts = new WeakMap<Breach, Verdict>();

/** The reason why a sitemap is not read: a limit was reached. */
export function stoppedBy(breach: Breach): Verdict {
  const known = verdicts.get(breach);
  if (known !== undefined) return known;
  const verdict = verdictOf("stopped", { code: breach.code, reason: reasonOf(breach) });
  verdicts.set(breach, verdict);
  return verdict;
}

/** The issue for a sitemap with the same content as another sitemap (C11, sec-S02). */
export function copyIssue({ url }: SitemapDocument, original: SitemapDocument): Issue {
  const code = "index.duplicate-content";
  return { code, severity: severityOf(code), url, value: issueValue(original.url) };
}
