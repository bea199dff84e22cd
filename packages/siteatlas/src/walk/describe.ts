/** A sitemap at its end, as an event tells it; and the words for what leads back to where it came from. */
import { issueValue } from "../issue-log.ts";
import { describeIssue } from "../issue-texts.ts";
import { type IssueCode, severityOf } from "../issues.ts";
import type { Issue } from "../model.ts";
import { logLine, logUrl, MAX_MESSAGE_LENGTH } from "../sinks/log-line.ts";
import type { Breach } from "./budget.ts";
import type { WalkedSitemap } from "./events.ts";
import {
  isAbove,
  isBelowRobots,
  type Place,
  resolveRecord,
  type SitemapRecord,
  type Verdict,
} from "./record.ts";

/** A document, where it was declared first; `original` is the one that it is a copy of, `isSame`: it is as it was before. */
export function describe(
  record: SitemapRecord,
  original: SitemapRecord | undefined,
  isSame: boolean,
): WalkedSitemap {
  const { kind, finalUrl, url, redirects, parent, lastModified, http } = record;
  const back = redirectedBack(record);
  return {
    url: finalUrl,
    ...(finalUrl !== url && { requestedUrl: url }),
    ...(redirects.length > 0 && { redirects }),
    outcome: back !== undefined ? "failed" : (record.outcome ?? "failed"),
    source: record.source,
    ...(parent !== undefined && { parentUrl: parent.finalUrl }),
    level: record.level,
    kind: kind?.kind ?? "invalid",
    ...(kind !== undefined && kind.kind !== "invalid" && { format: kind.format }),
    ...(kind?.kind === "invalid" && { code: kind.code, reason: reasonText(kind.reason) }),
    ...back,
    ...(lastModified !== undefined && { lastModified }),
    pageCount: record.pageCount,
    childCount: record.childCount,
    issueCount: record.issueCount + (original === undefined ? 0 : 1),
    duplicateCount: record.duplicateCount,
    ...(record.partial && { partial: true }),
    ...(record.cutBy !== undefined && { cutBy: record.cutBy }),
    ...(record.contentHash !== undefined && { contentHash: record.contentHash }),
    ...(original !== undefined && { duplicateOf: original.finalUrl }),
    ...(isSame && { sameContent: true }),
    ...(http !== undefined && { http }),
  };
}

/** A place that made no request of its own. */
export function describePlace(
  parent: SitemapRecord,
  place: Place,
  level: number,
  verdict: Verdict | undefined,
): WalkedSitemap {
  return {
    url: place.url,
    outcome: verdict?.outcome ?? "shared",
    source: "sitemap",
    parentUrl: parent.finalUrl,
    level,
    kind: "invalid",
    ...(verdict !== undefined && { code: verdict.code, reason: reasonText(verdict.reason) }),
    ...(place.lastModified !== undefined && { lastModified: place.lastModified }),
    pageCount: 0,
    childCount: 0,
    issueCount: 0,
    duplicateCount: 0,
  };
}

/**
 * A reason as it is given out, by events and by the tree. It may hold what a server wrote, and whoever gets it
 * prints it: no control character, no secret, no more than 512 characters (sec-O01, sec-O07).
 */
export function reasonText(reason: string): string {
  return logLine(reason, { maxLength: MAX_MESSAGE_LENGTH });
}

/** Why a sitemap at this place would be its own ancestor. */
export function recursionReason(url: string, parentUrl: string, requestedUrl: string = url): string {
  const [shown, parent, requested] = [logUrl(url), logUrl(parentUrl), logUrl(requestedUrl)];
  return requestedUrl === url
    ? `${shown} is listed by ${parent}, which it leads to itself`
    : `${requested}, listed by ${parent}, redirects to ${shown}, which leads to it`;
}

/** Why a redirect led nowhere new: to what leads here, or, from a guess, to what robots.txt gave. */
function redirectedBack(record: SitemapRecord): Pick<WalkedSitemap, "code" | "reason"> | undefined {
  const { url, finalUrl, parent, source, sameAs } = record;
  if (sameAs === undefined) return undefined;
  const target = resolveRecord(record);
  if (parent !== undefined) {
    if (!isAbove(target, parent)) return undefined;
    return { code: "index.cycle", reason: recursionReason(finalUrl, parent.finalUrl, url) };
  }
  if (source !== "known" || !isBelowRobots(target)) return undefined;
  return {
    code: "index.cycle",
    reason: `${logUrl(url)} redirects to ${logUrl(finalUrl)}, which robots.txt led to before`,
  };
}

/** A code in words, with what was observed. */
export function reasonOf({ code, value }: { readonly code: IssueCode; readonly value?: string }): string {
  const { message } = describeIssue(code);
  return value === undefined ? message : `${message} (${value})`;
}

/** One for each breach: it may be that of 50,000 places. */
const verdicts = new WeakMap<Breach, Verdict>();

/** A limit keeps us from it. */
export function stoppedBy(breach: Breach): Verdict {
  const known = verdicts.get(breach);
  if (known !== undefined) return known;
  const verdict: Verdict = { outcome: "stopped", code: breach.code, reason: reasonOf(breach) };
  verdicts.set(breach, verdict);
  return verdict;
}

/** The same content under another URL (C11, sec-S02). */
export function copyIssue(record: SitemapRecord, original: SitemapRecord): Issue {
  const code = "index.duplicate-content";
  return { code, severity: severityOf(code), url: record.finalUrl, value: issueValue(original.finalUrl) };
}

/** What an index should not list: a page (I10), robots.txt (I14). */
export function misplacedIssue({ parent, kind, url }: SitemapRecord): Issue | undefined {
  if (parent?.kind?.kind !== "index" || parent.kind.format !== "xml") return undefined;
  const isPage = kind?.kind === "invalid" && kind.code === "content.html";
  const isRobots = /^[^?#]*\/robots\.txt(?:[?#]|$)/.test(url);
  if (!isPage && !isRobots) return undefined;
  const code = isPage ? "index.lists-page" : "index.lists-robots";
  return { code, severity: severityOf(code), url: parent.finalUrl, value: issueValue(url) };
}
