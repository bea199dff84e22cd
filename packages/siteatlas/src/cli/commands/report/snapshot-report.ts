/** The numbers of a report about a snapshot, for `siteatlas report FILE`. */
import { ReportCounter, type ReportFacts } from "../../../report/report-counter.ts";
import type { ReportSync, SiteReport } from "../../../report/report-model.ts";
import type { Snapshot } from "../../../sync/snapshot/read-snapshot.ts";
import type { SnapshotSitemap } from "../../../sync/snapshot/snapshot-format.ts";
import type { WalkedSitemap } from "../../../walk/events/events.ts";
import { openSnapshot, syncProblem } from "../../changes/snapshot-file.ts";
import type { Run } from "../../command.ts";
import { toDate, toPage } from "../snapshot.ts";

const MAX_RUNS = 30;

export async function snapshotReport({ signal }: Run, file: string, facts: ReportFacts): Promise<SiteReport> {
  const snapshot = await openSnapshot(file);
  try {
    const { homepage, finishedAt, runs } = snapshot.facts;
    const counter = new ReportCounter(homepage);
    const pending = await addPages(counter, snapshot, signal);
    for (const sitemap of snapshot.sitemaps) counter.addSitemap(walkedOf(sitemap));
    return counter.numbers({
      ...facts,
      site: homepage,
      at: new Date(finishedAt),
      from: "snapshot",
      unknown: ["languages", "media", "issues", "transfer"],
      changes: { runs: runs.slice(-MAX_RUNS).map(syncOf), pending },
    });
  } catch (error) {
    throw syncProblem(error, file);
  } finally {
    await snapshot.close();
  }
}

/** Adds the pages of a snapshot. Returns the number of pages whose removal is not certain yet: they do not count. */
async function addPages(counter: ReportCounter, snapshot: Snapshot, signal: AbortSignal): Promise<number> {
  let pending = 0;
  for await (const { sitemap: _, pendingSince, ...page } of snapshot.pages()) {
    signal.throwIfAborted();
    if (pendingSince === undefined) counter.addPage(toPage(page));
    else pending++;
  }
  return pending;
}

function syncOf({ at, added, changed, removed, unknown }: ReportSync): ReportSync {
  return { at, added, changed, removed, unknown };
}

function walkedOf(sitemap: SnapshotSitemap): WalkedSitemap {
  const { url, source, parents, kind, format, children, pageCount, declared, unknown, isNeverRead } = sitemap;
  const [parentUrl] = parents;
  return {
    url,
    source,
    outcome: unknown === undefined ? "found" : "failed",
    level: parents.length === 0 ? 0 : 1,
    kind,
    ...(parentUrl !== undefined && { parentUrl }),
    ...(!isNeverRead && { format }),
    ...(declared !== undefined && { lastModified: toDate(declared) }),
    ...(unknown !== undefined && { code: unknown.code }),
    pageCount,
    childCount: children.length,
    issueCount: 0,
    duplicateCount: 0,
  };
}
