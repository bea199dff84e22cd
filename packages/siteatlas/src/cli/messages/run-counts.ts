/** Counts the events of all walks of a run. The progress, the summary and the exit code are made from these counts. */
import { PARSE_LIMITS } from "../../model/generated/limits.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { isCountedSitemap } from "../../walk/events/counted-sitemap.ts";
import { isGuess, type WalkEvent, type WalkedSitemap } from "../../walk/events/events.ts";
import { isFailure } from "../../walk/events/failed-sitemap.ts";
import { number } from "../terminal/format-text.ts";
import { failureWord, isStrictEnd, PRIVATE_WORD } from "./failure-texts.ts";
import type { NoAnswer } from "./no-answer.ts";
import type { StrictLosses } from "./strict-losses.ts";

export interface RequestInFlight {
  readonly url: string;
  /** Start of the request, in milliseconds of `performance.now`. */
  readonly since: number;
}

/**
 * Why a site has no result. `empty`: it has no sitemaps. `unread`: the sitemap that the user gave could not be read.
 * `unreachable`: no request got a response.
 */
type SiteLoss = "empty" | "unread" | "unreachable";

/** Maximum number of site names in the summary. */
const MAX_NAMES = 5;

/** Counts sites, and keeps the names of the first few. It does not keep all names, because there may be millions. */
class NamedSites {
  count = 0;
  readonly #names: string[] = [];

  add(name: string): void {
    this.count++;
    if (this.#names.length < MAX_NAMES) this.#names.push(name);
  }

  /** The kept names as text: `a.test, b.test: 401`, or `a.test, b.test, … and 7 more`. */
  get names(): string {
    const more = this.count - this.#names.length;
    return `${this.#names.join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}`;
  }
}

export class RunCounts {
  /** Number of pages that the walks found. */
  pages = 0;
  /** Number of pages that the filters kept. Undefined without filters. */
  selected: number | undefined;
  /** Number of pages that were printed again, because several indexes list their sitemap (`--ordered`, `-f tree`). */
  repeated = 0;
  /** Whether `--limit` ended the run. There may be more pages. */
  isCutShort = false;
  /** Number of sitemaps that were read (counted-sitemap.ts). */
  sitemaps = 0;
  /** Whether pages are reported after their sitemaps have ended (`--ordered`). */
  pagesComeLast = false;
  /** Sitemaps of which pages were found, but whose end was not reached yet. */
  readonly #openSitemaps: Set<string> = new Set();
  #lastOpened: string | undefined;
  /** Number of failed sitemaps by reason. Keys are words such as `404`. */
  readonly failed: Map<string, number> = new Map();
  /** Hosts with private addresses. Their sitemaps were not requested, and count as failed. */
  readonly privateHosts: Set<string> = new Set();
  /** Number of sitemaps that are incomplete because of the site. */
  truncated = 0;
  /** Number of sitemaps that are incomplete because of a limit. */
  cutByLimit = 0;
  /** Number of sitemaps that were not requested because of a limit. */
  notRead = 0;
  /** Number of listed sitemaps that were not requested, because robots.txt disallows them (`--respect-robots`). */
  disallowed = 0;
  /** Maximum number of issues that a walk reports per document. It reports at most a tenth of this number per code. */
  maxIssues: number = PARSE_LIMITS.issues;
  /** Number of issues that the walks counted but did not report, so that -vv does not show them. */
  hiddenIssues = 0;
  /** Limits that ended a walk. Values are texts of the library, such as `101; limits.urls allows 100`. */
  readonly limits: Map<IssueCode, string> = new Map();
  bytes = 0;
  sites = 0;
  /**
   * Whether the run has several sites, or a list on stdin. Then the summary counts failed sites, without a message for
   * each.
   */
  isList = false;
  /**
   * Sites that redirect to another host, which was also searched. Keys are homepages, values are targets of redirects.
   */
  readonly moved: Map<string, string> = new Map();
  /** Number of sitemaps that the user gave. They count as sites. */
  givenSitemaps = 0;
  /** Number of sites without a result. */
  emptySites = 0;
  /** The sites without a result, by reason, for the summary. */
  readonly lostSites: Readonly<Record<SiteLoss, NamedSites>> = {
    empty: new NamedSites(),
    unread: new NamedSites(),
    unreachable: new NamedSites(),
  };
  strict: StrictLosses | undefined;
  /** Number of relative URLs that were dropped, because the URL of their document is unknown. */
  relative = 0;
  /** Number of lines on stdin that are not URLs. */
  badLines = 0;
  /** Number of lines on stdin with private addresses that are not allowed. */
  blockedLines = 0;
  /** Number of sitemaps that indexes and robots.txt list. `ended` is the number of those that are finished. */
  declared = 0;
  ended = 0;
  /** Whether the pages come from a file that is not a sitemap. */
  isPageList = false;
  /** The requests for pages, while `check` sends them. `startedAt`: milliseconds of `performance.now`. */
  checks: { readonly total: number; readonly done: number; readonly startedAt: number } | undefined;
  /** The file that is being read. The progress shows it if no request is in flight. */
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

