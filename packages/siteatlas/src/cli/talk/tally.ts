/**
 * Counts what walks tell: for the line of progress, for the last line, and for the exit code. What is *not*
 * known is counted as carefully as what is.
 */
import type { IssueCode } from "../../issues.ts";
import type { WalkEvent, WalkedSitemap } from "../../walk/events.ts";
import { failureWord } from "./failures.ts";
import type { StrictLosses } from "./strict-losses.ts";

export class Tally {
  /** Pages as the walks give them, before any selection. */
  pages = 0;
  /** Pages given out, where there is a selection. */
  selected: number | undefined;
  /** Given out once more, because their sitemap is declared once more: where the order of declaration counts. */
  repeated = 0;
  /** `--limit` was reached: there may be more. */
  isCutShort = false;
  /** Read, robots.txt aside. */
  sitemaps = 0;
  /** Word for the failure → how many. */
  readonly failed: Map<string, number> = new Map();
  truncated = 0;
  /** Declared, but a limit was reached. */
  notRead = 0;
  /** The limits that ended a walk, as `urls 101, limit 100`. */
  readonly limits: Map<IssueCode, string> = new Map();
  bytes = 0;
  /** Sites that were walked to their end. */
  sites = 0;
  /** Sites without any sitemap. */
  emptySites = 0;
  /** Of these, where nobody answered. */
  unreachableSites = 0;
  /** What strict mode left out, where it is on. */
  strict: StrictLosses | undefined;
  /** Relative URLs of documents whose own URL is not known. */
  readonly relative: { urls: number; isAtLeast: boolean } = { urls: 0, isAtLeast: false };
  /** Lines of stdin that are no URLs. */
  badLines = 0;
  /** Sitemaps that were declared, and how many of these came to their end. */
  declared = 0;
  ended = 0;
  /** Where the latest page came from. */
  current = "";

  get failures(): number {
    let sum = 0;
    for (const times of this.failed.values()) sum += times;
    return sum;
  }

  /** Something is missing that the sites declare. */
  get isPartial(): boolean {
    const { failed, truncated, notRead, limits, badLines } = this;
    const lost = this.sites > 1 ? this.emptySites : 0;
    return failed.size > 0 || truncated + notRead + badLines + lost > 0 || limits.size > 0;
  }

  /** As the last line has them; named alike wherever there is JSON. */
  facts(): object {
    const { pages, selected, sitemaps, failures: failed, truncated, notRead, strict } = this;
    return { pages, selected, sitemaps, failed, truncated, notRead, leftOut: strict?.urls };
  }

  addSitemap(sitemap: WalkedSitemap): void {
    const { outcome, format, parentUrl, http } = sitemap;
    this.bytes += http?.bytes ?? 0;
    if (parentUrl !== undefined) this.ended++;
    // Those that a filter or an option leaves out are declared, but nobody waits for them.
    this.declared += sitemap.childCount;
    if (outcome === "found" && format !== "robots") this.sitemaps++;
    if (sitemap.partial) this.truncated++;
    // Whether there is anything where we would have guessed, nobody knows.
    if (outcome === "stopped" && sitemap.source !== "known") this.notRead++;
    if (isFailure(sitemap)) this.#addFailure(failureWord(sitemap), 1);
  }

  /** A site gave nothing. Where nobody answered, that says it all: its failures are not counted besides. */
  addEmptySite({ answered, failures }: SiteFacts): void {
    this.emptySites++;
    if (answered > 0) return;
    this.unreachableSites++;
    for (const word of failures) this.#addFailure(word, -1);
  }

  #addFailure(word: string, times: number): void {
    const sum = (this.failed.get(word) ?? 0) + times;
    if (sum > 0) this.failed.set(word, sum);
    else this.failed.delete(word);
  }
}

/**
 * Whether something is lost. A guess that fails is expected, a robots.txt need not be there, and what leads
 * back to itself was read.
 */
export function isFailure({ outcome, source, http, code }: WalkedSitemap): boolean {
  if (outcome !== "failed" || source === "known") return false;
  if (source === "robots" && (http?.status === 404 || http?.status === 410)) return false;
  return code === undefined || !code.startsWith("index.");
}

/** What one walk did to find sitemaps: told when there are none. */
export class SiteFacts {
  readonly homepage: string;
  sitemaps = 0;
  robots: string | undefined;
  robotsSitemaps = 0;
  /** Known locations that failed: word → how many. */
  readonly guesses: Map<string, number> = new Map();
  /** Sitemaps that were named, but are none. */
  readonly named: Map<string, number> = new Map();
  /** Words for what failed. */
  readonly failures: string[] = [];
  /** Requests that a server answered in any way. */
  answered = 0;
  /** The first failure without an answer. */
  firstFailure: { readonly url: string; readonly code: IssueCode; readonly reason: string } | undefined;

  constructor(homepage: string) {
    this.homepage = homepage;
  }

  addSitemap(sitemap: WalkedSitemap): void {
    const { url, outcome, source, format, http, code, reason = "" } = sitemap;
    if (outcome === "found" || http !== undefined || outcome === "shared") this.answered++;
    else if (code?.startsWith("http.")) this.firstFailure ??= { url, code, reason };
    if (outcome === "found" && format !== "robots") this.sitemaps++;
    const word = outcome === "found" ? "" : failureWord(sitemap);
    // They are only asked for where nothing was found.
    if (this.sitemaps === 0 && isFailure(sitemap)) this.failures.push(word);
    if (source === "robots") {
      this.robots = outcome === "found" ? "found" : word;
      this.robotsSitemaps = sitemap.childCount;
    } else if (outcome === "failed") {
      const words = source === "known" ? this.guesses : this.named;
      words.set(word, (words.get(word) ?? 0) + 1);
    }
  }
}

/** Adds an event of one site to both; pages are counted where they are handled. */
export function countEvent(event: WalkEvent, tally: Tally, facts: SiteFacts): void {
  if (event.kind === "sitemap") {
    const { url, issueCount } = event.sitemap;
    tally.addSitemap(event.sitemap);
    tally.strict?.addDocument(url, issueCount);
    facts.addSitemap(event.sitemap);
  } else if (event.kind === "issue") {
    const { code, url, value = "" } = event.issue;
    // Those of one document are told with it, as partial.
    if (code.startsWith("limit.") && url === facts.homepage) tally.limits.set(code, value);
  }
}
