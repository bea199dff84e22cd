/** The settings for visits. The worker passes them to its walker processes. */
import type { WalkLimits } from "siteatlas";
import type { OptionRules } from "../check/check-options.ts";
import { both, listOf, number, PATH, PROXY_URL, required, TEXT, TIMER_MS } from "../check/rules.ts";
import { walkOption } from "../check/walk-option.ts";

export interface VisitRules {
  /** Folder for temporary files. */
  readonly folder: string;
  readonly userAgent: string;
  /** Maximum number of requests to one site at a time. @default 2 */
  readonly concurrency?: number | undefined;
  /** Time between two requests to one site. @default 0 */
  readonly delayMs?: number | undefined;
  /** Whether to obey robots.txt. @default true */
  readonly respectRobots?: boolean | undefined;
  /** Whether to try known locations such as `/sitemap.xml`: the option `useKnownPaths` of siteatlas. @default true */
  readonly guess?: boolean | "when-empty" | undefined;
  /** Whether to follow sitemaps on other hosts. @default "follow" */
  readonly crossHost?: "follow" | "same-site" | "none" | undefined;
  /** Limits of one leg of a visit: a part that is committed separately. The limit `sitemaps` is for the whole visit. */
  readonly limits?: WalkLimits | undefined;
  /** Approximate duration of one leg, a part of a visit that is committed separately. @default 60_000 */
  readonly legMs?: number | undefined;
}

export interface WalkerSettings extends VisitRules {
  /** Where the part files are stored: a folder or an s3:// URL. */
  readonly store: string;
  /**
   * Maximum time for which the event loop of a walker process may be blocked. After that, the process is killed.
   * @default 20_000
   */
  readonly stuckMs?: number | undefined;
  /** Private addresses that may be visited: the option `allow` of `createNodeClient`. */
  readonly allow?: readonly string[] | undefined;
  /**
   * Addresses of name servers. `["system"]` looks up names with `getaddrinfo`, which has few threads and no cache.
   * @default the name servers of the operating system
   */
  readonly dns?: readonly string[] | undefined;
  /** URL of an HTTP proxy. Its user name and password are not passed to walker processes. */
  readonly proxy?: string | undefined;
  /**
   * Module to use in place of the built-in visitor. Its default export is a function that takes these settings and a
   * store, and returns a `VisitLeg`.
   */
  readonly visitor?: string | undefined;
}

/**
 * The default of `stuckMs`. Parsing a document takes at most 10 s of CPU time, so a process that is blocked for 20 s is
 * probably in an endless loop.
 */
export const STUCK_MS = 20_000;

export const VISIT_RULES: OptionRules<VisitRules> = {
  folder: required(PATH),
  userAgent: required(both(TEXT, walkOption("userAgent"))),
  concurrency: walkOption("concurrency"),
  delayMs: walkOption("delayMs"),
  respectRobots: walkOption("respectRobots"),
  guess: walkOption("useKnownPaths"),
  crossHost: walkOption("crossHost"),
  limits: walkOption("limits"),
  legMs: number(1),
};

export const WALKER_SETTINGS: OptionRules<WalkerSettings> = {
  ...VISIT_RULES,
  store: required(TEXT),
  stuckMs: TIMER_MS,
  allow: both(listOf(TEXT, "an array of hosts and address ranges"), walkOption("allow")),
  dns: listOf(TEXT, "an array of addresses of name servers"),
  proxy: both(PROXY_URL, walkOption("proxy")),
  visitor: TEXT,
};

/**
 * Returns the User-Agent, such as `siteatlas-fleet/1.2.3 (+https://example.com/bot)`. Returns undefined if the contact
 * is not an http or mailto URL.
 */
export function userAgentOf(contact: string, version: string): string | undefined {
  if (!URL.canParse(contact)) return undefined;
  const { protocol, href } = new URL(contact);
  return ["http:", "https:", "mailto:"].includes(protocol)
    ? `siteatlas-fleet/${version} (+${href})`
    : undefined;
}
