/** Counts the events of all walks of a run, for the progress, the last line and the exit code. */
import { isAbsent } from "../../model/http-status.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { isCountedSitemap } from "../../walk/events/counted-sitemap.ts";
import type { WalkEvent, WalkedSitemap } from "../../walk/events/events.ts";
import { number } from "../terminal/format-text.ts";
import { failureWord, isStrictEnd, PRIVATE_WORD } from "./failure-texts.ts";
import type { NoAnswer } from "./no-answer.ts";
import type { StrictLosses } from "./strict-losses.ts";

export interface RequestInFlight {
  readonly url: string;
  /** Start time on the clock of `performance.now`. */
  readonly since: number;
}

/** `empty`: without sitemaps. `unread`: a given sitemap that could not be read. `unreachable`: without any response. */
type SiteLoss = "empty" | "unread" | "unreachable";

/** Names that the last line shows. */
const MAX_NAMES = 5;

/** Counts sites, and keeps the names of the first ones: there may be millions. */
class NamedSites {
  count = 0;
  readonly #names: string[] = [];

  add(name: string): void {
    this.count++;
    if (this.#names.length < MAX_NAMES) this.#names.push(name);
  }

  /** `a.test, b.test: 401`, `a.test, b.test, … and 7 more` */
  get names(): string {
    const more = this.count - this.#names.length;
    return `${this.#names.join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}`;
  }
}

export class RunCounts {
  /** All pages that the walks found. */
  pages = 0;
  /** Pages that passed the filters, if there are any. */
  selected: number | undefined;
  /** Pages printed again, because several indexes list their sitemap (`--ordered`, `-f tree`). */
  repeated = 0;
  /** Whether `--limit` was reached: there may be more pages. */
  isCutShort = false;
  /** Sitemaps that were read (counted-sitemap.ts). */
  sitemaps = 0;
  /** Whether pages are reported after their sitemaps have ended (`--ordered`). */
  pagesComeLast = false;
  /** Sitemaps that had pages and have not ended. */
  readonly #openSitemaps: Set<string> = new Set();
  #lastOpened: string | undefined;
  /** Failed sitemaps: word for the failure → count. */
  readonly failed: Map<string, number> = new Map();
  /** Hosts of failed sitemaps that have private addresses. */
  readonly privateHosts: Set<string> = new Set();
  /** Sitemaps that are incomplete because of the site. */
  truncated = 0;
  /** Sitemaps that are incomplete because of a limit. */
  cutByLimit = 0;
  /** Sitemaps that were not requested because of a limit. */
  notRead = 0;
  /** Limits that ended a walk, as `101; limits.urls allows 100`. */
  readonly limits: Map<IssueCode, string> = new Map();
  bytes = 0;
  sites = 0;
  /** Several sites, or a list on stdin. The last line then counts failures, instead of one message per site. */
  isList = false;
  /** Sites whose homepage redirects to another host that was searched: homepage → target of the redirect. */
  readonly moved: Map<string, string> = new Map();
  /** Given sitemaps among the sites. */
  givenSitemaps = 0;
  /** Sites that gave nothing. */
  emptySites = 0;
  /** The same for the last line, by what is wrong with them. */
  readonly lostSites: Readonly<Record<SiteLoss, NamedSites>> = {
    empty: new NamedSites(),
    unread: new NamedSites(),
    unreachable: new NamedSites(),
  };
  strict: StrictLosses | undefined;
  /** Relative URLs in documents whose own URL is unknown. */
  readonly relative: { urls: number; isAtLeast: boolean } = { urls: 0, isAtLeast: false };
  /** Lines on stdin that are not URLs. */
  badLines = 0;
  /** Lines on stdin with private addresses that are not allowed. */
  blockedLines = 0;
  /** Sitemaps that indexes and robots.txt list. `ended` counts those that were handled. */
  declared = 0;
  ended = 0;
  /** The file that is being read, if no request is in flight. */
  current = "";
  /** Requests in flight, oldest first. */
  readonly #inFlight: Set<RequestInFlight> = new Set();
  #mostKnown = 0;
  #mostFailures = 0;

  addPage(sitemapUrl: string): void {
    this.pages++;
    if (!this.pagesComeLast) this.openSitemap(sitemapUrl);
  }

