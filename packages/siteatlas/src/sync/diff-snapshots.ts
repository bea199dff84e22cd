import { checkArgument, checkOptions, type OptionRules } from "../check/check-options.ts";
import { either, FILE_PATH, type Rule, rule } from "../check/rules.ts";
import type { PageChange } from "./changes.ts";
import { Comparison } from "./find-changes.ts";
import { WEAK_SCORE } from "./lastmod-trust.ts";
import { SHARE } from "./options.ts";
import { readSnapshot, Snapshot } from "./snapshot/read-snapshot.ts";
import { MASS_REMOVAL } from "./suspicious-removals.ts";

/** Options of `diffSnapshots`. */
export interface DiffOptions {
  /** If at least this share of all pages, from 0 to 1, is removed, the removed pages are `suspect`. @default 0.2 */
  readonly massRemoval?: number | undefined;
}

const DIFF_OPTIONS: OptionRules<DiffOptions> = { massRemoval: SHARE };

const SNAPSHOT: Rule<string | URL | Snapshot> = either(
  FILE_PATH,
  rule("a Snapshot", (value) => value instanceof Snapshot),
);

/**
 * Compares two snapshots of a site and yields what was added, changed, removed or relisted.
 *
 * @example
 * for await (const change of diffSnapshots("monday.snapshot.gz", "tuesday.snapshot.gz")) console.log(change);
 */
export function diffSnapshots(
  before: string | URL | Snapshot,
  after: string | URL | Snapshot,
  options: DiffOptions = {},
): AsyncGenerator<PageChange> {
  checkArgument("diffSnapshots", "before", SNAPSHOT, before);
  checkArgument("diffSnapshots", "after", SNAPSHOT, after);
  checkOptions("diffSnapshots", DIFF_OPTIONS, options);
  return changesBetween(before, after, options);
}

async function* changesBetween(
  before: string | URL | Snapshot,
  after: string | URL | Snapshot,
  { massRemoval = MASS_REMOVAL }: DiffOptions,
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
    yield* new Comparison(older, newer, { massRemoval, isWeak }).changes();
  } finally {
    for (const snapshot of opened) await snapshot.close();
  }
}
