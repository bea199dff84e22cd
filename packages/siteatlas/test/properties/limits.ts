/** Time and number of runs of a property. Shrinking a failure may take minutes, so it is limited as well. */
import { fuzzFactor, runs, seed } from "../support/runs.ts";

/** A fuzz run shares the machine with other work. */
const TIME_LIMIT_MS = fuzzFactor > 1 ? 100_000 : 50_000;

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
    interruptAfterTimeLimit: TIME_LIMIT_MS * fuzzFactor,
    markInterruptAsFailure: true,
  };
}
