/** `siteatlas diff`: what is different between two snapshots. No network. */
import { terminalText } from "../../sinks/terminal.ts";
import { diffSnapshots } from "../../sync/diff-snapshots.ts";
import type { Snapshot } from "../../sync/read-snapshot.ts";
import { isSitemap, type SnapshotSitemap } from "../../sync/snapshot-format.ts";
import { isChange } from "../change-record.ts";
import { ChangeSink } from "../change-sink.ts";
import { EXIT } from "../exit-codes.ts";
import { drawChanges, momentText } from "../picture/draw-changes.ts";
import type { Command, Run } from "../run.ts";
import { keepHeapSmall } from "../small-heap.ts";
import { openSnapshot, syncProblem } from "../snapshot-file.ts";
import { changesLine, sayMassRemoval } from "../talk/changes-line.ts";
import { count } from "../talk/words.ts";
import { UsageError } from "../usage-error.ts";
import { drawOptions, whole } from "../whole-output.ts";

export const diff: Command = async (run) => {
  keepHeapSmall();
  const [first, second] = run.args;
  if (first === undefined || second === undefined) {
    throw new UsageError("siteatlas diff needs two snapshots", "siteatlas diff -h shows examples");
  }
  const older = await openSnapshot(first);
  try {
    const newer = await openSnapshot(second);
    try {
      warnOfOddPair(run, [first, older], [second, newer]);
      return await tellDifferences(run, older, newer);
    } finally {
      await newer.close();
    }
  } finally {
    await older.close();
  }
};

/** What makes a comparison say little. */
function warnOfOddPair(
  { talk }: Run,
  [first, { facts: older, sitemaps: before }]: readonly [string, Snapshot],
  [second, { facts: newer, sitemaps: after }]: readonly [string, Snapshot],
): void {
  const [one, other] = [terminalText(first), terminalText(second)];
  const [host, otherHost] = [older, newer].map(({ homepage }) => terminalText(new URL(homepage).host));
  const [only, otherOnly] = [onlySitemap(older, before), onlySitemap(newer, after)];
  if (host !== otherHost) {
    talk.warn(`${one} is of ${host}, ${other} of ${otherHost}: these are two sites`, undefined, true);
  } else if (only !== otherOnly) {
    const scope = (url: string | undefined): string =>
      url === undefined ? "the whole site" : `${terminalText(url)} alone`;
    const text = `${one} is of ${scope(only)}, ${other} of ${scope(otherOnly)}`;
    talk.warn(`${text}: pages of other sitemaps seem to come or go`, undefined, true);
  }
  if (Date.parse(older.startedAt) <= Date.parse(newer.startedAt)) return;
  talk.warn(
    `${one} is newer than ${other}: what was added is shown as removed, and the other way round`,
    `The older one goes first: siteatlas diff ${other} ${one}`,
  );
}

/** The one sitemap that was synced, instead of a site: there is neither robots.txt nor a place that was tried in vain. */
function onlySitemap(
  { absent }: Snapshot["facts"],
  sitemaps: readonly SnapshotSitemap[],
): string | undefined {
  const [root, ...others] = sitemaps.filter(({ parents }) => parents.length === 0);
  const isAlone = others.length === 0 && absent.length === 0 && root?.source === "known";
  return isAlone ? root.url : undefined;
}

async function tellDifferences(run: Run, older: Snapshot, newer: Snapshot): ReturnType<Command> {
  const { settings, signal, talk } = run;
  const { massRemoval, exitCode } = settings;
  const sink = await ChangeSink.open(run);
  return whole(sink, async () => {
    try {
      for await (const change of diffSnapshots(older, newer, {
        ...(massRemoval !== undefined && { massRemoval }),
      })) {
        signal.throwIfAborted();
        await sink.change(change);
      }
    } catch (error) {
      throw syncProblem(error, run.args.join(", "));
    }
    const { homepage, pageCount } = newer.facts;
    const summary = sink.found.summary(homepage, pageCount);
    const when = `${momentText(older.facts.startedAt)} to ${momentText(newer.facts.startedAt)}`;
    await sink.end(summary, (found) => drawChanges(found, { ...drawOptions(run, homepage), when }));
    sayMassRemoval(talk, summary, older.facts.pageCount);
    const code = exitCode && isChange(summary) ? EXIT.changed : EXIT.done;
    const sitemaps = newer.sitemaps.filter(isSitemap).length;
    const line = changesLine(summary, sink.found.reasons, ` in ${count(sitemaps, "sitemap")}`);
    talk.summary(line, { ...summary, exitCode: code }, summary.unknownSitemaps > 0);
    return code;
  });
}