  /** Call this when the sitemap was read to its end. */
  closeSitemap(url: string): void {
    this.#openSitemaps.delete(url);
    if (this.#lastOpened === url) this.#lastOpened = undefined;
  }

  /** Removes the last page from the counts, because it is beyond `--limit`. */
  dropPage(): void {
    this.pages--;
    this.isCutShort = true;
  }

  /** Number of sitemaps that were read. If `--limit` ended the run, it includes sitemaps that were read in part. */
  get sitemapsRead(): number {
    return this.sitemaps + (this.isCutShort ? this.#openSitemaps.size : 0);
  }

  /** Adds a request to those in flight. Call the returned function when the request has ended. */
  startRequest(url: string): () => void {
    const request = { url, since: performance.now() };
    this.#inFlight.add(request);
    return () => this.#inFlight.delete(request);
  }

  /** When the pause of each host ends, in milliseconds of `performance.now`. */
  readonly #pauses: Map<string, number> = new Map();

  /** Call this when a host asks for a pause. */
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
   * The numbers for the progress lines. They never decrease: a listed sitemap that failed stays in `known`. A failure
   * stays in `failed`, even if the whole site later counts as unreachable.
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

  /** Whether pages or sitemaps of the sites are missing in the result. */
  get isPartial(): boolean {
    const { failed, truncated, cutByLimit, notRead, limits, badLines, blockedLines } = this;
    const lost = this.isList ? this.emptySites : 0;
    return failed.size + truncated + cutByLimit + notRead + badLines + blockedLines + lost + limits.size > 0;
  }

  /** The numbers of the summary, with the same names as in all JSON output. */
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
      disallowed,
    } = this;
    return {
      pages,
      selected,
      sitemaps,
      failed,
      truncated,
      cutByLimit,
      notRead,
      ...(disallowed > 0 && { disallowed }),
      leftOut: strict?.urls,
    };
  }

  addSitemap(sitemap: WalkedSitemap): void {
    const { url, outcome, parentUrl, http } = sitemap;
    this.closeSitemap(url);
    this.bytes += http?.bytes ?? 0;
    if (parentUrl !== undefined) this.ended++;
    this.declared += sitemap.childCount;
    if (isCountedSitemap(sitemap)) this.sitemaps++;
    // Update the maximum at each event. If it were updated when progress is shown, it would depend on how often that
    // happens.
    this.#mostKnown = Math.max(this.#mostKnown, this.sitemaps + Math.max(0, this.declared - this.ended));
    if (isCutByLimit(sitemap)) this.cutByLimit++;
    else if (sitemap.partial) this.truncated++;
    // A known location that was not requested does not count, because there may be no sitemap.
    if (outcome === "stopped" && !isGuess(sitemap.source)) this.notRead++;
    if (isDisallowed(sitemap)) this.disallowed++;
    this.addHiddenIssues(Object.values(sitemap.issueCounts ?? {}));
    if (!isFailure(sitemap)) return;
    const word = failureWord(sitemap);
    this.#addFailure(word, 1);
    const host = word === PRIVATE_WORD ? hostOf(url) : undefined;
    if (host !== undefined) this.privateHosts.add(host);
  }

  /** Adds the issues of a document that were not reported. `counts`: number of all its issues, one number per code. */
  addHiddenIssues(counts: readonly number[]): void {
    const perCode = Math.ceil(this.maxIssues / 10);
    const shown = counts.reduce((sum, times) => sum + Math.min(times, perCode), 0);
    this.hiddenIssues += counts.reduce((sum, times) => sum + times, 0) - Math.min(shown, this.maxIssues);
  }

