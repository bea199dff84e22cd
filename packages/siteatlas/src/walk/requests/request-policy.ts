/**
 * Decides how a walk sends its requests: the User-Agent and other headers, concurrency and delays, and which URLs the
 * site's robots.txt allows. Also counts the requests.
 */
import { Transcoder } from "../../decode/encoding.ts";
import { readStart } from "../../decode/read-start.ts";
import { basicAuthorization } from "../../fetch/basic-auth.ts";
import { checkedClient } from "../../fetch/client/check-response.ts";
import { type Client, checkOpen } from "../../fetch/client/client.ts";
import { fetchResource, type Resource, type ResourceOptions } from "../../fetch/fetch-resource.ts";
import { readHeaders } from "../../fetch/header-rules.ts";
import { type GateRules, gateOf } from "../../fetch/politeness.ts";
import { DEFAULT_USER_AGENT } from "../../fetch/user-agent.ts";
import type { FilledLimits } from "../../model/generated/limits.ts";
import type { Report } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { parseRobotsTxt, type RobotsContent } from "../../parse/robots/robots.ts";
import {
  createRobotsMatcher,
  type RobotsMatcher,
  type SearchBudget,
} from "../../parse/robots/robots-match.ts";
import { type Budget, breachOf } from "../budget.ts";
import { DEFAULT_CONCURRENCY, type WalkLimits, type WalkOptions } from "../options.ts";
import { conditions, type Earlier } from "../previous-visit.ts";
import type { Declaration, Demand, SitemapDocument } from "../site-graph.ts";
import { urlKey } from "../url-key.ts";
import type { HostPolicy } from "./host-policy.ts";
import type { RequestTimer } from "./request-timer.ts";

/** Maximum number of Sitemap lines that are checked against the rules of robots.txt. The limit saves time. */
const MAX_CHECKED_LINES = 100;

/**
 * Maximum number of characters that wildcards of robots.txt search while the Sitemap lines are checked. The search
 * takes at most 15 ms. The maximum is low, because the check only finds issues. It is enough to check 100 lines of 80
 * characters with 200 wildcards.
 */
const MAX_CHECKED_CHARACTERS = 2 * 1024 * 1024;

/**
 * Maximum number of characters that wildcards of one robots.txt search in a whole walk. The search takes at most 4
 * seconds. The maximum is enough to check 50,000 URLs of 80 characters with 130 wildcards. When it is reached, all
 * further URLs count as disallowed.
 */
const MAX_SEARCHED_CHARACTERS = 512 * 1024 * 1024;

/** The header Accept of requests for pages. */
const PAGE_TYPES = "text/html, application/xhtml+xml, */*;q=0.5";

export interface RequestContext {
  readonly demand: Demand;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly timer?: RequestTimer;
  /** The facts about the document from the last sync. */
  readonly earlier?: Earlier | undefined;
}

/** Why a robots.txt could not be fetched. */
export interface RobotsFailure {
  readonly code?: IssueCode;
  readonly reason: string;
}

export class RequestPolicy {
  /** Number of requests, including redirects, retries and the homepage. */
  requestCount = 0;
  /**
   * The homepage of the site. If robots.txt or the homepage redirected to another origin: the same path at that origin.
   */
  origin: URL;
  readonly hosts: HostPolicy;
  readonly #homepage: URL;
  /** Origins of the URLs that the caller passed. The caller's headers are sent only to these origins. */
  readonly #givenOrigins: ReadonlySet<string>;
  /** Credentials in the URLs that the caller passed, by origin. */
  readonly #credentials: ReadonlyMap<string, string>;
  readonly #options: WalkOptions;
  readonly #client: Client;
  readonly #random: () => number;
  readonly #limits: FilledLimits<WalkLimits>;
  /** The rules of each robots.txt, by the origin that they apply to. */
  readonly #robots: Map<string, RobotsMatcher> = new Map();
  /** Reasons by origin, if its robots.txt could not be fetched. With `respectRobots`, it gets no more requests. */
  readonly #robotsDown: Map<string, RobotsFailure> = new Map();
  /** Requests for a robots.txt that have not ended, by origin. */
  readonly #robotsInFlight: Map<string, Promise<void>> = new Map();
  /** Sitemaps that a robots.txt of the site lists. */
  readonly #listed: Set<string> = new Set();

  /** `given`: the URLs that the caller passed. */
  constructor(
    homepage: URL,
    given: readonly URL[],
    options: WalkOptions,
    client: Client,
    budget: Budget,
    hosts: HostPolicy,
    credentials: ReadonlyMap<string, string>,
    random: () => number = Math.random,
  ) {
    this.#random = random;
    this.origin = homepage;
    this.hosts = hosts;
    this.#homepage = homepage;
    this.#givenOrigins = new Set(given.map(({ origin }) => origin));
    this.#credentials = credentials;
    this.#options = options;
    this.#client = client;
    this.#limits = budget.limits;
  }

