/** Rules for the arguments of functions that walk a site. The arguments are checked before the first request. */
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import {
  BOOLEAN,
  callable,
  either,
  finiteNumber,
  listOf,
  oneOf,
  type Rule,
  rule,
  SIGNAL,
  wholeNumber,
} from "../check/rules.ts";
import { givenUrls, readStart, type SiteStart, type WalkStart } from "../discover/site-start.ts";
import { logUrl } from "../escape/log-line.ts";
import { CLIENT } from "../fetch/client/client-rule.ts";
import { PROXY, proxyRule } from "../fetch/client/proxy.ts";
import { CERTIFICATES } from "../fetch/client/tls-options.ts";
import { ALLOWED_HOST } from "../fetch/guard/address-policy.ts";
import { CREDENTIALS, HEADER_TEXT, HEADERS, readHeaders } from "../fetch/header-rules.ts";
import { limitsRule } from "../model/fill-limits.ts";
import type { WalkLimits } from "../model/generated/limits.ts";
import { LIMIT_NAMES, limitOf, limitTable } from "../model/limits.ts";
import { DEFAULT_LIMITS, type WalkOptions } from "./options.ts";

const WHEN: Rule<boolean | "when-empty"> = oneOf(true, false, "when-empty");

/** Matches an absolute URL: `https://…` or `//host/…`. A text that starts with one slash is a path. */
const ABSOLUTE = /^\s*(?:[a-z][a-z\d+.-]*:)?\/\//i;

const PATH: Rule<string> = rule(
  "a path such as /my-sitemap.xml",
  (value) => typeof value === "string" && !ABSOLUTE.test(value),
  (value) =>
    typeof value === "string" ? "To read one sitemap, start at its URL: { sitemaps: [url] }." : undefined,
);

/** Maps names of flags to names of limits: `maxPages` to `urls`. For suggestions in error messages. */
const LIMIT_OF_FLAG = Object.fromEntries(LIMIT_NAMES.map((name) => [limitTable[name].flag, name]));
const LIMIT_OPTION_OF_FLAG = Object.fromEntries(
  LIMIT_NAMES.flatMap((name) => [name, limitTable[name].flag].map((flag) => [flag, `limits.${name}`])),
);

const WAITS = LIMIT_NAMES.filter((name) => limitOf(name).isWait);

export const WALK_OPTIONS: OptionRules<WalkOptions> = {
  useRobots: BOOLEAN,
  useKnownPaths: WHEN,
  knownPaths: oneOf("usual", "thorough"),
  extraKnownPaths: listOf(PATH, "an array of paths"),
  useHomepageLinks: WHEN,
  htmlSitemaps: BOOLEAN,
  useLlmsTxt: BOOLEAN,
  respectRobots: BOOLEAN,
  normalizeHomepageUrl: BOOLEAN,
  recurseCallback: callable(),
  recurseListCallback: callable(),
  signal: SIGNAL,
  client: CLIENT,
  userAgent: HEADER_TEXT,
  headers: HEADERS,
  auth: CREDENTIALS,
  proxy: PROXY,
  ca: CERTIFICATES,
  insecure: BOOLEAN,
  allowPrivateNetworks: BOOLEAN,
  allow: either(listOf(ALLOWED_HOST, "an array of hosts and address ranges"), callable()),
  concurrency: wholeNumber(1),
  delayMs: finiteNumber(0),
  randomDelayMs: finiteNumber(0),
  useCrawlDelay: BOOLEAN,
  crossHost: oneOf("follow", "same-site", "none"),
  httpsOnly: BOOLEAN,
  limits: limitsRule<WalkLimits>(DEFAULT_LIMITS, LIMIT_OF_FLAG, WAITS),
  onEvent: callable(),
  onRequest: callable(),
  onPause: callable(),
  strict: BOOLEAN,
};

/**
 * Checks the arguments and returns the start of the walk. A function with more options passes its own `rules`.
 *
 * @throws {TypeError | RangeError}
 */
export function checkWalk(
  caller: string,
  start: WalkStart,
  options: WalkOptions,
  rules: OptionRules<WalkOptions> = WALK_OPTIONS,
): SiteStart {
  checkOptions(caller, rules, options, LIMIT_OPTION_OF_FLAG);
  checkClientOptions(caller, options);
  checkCredentials(caller, options);
  const { normalizeHomepageUrl: normalize = true, httpsOnly, proxy } = options;
  const site = readStart(start, { normalize });
  const plain = httpsOnly ? givenUrls(site).find((url) => url.startsWith("http:")) : undefined;
  if (plain !== undefined) {
    throw new TypeError(`${caller}: ${logUrl(plain)} is not https, and httpsOnly is set`);
  }
  proxyRule(proxy);
  return site;
}

/** Rejects two credentials for the same requests. Otherwise one of them would be ignored silently. */
function checkCredentials(caller: string, { auth, headers }: WalkOptions): void {
  if (auth === undefined || !Object.hasOwn(readHeaders(headers), "authorization")) return;
  throw new TypeError(
    `${caller}: option auth and the header authorization both name credentials. Keep one of them.`,
  );
}

/** Options for the client that a walk creates. They have no effect on a client that the caller passes. */
const OWN_CLIENT_OPTIONS = ["proxy", "ca", "insecure", "allowPrivateNetworks", "allow"] as const;

/**
 * Rejects the options in `OWN_CLIENT_OPTIONS` if the caller also passes a client. Otherwise the caller would rely on a
 * proxy or a certificate that is never used.
 */
function checkClientOptions(caller: string, options: WalkOptions): void {
  if (options.client === undefined) return;
  const unused = OWN_CLIENT_OPTIONS.find((name) => options[name] !== undefined && options[name] !== false);
  if (unused === undefined) return;
  throw new TypeError(
    `${caller}: option ${unused} has no effect together with client. Pass ${unused} to createNodeClient instead.`,
  );
}
