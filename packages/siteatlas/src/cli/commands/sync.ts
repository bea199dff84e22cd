/**
 * `siteatlas sync`: what changed on a site since the last time, kept in one file. The file is replaced when all
 * that there is to tell was written: whoever stops it before, or closes the pipe, is told the same again.
 */
import { dirname } from "node:path";
import { terminalText } from "../../sinks/terminal.ts";
import type { SnapshotFacts } from "../../sync/snapshot-format.ts";
import { type SyncSummary, siteName, syncSite } from "../../sync/sync-site.ts";
import type { WalkEvent } from "../../walk/events.ts";
import { isChange } from "../change-record.ts";
import { ChangeSink } from "../change-sink.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { Interruption } from "../interrupt.ts";
import {
  costText,
  drawChanges,
  momentText,
  sitemapTexts,
  trustText,
  wrapped,
} from "../picture/draw-changes.ts";
import type { Command, Run } from "../run.ts";
import { keepHeapSmall } from "../small-heap.ts";
import { checkFolder, lastFacts, snapshotName, syncProblem } from "../snapshot-file.ts";
import { changesLine, sayMassRemoval } from "../talk/changes-line.ts";
import { type Message, nothingRead } from "../talk/hints.ts";
import { type SiteFacts, Tally } from "../talk/tally.ts";
import { count } from "../talk/words.ts";
import { readTarget, type Target } from "../target.ts";
import { UsageError } from "../usage-error.ts";
import { type WalkOne, walkSites } from "../walk-sites.ts";
import { drawOptions, whole } from "../whole-output.ts";

export const sync: Command = async (run) => {
  keepHeapSmall();
  const { args, settings } = run;
  const [given = ""] = args;
  if (given === "-") throw new UsageError("siteatlas sync takes one site", "siteatlas watch - takes several");
  const { snapshot = snapshotName(readTarget(given, settings)) } = settings;
  const before = await lastFacts(snapshot);
  if (before === undefined) await checkFolder(dirname(snapshot), snapshot);
  else checkSite(run, before, snapshot);
  const sink = await ChangeSink.open(run);
  return whole(sink, async () => {
    const tally = new Tally();
    let summary: SyncSummary | undefined;
    const walkOne: WalkOne = async ({ url }, options, visit) => {
      const onEvent = (event: WalkEvent): void => void visit(event);
      try {
        for await (const change of syncSite(url, { ...options, snapshot, onEvent })) {
          options.signal?.throwIfAborted();
          if (change.kind !== "summary") await sink.change(change);
          else {
            run.talk.stopProgress();
            // Nothing to remember: the next one is the first.
            if (change.isFirst && tally.sitemaps === 0) return;
            await sink.end(change, (found) => drawSync(run, found, change, before));
            summary = change;
          }
        }
      } catch (error) {
        throw syncProblem(error, snapshot);
      }
    };
    const explainNothing = (target: Target, facts: SiteFacts): Message | undefined =>
      summary === undefined || summary.isFirst
        ? undefined
        : {
            hint: "Try again later",
            ...nothingRead(target, facts, settings, { ...summary, reasons: sink.found.reasons }),
          };
    await walkSites(run, {
      tally,
      handlers: {},
      walkOne,
      explainNothing,
      jobs: 1,
      ...countUnchanged(tally),
    });
    if (summary === undefined) await sink.abort();
    return concludeSync(run, tally, summary, sink.found.reasons, before);
  });
};

/** What was not asked for, or is the same, is there. */
export function countUnchanged(tally: Tally): {
  mapEvent: (event: WalkEvent) => WalkEvent;
  describe: (sitemap: { readonly url: string }) => string | undefined;
} {
  const unchanged = new Map<string, string>();
  return {
    mapEvent: (event) => {
      if (event.kind !== "sitemap" || event.sitemap.outcome !== "unchanged") return event;
      const { sitemap } = event;
      tally.pages += sitemap.pageCount;
      unchanged.set(
        sitemap.url,
        sitemap.http === undefined ? "not asked for: its date stands still" : "not modified",
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

/** A site may move from `www.`; a snapshot of another one would make all of its pages disappear. */
function checkSite({ args, settings, talk }: Run, { homepage }: SnapshotFacts, snapshot: string): void {
  const { host } = URL.canParse(homepage) ? new URL(homepage) : { host: homepage };
  const { name } = readTarget(args[0] ?? "", settings);
  if (host === name) return;
  const text = `${terminalText(snapshot)} is of ${terminalText(host)}, not of ${name}`;
  if (siteName(host) !== siteName(name)) throw new UsageError(text, "Use another --snapshot FILE");
  talk.warn(text, undefined, true);
}

function drawSync(
  run: Run,
  found: ChangeSink["found"],
  summary: SyncSummary,
  before: SnapshotFacts | undefined,
): string {
  const when = before === undefined ? "for the first time" : `since ${momentText(lastReadAt(before))}`;
  const options = drawOptions(run, summary.homepage);
  const picture = drawChanges(found, { ...options, when });
  const texts = [
    ...sitemapTexts(summary),
    ...(summary.pageCount === 0 ? [] : [trustText(summary.lastmod)]),
    costText(summary),
  ];
  const lines = texts.flatMap((text) => wrapped(text, options.width));
  return `${picture}\n${lines.map((line) => `${line}\n`).join("")}`;
}

/** The state that is compared with: a sync that could read nothing left it as it was. */
function lastReadAt({ runs, startedAt }: SnapshotFacts): string {
  return runs.findLast(({ read }) => read > 0)?.at ?? startedAt;
}

function concludeSync(
  { talk, settings, signal }: Run,
  tally: Tally,
  summary: SyncSummary | undefined,
  reasons: ReadonlyMap<string, number>,
  before: SnapshotFacts | undefined,
): ExitCode {
  if (summary === undefined) {
    if (!(signal.reason instanceof Interruption)) return EXIT.nothingFound;
    const { exitCode } = signal.reason;
    const kept = before === undefined ? "there is no snapshot" : "the snapshot is still the earlier one";
    talk.summary(`Interrupted: ${kept}`, { exitCode }, true);
    return exitCode;
  }
  const code = changeCode(summary, settings, tally);
  sayMassRemoval(talk, summary, before?.pageCount ?? 0);
  // Why nothing could be read was said.
  if (code === EXIT.nothingFound) return code;
  const kept = settings.dryRun ? "; the snapshot stays as it was (--dry-run)" : "";
  const isLoud = summary.unknownSitemaps > 0 || tally.limits.size > 0;
  const where = ` in ${count(summary.sitemapCount, "sitemap")}`;
  talk.summary(`${changesLine(summary, reasons, where)}${kept}`, { ...summary, exitCode: code }, isLoud);
  return code;
}

function changeCode(
  summary: SyncSummary,
  { failOnPartial, exitCode }: Run["settings"],
  tally: Tally,
): ExitCode {
  if (tally.limits.size > 0) return EXIT.limit;
  if (tally.sitemaps === 0) return EXIT.nothingFound;
  if (failOnPartial && summary.unknownSitemaps > 0) return EXIT.partial;
  return exitCode && isChange(summary) ? EXIT.changed : EXIT.done;
}