  /**
   * Adds a site without a result. If no request got a response, it counts as unreachable. If all requests failed for
   * one reason, its robots.txt and sitemaps do not also count as failed sitemaps.
   *
   * @param name the host, or the URL of the sitemap that the user gave
   * @param why the reason in a word; may be empty
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

/** Whether a sitemap is incomplete because of a limit of siteatlas, not because of the site. */
export function isCutByLimit({ partial, cutBy }: WalkedSitemap): boolean {
  return partial === true && (cutBy === "gzip.bomb" || cutBy?.startsWith("limit.") === true);
}

/**
 * Whether a listed sitemap was not requested because robots.txt disallows it. Known locations do not count, because
 * they may have no sitemap.
 */
export function isDisallowed({ code, source }: WalkedSitemap): boolean {
  return code === "robots.disallowed" && !isGuess(source);
}

/** Facts about the search for sitemaps on one site. They explain to the user why it found none. */
export class SiteFacts {
  readonly homepage: string;
  sitemaps = 0;
  robots: string | undefined;
  robotsSitemaps = 0;
  /** Number of known locations that failed, by reason. Keys are words such as `404`. */
  readonly guesses: Map<string, number> = new Map();
  /** Number of failed sitemaps that the user gave, or that robots.txt or the homepage lists, by reason. */
  readonly named: Map<string, number> = new Map();
  /** The reasons of all failures before the first sitemap was found, each as a word. */
  readonly failures: string[] = [];
  /** The error status of the homepage, such as `503`. */
  homepageStatus: string | undefined;
  /** The target of the homepage's redirect. Set only if it is on another host, which was also searched. */
  movedTo: string | undefined;
  /** Number of requests that got a response. */
  answered = 0;
  /** The first failed request that got no response. */
  firstFailure: NoAnswer | undefined;
  /** Whether strict mode rejected a sitemap. */
  isRejected = false;
  /** Number of URLs that were not requested because robots.txt disallows them. */
  disallowed = 0;
  /** Hosts that were not requested because they have private addresses. */
  readonly privateHosts: Set<string> = new Set();
  /**
   * The origin of the first response with an error status. `isRedirect`: a redirect from another origin led there. A
   * document of the site may also list a URL on another origin.
   */
  refusedBy: { readonly origin: string; readonly isRedirect: boolean } | undefined;
  /** The authentication scheme that the first response with status 401 wants, such as `basic-authentication`. */
  loginCause: string | undefined;
  /** URL of a login page to which a request was redirected. */
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
    if (code === "http.status" && URL.canParse(url)) {
      const { origin } = new URL(url);
      const isRedirect = requestedUrl !== undefined && new URL(requestedUrl).origin !== origin;
      this.refusedBy ??= { origin, isRedirect };
    }
    if (http?.status === 401) this.loginCause ??= cause;
    if (isCountedSitemap(sitemap)) this.sitemaps++;
    // A request of robots.txt may also be redirected to a login page.
    const isLogin = requestedUrl !== undefined && isLoginPage(url) && !isCountedSitemap(sitemap);
    if (isLogin) this.loginPage ??= url;
    // This URL was not requested, because an earlier request to its host failed. That failure was already counted.
    if (cause === "host-failed") return;
    const word = outcome === "found" ? "" : failureWord(sitemap);
    const host = word === PRIVATE_WORD ? hostOf(url) : undefined;
    if (host !== undefined) this.privateHosts.add(host);
    if (this.sitemaps === 0 && isFailure(sitemap)) this.failures.push(word);
    if (source === "robots") {
      this.robots = isLogin ? "login" : outcome === "found" ? "found" : word;
      this.robotsSitemaps = sitemap.childCount;
    } else if (outcome === "failed") {
      const words = isGuess(source) ? this.guesses : this.named;
      words.set(word, (words.get(word) ?? 0) + 1);
    }
  }

  addIssue({ code, url, value = "" }: SiteIssue): void {
    if (code === "site.moved") this.movedTo = value;
    if (code === "http.status" && url === this.homepage) this.homepageStatus = /\d{3}/.exec(value)?.[0];
  }
}

type SiteIssue = Extract<WalkEvent, { readonly kind: "issue" }>["issue"];

/** Counts an event that is not a page. `addPage` counts pages. */
export function countEvent(event: WalkEvent, runCounts: RunCounts, facts: SiteFacts): void {
  if (event.kind === "sitemap") {
    runCounts.addSitemap(event.sitemap);
    runCounts.strict?.addDocument(event.sitemap);
    facts.addSitemap(event.sitemap);
  } else if (event.kind === "issue") {
    const { code, url, value = "" } = event.issue;
    facts.addIssue(event.issue);
    if (code === "site.moved") runCounts.moved.set(url, value);
    // Only limits of the whole walk have the URL of the homepage. A limit of one document is counted with the document.
    if (code.startsWith("limit.") && url === facts.homepage) runCounts.limits.set(code, value);
  }
}
