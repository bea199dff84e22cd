/**
 * `siteatlas sync`: the changes of a site since its last snapshot. The snapshot is replaced only after all changes
 * were written. If the run is interrupted or the pipe is closed before that, the next sync reports the same changes.
 */
import { terminalText } from "../../escape/terminal.ts";
import type { SnapshotFacts } from "../../sync/snapshot/snapshot-format.ts";
import { siteName, syncRun } from "../../sync/sync-site.ts";
import type { SyncSummary } from "../../sync/sync-summary.ts";
import type { WalkEvent } from "../../walk/events/events.ts";
import { ChangeOutput } from "../changes/change-output.ts";
import { isChange } from "../changes/change-record.ts";
import { changesLine, missingText, savedLine, sayMassRemoval } from "../changes/changes-line.ts";
import {
  costText,
  drawChanges,
  momentText,
  sitemapTexts,
  trustText,
  wrapped,
} from "../changes/draw-changes.ts";
import { lockSnapshot } from "../changes/lock-snapshot.ts";
import { checkFolder, lastFacts, snapshotName, syncProblem } from "../changes/snapshot-file.ts";
import { SyncWebhook } from "../changes/webhook/sync-webhook.ts";
import type { Command, Run } from "../command.ts";
import { commandFormats } from "../config/output-formats.ts";
import { readTarget, startOf, type Target } from "../config/target.ts";
import { type Message, nothingFound, nothingRead } from "../messages/hints.ts";
import { RunCounts, type SiteFacts } from "../messages/run-counts.ts";
import { movedText } from "../messages/summary.ts";
import { abortOnError, drawOptions } from "../output/finish-output.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { Interruption } from "../process/interrupt.ts";
import { keepHeapSmall } from "../process/limit-heap-growth.ts";
import { UsageError } from "../process/usage-error.ts";
import { count } from "../terminal/format-text.ts";
import { type WalkOne, walkSites } from "../walk/walk-sites.ts";

export const sync: Command = async (run) => {
  keepHeapSmall();
  const { args, settings } = run;
  const [given = ""] = args;
  if (given === "-")
    throw new UsageError("siteatlas sync takes one site", "For a list of sites, use siteatlas watch -.");
  const { snapshot = snapshotName(readTarget(given, settings)) } = settings;
  const before = await lastFacts(snapshot);
  if (before === undefined) await checkFolder(snapshot);
  else checkSite(run, before, snapshot);
  const lock = settings.dryRun ? undefined : await lockSnapshot(snapshot);
  try {
    return await syncLocked(run, snapshot, before);
  } finally {
    await lock?.release();
  }
};

async function syncLocked(run: Run, snapshot: string, before: SnapshotFacts | undefined): Promise<ExitCode> {
  const { args, settings } = run;
  const output = await ChangeOutput.open(run, commandFormats.sync.names);
  return abortOnError(output, async () => {
    const webhook = await SyncWebhook.open(run, snapshot, readTarget(args[0] ?? "", settings).url);
    const runCounts = new RunCounts();
    let summary: SyncSummary | undefined;
    const walkOne: WalkOne = async (target, options, visit) => {
      const onEvent = (event: WalkEvent): void => void visit(event);
      try {
        for await (const change of syncRun(startOf(target), { ...options, snapshot, onEvent })) {
          options.signal?.throwIfAborted();
          if (change.kind === "start") {
            output.start(change);
            await webhook?.start(change);
          } else if (change.kind !== "summary") {
            await output.change(change);
            await webhook?.change(change);
          } else {
            run.reporter.stopProgress();
            // A first sync that found no sitemap writes no output and no snapshot. `explainNothing` reports it.
            if (change.isFirst && runCounts.sitemaps === 0) return;
            await output.end(change, (found) => drawSync(run, found, change, before));
            if (!isEmptyFirst(change)) await webhook?.finish(change, output.found.reasons);
            summary = change;
          }
        }
        await webhook?.commit();
      } catch (error) {
        const problem = syncProblem(error, snapshot);
        await webhook?.fail(problem).catch(() => {});
        throw problem;
      }
    };
    /** Why a first sync found no page. */
    let emptyText: string | undefined;
    const explainNothing = (target: Target, facts: SiteFacts): Message => {
      if (summary === undefined || summary.isFirst) {
        const message = nothingFound(target, facts, settings);
        emptyText = message.text;
        return message;
      }
      const known = { ...summary, reasons: output.found.reasons };
      return { hint: "Try again later.", ...nothingRead(target, facts, settings, known) };
    };
    let isDelivered = true;
    try {
      await walkSites(run, {
        runCounts,
        handlers: {},
        walkOne,
        explainNothing,
        jobs: 1,
        ...countUnchanged(runCounts),
      });
      if (summary !== undefined && isEmptyFirst(summary)) {
        emptyText ??= `no page found in ${count(runCounts.sitemaps, "sitemap")}`;
      }
      if (emptyText !== undefined) await webhook?.fail(new UsageError(emptyText));
    } finally {
      isDelivered = (await webhook?.end()) ?? true;
    }
    if (summary === undefined) await output.abort();
    const code = concludeSync(run, runCounts, summary, output.found, before, snapshot);
    return isDelivered || code >= EXIT.hungUp ? code : EXIT.undelivered;
  });
}

