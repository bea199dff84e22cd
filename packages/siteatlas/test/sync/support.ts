/** Runs one sync and returns its changes by the paths of pages and the names of sitemaps. */
import { expect, onTestFinished, vi } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import { syncSite } from "../../src/sync/sync-site.ts";
import type { Change, SyncSummary } from "../../src/sync/sync-summary.ts";
import type { LivingSite } from "./living-site.ts";

export interface Told {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly pending: readonly string[];
  readonly relisted: readonly string[];
  readonly unknown: readonly string[];
  readonly changes: readonly Change[];
  readonly summary: SyncSummary;
}

/** A sync without changes. */
export const NOTHING: Pick<Told, "added" | "changed" | "removed" | "pending" | "relisted" | "unknown"> = {
  added: [],
  changed: [],
  removed: [],
  pending: [],
  relisted: [],
  unknown: [],
};

const HOUR_MS = 3_600_000;

/** A clock for `Date` that a test sets. Timers and connections use the real time. */
export class TestClock {
  #now: number;

  constructor(now: number = Date.parse("2026-03-01T06:00:00Z")) {
    this.#now = now;
    vi.useFakeTimers({ toFake: ["Date"], now: this.#now });
    onTestFinished(() => void vi.useRealTimers());
  }

  get now(): number {
    return this.#now;
  }

  pass(hours: number): void {
    this.#now += hours * HOUR_MS;
    vi.setSystemTime(this.#now);
  }
}

export async function syncOnce(
  site: Pick<LivingSite, "url" | "origin">,
  snapshot: string,
  options: Partial<SyncOptions> = {},
): Promise<Told> {
  const changes: Change[] = [];
  for await (const change of syncSite(site.url, { snapshot, limits: { backoffMs: 1 }, ...options })) {
    changes.push(change);
  }
  const paths = (kind: Change["kind"]): string[] =>
    changes
      .flatMap((change) => (change.kind === kind && "url" in change ? [change.url] : []))
      .map((url) => url.replace(site.origin, ""))
      .sort();
  const last = changes.at(-1)!;
  const summary = (last.kind === "failure" ? last.summary : last) as SyncSummary;
  expect(summary.kind).toBe("summary");
  return {
    added: paths("added"),
    changed: paths("changed"),
    removed: paths("removed"),
    pending: paths("pending"),
    relisted: paths("relisted"),
    unknown: paths("unknown"),
    changes,
    summary,
  };
}
