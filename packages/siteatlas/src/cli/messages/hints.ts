/** Messages for a site without sitemaps: what was tried, and what may help. */

import { logUrl } from "../../escape/log-line.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { Settings } from "../config/flags.ts";
import type { Target } from "../config/target.ts";
import { count, number } from "../terminal/format-text.ts";
import { failureWords, PRIVATE_WORD } from "./failure-texts.ts";
import { noAnswer } from "./no-answer.ts";
import { isLogin, isRefused, LOGIN_HINT, type Message, refusal } from "./refusals.ts";
import type { RunCounts, SiteFacts } from "./run-counts.ts";

export type { Message } from "./refusals.ts";

/** Explains why no sitemap of a site was found. */
export function nothingFound(target: Target, facts: SiteFacts, settings: Settings): Message {
  if (facts.answered === 0 && facts.firstFailure !== undefined) {
    return noAnswer(target, facts.firstFailure, settings);
  }
  if (facts.loginPage !== undefined && isLogin(facts)) {
    const name = target.sitemapPath === undefined ? target.name : logUrl(target.url);
    return {
      text: `${name} wants a login: it redirects to ${logUrl(facts.loginPage)}`,
      hint: LOGIN_HINT,
    };
  }
  if (target.sitemapPath !== undefined) {
    const isDisallowed = facts.disallowed > 0;
    const why = failureWords(facts.named) || (isDisallowed ? "disallowed by robots.txt" : "nothing there");
    if (facts.isRejected) {
      return {
        text: `cannot read ${logUrl(target.url)} (${why})`,
        hint: "Remove --strict: siteatlas then repairs the sitemap and reads all of it.",
      };
    }
    return {
      text: `no sitemap at ${logUrl(target.url)} (${why})`,
      hint: isDisallowed
        ? "Fetch it anyway by removing --respect-robots."
        : (refusal(target, facts, settings)?.hint ??
          `Find the site's sitemaps: siteatlas find ${typedSite(target)}`),
    };
  }
  return (
    refusal(target, facts, settings) ?? {
      text: `no sitemap found on ${target.name}`,
      hint: `${triedText(facts, settings)}\n${whatElse(facts, settings)}`,
    }
  );
}