  /** @throws {TypeError} if the caller has closed the client */
  checkClient(): void {
    checkOpen(this.#client);
  }

  /** Returns the options of the fetch layer for one document. */
  resourceOptions({ demand, report, signal, timer, earlier }: RequestContext): ResourceOptions {
    const guarded = this.hosts.guard(checkedClient(this.#client));
    const client: Client = (request) => {
      this.requestCount++;
      return guarded(request);
    };
    return {
      client: timer?.time(client) ?? client,
      admit: (url, until) => this.hosts.admit(url, until),
      onSend: (url) => this.#options.onRequest?.(url.href),
      onPause: this.#options.onPause,
      gate: gateOf(this.#client),
      rules: (url) => this.rulesFor(url),
      headers: (url) => ({
        ...this.headersFor(url),
        ...(earlier !== undefined && url.href === earlier.url && conditions(earlier)),
      }),
      limits: this.#limits,
      signal,
      report,
      httpsOnly: this.#options.httpsOnly,
      // robots.txt may redirect to any host. The target host then counts as a host of the site (H40).
      ...(demand.source !== "robots" && { refuse: (url: string) => this.hosts.refusal(new URL(url)) }),
    };
  }

  /** Returns the options of the fetch layer for pages. The caller checks the targets of redirects. */
  pageOptions(signal: AbortSignal): ResourceOptions {
    // With the source `robots`, the fetch layer leaves it to the caller which redirects are followed.
    const demand: Demand = {
      url: this.origin.href,
      source: "robots",
      lastModified: undefined,
      parent: undefined,
    };
    const options = this.resourceOptions({ demand, report: () => {}, signal });
    const headers = (url: URL): Record<string, string> => ({ ...this.headersFor(url), accept: PAGE_TYPES });
    // Only the start of a page is read, so a page of any size is requested.
    const limits = {
      ...this.#limits,
      retries: Math.min(1, this.#limits.retries),
      wireBytes: Number.POSITIVE_INFINITY,
    };
    return { ...options, headers, limits };
  }

  /** Returns an https URL to try instead of this http URL. Undefined if the host does not belong to an https site. */
  httpsFallback(url: string): string | undefined {
    const { protocol, hostname, pathname, search } = new URL(url);
    const own = [this.origin, this.#homepage].find((at) => at.hostname === hostname);
    if (protocol !== "http:" || own?.protocol !== "https:") return undefined;
    return new URL(pathname + search, own.origin).href;
  }

  /** Whether robots.txt allows this URL. Always true without `respectRobots`. */
  isAllowed(url: string): boolean {
    if (!this.#options.respectRobots) return true;
    const { origin } = new URL(url);
    return (
      !this.#robotsDown.has(origin) && (this.#robots.get(origin)?.isAllowed(url, this.#userAgent) ?? true)
    );
  }

  /**
   * Whether robots.txt allows a request for this page. For pages, robots.txt is respected even without the option
   * `respectRobots`, because pages, unlike sitemaps, are not made for programs. Fetches robots.txt if its rules are not
   * known yet. If it cannot be fetched, no page of the origin is allowed (RFC 9309 section 2.3.1.4).
   */
  async allowsPage(url: string, signal: AbortSignal): Promise<boolean> {
    const { origin } = new URL(url);
    await this.#knowRules(origin, signal);
    return !this.#robotsDown.has(origin) && this.#robots.get(origin)!.isAllowed(url, this.#userAgent);
  }

  /** Why the robots.txt of this origin could not be fetched. Undefined if it was, or if it was not tried. */
  robotsFailure({ origin }: URL): RobotsFailure | undefined {
    return this.#robotsDown.get(origin);
  }

  /** Fetches a robots.txt once, even if several pages wait for it. */
  async #knowRules(origin: string, signal: AbortSignal): Promise<void> {
    if (this.#robotsDown.has(origin) || this.#robots.has(origin)) return;
    let fetched = this.#robotsInFlight.get(origin);
    if (fetched === undefined) {
      fetched = this.#fetchRules(origin, signal).finally(() => this.#robotsInFlight.delete(origin));
      this.#robotsInFlight.set(origin, fetched);
    }
    await fetched;
  }

  async #fetchRules(origin: string, signal: AbortSignal): Promise<void> {
    const url = `${origin}/robots.txt`;
    const demand: Demand = { url, source: "robots", lastModified: undefined, parent: undefined };
    const resource = await fetchResource(url, this.resourceOptions({ demand, report: () => {}, signal }));
    const isAbsent = resource.kind === "failed" && (resource.status ?? 500) < 500;
    if (resource.kind === "failed" && !isAbsent) {
      const { code, reason } = resource;
      this.#robotsDown.set(origin, { code, reason });
      return;
    }
    const text = resource.kind === "failed" ? "" : await this.#textOf(resource);
    this.#robots.set(origin, parseRobotsTxt(text, { url }));
  }

  /** The text of a robots.txt: at most `limits.robotsBytes`. Rules after these bytes are ignored. */
  async #textOf({ body, headers }: Extract<Resource, { kind: "body" }>): Promise<string> {
    const { bytes } = await readStart(body, this.#limits.robotsBytes);
    const transcoder = new Transcoder({ report() {}, contentType: headers["content-type"] });
    const decoder = new TextDecoder();
    return decoder.decode(transcoder.push(bytes), { stream: true }) + decoder.decode(transcoder.end());
  }

  /** Whether a robots.txt of the site lists this sitemap. Such a sitemap is fetched even if the rules disallow it. */
  isListedByRobots(url: string): boolean {
    return this.#listed.has(urlKey(url));
  }

  /** Records that this robots.txt could not be fetched. */
  noteRobotsDown(robotsUrl: string): void {
    this.#robotsDown.set(new URL(robotsUrl).origin, { reason: "it could not be read" });
  }

  /**
   * Applies the rules of a robots.txt. They apply to the origin that it was requested from, and to the origin that it
   * redirects to. Reports Sitemap lines that the rules disallow.
   */
  obey(
    { url: robotsUrl, demand }: SitemapDocument,
    { groups }: RobotsContent,
    sitemaps: readonly Declaration[],
    report: Report,
  ): void {
    const budget: SearchBudget = { left: MAX_CHECKED_CHARACTERS };
    const robots = createRobotsMatcher(groups, robotsUrl, budget);
    const { origin, host } = new URL(robotsUrl);
    this.#robots.set(origin, robots);
    this.#robots.set(new URL(demand.url).origin, robots);
    for (const { url } of this.#options.respectRobots ? sitemaps : []) this.#listed.add(urlKey(url));
    for (const { url } of sitemaps.slice(0, MAX_CHECKED_LINES)) {
      if (new URL(url).origin !== origin || robots.isAllowed(url, this.#userAgent)) continue;
      // Stop if the matcher has used up its search budget: the result of `isAllowed` is then not reliable.
      if (budget.left < 0) break;
      report("robots.sitemap-disallowed", url);
    }
    budget.left = MAX_SEARCHED_CHARACTERS;
    const delayMs = 1000 * (robots.crawlDelay(this.#userAgent) ?? 0);
    if (!this.#options.useCrawlDelay || delayMs === 0) return;
    // Pause now, so that the crawl delay also applies between robots.txt and the next request.
    gateOf(this.#client).pause(host, Math.min(delayMs, this.#limits.crawlDelayMs));
    if (delayMs <= this.#limits.crawlDelayMs) return;
    const { code, value } = breachOf(this.#limits, "crawlDelayMs", delayMs);
    report(code, value);
  }

  get #userAgent(): string {
    return this.#options.userAgent ?? DEFAULT_USER_AGENT;
  }

  /** Concurrency and delay of requests to this URL. */
  rulesFor(url: URL): GateRules {
    const { concurrency = DEFAULT_CONCURRENCY, delayMs = 0, useCrawlDelay = false } = this.#options;
    const { randomDelayMs = 0 } = this.#options;
    const asked = useCrawlDelay ? this.#robots.get(url.origin)?.crawlDelay(this.#userAgent) : undefined;
    const wait = Math.min((asked ?? 0) * 1000, this.#limits.crawlDelayMs);
    // Do not multiply if `randomDelayMs` is 0. (`Infinity` times 0 would be NaN.)
    const random = randomDelayMs > 0 ? this.#random() * randomDelayMs : 0;
    return { concurrency: wait > 0 ? 1 : concurrency, delayMs: Math.max(delayMs, wait) + random };
  }

  /** The headers of a request. The caller's own headers are sent only to origins of URLs that the caller passed. */
  headersFor(url: URL): Record<string, string> {
    const headers: Record<string, string> = {
      accept: "application/xml, text/xml, application/rss+xml, application/atom+xml, text/plain, */*;q=0.5",
      "user-agent": this.#userAgent,
    };
    if (!this.#givenOrigins.has(url.origin)) return headers;
    const auth = this.#credentials.get(url.origin) ?? this.#options.auth;
    if (auth !== undefined) headers["authorization"] = basicAuthorization(auth);
    Object.assign(headers, readHeaders(this.#options.headers));
    // Remove the header for a proxy: it must never be sent to a server.
    delete headers["proxy-authorization"];
    return headers;
  }
}
