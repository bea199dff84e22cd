/**
 * Patterns for URLs. `*` stands for anything, slashes included; everything else for itself, `?` too, which
 * starts a query here. What the pattern is held against depends on how it starts:
 *
 *   /blog/*             path and query
 *   https://…           the whole URL
 *   *.pdf               the whole URL
 *   example.com/blog/*  the URL without its scheme
 *
 * Linear in the URL: the pieces between the stars are looked for from left to right, and what was passed is
 * never looked at again.
 */
import { UsageError } from "./usage-error.ts";

export type UrlTest = (url: string) => boolean;

/** @throws {UsageError} for a pattern that no URL can match */
export function urlGlob(pattern: string): UrlTest {
  const matches = compile(pattern);
  if (pattern.startsWith("/")) return (url) => matches(url.slice(pathStart(url)));
  if (pattern.startsWith("*") || /^https?:\/\//i.test(pattern)) return matches;
  if (!/[*./:]/.test(pattern)) {
    throw new UsageError(`"${pattern}" matches no URL`, `Did you mean '*${pattern}*' or '/${pattern}/*'?`);
  }
  return (url) => matches(url.slice(url.indexOf("://") + 3));
}

/** Whether one of these matches; undefined when there is none. */
export function anyGlob(patterns: readonly string[] | undefined): UrlTest | undefined {
  if (patterns === undefined || patterns.length === 0) return undefined;
  const tests = patterns.map(urlGlob);
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
