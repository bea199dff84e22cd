/**
 * Matches the rules of a robots.txt against a crawler and a URL: RFC 9309, sections 2.2.1 to 2.2.3.
 *
 * Groups with the same product token are merged. The longest matching rule counts. If an Allow and a Disallow rule are
 * equally long, the Allow rule counts. `*` and a final `$` are special. Patterns are split at their stars and searched
 * piece by piece. A RegExp would take exponential time for `/*a*a*a*b` against a long path. The host of the URL is not
 * checked.
 */

import { endOf, FAST } from "#shortcuts";
import { argumentError, checkText, type UrlObject } from "../values/option-rules.ts";
import { parseUrl } from "../values/parse-url.ts";

/** An Allow or Disallow line. */
export interface RobotsRule {
  /** True for Allow, false for Disallow. */
  readonly allow: boolean;
  /** The path as written. An empty path matches nothing. */
  readonly path: string;
  /** Line of the file, starting at 1. */
  readonly line: number;
}

/** One or more consecutive User-agent lines, and the rules after them. */
export interface RobotsGroup {
  /** The names as written. */
  readonly userAgents: readonly string[];
  /** The Allow and Disallow lines, in file order. */
  readonly rules: readonly RobotsRule[];
  /** The largest Crawl-delay of the group, in seconds. */
  readonly crawlDelay?: number;
}

/** Applies the rules of a robots.txt. */
export interface RobotsMatcher {
  /**
   * Whether the crawler may fetch the URL. The host is not compared: use the robots.txt of the URL's own
   * host. `userAgent` is a product token (`examplebot`) or starts with one (`examplebot/1.0 (…)`).
   */
  isAllowed(url: string | UrlObject, userAgent: string): boolean;
  /** The Crawl-delay for this crawler in seconds, as written and without an upper limit. */
  crawlDelay(userAgent: string): number | undefined;
}

/** Limits the work of a matcher over all its calls. Only used in Node. */
export interface SearchBudget {
  /**
   * Number of characters that wildcards may still search. Once it is below 0, `isAllowed` may return false for a URL
   * that is allowed.
   */
  left: number;
}

/** A pattern, split at its stars. */
interface Pattern {
  readonly pieces: readonly string[];
  /** Whether the pattern ended with `$`: then the path must end where the pattern ends. */
  readonly anchored: boolean;
}

interface CompiledRule {
  readonly allow: boolean;
  readonly pattern: Pattern;
  /** The pattern with unescaped `:` and `/` in its query. */
  readonly queryPattern: Pattern;
  /** Length of the pattern in octets: the longer pattern is more specific (RFC 9309, section 2.2.2). */
  readonly octets: number;
}

interface CompiledGroup {
  readonly rules: readonly CompiledRule[];
  readonly crawlDelay: number | undefined;
}

/**
 * Whether `path` starts with a match of `pattern`. Does not normalize them. Takes linear time.
 *
 * @internal exported for tests
 */
export function matchesRobotsPattern(pattern: string, path: string): boolean {
  return matchesPattern(cutPattern(pattern), path);
}

/**
 * Creates a matcher. It compiles the rules at its first call. `budget` limits the work, for a caller that checks many untrusted URLs.
 */
export function createRobotsMatcher(
  groups: readonly RobotsGroup[],
  robotsUrl: string,
  budget?: SearchBudget,
): RobotsMatcher {
  const base = parseUrl(robotsUrl) ? robotsUrl : "https://robots.invalid/robots.txt";
  let byToken: ReadonlyMap<string, readonly CompiledGroup[]> | undefined;

  const groupsFor = (userAgent: string): readonly CompiledGroup[] => {
    byToken ??= groupsByToken(groups);
    return byToken.get(productToken(userAgent)) ?? byToken.get("*") ?? [];
  };

  return {
    isAllowed(url: string | UrlObject, userAgent: string): boolean {
      if (FAST) checkText("isAllowed", "userAgent", userAgent);
      const text = typeof url === "object" ? url?.href : url;
      // Check the type, because `undefined` would be resolved as the path "/undefined".
      const target = typeof text === "string" && parseUrl(text, base);
      if (!target) throw argumentError("isAllowed", "url", "a URL or a path", url);
      const path = robotsPath(target);
      return isRobotsPath(path) || isPathAllowed(path, groupsFor(userAgent), budget);
    },
    crawlDelay(userAgent: string): number | undefined {
      if (FAST) checkText("crawlDelay", "userAgent", userAgent);
      let longest: number | undefined;
      for (const { crawlDelay } of groupsFor(userAgent)) {
        if (crawlDelay !== undefined && crawlDelay > (longest ?? -1)) longest = crawlDelay;
      }
      return longest;
    },
  };
}

