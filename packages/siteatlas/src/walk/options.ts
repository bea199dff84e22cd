/** The options of a walk, all optional, and their checks. */

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
 * Decides whether a sitemap that an index lists is fetched. `recursionLevel` is the level of the index: robots.txt
 * and the known locations are level 0. `parentUrls` has the URLs of the index and of all its ancestors. If an index
 * is listed in several places, the callback is called for each of them.
 */
export type RecurseCallback = (
  url: string,
  recursionLevel: number,
  parentUrls: ReadonlySet<string>,
) => boolean | Promise<boolean>;

/**
 * Gets the URLs of all sitemaps that one index lists, in order, and returns those to keep. URLs that the index does not
 * list are ignored.
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
   * Try the known locations (`/sitemap.xml` and others): always, never, or only if robots.txt led to no page. Does not
   * apply to `extraKnownPaths`.
   *
   * @default true
   */
  readonly useKnownPaths?: boolean | "when-empty" | undefined;
  /** Which known locations to try: the usual ones, or all that any known system uses. @default "usual" */
  readonly knownPaths?: KnownPathSet | undefined;
  /** More paths to try, after the known locations. @default none */
  readonly extraKnownPaths?: readonly string[] | undefined;
  /**
   * Follow `<link rel="sitemap">` and the `Link` header of the homepage: always, never, or only if robots.txt and the
   * known locations led to no page. If there is still no page, the feeds that the homepage links to are read.
   *
   * @default "when-empty"
   */
  readonly useHomepageLinks?: boolean | "when-empty" | undefined;
  /**
   * Whether to skip URLs that robots.txt disallows, and all URLs if it cannot be fetched (RFC 9309). @default false
   */
  readonly respectRobots?: boolean | undefined;
  /** Start at the root of the site, even if the homepage URL has a path. `false` keeps the path. @default true */
  readonly normalizeHomepageUrl?: boolean | undefined;
  /** Decides for each listed sitemap whether it is fetched. @default fetch all */
  readonly recurseCallback?: RecurseCallback | undefined;
  /** Selects the sitemaps of each index, before `recurseCallback`. @default keep all */
  readonly recurseListCallback?: RecurseListCallback | undefined;
  /** Ends the walk, which then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Sends the requests. Walks that share a client share its connections and its request slots. @default a Node client for this walk */
  readonly client?: Client | ResponseClient | undefined;
  /** @default "siteatlas/<version> (+https://github.com/siteatlas/siteatlas)" */
  readonly userAgent?: string | undefined;
  /**
   * Headers to send only to the origin of the homepage, or to the origins of the given sitemaps. `proxy-authorization`
   * is never sent: use `proxy`. Headers of the connection, such as `transfer-encoding` and `upgrade`, are a
   * `TypeError`.
   *
   * @default none
   */
  readonly headers?: HeaderOptions | undefined;
  /**
   * User name and password of the site for HTTP Basic authentication, as `user:password`. Sent only to the origin of
   * the homepage, never to another host, port or scheme, even after a redirect. Credentials in the homepage URL are
   * sent in the same way, and take precedence.
   *
   * @example
   * streamPages("https://staging.example.com/", { auth: process.env.STAGING_AUTH });
   *
   * @default none
   */
  readonly auth?: string | undefined;
  /**
   * URL of an HTTP proxy, optionally with user and password, for the default client. `"environment"` means the
   * variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which are ignored otherwise.
   *
   * @default none
   */
  readonly proxy?: string | URL | undefined;
  /** Certificates of authorities that the default client trusts in addition to those of Node, in PEM format. @default none */
  readonly ca?: string | readonly string[] | undefined;
  /**
   * The default client does not verify the certificate of the homepage's host. Other hosts are verified. Anyone on
   * the way can read and change everything, including credentials: prefer `ca`.
   *
   * @default false
   */
  readonly insecure?: boolean | undefined;
  /**
   * Allow the default client to connect to private addresses: of this machine, of its network, and reserved ones.
   * Without it, if you pass a private homepage or sitemap, such as `http://localhost:3000`, only that host and port are
   * allowed.
   * Link-local addresses stay blocked unless `allow` lists them, cloud metadata services are always blocked. If
   * untrusted people choose the homepages, pass a `client` from `createNodeClient`: without its `homepage` option, it
   * also blocks private homepages.
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
  /** Number of concurrent requests to one site (registrable domain). One IP address gets twice as many. @default 2 */
  readonly concurrency?: number | undefined;
  /** Minimum time between the starts of two requests to one host. @default 0 */
  readonly delayMs?: number | undefined;
  /**
   * Adds a random wait from 0 to this many milliseconds to the delay before each request to a host, so that requests
   * are not sent at regular intervals.
   *
   * @default 0
   *
   * @example
   * streamPages("https://example.com/", { concurrency: 1, delayMs: 1000, randomDelayMs: 2000 });
   */
  readonly randomDelayMs?: number | undefined;
  /** Whether to honor the Crawl-delay of robots.txt, up to `limits.crawlDelayMs`. @default false */
  readonly useCrawlDelay?: boolean | undefined;
  /**
   * Which sitemaps on other hosts to follow: all, only those of the same registrable domain
   * (`cdn.example.com` for `www.example.com`), or none. Also applies to redirects, except that of robots.txt.
   *
   * @default "follow"
   */
  readonly crossHost?: "follow" | "same-site" | "none" | undefined;
  /**
   * Send no request over plain http. An http sitemap and a redirect to http are skipped with code `http.downgrade`.
   * An http homepage throws a `TypeError`. Without this option, such a redirect is followed and reported as an issue.
   *
   * @default false
   */
  readonly httpsOnly?: boolean | undefined;
  /** Limits on time, memory and requests. @default see `WalkLimits` */
  readonly limits?: WalkLimits | undefined;
  /**
   * Called with each event as it happens, in addition to the result. If it returns a promise, the walk waits for it.
   * If it throws or rejects, the walk throws that error.
   *
   * @default none
   */
  readonly onEvent?: ((event: WalkEvent) => void) | ((event: WalkEvent) => Promise<void>) | undefined;
  /**
   * Called with the URL of each request when it is sent, also for redirects and retries. If it returns a function,
   * that function is called when the body has been read or the request has failed. Any other result is ignored. For
   * progress displays.
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
   * Called when a server requests a pause with Retry-After. Its host gets no request until the pause is over. For
   * progress displays.
   *
   * @example
   * const onPause = ({ url, ms }) => console.error(`${new URL(url).host}: waiting ${ms / 1000} s`);
   *
   * @default none
   */
  readonly onPause?: ((pause: HostPause) => void) | undefined;
  /** Whether to follow the specifications strictly, see `parseSitemap`. @default false */
  readonly strict?: boolean | undefined;
}

export const DEFAULT_LIMITS: FilledLimits<WalkLimits> = Object.fromEntries(
  LIMIT_NAMES.map((name) => [name, defaultOf(name)]),
) as FilledLimits<WalkLimits>;

export type { WalkLimits };

export function readLimits(limits?: WalkLimits): FilledLimits<WalkLimits> {
  return fillLimits(DEFAULT_LIMITS, limits);
}
