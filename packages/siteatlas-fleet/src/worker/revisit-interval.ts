/**
 * Computes the time until the next visit of a site. A visit that finds a change halves the interval. A visit without a
 * change, or a failed visit, doubles it. Random jitter spreads the visits of sites that were added together.
 */
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { callable, number } from "../check/rules.ts";
import type { NextVisit } from "../database/frontier.ts";
import type { LegResult } from "../model/visit.ts";

export interface ScheduleOptions {
  /** Interval after the first visit. @default a day */
  readonly everySeconds?: number | undefined;
  /** Shortest interval. @default an hour */
  readonly minSeconds?: number | undefined;
  /** Longest interval, before jitter is added. @default thirty days */
  readonly maxSeconds?: number | undefined;
  /** Maximum random change of the interval, as a share of it. @default 0.1 */
  readonly jitter?: number | undefined;
  /** Returns a random number from 0 to 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

export const SCHEDULE_OPTIONS: OptionRules<ScheduleOptions> = {
  everySeconds: number(0),
  minSeconds: number(0),
  maxSeconds: number(0),
  jitter: number(0, 1),
  random: callable(),
};

/**
 * Minimum of `quiet`, the number of visits in a row without a change. A negative number counts visits in a row with a
 * change.
 */
const LEAST_QUIET = -5;
const MOST = 30;

export function nextVisit(
  { outcome, changes, pauseMs = 0 }: Pick<LegResult, "outcome" | "changes" | "pauseMs">,
  before: { readonly quiet: number; readonly failures: number; readonly isFirst: boolean },
  options: ScheduleOptions = {},
): NextVisit {
  checkOptions("nextVisit", SCHEDULE_OPTIONS, options);
  const { everySeconds = 86_400, minSeconds = 3600, maxSeconds = 30 * 86_400 } = options;
  const { jitter = 0.1, random = Math.random } = options;
  const isFailure = outcome === "unreachable" || outcome === "paused";
  const failures = isFailure ? Math.min(before.failures + 1, MOST) : 0;
  const quiet = isFailure ? before.quiet : quietAfter(before, changes > 0);
  const wanted = everySeconds * 2 ** (isFailure ? failures : quiet);
  const interval = Math.min(maxSeconds, Math.max(minSeconds, wanted));
  const chance = interval * jitter * (2 * random() - 1);
  return { waitSeconds: Math.max(interval + chance, pauseMs / 1000), quiet, failures };
}

function quietAfter(
  { quiet, isFirst }: { readonly quiet: number; readonly isFirst: boolean },
  isChanged: boolean,
): number {
  // The changes of the first visit do not count, because every page is new then.
  if (isFirst) return 0;
  return isChanged ? Math.max(LEAST_QUIET, Math.min(quiet, 1) - 1) : Math.min(MOST, quiet + 1);
}
