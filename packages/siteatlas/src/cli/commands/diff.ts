/** `siteatlas diff`: the changes between two snapshots. No network. */
import { terminalText } from "../../escape/terminal.ts";
import { diffSnapshots } from "../../sync/diff-snapshots.ts";
import type { Snapshot } from "../../sync/snapshot/read-snapshot.ts";
import { isCountedEntry, type SnapshotSitemap } from "../../sync/snapshot/snapshot-format.ts";
import { ChangeOutput } from "../changes/change-output.ts";
import { isChange, newRun } from "../changes/change-record.ts";
import { changesLine } from "../changes/changes-line.ts";
import { drawChanges, momentText } from "../changes/draw-changes.ts";
import { openSnapshot, syncProblem } from "../changes/snapshot-file.ts";
import type { Command, Run } from "../command.ts";
import { commandFormats } from "../config/output-formats.ts";
import { abortOnError, drawOptions } from "../output/finish-output.ts";
import { EXIT } from "../process/exit-codes.ts";
import { keepHeapSmall } from "../process/limit-heap-growth.ts";
import { UsageError } from "../process/usage-error.ts";
import { count } from "../terminal/format-text.ts";

export const diff: Command = async (run) => {
  keepHeapSmall();
  const [first, second] = run.args;
  if (first === undefined || second === undefined) {
    throw new UsageError("siteatlas diff needs two snapshots", "Examples: siteatlas diff -h");
  }
  const older = await openSnapshot(first);
  try {
    const newer = await openSnapshot(second);
    try {
      warnOfOddPair(run, [first, older], [second, newer]);
      return await reportDifferences(run, older, newer);
    } finally {
      await newer.close();
    }
  } finally {
    await older.close();
  }
};

/** Warns if the snapshots are of different sites or in the wrong order. */
function warnOfOddPair(
  { reporter }: Run,
  [first, { facts: older, sitemaps: before }]: readonly [string, Snapshot],
  [second, { facts: newer, sitemaps: after }]: readonly [string, Snapshot],
): void {
  const [one, other] = [terminalText(first), terminalText(second)];
  const [host, otherHost] = [older, newer].map(({ homepage }) => terminalText(new URL(homepage).host));
  const [only, otherOnly] = [onlySitemap(before), onlySitemap(after)];
  if (host !== otherHost) {
    reporter.warn(
      `the snapshots are of different sites: ${one} of ${host}, ${other} of ${otherHost}`,
      undefined,
      true,
    );
  } else if (only !== otherOnly) {
    const scope = (url: string | undefined): string =>
      url === undefined ? "the complete site" : `only ${terminalText(url)}`;
    reporter.warn(
      `${one} is a snapshot of ${scope(only)}, ${other} of ${scope(otherOnly)}`,
      "Pages that only one of them contains are reported as added or removed.",
      true,
    );
  }
  if (Date.parse(older.startedAt) <= Date.parse(newer.startedAt)) return;
  reporter.warn(
    `${one} is newer than ${other}: added pages are reported as removed, and removed pages as added`,
    `Name the older one first: siteatlas diff ${other} ${one}`,
  );
}

/** The URL of the sitemap in a snapshot of a single sitemap. Undefined if the snapshot is of a site. */
function onlySitemap(sitemaps: readonly SnapshotSitemap[]): string | undefined {
  return sitemaps.find(({ source }) => source === "given")?.url;
}

async function reportDifferences(run: Run, older: Snapshot, newer: Snapshot): ReturnType<Command> {
  const { settings, signal, reporter } = run;
  const { exitCode } = settings;
  const output = await ChangeOutput.open(run, commandFormats.diff.names);
  output.start(newRun(newer.facts.homepage));
  return abortOnError(output, async () => {
    try {
      for await (const change of diffSnapshots(older, newer)) {
        signal.throwIfAborted();
        await output.change(change);
      }
    } catch (error) {
      throw syncProblem(error, run.args.join(", "));
    }
    const { homepage, pageCount } = newer.facts;
    const summary = output.found.summary(homepage, pageCount);
    const when = `${momentText(older.facts.startedAt)} to ${momentText(newer.facts.startedAt)}`;
    await output.end(summary, (found) => drawChanges(found, { ...drawOptions(run, homepage), when }));
    const code = exitCode && isChange(summary) ? EXIT.changed : EXIT.done;
    const where = ` in ${count(newer.sitemaps.filter(isCountedEntry).length, "sitemap")}`;
    const line = changesLine(summary, output.found.reasons, where);
    reporter.summary(line, { ...summary, exitCode: code }, summary.unknownSitemaps > 0);
    return code;
  });
}
