/**
 * Checks `parseRobotsTxt` with one fixture of the robots group. The fixture was written for `parseSitemap`, which
 * decodes bytes. Here the runtime's TextDecoder decodes them. Uses no Node module.
 */
import type { parseRobotsTxt } from "siteatlas/parse";
import type { Fixture } from "../support/fixtures.ts";

export function robotsProblems(
  { expected, input }: Fixture,
  api: { readonly parseRobotsTxt: typeof parseRobotsTxt },
): string[] {
  const robots = api.parseRobotsTxt(textOf(input), { url: expected.url });
  const problems: string[] = [];
  const should = JSON.stringify([...new Set(expected.children)]);
  const is = JSON.stringify(robots.sitemaps);
  if (is !== should) problems.push(`sitemaps are ${is}, expected ${should}`);
  if (typeof robots.isAllowed(expected.url, "examplebot") !== "boolean")
    problems.push("isAllowed gives no boolean");
  return problems;
}

/** R23 is UTF-16, R34 is Latin-1. */
function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
