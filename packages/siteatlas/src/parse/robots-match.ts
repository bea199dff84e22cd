/**
 * Which rules of a robots.txt hold for a crawler and a URL: RFC 9309, sections 2.2.1 to 2.2.3.
 *
 * Groups of one product token are merged, the longest matching rule wins, allow wins a tie, `*` and a
 * final `$` are special. Patterns are cut at their stars and searched for piece by piece: no RegExp is
 * made of them, because `/*a*a*a*b` against a long path would then take exponential time.
 * Does not ask whether the URL is on the host of the robots.txt.
 */
import { FAST } from "#shortcuts";
import { maskNoUrl } from "../sinks/userinfo.ts";

/** One Allow or Disallow line. */
export interface RobotsRule {
  readonly allow: boolean;
  /** As written; an empty path matches nothing. */
  readonly path: string;
  readonly line: number;
}

/** The rules under one run of User-agent lines. */
export interface RobotsGroup {
  /** As written. */
  readonly userAgents: readonly string[];
  readonly rules: readonly RobotsRule[];
  /** Seconds; the greatest where the group has several. */
  readonly crawlDelay?: number;
}

export interface RobotsMatcher {
  isAllowed(url: string, userAgent: string): boolean;
  crawlDelay(userAgent: string): number | undefined;
}

/** A pattern cut at its stars. */
interface Pattern {
  readonly pieces: readonly string[];
  /** It ended with `$`: the path must end there too. */
  readonly anchored: boolean;
}

interface CompiledRule {
  readonly allow: boolean;
  readonly pattern: Pattern;
  /** The pattern with `:` and `/` of its query unescaped. */
  readonly queryPattern: Pattern;
  /** Octets of the pattern: the more, the more specific (RFC 9309, section 2.2.2). */
  readonly octets: number;
}

interface CompiledGroup {
  readonly rules: readonly CompiledRule[];
  readonly crawlDelay: number | undefined;
}

/** Whether `path` begins with what `pattern` describes. Neither side is normalised here. Linear in both. */
export function matchesRobotsPattern(pattern: string, path: string): boolean {
  return matchesPattern(cutPattern(pattern), path);
}

/** Answers for the groups of one robots.txt; rules are prepared at the first question. */
export function createRobotsMatcher(groups: readonly RobotsGroup[], robotsUrl: string): RobotsMatcher {
  const base = URL.canParse(robotsUrl) ? robotsUrl : "https://robots.invalid/robots.txt";
  let byToken: ReadonlyMap<string, readonly CompiledGroup[]> | undefined;

  const groupsFor = (userAgent: string): readonly CompiledGroup[] => {
    byToken ??= groupsByToken(groups);
    return byToken.get(productToken(userAgent)) ?? byToken.get("*") ?? [];
  };

  return {
    isAllowed(url: string, userAgent: string): boolean {
      if (!URL.canParse(url, base))
        throw new TypeError(`Cannot check ${JSON.stringify(maskNoUrl(url))}: not a URL`);
      const { pathname, search } = new URL(url, base);
      if (pathname === "/robots.txt") return true;
      return isPathAllowed(pathname + search, groupsFor(userAgent));
    },
    crawlDelay(userAgent: string): number | undefined {
      let longest: number | undefined;
      for (const { crawlDelay } of groupsFor(userAgent)) {
        if (crawlDelay !== undefined && crawlDelay > (longest ?? -1)) longest = crawlDelay;
      }
      return longest;
    },
  };
}

/**
 * Characters that the wildcards of one answer may look at. Stops 500 KiB of `/*aab` against a URL of
 * kilobytes, asked for each URL of a site; whoever writes that is not visited. 2,000 such rules pass with
 * the longest URLs there are.
 */
const MAX_SEARCHED = 16 * 1024 * 1024;

function isPathAllowed(path: string, groups: readonly CompiledGroup[]): boolean {
  const normal = normalizeEscapes(path);
  const [unescaped = normal] = unescapeQuery([normal]);
  let allowed = true;
  let octets = -1;
  let searched = 0;
  for (const { rules } of groups) {
    for (const rule of rules) {
      if (rule.octets < octets || (rule.octets === octets && !rule.allow)) continue;
      if (rule.pattern.pieces.length > 1) searched += normal.length;
      if (searched > MAX_SEARCHED) return false;
      if (!matchesRule(rule, normal, unescaped)) continue;
      allowed = rule.allow;
      octets = rule.octets;
    }
  }
  return allowed;
}

function matchesRule(rule: CompiledRule, normal: string, unescaped: string): boolean {
  if (matchesPattern(rule.pattern, normal)) return true;
  if (FAST && rule.queryPattern === rule.pattern && unescaped === normal) return false;
  return matchesPattern(rule.queryPattern, unescaped);
}

function groupsByToken(groups: readonly RobotsGroup[]): Map<string, CompiledGroup[]> {
  const byToken = new Map<string, CompiledGroup[]>();
  for (const { userAgents, rules, crawlDelay } of groups) {
    const group = { crawlDelay, rules: rules.filter(({ path }) => path !== "").map(compileRule) };
    for (const token of new Set(userAgents.map(productToken))) {
      const list = byToken.get(token);
      if (list) list.push(group);
      else byToken.set(token, [group]);
    }
  }
  // An empty User-agent line addresses nobody, and a crawler without a name is anybody.
  byToken.delete("");
  return byToken;
}

