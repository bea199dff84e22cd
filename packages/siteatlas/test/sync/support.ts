/** Runs one sync and returns its changes by the paths of pages and the names of sitemaps. */
import { expect } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import { type Change, type SyncSummary, syncSite } from "../../src/sync/sync-site.ts";
import type { LivingSite } from "./living-site.ts";

export interface Told {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly relisted: readonly string[];
  readonly unknown: readonly string[];
  readonly changes: readonly Change[];
  readonly summary: SyncSummary;
}

/** A sync without changes. */
export const NOTHING: Pick<Told, "added" | "changed" | "removed" | "relisted" | "unknown"> = {
  added: [],
  changed: [],
  removed: [],
  relisted: [],
  unknown: [],
};

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
      .flatMap((change) => (change.kind === kind && change.kind !== "summary" ? [change.url] : []))
      .map((url) => url.replace(site.origin, ""))
      .sort();
  const summary = changes.at(-1) as SyncSummary;
  expect(summary.kind).toBe("summary");
  return {
    added: paths("added"),
    changed: paths("changed"),
    removed: paths("removed"),
    relisted: paths("relisted"),
    unknown: paths("unknown"),
    changes,
    summary,
  };
}
