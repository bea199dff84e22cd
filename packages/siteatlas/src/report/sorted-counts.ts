/** Turns counts into plain objects for the numbers of a report. */
import type { Counts } from "./report-model.ts";

/** Counts by name, the largest first, then by name. */
export function sortedCounts(counts: Iterable<readonly [name: string, count: number]>): Counts {
  return Object.fromEntries(
    [...counts].sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0)),
  );
}
