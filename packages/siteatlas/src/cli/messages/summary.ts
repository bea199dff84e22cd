/** The summary, which is the last line of a run. It has the number of pages and sitemaps, and says what is missing. */
import { logUrl } from "../../escape/log-line.ts";
import { count, number } from "../terminal/format-text.ts";
import { failureWords } from "./failure-texts.ts";
import { withLimitFlags } from "./limit-names.ts";
import type { RunCounts } from "./run-counts.ts";

interface SummaryOptions {
  readonly isInterrupted: boolean;
  /** Whether the run is without `-v`, so that the summary says how to get details. */
  readonly isBrief: boolean;
  /** Whether the run shows all issues that the walks report (`-vv`). */
  readonly showsIssues?: boolean;
  /** Text about the result, in place of `80,356 pages in 23 sitemaps`. */
  readonly known?: string | undefined;
  /** The noun for things that can fail. @default "sitemap" */
  readonly unit?: "sitemap" | "document";
}

/** The complete line: `80,356 pages in 23 sitemaps. 1 sitemap failed (404), 1 was truncated. Details: -v`. */
export function summaryLine(runCounts: RunCounts, options: SummaryOptions): string {
  const { isInterrupted, isBrief, showsIssues = false, known = knownText(runCounts) } = options;
  const { unit = "sitemap" } = options;
  const { failures, truncated, cutByLimit, strict, relative, disallowed } = runCounts;
  const hasDetails = failures + truncated + cutByLimit + (strict?.urls ?? 0) + relative + disallowed > 0;
  const line = sentences(
    isInterrupted ? `Interrupted: ${known} so far` : known,
    movedText(runCounts),
    ...missingTexts(runCounts, isInterrupted, unit),
    showsIssues ? hiddenText(runCounts) : "",
  );
  return isBrief && hasDetails ? `${line} Details: -v` : line;
}

/**
 * Text about a redirect to another host:
 * `http://example.com/ redirects to https://www.example.com/, which was searched …`.
 */
export function movedText({ moved }: RunCounts): string {
  const [[from, to] = ["", ""], ...others] = moved;
  if (from === "") return "";
  return others.length === 0
    ? `${logUrl(from)} redirects to ${logUrl(to)}, which was searched as well`
    : `${count(moved.size, "homepage")} redirect to other hosts, which were searched as well`;
}

/** Joins sentences with periods. A single sentence gets no period. */
export function sentences(...texts: readonly string[]): string {
  const given = texts.filter((text) => text !== "");
  return given.length > 1 ? `${given.join(". ")}.` : given.join("");
}

function knownText(runCounts: RunCounts): string {
  const { pages, selected, repeated, isCutShort, sitemaps, givenSitemaps } = runCounts;
  const sites = runCounts.sites - givenSitemaps;
  // If --limit ended the run, the number of all pages and sitemaps is unknown.
  if (isCutShort && selected !== undefined) return count(selected, "page");
  const all = count(pages, "page");
  const some = selected === undefined ? pages : selected - repeated;
  const given = some === pages ? all : `${number(some)} of ${all}`;
  const again =
    repeated === 0
      ? ""
      : ` (${count(repeated, "page")} printed again, because several indexes list their sitemap)`;
  return `${given} in ${count(sitemaps, "sitemap")}${sites > 1 ? ` of ${count(sites, "site")}` : ""}${again}`;
}

function missingTexts(runCounts: RunCounts, isInterrupted: boolean, unit: string): string[] {
  const { failed, failures, truncated, cutByLimit, limits, strict, relative, badLines, blockedLines } =
    runCounts;
  const { disallowed, selected, isCutShort, sitemaps } = runCounts;
  const waiting = isInterrupted ? Math.max(0, runCounts.declared - runCounts.ended) : 0;
  const notRead = runCounts.notRead + waiting;
  const stopped = [...limits.values()].map(withLimitFlags).join(", ");
  // Sitemaps that were read in part also count as read. So say how many of the sitemaps were read in part.
  const part =
    cutByLimit < sitemaps ? `${number(cutByLimit)} of ${count(sitemaps, unit)}` : count(cutByLimit, unit);
  const unread = [
    ...(notRead > 0 ? [`${count(notRead, unit)} not read${cutByLimit > 0 ? " at all" : ""}`] : []),
    ...(cutByLimit > 0 ? [`${part} read only in part`] : []),
  ].join(", ");
  const broken = [
    ...(failures > 0 ? [`${count(failures, unit)} failed (${failureWords(failed)})`] : []),
    ...(truncated > 0
      ? [`${failures > 0 ? number(truncated) : count(truncated, unit)} ${wasOrWere(truncated)} truncated`]
      : []),
  ].join(", ");
  return [
    isCutShort && selected !== undefined ? `Stopped at --limit ${selected}` : "",
    stopped === "" ? unread : `Stopped at ${stopped}${unread === "" ? "" : `: ${unread}`}`,
    broken,
    disallowed === 0
      ? ""
      : `${count(disallowed, unit)} ${wasOrWere(disallowed)} skipped: robots.txt disallows ${disallowed === 1 ? "it" : "them"}`,
    strict === undefined || strict.urls === 0
      ? ""
      : `${strict.isAtLeast ? "At least " : ""}${count(strict.urls, "URL")} ${wasOrWere(strict.urls)} dropped by --strict`,
    relative === 0
      ? ""
      : `${count(relative, "relative URL")} ${wasOrWere(relative)} dropped because ${unit === "document" ? "--url is missing" : "the URL of the file is unknown"}`,
    sitesText(runCounts),
    badLines === 0
      ? ""
      : `${count(badLines, "line")} on stdin ${badLines === 1 ? "is not a URL" : "are not URLs"}`,
    blockedLines === 0
      ? ""
      : `${count(blockedLines, "private address", "private addresses")} on stdin not read`,
  ];
}

/** `1,204 more issues were not shown: -vv shows 10 per code and document. Show more with --max-issues 1000`. */
function hiddenText({ hiddenIssues, maxIssues }: RunCounts): string {
  if (hiddenIssues === 0) return "";
  const what = `${count(hiddenIssues, "more issue")} ${wasOrWere(hiddenIssues)} not shown`;
  return `${what}: -vv shows ${Math.ceil(maxIssues / 10)} per code and document. Show more with --max-issues ${10 * maxIssues}`;
}

function wasOrWere(value: number): string {
  return value === 1 ? "was" : "were";
}

/**
 * Text about sites without a result:
 * `1 site without sitemaps (a.test), 1 given sitemap not read (https://b.test/s.xml: 404)`.
 */
function sitesText({ isList, lostSites: { empty, unread, unreachable } }: RunCounts): string {
  if (!isList) return "";
  return [
    ...(empty.count > 0 ? [`${count(empty.count, "site")} without sitemaps (${empty.names})`] : []),
    ...(unread.count > 0 ? [`${count(unread.count, "given sitemap")} not read (${unread.names})`] : []),
    ...(unreachable.count > 0
      ? [`${count(unreachable.count, "site")} not reached (${unreachable.names})`]
      : []),
  ].join(", ");
}