/** Numbers of a sync that could read nothing, on a site that already has a snapshot. */
interface KnownSite {
  readonly pageCount: number;
  /** Number of pages that disappeared, but are not yet reported as removed. */
  readonly pending: number;
  /** Number of sitemaps that could not be read, by reason. Keys are words such as `404`. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Explains why a sync could read nothing, and whether the pages in the snapshot were kept. */
export function nothingRead(
  target: Target,
  facts: SiteFacts,
  settings: Settings,
  { pageCount, pending, reasons }: KnownSite,
): Message {
  if (pageCount === 0) {
    const { text, hint = "" } = nothingFound(target, facts, settings);
    return {
      text,
      hint:
        pending === 0
          ? hint
          : `If its ${count(pending, "page")} stay away for a day and three syncs, they are reported as removed.`,
    };
  }
  const alsoPending = pending === 0 ? "" : ` and ${number(pending)} pending`;
  const kept = `The snapshot keeps its ${count(pageCount, "page")}${alsoPending}.`;
  const { answered, firstFailure } = facts;
  if (answered === 0 && firstFailure !== undefined) {
    const { text, hint } = noAnswer(target, firstFailure, settings);
    // The site worked before. A hint such as "Is this a web server?" would not help, so show only hints about the
    // network or a flag.
    return { text: `${text}. ${kept}`, ...(HELPFUL.has(firstFailure.code) && { hint }) };
  }
  const why = failureWords(reasons) || failureWords(countWords(facts.failures));
  const text = `nothing on ${target.name} could be read${why === "" ? "" : ` (${why})`}. ${kept}`;
  // The site worked before. But its password may have changed, or its cookie may have expired.
  const hint = isRefused(facts)
    ? refusal(target, facts, settings)?.hint
    : isLogin(facts)
      ? LOGIN_HINT
      : undefined;
  return { text, ...(hint !== undefined && { hint }) };
}

const HELPFUL: ReadonlySet<IssueCode> = new Set([
  "http.dns",
  "http.blocked-address",
  "http.blocked-port",
  "http.downgrade",
  "http.proxy",
  "http.timeout",
  "http.tls",
  "limit.time",
]);

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The site as messages show it. The scheme is shown only if the user typed one. */
function typedSite({ url, name, isCompleted }: Target): string {
  return isCompleted ? name : new URL(url).origin;
}

/** Lists what was requested: `Tried: robots.txt (404), 18 known locations (404), homepage links.` */
function triedText(
  { robots, robotsSitemaps, guesses, named, homepageStatus, movedTo }: SiteFacts,
  settings: Settings,
): string {
  const tried: string[] = [];
  if (robots === "found") {
    tried.push(
      `robots.txt (lists ${robotsSitemaps === 0 ? "no sitemap" : count(robotsSitemaps, "sitemap")})`,
    );
  } else if (robots !== undefined) tried.push(`robots.txt (${robots})`);
  const sum = (words: ReadonlyMap<string, number>): number => [...words.values()].reduce((a, b) => a + b, 0);
  if (named.size > 0) tried.push(`${count(sum(named), "listed sitemap")} (${failureWords(named)})`);
  if (guesses.size > 0) tried.push(`${count(sum(guesses), "known location")} (${failureWords(guesses)})`);
  if (settings.homepageLinks !== false) {
    tried.push(`homepage links${homepageStatus === undefined ? "" : ` (${homepageStatus})`}`);
  }
  if (movedTo !== undefined) tried.push(`${logUrl(movedTo)}, where the homepage redirects`);
  return tried.length === 0
    ? "Your flags turn off every way to find a sitemap."
    : `Tried: ${tried.join(", ")}.`;
}

function whatElse(facts: SiteFacts, { known, robots }: Settings): string {
  const { disallowed, privateHosts, guesses, named, homepageStatus = "" } = facts;
  const [host] = privateHosts;
  if (host !== undefined)
    return `Allow ${host} with --allow ${host}, or all private addresses with --allow-private.`;
  if (disallowed > 0) {
    return `robots.txt disallows ${count(disallowed, "location")}. Try ${disallowed === 1 ? "it" : "them"} by removing --respect-robots.`;
  }
  if (robots === false) return "robots.txt usually lists the sitemaps. Read it by removing --no-robots.";
  // More requests do not help a server that is overloaded or down.
  const { code } = facts.firstFailure ?? {};
  const words = [...named.keys(), ...guesses.keys(), homepageStatus, facts.robots ?? ""];
  const isDown = code === "http.connection" || code === "http.timeout";
  if (isDown || words.some((word) => /^(?:429|5\d\d)$/.test(word))) return "Try again later.";
  const path = "name one with --known-path /my-sitemap.xml.";
  return known === "thorough"
    ? `If you know a location, ${path}`
    : `Try about 100 locations with --known thorough, or ${path}`;
}

/** Returns a hint how to read some of the failed sitemaps. Undefined if no hint applies. */
export function partialHint({ failed, privateHosts }: RunCounts): string | undefined {
  const blocked = failed.get(PRIVATE_WORD) ?? 0;
  const [host = "", ...others] = privateHosts;
  if (blocked === 0) return undefined;
  const verb = blocked === 1 ? "was" : "were";
  const what = `${count(blocked, "sitemap")} ${verb} not fetched because`;
  return others.length > 0
    ? `${what} their hosts have private addresses. Allow one with --allow HOST, or all with --allow-private.`
    : `${what} ${host} has a private address. Allow it with --allow ${host}, or all private addresses with --allow-private.`;
}
