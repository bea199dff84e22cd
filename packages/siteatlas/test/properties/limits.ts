/**
 * How long and how often a property is tried. One that fails may be made smaller for minutes: after a while
 * the smallest counterexample so far has to do.
 */
import { runs, seed } from "../support/runs.ts";

const TIME_LIMIT_MS = 25_000;

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
