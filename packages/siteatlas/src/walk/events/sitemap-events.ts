/** Builds the events of sitemaps that ended, and the sentences that explain why. */
import { logLine, logUrl, MAX_MESSAGE_LENGTH } from "../../escape/log-line.ts";
import { issueValue } from "../../model/issue-log.ts";
import { type IssueCode, severityOf } from "../../model/issue-severity.ts";
import { describeIssue } from "../../model/issue-table.ts";
import type { HttpFacts, Issue } from "../../model/model.ts";
import type { Breach } from "../budget.ts";
import type { Place } from "../place.ts";
import { type SitemapDocument, type Verdict, verdictOf } from "../site-graph.ts";
import { urlKey } from "../url-key.ts";
import type { SitemapOutcome, WalkedSitemap } from "./events.ts";

/** An event while it is built, see `startEvent`. */
type EventDraft = { -readonly [Name in keyof WalkedSitemap]: WalkedSitemap[Name] };

/**
 * The event of a document at the place that it was requested for. `chain`: its redirects and the document itself.
 * `original`: the document that this one is a copy of. `isSame`: it is unchanged since the last sync. `extra`:
 * further issues, which only this place has.
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

/** The event of a place without a document of its own. `verdict` says why, unless it shares a document. */
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
 * An event with the facts of its place. It is built property by property: an object that spreads others costs 1.3 KB
 * which only a full garbage collection frees, and there may be 50,000 events (sec-S10).
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

/** Adds the number of issues of a redirect chain, and of additional issues of its place. */
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

/** The response at the end of a redirect chain. Its duration includes all requests of the chain. */
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

/** Explains a failure, for an event or a node of the tree. */
export function failureFacts({ code, reason, cause }: FailureFacts): Omit<FailureFacts, "cause"> & {
  readonly cause?: string;
} {
  return { code, reason: reasonText(reason), ...(cause !== undefined && { cause }) };
}

/**
 * Makes a reason safe to print. It may quote a server, so control characters and secrets are removed, and it is cut
 * to 512 characters (sec-O01, sec-O07).
 */
function reasonText(reason: string): string {
  return logLine(reason, { maxLength: MAX_MESSAGE_LENGTH });
}

/** The verdict for recursion: a sitemap lists one of its own ancestors. */
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

/** The verdict for a known location that redirects to a sitemap that robots.txt lists. */
export function guessVerdict({ declaration }: Place, { url }: SitemapDocument): Verdict {
  return verdictOf("failed", {
    code: "index.cycle",
    reason: `${logUrl(declaration.url)} redirects to ${logUrl(url)}, which is listed below robots.txt: it is read once`,
  });
}

/**
 * The text of an issue code, with the observed value. The part after the semicolon describes the data that was kept.
 * It is omitted, because nothing was read.
 */
export function reasonOf({ code, value }: { readonly code: IssueCode; readonly value?: string }): string {
  const [why = ""] = describeIssue(code).message.split(";", 1);
  return value === undefined ? why : `${why} (${value})`;
}

/** One object per breach, because the same breach may stop 50,000 places. */
const verdicts = new WeakMap<Breach, Verdict>();

/** The verdict for a sitemap that a limit stopped. */
export function stoppedBy(breach: Breach): Verdict {
  const known = verdicts.get(breach);
  if (known !== undefined) return known;
  const verdict = verdictOf("stopped", { code: breach.code, reason: reasonOf(breach) });
  verdicts.set(breach, verdict);
  return verdict;
}

/** The issue of a sitemap that has the same content as another one (C11, sec-S02). */
export function copyIssue({ url }: SitemapDocument, original: SitemapDocument): Issue {
  const code = "index.duplicate-content";
  return { code, severity: severityOf(code), url, value: issueValue(original.url) };
}