/**
 * Returns the path and the query of a URL. The `?` of an empty query is kept, because a rule may end with it:
 * `Disallow: /s?`.
 */
function robotsPath({ href }: UrlObject): string {
  return href.replace(/^[^/]*\/\/[^/]*|#.*/g, "");
}

/** robots.txt itself is always allowed (section 2.2.2). */
function isRobotsPath(path: string): boolean {
  return /^\/robots\.txt(\?|$)/.test(path);
}

/**
 * Maximum number of characters that wildcards search in one call of `isAllowed`. This search takes about 15 ms. Stops a
 * robots.txt with 500 KiB of `/*aab` that is matched against many URLs of several kilobytes. If the maximum is
 * exceeded, the URL counts as disallowed. With URLs of up to 100 characters, all rules of a robots.txt stay below the
 * maximum.
 */
const MAX_SEARCHED = 2 * 1024 * 1024;

function isPathAllowed(path: string, groups: readonly CompiledGroup[], budget?: SearchBudget): boolean {
  const normal = normalizeEscapes(path);
  const [unescaped = normal] = unescapeQuery([normal]);
  let allowed = true;
  let octets = -1;
  let searched = 0;
  for (const { rules } of groups) {
    for (const rule of rules) {
      if (rule.octets < octets || (rule.octets === octets && !rule.allow)) continue;
      if (rule.pattern.pieces.length > 1) {
        // The build for browsers searches with `indexOf`. In the worst case, its time is the product of the lengths of the
        // path and of the rule. So a long rule counts once more per 64 bytes.
        searched += FAST ? normal.length : normal.length * (1 + (rule.octets >> 6));
        if (FAST && budget !== undefined) budget.left -= normal.length;
      }
      if (searched > MAX_SEARCHED || (FAST && budget !== undefined && budget.left < 0)) return false;
      if (!matchesRule(rule, normal, unescaped)) continue;
      allowed = rule.allow;
      octets = rule.octets;
    }
  }
  return allowed;
}

/** The rule that decides the answer of `isAllowed`: the longest matching rule. Undefined if no rule matches. */
export function decidingRule(
  groups: readonly RobotsGroup[],
  url: UrlObject,
  userAgent: string,
): RobotsRule | undefined {
  const written = robotsPath(url);
  if (isRobotsPath(written)) return undefined;
  const path = normalizeEscapes(written);
  const [unescaped = path] = unescapeQuery([path]);
  const groupsOf = (token: string): RobotsGroup[] =>
    groups.filter(({ userAgents }) => userAgents.some((name) => productToken(name) === token));
  const own = groupsOf(productToken(userAgent) || "*");
  const matches = (own.length > 0 ? own : groupsOf("*"))
    .flatMap(({ rules }) => rules)
    .flatMap((rule) => compileRule(rule).map((compiled) => ({ rule, compiled })))
    .filter(({ compiled }) => matchesRule(compiled, path, unescaped));
  matches.sort(
    (a, b) => b.compiled.octets - a.compiled.octets || Number(b.rule.allow) - Number(a.rule.allow),
  );
  return matches[0]?.rule;
}

function matchesRule(rule: CompiledRule, normal: string, unescaped: string): boolean {
  if (matchesPattern(rule.pattern, normal)) return true;
  if (FAST && rule.queryPattern === rule.pattern && unescaped === normal) return false;
  return matchesPattern(rule.queryPattern, unescaped);
}

function groupsByToken(groups: readonly RobotsGroup[]): Map<string, CompiledGroup[]> {
  const byToken = new Map<string, CompiledGroup[]>();
  for (const { userAgents, rules, crawlDelay } of groups) {
    const group = { crawlDelay, rules: (FAST ? distinct(rules) : rules).flatMap(compileRule) };
    for (const token of new Set(userAgents.map(productToken))) {
      const list = byToken.get(token);
      if (list) list.push(group);
      else byToken.set(token, [group]);
    }
  }
  // An empty User-agent line names no crawler, and a crawler without a name gets the rules of `*`.
  byToken.delete("");
  return byToken;
}

/** Drops repeated rules. With gzip, 22,000 equal rules take a few bytes, and each would be matched against each URL. */
function distinct(rules: readonly RobotsRule[]): readonly RobotsRule[] {
  const byText = new Map(rules.map((rule) => [`${rule.allow} ${rule.path}`, rule]));
  return byText.size < rules.length ? [...byText.values()] : rules;
}

/**
 * Returns the product token of a User-Agent (section 2.2.1): `googlebot` for `Googlebot/2.1 (+http://…)`. Lenient: a
 * name that does not start with a letter (`360Spider`, `*`) is read up to its version, because such names are in use.
 */
function productToken(userAgent: string): string {
  const text = userAgent.trim();
  const token = /^[a-z_-]+/i.exec(text) ?? /^[^\s/]+/.exec(text);
  return token ? token[0].toLowerCase() : "";
}

/**
 * Compiles the patterns of a rule: none for an empty path, two for `Allow: /a/index.html`. Lenient: as google/robotstxt
 * does, such a rule also allows `/a/`.
 */
function compileRule({ allow, path }: RobotsRule): CompiledRule[] {
  const folder = allow && /^.*\/(?=index\.htm[^/]*$)/s.exec(path);
  return (folder ? [path, `${folder}$`] : path ? [path] : []).map((text) => {
    const { pieces: written, anchored } = cutPattern(text);
    const pieces = written.map(normalizeEscapes);
    const unescaped = unescapeQuery(pieces);
    const pattern: Pattern = { pieces, anchored };
    const isSame = FAST && unescaped.every((piece, index) => piece === pieces[index]);
    return {
      allow,
      pattern,
      queryPattern: isSame ? pattern : { pieces: unescaped, anchored },
      octets: pieces.reduce((sum, piece) => sum + piece.length, pieces.length - 1 + Number(anchored)),
    };
  });
}

function cutPattern(pattern: string): Pattern {
  const anchored = pattern.endsWith("$");
  return { pieces: (anchored ? pattern.slice(0, -1) : pattern).split("*"), anchored };
}

/**
 * Whether the path starts with a match of the pattern. The first piece must be at the start of the path. Each further
 * piece is matched at its first position after the previous piece. If any other positions match, these positions also
 * match. So no position of the path is searched twice.
 */
function matchesPattern({ pieces, anchored }: Pattern, path: string): boolean {
  const first = pieces[0] ?? "";
  if (!path.startsWith(first)) return false;
  let position = first.length;
  const last = pieces.length - 1;
  if (last === 0) return !anchored || position === path.length;
  for (let index = 1; index < last; index++) {
    position = endOf(pieces[index]!, path, position);
    if (position < 0) return false;
  }
  const tail = pieces[last]!;
  if (!anchored) return endOf(tail, path, position) >= 0;
  return path.length - tail.length >= position && path.endsWith(tail);
}

/**
 * Matches characters that `normalizeEscapes` may change. Most paths have no such character, and this test is faster
 * than the replacement.
 */
const NOT_NORMAL = /[^\w\-.~:/?#[\]@!&'()+,;=*$]/;

/**
 * Returns the normalized spelling of a path (section 2.2.2): unreserved characters are unescaped, other escapes are in
 * upper case, invalid characters are escaped as UTF-8. `%2A` and `%24` are also unescaped: patterns are already split
 * at their stars, so `*` and `$` can only mean the characters themselves (section 2.2.3). A `%` without two digits is
 * kept: `/a%3` matches `/a%3D`.
 */
function normalizeEscapes(text: string): string {
  if (FAST && !NOT_NORMAL.test(text)) return text;
  return text.replace(/%[0-9a-f]{2}|[^\w%\-.~:/?#[\]@!&'()+,;=*$]/giu, (match) => {
    if (match.length === 3) {
      const character = String.fromCharCode(Number.parseInt(match.slice(1), 16));
      return /[\w\-.~*$]/.test(character) ? character : match.toUpperCase();
    }
    return encodeURIComponent(/\p{Surrogate}/u.test(match) ? "\uFFFD" : match);
  });
}

/**
 * Unescapes `:` and `/` after the `?`, where they mean the same with and without escape. In section 2.2.2,
 * `?u=https://a` and `?u=https%3A%2F%2Fa` match.
 */
function unescapeQuery(pieces: readonly string[]): readonly string[] {
  const withQuery = pieces.findIndex((piece) => piece.includes("?"));
  if (withQuery < 0) return pieces;
  return pieces.map((piece, index) => {
    if (index < withQuery) return piece;
    const start = index === withQuery ? piece.indexOf("?") : 0;
    return piece.slice(0, start) + piece.slice(start).replaceAll("%3A", ":").replaceAll("%2F", "/");
  });
}
