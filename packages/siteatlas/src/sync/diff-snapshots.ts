/** What is different between two snapshots of a site, whenever they were made. */
import type { PageChange } from "./changes.ts";
import { Comparison } from "./compare.ts";
import { WEAK_SCORE } from "./lastmod-trust.ts";
import { readSnapshot, Snapshot } from "./read-snapshot.ts";

export interface DiffOptions {
  /** From this share of all pages on, removed pages are `suspect`. @default 0.2 */
  readonly massRemoval?: number;
}

/**
 * Tells what was added, changed, removed or relisted from one snapshot to the other.
 *
 * @example
 * for await (const change of diffSnapshots("monday.snapshot.gz", "tuesday.snapshot.gz")) console.log(change);
 */
export async function* diffSnapshots(
  before: string | Snapshot,
  after: string | Snapshot,
  { massRemoval = 0.2 }: DiffOptions = {},
): AsyncGenerator<PageChange> {
  const opened: Snapshot[] = [];
  const read = async (given: string | Snapshot): Promise<Snapshot> => {
    if (given instanceof Snapshot) return given;
    const snapshot = await readSnapshot(given);
    opened.push(snapshot);
    return snapshot;
  };
  try {
    const [older, newer] = [await read(before), await read(after)];
    const isWeak = (url: string): boolean => (newer.find(url)?.lastmod?.score ?? 1) < WEAK_SCORE;
    yield* new Comparison(older, newer, { massRemoval, isWeak }).changes();
  } finally {
    for (const snapshot of opened) await snapshot.close();
  }
}
