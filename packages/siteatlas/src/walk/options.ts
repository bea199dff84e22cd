/** The options of a walk, and the defaults of its limits. */

import type { KnownPathSet } from "../discover/known-paths.ts";
import type { Client, ResponseClient } from "../fetch/client/client.ts";
import type { AllowList } from "../fetch/guard/address-policy.ts";
import type { HeaderOptions } from "../fetch/header-rules.ts";
import type { HostPause } from "../fetch/send-request.ts";
import { fillLimits } from "../model/fill-limits.ts";
import type { FilledLimits, WalkLimits } from "../model/generated/limits.ts";
import { defaultOf, LIMIT_NAMES } from "../model/limits.ts";
import type { WalkEvent } from "./events/events.ts";

/**
 * Returns whether to fetch a sitemap that an index or robots.txt lists. The sitemap may be an index itself: if it is
 * rejected, nothing below it is fetched, and its pages are missing. `recursionLevel` is the level of the index that
 * lists it: robots.txt and the known locations have level 0. `parentUrls` contains the URLs of that index and of all its
 * ancestors. If an index is listed in several places, the callback is called once for each place.
 */
export type RecurseCallback = (
  url: string,
  recursionLevel: number,
  parentUrls: ReadonlySet<string>,
) => boolean | Promise<boolean>;

/**
 * Receives the URLs of all sitemaps that one index lists, in order. Returns the URLs to keep. URLs that the index does
 * not list are ignored.
 */
export type RecurseListCallback = (
  urls: readonly string[],
  recursionLevel: number,
  parentUrls: ReadonlySet<string>,
) => readonly string[] | Promise<readonly string[]>;

/** Default number of concurrent requests to one site. */
export const DEFAULT_CONCURRENCY = 2;

