/**
 * Applies the caller's two filter callbacks to the sitemaps of an index. An index that is listed several times is
 * filtered each time.
 */
import { checkArgument } from "../../check/check-options.ts";
import { BOOLEAN, listOf, type Rule, STRING } from "../../check/rules.ts";
import type { WalkOptions } from "../options.ts";
import { lineage, type Place } from "../place.ts";
import type { Declaration } from "../site-graph.ts";

const RESULT = "its result";
const URLS: Rule<readonly string[]> = listOf(STRING, "an array of URLs");

/** Returns the sitemaps that both callbacks keep. `unlessStopped` rejects when the walk ends during a callback. */
export async function filterChildren(
  place: Place,
  declared: readonly Declaration[],
  { recurseCallback, recurseListCallback }: WalkOptions,
  unlessStopped: <T>(answer: T | Promise<T>) => Promise<T>,
): Promise<readonly Declaration[]> {
  if (recurseCallback === undefined && recurseListCallback === undefined) return declared;
  const { level } = place;
  const parents = lineage(place);
  let listed = declared;
  if (recurseListCallback !== undefined) {
    const urls = declared.map(({ url }) => url);
    const answer: unknown = await unlessStopped(recurseListCallback(urls, level, parents));
    checkArgument("recurseListCallback", RESULT, URLS, answer);
    const wanted = new Set(answer as readonly string[]);
    listed = declared.filter(({ url }) => wanted.has(url));
  }
  if (recurseCallback === undefined) return listed;
  const kept: Declaration[] = [];
  for (const declaration of listed) {
    const answer: unknown = await unlessStopped(recurseCallback(declaration.url, level, parents));
    checkArgument("recurseCallback", RESULT, BOOLEAN, answer);
    if (answer) kept.push(declaration);
  }
  return kept;
}
