/** What to do when nothing was found: says what was tried and which flag may help. */
import type { IssueCode } from "../../issues.ts";
import { logUrl } from "../../sinks/log-line.ts";
import type { Settings } from "../flags.ts";
import type { Target } from "../target.ts";
import { failureReason, failureWords, isMetadataUrl, PRIVATE_WORD } from "./failures.ts";
import type { SiteFacts, Tally } from "./tally.ts";
import { count, joined, number } from "./words.ts";

export interface Message {
  readonly text: string;
  readonly hint?: string;
}

/** Also said in the middle of a line that names the site. */
export interface SiteMessage extends Message {
  readonly brief: string;
}

/** Why a site gave no sitemap at all. */
export function nothingFound(target: Target, facts: SiteFacts, settings: Settings): SiteMessage {
  const { answered, firstFailure } = facts;
  if (answered === 0 && firstFailure !== undefined) {
    const { text, hint } = noAnswer(target, firstFailure, settings);
    return { text: `Cannot reach ${target.name}: ${text}`, brief: `cannot be reached: ${text}`, hint };
  }
  if (target.sitemapPath !== undefined) {
    // What robots.txt keeps us from is not asked for.
    const isKept = facts.guesses.size === 0 && settings.respectRobots === true;
    const why = failureWords(facts.guesses) || (isKept ? "robots.txt keeps us from it" : "nothing is there");
    return {
      text: `No sitemap at ${logUrl(target.url)} (${why})`,
      brief: `no sitemap there (${why})`,
      hint: isKept
        ? "Without --respect-robots it is asked for"
        : `siteatlas find ${typedSite(target)} looks for others`,
    };
  }
  const tried = `tried ${joined(whatWasTried(facts, settings))}`;
  return {
    text: `No sitemap found on ${target.name}: ${tried}`,
    brief: `no sitemap found: ${tried}`,
    hint: whatElse(settings),
  };
}

/** What a sync of a site that a snapshot knows has come to. */
export interface KnownSite {
  readonly pageCount: number;
  readonly removed: number;
  /** Why its sitemaps could not be read: word → how many. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Why nothing could be read of a site that a snapshot knows, and what became of its pages. The rest is to wait. */
export function nothingRead(
  target: Target,
  facts: SiteFacts,
  settings: Settings,
  { pageCount, removed, reasons }: KnownSite,
): SiteMessage {
  const { answered, firstFailure } = facts;
  if (pageCount === 0) {
    const { text, brief, hint = "" } = nothingFound(target, facts, settings);
    return { text, brief, hint: removed === 0 ? hint : `All its pages count as removed: ${number(removed)}` };
  }
  const kept = `the snapshot keeps its ${count(pageCount, "page")}`;
  if (answered === 0 && firstFailure !== undefined) {
    const { text, hint } = noAnswer(target, firstFailure, settings);
    return {
      text: `Cannot reach ${target.name}: ${text}; ${kept}`,
      brief: `cannot be reached: ${text}; ${kept}`,
      // That it speaks so is known.
      ...(FLAG_CODES.has(firstFailure.code) && { hint }),
    };
  }
  const why = failureWords(reasons) || failureWords(countWords(facts.failures));
  const what = `could be read${why === "" ? "" : ` (${why})`}; ${kept}`;
  return { text: `Nothing on ${target.name} ${what}`, brief: `nothing ${what}` };
}

/** Where a flag may help. */
const FLAG_CODES: ReadonlySet<IssueCode> = new Set([
  "http.dns",
  "http.blocked-address",
  "http.blocked-port",
  "http.downgrade",
  "http.timeout",
  "limit.time",
]);

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The site as somebody would type it: with its scheme, where that was not ours. */
export function typedSite({ url, name, isCompleted }: Target): string {
  return isCompleted ? name : new URL(url).origin;
}

/** Nobody answered, or nobody was asked. */
export interface NoAnswer {
  readonly url: string;
  readonly code: IssueCode;
  readonly reason: string;
}

/** Why nobody answered, and what to do about it. */
export function noAnswer(target: Target, failure: NoAnswer, { allowPrivate }: Settings): Required<Message> {
  const { url, code } = failure;
  // With --allow-private nothing else is refused.
  if (code === "http.blocked-address" && (allowPrivate || isMetadataUrl(url))) {
    return {
      text: "cloud metadata addresses are never requested",
      hint: "No flag opens them: what is there gives this machine's credentials to whoever asks",
    };
  }
  return { text: failureReason(failure) ?? "", hint: reachHint(target, code) };
}

function reachHint({ url, name, isCompleted }: Target, code: IssueCode): string {
  switch (code) {
    case "http.dns":
      return "Is the name spelled right, and are you connected? Behind a proxy: --proxy URL";
    case "http.blocked-address":
      return `--allow ${name} connects to this host, --allow-private to all that are not public`;
    case "http.blocked-port":
      return `--allow ${name} connects to this port all the same`;
    case "limit.time":
      return "--deadline waits longer";
    case "http.downgrade":
      return "Without --https-only plain http is requested, too";
    case "http.timeout":
      return "--headers-timeout and --timeout wait longer";
    default:
      return isCompleted
        ? `If it speaks plain http: ${url.replace("https:", "http:")}`
        : "Is it running, and does a firewall or a proxy stand between? --proxy URL goes through one";
  }
}

/** `robots.txt (404)`, `16 known locations (404)`, `the links of the homepage`. */
function whatWasTried({ robots, robotsSitemaps, guesses, named }: SiteFacts, settings: Settings): string[] {
  const tried: string[] = [];
  if (robots === "found") {
    tried.push(`robots.txt (names ${robotsSitemaps === 0 ? "none" : count(robotsSitemaps, "sitemap")})`);
  } else if (robots !== undefined) tried.push(`robots.txt (${robots})`);
  const sum = (words: ReadonlyMap<string, number>): number => [...words.values()].reduce((a, b) => a + b, 0);
  if (named.size > 0) tried.push(`${count(sum(named), "sitemap")} that it names (${failureWords(named)})`);
  if (guesses.size > 0) tried.push(`${count(sum(guesses), "known location")} (${failureWords(guesses)})`);
  if (settings.homepageLinks !== false) tried.push("the links of the homepage");
  return tried.length === 0 ? ["nothing: every way to find one is switched off"] : tried;
}

function whatElse({ known, respectRobots }: Settings): string {
  if (respectRobots) return "Without --respect-robots, what robots.txt disallows is tried, too";
  const thorough = known === "thorough" ? "" : "--known thorough tries more locations; ";
  return `${thorough}--known-path PATH tries one that you know of`;
}

/** What would help with some of what is missing, though other things were found. */
export function partialHint({ failed }: Tally): string | undefined {
  const blocked = failed.get(PRIVATE_WORD) ?? 0;
  if (blocked === 0) return undefined;
  return `${count(blocked, "sitemap is", "sitemaps are")} on an address that is not public; --allow-private reads ${blocked === 1 ? "it" : "them"}, --allow HOST those of one host`;
}