/** Whether this is a first sync that found no page. It writes no snapshot, and the webhook gets it as a failure. */
function isEmptyFirst({ isFirst, pageCount }: SyncSummary): boolean {
  return isFirst && pageCount === 0;
}

/** Turns unchanged sitemaps into found ones, so that the run counts them and their pages. */
function countUnchanged(runCounts: RunCounts): {
  mapEvent: (event: WalkEvent) => WalkEvent;
  describe: (sitemap: { readonly url: string }) => string | undefined;
} {
  const unchanged = new Map<string, string>();
  return {
    mapEvent: (event) => {
      if (event.kind !== "sitemap" || event.sitemap.outcome !== "unchanged") return event;
      const { sitemap } = event;
      runCounts.pages += sitemap.pageCount;
      unchanged.set(
        sitemap.url,
        sitemap.http === undefined ? "skipped: unchanged according to its index" : "not modified",
      );
      return { kind: "sitemap", sitemap: { ...sitemap, outcome: "found" } };
    },
    describe: ({ url }) => {
      const text = unchanged.get(url);
      unchanged.delete(url);
      return text;
    },
  };
}

/**
 * Rejects the snapshot of another site: all pages of that site would be reported as removed. If only `www.` differs,
 * warns.
 */
function checkSite({ args, settings, reporter }: Run, { homepage }: SnapshotFacts, snapshot: string): void {
  const { host } = URL.canParse(homepage) ? new URL(homepage) : { host: homepage };
  const { name } = readTarget(args[0] ?? "", settings);
  if (host === name) return;
  const text = `${terminalText(snapshot)} belongs to ${terminalText(host)}, not ${name}`;
  if (siteName(host) !== siteName(name)) {
    throw new UsageError(text, `Use one file per site: --snapshot ${name.replace(":", "_")}.snapshot.gz`);
  }
  reporter.warn(text, undefined, true);
}

function drawSync(
  run: Run,
  found: ChangeOutput["found"],
  summary: SyncSummary,
  before: SnapshotFacts | undefined,
): string {
  const when = before === undefined ? "first sync" : `since ${momentText(lastReadAt(before))}`;
  const options = drawOptions(run, summary.homepage);
  const picture = drawChanges(found, { ...options, when, isFirst: before === undefined });
  const texts = [
    ...sitemapTexts(summary),
    ...(summary.pageCount === 0 ? [] : [trustText(summary.lastmod)]),
    costText(summary),
  ];
  const lines = texts.flatMap((text) => wrapped(text, options));
  return `${picture}\n${lines.map((line) => `${line}\n`).join("")}`;
}

/** The time of the last sync that read a sitemap completely. Later syncs did not change the pages of the snapshot. */
function lastReadAt({ runs, startedAt }: SnapshotFacts): string {
  return runs.findLast(({ read }) => read > 0)?.at ?? startedAt;
}

function concludeSync(
  { reporter, settings, signal }: Run,
  runCounts: RunCounts,
  summary: SyncSummary | undefined,
  found: ChangeOutput["found"],
  before: SnapshotFacts | undefined,
  snapshot: string,
): ExitCode {
  if (summary === undefined) {
    if (!(signal.reason instanceof Interruption)) return EXIT.nothingFound;
    const { exitCode } = signal.reason;
    const kept = before === undefined ? "no snapshot was written" : "the snapshot was not changed";
    reporter.summary(`Interrupted: ${kept}`, { exitCode }, true);
    return exitCode;
  }
  const code = changeCode(summary, settings, runCounts);
  sayMassRemoval(reporter, summary, found, before?.pageCount ?? 0);
  const { reasons } = found;
  // walkSites has already reported why nothing was found.
  if (code === EXIT.nothingFound) return code;
  const missing = missingText(runCounts.failed, reasons);
  const isLoud = summary.unknownSitemaps > 0 || missing !== "" || runCounts.limits.size > 0;
  const where = ` in ${count(summary.sitemapCount, "sitemap")}`;
  // A first sync has no earlier pages to keep.
  const unknownPages = summary.isFirst ? 0 : summary.unknownPages;
  const moved = movedText(runCounts);
  const more = settings.dryRun ? ["The snapshot was not changed (--dry-run)"] : [];
  const line =
    summary.isFirst && !settings.dryRun
      ? savedLine(summary, reasons, `${where} saved to ${terminalText(snapshot)}`, missing, moved)
      : changesLine({ ...summary, unknownPages }, reasons, where, missing, moved, ...more);
  reporter.summary(line, { ...summary, exitCode: code }, isLoud);
  return code;
}

function changeCode(
  summary: SyncSummary,
  { failOnPartial, exitCode }: Run["settings"],
  runCounts: RunCounts,
): ExitCode {
  if (runCounts.limits.size > 0) return EXIT.limit;
  if (runCounts.sitemaps === 0) return EXIT.nothingFound;
  // A listed sitemap that never existed has no pages to keep. So `unknownSitemaps` does not count it, but `isPartial`
  // does.
  if (failOnPartial && (summary.unknownSitemaps > 0 || runCounts.isPartial)) return EXIT.partial;
  return exitCode && isChange(summary) ? EXIT.changed : EXIT.done;
}