/** Options of a walk, all optional. */
export interface WalkOptions {
  /** Read robots.txt and follow its Sitemap lines. @default true */
  readonly useRobots?: boolean | undefined;
  /**
   * Try the known locations (`/sitemap.xml` and others). `true`: always. `false`: never. `"when-empty"`: only if no
   * page was found through robots.txt. `extraKnownPaths` are always tried.
   *
   * @default true
   */
  readonly useKnownPaths?: boolean | "when-empty" | undefined;
  /** The known locations to try. `"thorough"` adds paths that only few systems use. @default "usual" */
  readonly knownPaths?: KnownPathSet | undefined;
  /** Additional paths to try after the known locations. @default none */
  readonly extraKnownPaths?: readonly string[] | undefined;
  /**
   * Follow `<link rel="sitemap">` and the `Link` header of the homepage. `true`: always. `false`: never.
   * `"when-empty"`: only if no page was found through robots.txt and the known locations. If these links also lead to
   * no page, the feeds that the homepage links to are read.
   *
   * @default "when-empty"
   */
  readonly useHomepageLinks?: boolean | "when-empty" | undefined;
  /**
   * Also read HTML sitemaps: pages that list the pages of a site as links. Their links to pages of the same site
   * (registrable domain) become pages, with the text of the link as `title`. Applies to HTML pages that robots.txt, an
   * index, the homepage or the caller names, and to pages at known locations whose title says that they are a sitemap.
   * More known locations, such as `/sitemap.html`, are tried after all others. Without this option, an HTML page is not
   * a sitemap.
   *
   * @default false
   */
  readonly htmlSitemaps?: boolean | undefined;
  /**
   * Also read `/llms.txt` (https://llmstxt.org), after all other sources. Its links to pages of the same site
   * (registrable domain) become pages, with `title` and `section`. Links to other sites are left out and reported as
   * `url.cross-site`. A missing llms.txt is not a failure.
   *
   * @default false
   */
  readonly useLlmsTxt?: boolean | undefined;
  /**
   * Skip URLs that robots.txt disallows. If robots.txt cannot be fetched, skip all URLs (RFC 9309). Sitemaps that
   * robots.txt itself lists are fetched. Has no effect with `useRobots: false`. @default false
   */
  readonly respectRobots?: boolean | undefined;
  /** Start at the root of the site, even if the homepage URL has a path. `false` keeps the path. @default true */
  readonly normalizeHomepageUrl?: boolean | undefined;
  /**
   * A filter that decides for each listed sitemap whether it is fetched. It also gets the URLs of indexes: if it rejects
   * an index, nothing below the index is fetched. So let indexes pass:
   *
   * @example
   * recurseCallback: (url) => url.includes("index") || url.includes("/news/")
   *
   * @default fetch all
   */
  readonly recurseCallback?: RecurseCallback | undefined;
  /** A filter that selects the sitemaps of each index. It is called before `recurseCallback`. @default keep all */
  readonly recurseListCallback?: RecurseListCallback | undefined;
  /** Aborts the walk. The walk then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * The client that sends the requests. Walks with the same client share its connections and its request slots.
   *
   * @default a Node client for this walk
   */
  readonly client?: Client | ResponseClient | undefined;
  /** User-Agent header to send. @default "siteatlas/<version> (+https://github.com/siteatlas/siteatlas)" */
  readonly userAgent?: string | undefined;
  /**
   * Additional request headers. They are sent only to the origin of the homepage, or to the origins of the sitemaps
   * that you pass. `proxy-authorization` is never sent: use `proxy`. Headers that describe the connection, such as
   * `transfer-encoding` and `upgrade`, throw a `TypeError`. An `authorization` header is sent instead of credentials in
   * the homepage URL. If you also pass `auth`, a `TypeError` is thrown.
   *
   * @default none
   */
  readonly headers?: HeaderOptions | undefined;
  /**
   * User name and password for HTTP Basic authentication, as `user:password`. They are sent only to the origin of the
   * homepage, never to another host, port or scheme, even after a redirect. If the homepage URL contains credentials,
   * those are sent instead. Together with an `authorization` header, it throws a `TypeError`.
   *
   * @example
   * streamPages("https://staging.example.com/", { auth: process.env.STAGING_AUTH });
   *
   * @default none
   */
  readonly auth?: string | undefined;
  /**
   * URL of an HTTP proxy for the default client, optionally with user and password. With `"environment"`, the variables
   * HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used. Otherwise these variables are ignored.
   *
   * @default none
   */
  readonly proxy?: string | URL | undefined;
  /**
   * Certificates of additional authorities for the default client, in PEM format. The authorities that Node trusts stay
   * trusted.
   *
   * @default none
   */
  readonly ca?: string | readonly string[] | undefined;
  /**
   * Do not verify the certificate of the homepage's host. An attacker on the network can then read and change all data
   * of this host, including credentials. Certificates of other hosts are verified. Prefer `ca`.
   *
   * @default false
   */
  readonly insecure?: boolean | undefined;
  /**
   * Allow the default client to connect to private addresses: this machine, its network, and reserved addresses.
   * Link-local addresses stay blocked, unless `allow` lists them. Cloud metadata services are always blocked.
   *
   * Without this option, if you pass a private homepage or sitemap, such as `http://localhost:3000`, only that host and
   * port are allowed. If untrusted people choose the homepages, pass a `client` from `createNodeClient` without its
   * `homepage` option: it also blocks private homepages.
   *
   * @default false
   */
  readonly allowPrivateNetworks?: boolean | undefined;
  /**
   * Private hosts (`intranet.example.com`), hosts with a port (`localhost:8080`) and ranges of addresses
   * (`10.1.0.0/16`) that the default client may connect to.
   *
   * @default none
   */
  readonly allow?: AllowList | undefined;
  /**
   * Maximum number of concurrent requests to one site (registrable domain). An IP address may get twice as many,
   * because several sites may share it.
   *
   * @default 2
   */
  readonly concurrency?: number | undefined;
  /** Minimum time between the starts of two requests to one host, in milliseconds. @default 0 */
  readonly delayMs?: number | undefined;
  /**
   * Maximum of a random wait in milliseconds, which is added to the delay before each request to a host. So requests
   * are not sent at regular intervals.
   *
   * @default 0
   *
   * @example
   * streamPages("https://example.com/", { concurrency: 1, delayMs: 1000, randomDelayMs: 2000 });
   */
  readonly randomDelayMs?: number | undefined;
  /** Wait for the Crawl-delay of robots.txt between requests, up to `limits.crawlDelayMs`. @default false */
  readonly useCrawlDelay?: boolean | undefined;
  /**
   * Which sitemaps on other hosts to follow. `"follow"`: all. `"same-site"`: only sitemaps on the same registrable
   * domain (`cdn.example.com` for `www.example.com`). `"none"`: no sitemaps. Also applies to redirects, except the
   * redirect of robots.txt.
   *
   * @default "follow"
   */
  readonly crossHost?: "follow" | "same-site" | "none" | undefined;
  /**
   * Never send a request over plain http. An http homepage throws a `TypeError`. An http sitemap is skipped with the
   * code `http.downgrade`, and so is a sitemap that redirects to http. Without this option, a redirect from https to
   * http is followed and reported as an issue.
   *
   * @default false
   */
  readonly httpsOnly?: boolean | undefined;
  /** Limits on time, memory and requests. @default see `WalkLimits` */
  readonly limits?: WalkLimits | undefined;
  /**
   * Called with each event of the walk. The events do not change the result. If the callback returns a promise, the
   * walk waits for it. If the callback throws or rejects, the walk throws the same error.
   *
   * @default none
   */
  readonly onEvent?: ((event: WalkEvent) => void) | ((event: WalkEvent) => Promise<void>) | undefined;
  /**
   * Called with the URL of each request when it is sent, also for redirects and retries. Useful for progress displays.
   * If the callback returns a function, this function is called when the body has been read or the request has failed.
   * Any other result is ignored.
   *
   * @example
   * const inFlight = new Set<string>();
   * const onRequest = (url: string) => {
   *   inFlight.add(url);
   *   return () => inFlight.delete(url);
   * };
   *
   * @default none
   */
  readonly onRequest?: ((url: string) => (() => void) | undefined) | ((url: string) => void) | undefined;
  /**
   * Called when a server requests a pause with Retry-After. Until the pause is over, no request is sent to its host.
   * Useful for progress displays.
   *
   * @example
   * const onPause = ({ url, ms }) => console.error(`${new URL(url).host}: waiting ${ms / 1000} s`);
   *
   * @default none
   */
  readonly onPause?: ((pause: HostPause) => void) | undefined;
  /** Follow the specifications strictly. See the option `strict` of `parseSitemap`. @default false */
  readonly strict?: boolean | undefined;
}

export const DEFAULT_LIMITS: FilledLimits<WalkLimits> = Object.fromEntries(
  LIMIT_NAMES.map((name) => [name, defaultOf(name)]),
) as FilledLimits<WalkLimits>;

export type { WalkLimits };

export function readLimits(limits?: WalkLimits): FilledLimits<WalkLimits> {
  return fillLimits(DEFAULT_LIMITS, limits);
}
