/**
 * How a walk asks: as whom, with which headers, how often, and what the site's robots.txt lets it, once that was
 * read. Counts what was asked.
 */
import type { Client } from "../fetch/client.ts";
import type { ResourceOptions } from "../fetch/fetch-resource.ts";
import { type GateRules, gateOf } from "../fetch/host-gate.ts";
import type { Report } from "../issue-log.ts";
import type { RobotsContent } from "../parse/robots.ts";
import { createRobotsMatcher, type RobotsMatcher } from "../parse/robots-match.ts";
import { breachOf } from "./budget.ts";
import type { Hosts } from "./hosts.ts";
import type { WalkLimits, WalkOptions } from "./options.ts";
import type { SitemapRecord } from "./record.ts";
import type { RequestTimer } from "./request-timer.ts";
import { conditions, type Earlier } from "./revisit.ts";

export const DEFAULT_USER_AGENT = "siteatlas/0 (+https://github.com/siteatlas/siteatlas)";

/** Requests at once to one host. */
export const DEFAULT_CONCURRENCY = 2;
/** So many Sitemap lines are held against the rules beside them. Rules may be many, too. */
const MAX_CHECKED_LINES = 100;

/** For whom something is asked. */
export interface Asker {
  readonly report: Report;
  readonly timer?: RequestTimer;
  /** What is known of it from before. */
  readonly earlier?: Earlier | undefined;
  readonly claim: ResourceOptions["claim"];
}

export class Manners {
  /** Redirects, further tries and the homepage among them. */
  requestCount = 0;
  /** Where the site lives, with the path of its homepage. */
  origin: URL;
  /** robots.txt could not be had: nothing is allowed then. */
  isRobotsDown = false;
  readonly #homepage: URL;
  readonly #options: WalkOptions;
  readonly #client: Client;
  readonly #limits: Required<WalkLimits>;
  readonly #hosts: Hosts;
  #robots: RobotsMatcher | undefined;

  constructor(
    homepage: URL,
    options: WalkOptions,
    client: Client,
    limits: Required<WalkLimits>,
    hosts: Hosts,
  ) {
    this.origin = homepage;
    this.#homepage = homepage;
    this.#options = options;
    this.#client = client;
    this.#limits = limits;
    this.#hosts = hosts;
  }

  /** How to ask for what this record is. */
  resourceOptions(
    { source }: SitemapRecord,
    { report, timer, earlier, claim }: Asker,
    signal: AbortSignal,
  ): ResourceOptions {
    const asked = this.#hosts.ask(this.#client);
    const client: Client = (request) => {
      this.requestCount++;
      return asked(request);
    };
    return {
      client: timer?.time(client) ?? client,
      gate: gateOf(this.#client),
      rules: (url) => this.#rules(url),
      headers: (url) => ({
        ...this.#headers(url),
        ...(earlier !== undefined && url.href === earlier.url && conditions(earlier)),
      }),
      limits: this.#limits,
      signal,
      report,
      httpsOnly: this.#options.httpsOnly,
      claim,
      // Where robots.txt leads is where the site lives (H40).
      ...(source !== "robots" && { refuse: (url: string) => this.#hosts.refusal(new URL(url)) }),
    };
  }

  /** Whether robots.txt lets us, if we are to respect it. */
  isAllowed(url: string): boolean {
    if (!this.#options.respectRobots || new URL(url).origin !== this.origin.origin) return true;
    return !this.isRobotsDown && (this.#robots?.isAllowed(url, this.#userAgent) ?? true);
  }

  /** Takes what the site's robots.txt says to us; reports what it says against itself. */
  obey({ finalUrl, places }: SitemapRecord, { groups }: RobotsContent, report: Report): void {
    const robots = createRobotsMatcher(groups, finalUrl);
    this.#robots = robots;
    const { origin } = new URL(finalUrl);
    for (const { url } of places.slice(0, MAX_CHECKED_LINES)) {
      if (new URL(url).origin !== origin || robots.isAllowed(url, this.#userAgent)) continue;
      report("robots.sitemap-disallowed", url);
    }
    const delayMs = 1000 * (robots.crawlDelay(this.#userAgent) ?? 0);
    if (!this.#options.useCrawlDelay || delayMs === 0) return;
    // It holds for the request after this one, too.
    gateOf(this.#client).pause(this.origin.host, Math.min(delayMs, this.#limits.crawlDelayMs));
    if (delayMs <= this.#limits.crawlDelayMs) return;
    const { code, value } = breachOf(this.#limits, "crawlDelayMs", delayMs);
    report(code, value);
  }

  get #userAgent(): string {
    return this.#options.userAgent ?? DEFAULT_USER_AGENT;
  }

  #rules(url: URL): GateRules {
    const { concurrency = DEFAULT_CONCURRENCY, delayMs = 0, useCrawlDelay = false } = this.#options;
    const asked =
      useCrawlDelay && url.host === this.origin.host ? this.#robots?.crawlDelay(this.#userAgent) : undefined;
    const wait = Math.min((asked ?? 0) * 1000, this.#limits.crawlDelayMs);
    return { concurrency: wait > 0 ? 1 : concurrency, delayMs: Math.max(delayMs, wait) };
  }

  #headers(url: URL): Record<string, string> {
    const headers: Record<string, string> = {
      accept: "application/xml, text/xml, application/rss+xml, application/atom+xml, text/plain, */*;q=0.5",
      "user-agent": this.#userAgent,
    };
    if (url.origin !== this.#homepage.origin) return headers;
    for (const [name, value] of Object.entries(this.#options.headers ?? {}))
      headers[name.toLowerCase()] = value;
    // For a proxy, never for a server, whatever client sends it.
    delete headers["proxy-authorization"];
    return headers;
  }
}