/**
 * `Googlebot/2.1 (+http://…)` → `googlebot`: the product token of section 2.2.1.
 * Lenient: a name that starts with something else than a letter (`360Spider`, `*`) is taken up to its
 * version, since such names are in use.
 */
function productToken(userAgent: string): string {
  const text = userAgent.trim();
  const token = /^[a-z_-]+/i.exec(text) ?? /^[^\s/]+/.exec(text);
  return token ? token[0].toLowerCase() : "";
}

function compileRule(rule: RobotsRule): CompiledRule {
  const { pieces: written, anchored } = cutPattern(rule.path);
  const pieces = written.map(normalizeEscapes);
  const unescaped = unescapeQuery(pieces);
  const pattern: Pattern = { pieces, anchored };
  const isSame = FAST && unescaped.every((piece, index) => piece === pieces[index]);
  return {
    allow: rule.allow,
    pattern,
    queryPattern: isSame ? pattern : { pieces: unescaped, anchored },
    octets: pieces.reduce((sum, piece) => sum + piece.length, pieces.length - 1 + Number(anchored)),
  };
}

function cutPattern(pattern: string): Pattern {
  const anchored = pattern.endsWith("$");
  return { pieces: (anchored ? pattern.slice(0, -1) : pattern).split("*"), anchored };
}

/**
 * The first piece must stand at the start, each further one is taken at its first place after the one
 * before: if any arrangement matches, this one does. So no place of the path is searched twice.
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

/** The engine's own search is quicker, and for so short a piece never far from linear (sec-T04: 27,500 rules). */
const SHORT_PIECE = 64;

/**
 * Where the first occurrence of `piece` at or after `from` ends; -1 without one. Knuth, Morris and Pratt:
 * `baaa…` against `aaaa…` costs the sum of the lengths, where `indexOf` costs their product.
 */
function endOf(piece: string, path: string, from: number): number {
  if (piece.length === 0) return from;
  if (piece.length > path.length - from) return -1;
  if (FAST && piece.length <= SHORT_PIECE) {
    const at = path.indexOf(piece, from);
    return at < 0 ? -1 : at + piece.length;
  }
  const start = path.indexOf(piece.charAt(0), from);
  if (start < 0) return -1;
  const borders = bordersOf(piece);
  for (let index = start, matched = 0; index < path.length; index++) {
    const code = path.charCodeAt(index);
    while (matched > 0 && code !== piece.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (code === piece.charCodeAt(matched)) matched++;
    if (matched === piece.length) return index + 1;
  }
  return -1;
}

/** Holds the borders of one piece at a time: a search is over before the next one starts. */
let scratch = new Int32Array(256);

/** For each index of the piece: the length of the longest proper prefix of it that also ends there. */
function bordersOf(piece: string): Int32Array {
  if (piece.length > scratch.length) scratch = new Int32Array(2 * piece.length);
  scratch[0] = 0;
  for (let index = 1, length = 0; index < piece.length; index++) {
    const code = piece.charCodeAt(index);
    while (length > 0 && code !== piece.charCodeAt(length)) length = scratch[length - 1]!;
    if (code === piece.charCodeAt(length)) length++;
    scratch[index] = length;
  }
  return scratch;
}

/** Most paths have none of these; to look is quicker than to replace nothing. */
const NOT_NORMAL = /[^\w\-.~:/?#[\]@!&'()+,;=*$]/;

/**
 * One spelling for each path (section 2.2.2): escapes of unreserved characters are undone, others are
 * upper-cased, and what may not stand in a URL is escaped as UTF-8. `%2A` and `%24` are undone as well;
 * patterns are already cut, so that both can only mean the characters themselves (section 2.2.3).
 */
function normalizeEscapes(text: string): string {
  if (FAST && !NOT_NORMAL.test(text)) return text;
  return text.replace(/%[0-9a-f]{2}|[^\w\-.~:/?#[\]@!&'()+,;=*$]/giu, (match) => {
    if (match.length === 3) {
      const character = String.fromCharCode(Number.parseInt(match.slice(1), 16));
      return /[\w\-.~*$]/.test(character) ? character : match.toUpperCase();
    }
    return encodeURIComponent(/\p{Surrogate}/u.test(match) ? "\uFFFD" : match);
  });
}

/** Section 2.2.2 has `?u=https://a` and `?u=https%3A%2F%2Fa` match: after `?` the two have no other meaning. */
function unescapeQuery(pieces: readonly string[]): readonly string[] {
  const withQuery = pieces.findIndex((piece) => piece.includes("?"));
  if (withQuery < 0) return pieces;
  return pieces.map((piece, index) => {
    if (index < withQuery) return piece;
    const start = index === withQuery ? piece.indexOf("?") : 0;
    return piece.slice(0, start) + piece.slice(start).replaceAll("%3A", ":").replaceAll("%2F", "/");
  });
}
