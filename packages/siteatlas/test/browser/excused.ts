/**
 * Fixtures that a browser need not pass: repairs of damaged gzip. DecompressionStream does not report where its data
 * ended, and drops its output before an error. These fixtures must still not throw, must have no invented page and
 * the right order, and must report damage that lost pages.
 */
import type { ParseApi } from "../conformance/check-case.ts";
import type { Fixture } from "../support/fixtures.ts";
import { smallestPieces, streamOf } from "../support/splits.ts";

export const EXCUSED: ReadonlyMap<string, string> = new Map([
  ["G07", "trailing bytes are an error"],
  ["G08", "a second member is an error"],
  ["G09", "a wrong checksum loses the last pieces"],
  ["Z06", "damaged data loses the pieces before it, as in G09"],
]);

export async function damagedGzipProblems(fixture: Fixture, api: ParseApi): Promise<string[]> {
  const { expected, input } = fixture;
  const { url, contentType } = expected;
  const options = { url, ...(contentType !== undefined && { contentType }) };
  const allowed = expected.pages ?? [];
  const problems: string[] = [];
  for (const source of [input, streamOf(smallestPieces(input))]) {
    const sitemap = await api.parseSitemap(source, options);
    const pages = [...sitemap.pages].map((page) => page.url);
    if (pages.some((page, at) => page !== allowed[at]))
      problems.push("the pages are no prefix of those expected");
    const reported = sitemap.issues.some(({ code }) => code.startsWith("gzip."));
    if (pages.length < allowed.length && !reported) problems.push("pages were lost without an issue");
  }
  return problems;
}
