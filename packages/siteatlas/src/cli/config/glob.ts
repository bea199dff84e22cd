/**
 * Globs for URLs. `*` matches anything, including slashes. Every other character matches itself, including `?`, which
 * starts a query. The start of the glob decides which part of a URL it is compared with:
 *
 *   /blog/*             path and query
 *   https://…           the complete URL
 *   *.pdf               the complete URL
 *   example.com/blog/*  the URL without its scheme
 *
 * Runs in linear time: the pieces between the stars are searched from left to right, without backtracking.
 */
import { UsageError } from "../process/usage-error.ts";

export type UrlTest = (url: string) => boolean;

/**
 * Returns a test that compares a URL with a glob.
 *
 * @throws {UsageError} for a pattern that no URL can match
 */
export function urlGlob(pattern: string, flag: string): UrlTest {
  const matches = compile(pattern);
  if (pattern.startsWith("/")) return (url) => matches(url.slice(pathStart(url)));
  if (pattern.startsWith("*") || /^https?:\/\//i.test(pattern)) return matches;
  if (!/[*./:]/.test(pattern)) {
    throw new UsageError(
      `${flag} "${pattern}" matches no URL: a glob must match the complete URL or path`,
      `Did you mean '*${pattern}*' or '/${pattern}/*'?`,
    );
  }
  return (url) => matches(url.slice(url.indexOf("://") + 3));
}

/** Returns a test whether a URL matches at least one of the globs. Returns undefined if the list is empty or absent. */
export function anyGlob(patterns: readonly string[] | undefined, flag: string): UrlTest | undefined {
  if (patterns === undefined || patterns.length === 0) return undefined;
  const tests = patterns.map((pattern) => urlGlob(pattern, flag));
  return (url) => tests.some((test) => test(url));
}

function pathStart(url: string): number {
  const at = url.indexOf("/", url.indexOf("://") + 3);
  return at === -1 ? url.length : at;
}

function compile(pattern: string): UrlTest {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  const middle = rest.filter((piece) => piece !== "");
  return (text) => {
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
      return false;
    const end = text.length - last.length;
    let from = first.length;
    for (const piece of middle) {
      const at = text.indexOf(piece, from);
      if (at === -1 || at + piece.length > end) return false;
      from = at + piece.length;
    }
    return true;
  };
}
