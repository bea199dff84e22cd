/** Which sub-sitemaps of a document the caller's two callbacks keep. */
import type { WalkOptions } from "./options.ts";
import { lineage, type Place, type SitemapRecord } from "./record.ts";

/** Asks both callbacks; undefined keeps all. `answer` waits for one of them, unless the walk ends before. */
export async function filterPlaces(
  record: SitemapRecord,
  { recurseCallback, recurseListCallback }: WalkOptions,
  answer: <T>(given: T | Promise<T>) => Promise<T>,
): Promise<Set<Place> | undefined> {
  if (recurseCallback === undefined && recurseListCallback === undefined) return undefined;
  const parents = lineage(record);
  let places: readonly Place[] = record.places;
  if (recurseListCallback !== undefined) {
    const urls = places.map((place) => place.url);
    const wanted = new Set(await answer(recurseListCallback(urls, record.level, parents)));
    places = places.filter((place) => wanted.has(place.url));
  }
  if (recurseCallback === undefined) return new Set(places);
  const kept = new Set<Place>();
  for (const place of places) {
    if (await answer(recurseCallback(place.url, record.level, parents))) kept.add(place);
  }
  return kept;
}