  /** Call this when a part of the sitemap was read. */
  openSitemap(url: string): void {
    if (url === this.#lastOpened) return;
    this.#lastOpened = url;
    this.#openSitemaps.add(url);
  }

  /** Call this when the sitemap was read to its end. It is then counted as complete. */
  closeSitemap(url: string): void {
    this.#openSitemaps.delete(url);
    if (this.#lastOpened === url) this.#lastOpened = undefined;
  }

  /** Removes the last page from the counts, because it is beyond `--limit`. */
  dropPage(): void {
    this.pages--;
    this.isCutShort = true;
  }

  /** Sitemaps that were read. After `--limit`, includes those that were read in part. */
  get sitemapsRead(): number {
    return this.sitemaps + (this.isCutShort ? this.#openSitemaps.size : 0);
  }

  /** Counts a request. Call the returned function when it has ended. */
  startRequest(url: string): () => void {
    const request = { url, since: performance.now() };
    this.#inFlight.add(request);
    return () => this.#inFlight.delete(request);
  }

  /** Hosts that asked for a pause, and when it ends. */
  readonly #pauses: Map<string, number> = new Map();

  /** Call this when a host requests a pause. */
  pause(host: string, ms: number): void {
    const until = performance.now() + ms;
    this.#pauses.set(host, Math.max(until, this.#pauses.get(host) ?? 0));
  }

  /** The host with the longest pause that is not over yet. */
  get paused(): { readonly host: string; readonly leftMs: number } | undefined {
    const now = performance.now();
    const [longest] = [...this.#pauses].filter(([, until]) => until > now).sort(([, a], [, b]) => b - a);
    return longest && { host: longest[0], leftMs: longest[1] - now };
  }

  /** The requests in flight, the oldest first. */
  get inFlight(): readonly RequestInFlight[] {
    return [...this.#inFlight];
  }

  /**
   * The numbers of the progress lines, which never decrease. A listed sitemap that failed stays known. A failure
   * stays a failure, even if the complete site turns out to be unreachable.
   */
  progress(): { readonly known: number; readonly failed: number } {
    this.#mostFailures = Math.max(this.#mostFailures, this.failures);
    return { known: this.#mostKnown, failed: this.#mostFailures };
  }

  get failures(): number {
    let sum = 0;
    for (const times of this.failed.values()) sum += times;
    return sum;
  }

  /** Whether anything that the sites declare is missing. */
  get isPartial(): boolean {
    const { failed, truncated, cutByLimit, notRead, limits, badLines, blockedLines } = this;
    const lost = this.isList ? this.emptySites : 0;
    return failed.size + truncated + cutByLimit + notRead + badLines + blockedLines + lost + limits.size > 0;
  }

  /** The numbers of the last line, with the same names as in all JSON output. */
  facts(): object {
    const {
      pages,
      selected,
      sitemapsRead: sitemaps,
      failures: failed,
      truncated,
      cutByLimit,
      notRead,
      strict,
    } = this;
    return { pages, selected, sitemaps, failed, truncated, cutByLimit, notRead, leftOut: strict?.urls };
  }

  addSitemap(sitemap: WalkedSitemap): void {
    const { url, outcome, parentUrl, http } = sitemap;
    this.closeSitemap(url);
    this.bytes += http?.bytes ?? 0;
    if (parentUrl !== undefined) this.ended++;
    this.declared += sitemap.childCount;
    if (isCountedSitemap(sitemap)) this.sitemaps++;
    // Updated with each event, not when progress is shown: the maximum must not depend on how often that happens.
    this.#mostKnown = Math.max(this.#mostKnown, this.sitemaps + Math.max(0, this.declared - this.ended));
    if (isCutByLimit(sitemap)) this.cutByLimit++;
    else if (sitemap.partial) this.truncated++;
    // A known location may have no sitemap, so it does not count as lost.
    if (outcome === "stopped" && sitemap.source !== "known") this.notRead++;
    if (!isFailure(sitemap)) return;
    const word = failureWord(sitemap);
    this.#addFailure(word, 1);
    const host = word === PRIVATE_WORD ? hostOf(url) : undefined;
    if (host !== undefined) this.privateHosts.add(host);
  }

  /**
   * A site gave nothing. If it did not answer at all, it counts as unreachable. If all of it failed for one reason,
   * its robots.txt and sitemaps do not count as failed.
   *
   * @param name the host, or the URL of a given sitemap
   * @param why in a word; may be empty
   */
  addEmptySite({ answered, failures }: SiteFacts, name: string, why: string, isSitemap: boolean): void {
    this.emptySites++;
    const loss = answered === 0 ? "unreachable" : isSitemap ? "unread" : "empty";
    this.lostSites[loss].add(why === "" ? name : `${name}: ${why}`);
    if (loss === "unread" || (loss === "empty" && why === "")) return;
    for (const word of failures) this.#addFailure(word, -1);
  }

  #addFailure(word: string, times: number): void {
    const sum = (this.failed.get(word) ?? 0) + times;
    if (sum > 0) this.failed.set(word, sum);
    else this.failed.delete(word);
  }
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const LOGIN = /(?:^|[/._-])(?:log[-_]?in|sign[-_]?in|log[-_]?on|sso|oauth2?|saml2?|auth)(?=$|[/._-])/i;

function isLoginPage(url: string): boolean {
  return URL.canParse(url) && LOGIN.test(new URL(url).pathname);
}

/** The sitemap is incomplete because of a limit of ours, not because of the site. */
export function isCutByLimit({ partial, cutBy }: WalkedSitemap): boolean {
  return partial === true && (cutBy === "gzip.bomb" || cutBy?.startsWith("limit.") === true);
}

/**
 * Whether pages may be missing because of this sitemap. These are not failures: a known location without a sitemap, a
 * missing robots.txt, and a sitemap that lists one of its own indexes, because that one is read elsewhere.
 */
export function isFailure({ outcome, source, http, code }: WalkedSitemap): boolean {
  if (outcome !== "failed" || source === "known") return false;
  if (source === "robots" && isAbsent(http?.status)) return false;
  return code === undefined || !code.startsWith("index.");
}

/** How one walk searched for sitemaps, for the message if it found none. */
export class SiteFacts {
  readonly homepage: string;
  sitemaps = 0;
  robots: string | undefined;
  robotsSitemaps = 0;
  /** Failed known locations: word → count. */
  readonly guesses: Map<string, number> = new Map();
  /** Failed sitemaps that the user gave, or that robots.txt or the homepage lists: word → count. */
  readonly named: Map<string, number> = new Map();
  /** A word for each failure, until the first sitemap is found. */
  readonly failures: string[] = [];
  /** Target of the homepage's redirect, if that host was searched. */
  movedTo: string | undefined;
  /** Requests with any response. */
  answered = 0;
  /** The first failure without a response. */
  firstFailure: NoAnswer | undefined;
  /** Whether a sitemap exists that strict mode rejected. */
  isRejected = false;
  /** URLs that were not requested because robots.txt disallows them. */
  disallowed = 0;
  /** Hosts that were not requested because they have private addresses. */
  readonly privateHosts: Set<string> = new Set();
  /** The origin of the first response with an error status, after redirects. */
  lastOrigin: string | undefined;
  /** How to log in, as the first response with status 401 says. */
  loginCause: string | undefined;
  /** A page for people to log in, which a request was redirected to. */
  loginPage: string | undefined;

  constructor(homepage: string) {
    this.homepage = homepage;
  }

  addSitemap(sitemap: WalkedSitemap): void {
    const { url, requestedUrl, outcome, source, http, code, reason = "", cause } = sitemap;
    if (outcome === "found" || http !== undefined || outcome === "shared") this.answered++;
    else if (code?.startsWith("http.")) this.firstFailure ??= { url, code, reason, cause };
    if (code === "robots.disallowed") this.disallowed++;
    if (isStrictEnd(code)) this.isRejected = true;
    if (code === "http.status" && URL.canParse(url)) this.lastOrigin ??= new URL(url).origin;
    if (http?.status === 401) this.loginCause ??= cause;
    if (isCountedSitemap(sitemap)) this.sitemaps++;
    // Also robots.txt, which may be an HTML page.
    const isLogin = requestedUrl !== undefined && isLoginPage(url) && !isCountedSitemap(sitemap);
    if (isLogin) this.loginPage ??= url;
    // An earlier request has the reason.
    if (cause === "host-failed") return;
    const word = outcome === "found" ? "" : failureWord(sitemap);
    const host = word === PRIVATE_WORD ? hostOf(url) : undefined;
    if (host !== undefined) this.privateHosts.add(host);
    if (this.sitemaps === 0 && isFailure(sitemap)) this.failures.push(word);
    if (source === "robots") {
      this.robots = isLogin ? "login" : outcome === "found" ? "found" : word;
      this.robotsSitemaps = sitemap.childCount;
    } else if (outcome === "failed") {
      const words = source === "known" ? this.guesses : this.named;
      words.set(word, (words.get(word) ?? 0) + 1);
    }
  }
}

/** Counts an event other than a page. */
export function countEvent(event: WalkEvent, runCounts: RunCounts, facts: SiteFacts): void {
  if (event.kind === "sitemap") {
    runCounts.addSitemap(event.sitemap);
    runCounts.strict?.addDocument(event.sitemap);
    facts.addSitemap(event.sitemap);
  } else if (event.kind === "issue") {
    const { code, url, value = "" } = event.issue;
    if (code === "site.moved") {
      runCounts.moved.set(url, value);
      facts.movedTo = value;
    }
    // A limit of one document is counted with the document.
    if (code.startsWith("limit.") && url === facts.homepage) runCounts.limits.set(code, value);
  }
}
