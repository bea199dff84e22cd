/**
 * When a site is visited again: sooner the more often it changes, later each time it fails. A visit that found a
 * change halves the interval, some without one double it; chance keeps sites that began together apart.
 */
import type { NextVisit } from "./database/frontier.ts";
import type { LegResult } from "./leg.ts";

export interface ScheduleOptions {
  /** For a site that was seen once. @default a day */
  readonly everySeconds?: number;
  /** @default an hour */
  readonly minSeconds?: number;
  /** @default thirty days */
  readonly maxSeconds?: number;
  /** Up to so much of the interval is added or taken away. @default 0.1 */
  readonly jitter?: number;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/** `quiet` counts visits without a change; below zero, visits with one. */
const LEAST_QUIET = -5;
const MOST = 30;

/** The reading of a site that was `quiet` and failed so many times before this visit. */
export function nextVisit(
  { outcome, changes, pauseMs = 0 }: Pick<LegResult, "outcome" | "changes" | "pauseMs">,
  before: { readonly quiet: number; readonly failures: number; readonly isFirst: boolean },
  options: ScheduleOptions = {},
): NextVisit {
  const { everySeconds = 86_400, minSeconds = 3600, maxSeconds = 30 * 86_400 } = options;
  const { jitter = 0.1, random = Math.random } = options;
  const isFailure = outcome === "unreachable" || outcome === "paused";
  const failures = isFailure ? Math.min(before.failures + 1, MOST) : 0;
  const quiet = isFailure ? before.quiet : quietAfter(before, changes > 0);
  const doublings = isFailure ? failures : quiet;
  const wanted = everySeconds * 2 ** doublings;
  const interval = Math.min(maxSeconds, Math.max(minSeconds, wanted));
  const chance = interval * jitter * (2 * random() - 1);
  return { waitSeconds: Math.max(interval + chance, pauseMs / 1000), quiet, failures };
}

function quietAfter(
  { quiet, isFirst }: { readonly quiet: number; readonly isFirst: boolean },
  isChanged: boolean,
): number {
  // The first time everything is new: that says nothing.
  if (isFirst) return 0;
  return isChanged ? Math.max(LEAST_QUIET, Math.min(quiet, 1) - 1) : Math.min(MOST, quiet + 1);
}
