/**
 * Finds what changed on a site since the last sync. The last snapshot is replaced when the caller has received all
 * changes. A sync that is killed keeps the old snapshot, so the next one reports the same changes. If a removed page may
 * be in a sitemap that was not read, the site is read a second time (sync-pass.ts).
 */
import { checkArgument } from "../check/check-options.ts";
import { FILE_PATH } from "../check/rules.ts";
import type { SiteStart, WalkStart } from "../discover/site-start.ts";
import { filePath } from "../files/file-path.ts";
import { checkWalk } from "../walk/option-rules.ts";
import type { SitemapUnknown, SyncStart } from "./changes.ts";
import { OBJECT, SYNC_OPTIONS, type SyncOptions } from "./options.ts";
import { readSnapshot, type Snapshot } from "./snapshot/read-snapshot.ts";
import { SnapshotError } from "./snapshot/snapshot-error.ts";
import { SnapshotWriter } from "./snapshot/write-snapshot.ts";
import { type FirstPass, SyncPass } from "./sync-pass.ts";
import type { Change, FirstSyncFailure, RunItem, SyncSummary } from "./sync-summary.ts";

/**
 * Yields the start of the run, then what was added, changed, removed or relisted since the last sync, then a summary,
 * and updates the snapshot. If a sitemap failed or was truncated, its pages are unknown, never removed. A first
 * sync that finds no page yields only a failure.
 *
 * The snapshot is replaced when the loop continues after the summary. If the loop ends earlier, or the process dies,
 * the next sync yields the same changes.
 *
 * @example
 * for await (const change of syncSite("https://example.com/", { snapshot: "example.snapshot.gz" })) {
 *   if (change.kind === "added") console.log(change.url);
 * }
 *
 * @param start a homepage, or `{ sitemaps: [url, …] }`. All syncs of one snapshot must have the same kind of start.
 */
export function syncSite(start: WalkStart, options: SyncOptions): AsyncGenerator<Change> {
  return withFailure(syncRun(start, options));
}

/**
 * Like `syncSite`, but a first sync without pages also has a start and a summary. The command line needs the start
 * before the first request, to lock the snapshot and to deliver what earlier syncs left.
 */
export function syncRun(start: WalkStart, options: SyncOptions): AsyncGenerator<RunItem> {
  checkArgument("syncSite", "options", OBJECT, options);
  const site = checkWalk("syncSite", start, options, SYNC_OPTIONS);
  checkArgument("syncSite", "option snapshot", FILE_PATH, options.snapshot);
  return changesOf(site, options);
}

/**
 * Holds back the start of a first sync until a page was found. Without a page, a site that is down would look like an
 * empty one, and a copy that drops its pages at the start would lose them.
 */
async function* withFailure(items: AsyncIterable<RunItem>): AsyncGenerator<Change> {
  let start: SyncStart | undefined;
  const unknown: SitemapUnknown[] = [];
  for await (const item of items) {
    if (item.kind === "start" && item.isFirst) start = item;
    else if (start === undefined) yield item;
    else if (item.kind === "unknown") unknown.push(item);
    else if (item.kind === "summary") yield failureOf(start, unknown, item);
    else {
      yield start;
      start = undefined;
      yield item;
    }
  }
}

function failureOf(
  { schema, run, at }: SyncStart,
  unknown: readonly SitemapUnknown[],
  summary: SyncSummary,
): FirstSyncFailure {
  const { homepage } = summary;
  const message = `No page of ${homepage} was found: the site may be down, or it has no sitemap`;
  return { kind: "failure", schema, run, at, homepage, message, unknown, summary };
}

async function* changesOf(site: SiteStart, options: SyncOptions): AsyncGenerator<RunItem> {
  const before = await readSnapshot(filePath(options.snapshot)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  try {
    if (before !== undefined) checkSite(site, before, filePath(options.snapshot));
    const first = yield* passOf(site, options, before);
    if (first !== undefined) yield* passOf(site, options, before, first);
  } finally {
    await before?.close();
  }
}

async function* passOf(
  site: SiteStart,
  options: SyncOptions,
  before: Snapshot | undefined,
  first?: FirstPass,
): AsyncGenerator<RunItem, FirstPass | undefined> {
  const writer = await SnapshotWriter.create(filePath(options.snapshot), before);
  try {
    return yield* new SyncPass(site, options, before, writer, first).run();
  } finally {
    await writer.discard();
  }
}

/**
 * Rejects the snapshot of another site or another kind of start. This sync does not read its pages, so they would be
 * reported as removed.
 */
function checkSite(site: SiteStart, { facts, sitemaps }: Snapshot, snapshot: string): void {
  const { homepage: known } = facts;
  if (siteName(new URL(known).host) !== siteName(site.homepage.host)) {
    throw new SnapshotError("other-site", `${snapshot} belongs to ${known}, not to ${site.homepage.href}`);
  }
  const isOfSitemaps = sitemaps.some(({ source }) => source === "given");
  if (isOfSitemaps !== (site.sitemaps !== undefined)) {
    const [scope, now] = isOfSitemaps
      ? ["single sitemaps", "the whole site"]
      : ["the whole site", "single sitemaps"];
    const message = `${snapshot} is a snapshot of ${scope} of ${known}, but this sync reads ${now}`;
    throw new SnapshotError("other-start", message);
  }
}
/** The host without `www.`, because a site may add or drop it. */
export function siteName(host: string): string {
  return host.replace(/^www\./, "");
}
