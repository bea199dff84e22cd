import { checkArgument } from "../check/check-options.ts";
import { either, FILE_PATH, type Rule, rule } from "../check/rules.ts";
import type { PageChange } from "./changes.ts";
import { Comparison } from "./compare/find-changes.ts";
import { WEAK_SCORE } from "./revalidate/lastmod-trust.ts";
import { readSnapshot, Snapshot } from "./snapshot/read-snapshot.ts";

const SNAPSHOT: Rule<string | URL | Snapshot> = either(
  FILE_PATH,
  rule("a Snapshot", (value) => value instanceof Snapshot),
);

/**
 * Compares two snapshots of a site and yields what was added, changed, removed or relisted. A page whose removal is
 * pending in the newer snapshot is not removed.
 *
 * @example
 * for await (const change of diffSnapshots("monday.snapshot.gz", "tuesday.snapshot.gz")) console.log(change);
 */
export function diffSnapshots(
  before: string | URL | Snapshot,
  after: string | URL | Snapshot,
): AsyncGenerator<PageChange> {
  checkArgument("diffSnapshots", "before", SNAPSHOT, before);
  checkArgument("diffSnapshots", "after", SNAPSHOT, after);
  return changesBetween(before, after);
}

async function* changesBetween(
  before: string | URL | Snapshot,
  after: string | URL | Snapshot,
): AsyncGenerator<PageChange> {
  const opened: Snapshot[] = [];
  const read = async (given: string | URL | Snapshot): Promise<Snapshot> => {
    if (given instanceof Snapshot) return given;
    const snapshot = await readSnapshot(given);
    opened.push(snapshot);
    return snapshot;
  };
  try {
    const [older, newer] = [await read(before), await read(after)];
    const isWeak = (url: string): boolean => (newer.find(url)?.lastmod?.score ?? 1) < WEAK_SCORE;
    yield* new Comparison(older, newer, { isWeak }).changes();
  } finally {
    for (const snapshot of opened) await snapshot.close();
  }
}
