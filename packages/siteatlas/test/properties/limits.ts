/**
 * How long and how often a property is tried. One that fails may be made smaller for minutes: after a while
 * the smallest counterexample so far has to do.
 */
import { fuzzFactor, runs, seed } from "../support/runs.ts";

/** A fuzz run shares the machine with other work: it may take its time. */
const TIME_LIMIT_MS = fuzzFactor > 1 ? 100_000 : 25_000;

export interface Limits {
  readonly seed: number;
  readonly numRuns: number;
  readonly interruptAfterTimeLimit: number;
  readonly markInterruptAsFailure: true;
}

export function limits(numRuns: number): Limits {
  return {
    seed,
    numRuns: runs(numRuns),
    interruptAfterTimeLimit: runs(TIME_LIMIT_MS),
    markInterruptAsFailure: true,
  };
}
