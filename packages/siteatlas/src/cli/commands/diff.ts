/** `siteatlas diff`: what is different between two snapshots. No network. */
import { diffSnapshots } from "../../sync/diff-snapshots.ts";
import type { Snapshot } from "../../sync/read-snapshot.ts";
import { isChange } from "../change-record.ts";
import { ChangeSink } from "../change-sink.ts";
import { EXIT } from "../exit-codes.ts";
import { drawChanges, momentText } from "../picture/draw-changes.ts";
import type { Command, Run } from "../run.ts";
import { openSnapshot, syncProblem } from "../snapshot-file.ts";
import { changesLine, sayMassRemoval } from "../talk/changes-line.ts";
import { count } from "../talk/words.ts";
import { UsageError } from "../usage-error.ts";
import { drawOptions, whole } from "../whole-output.ts";

export const diff: Command = async (run) => {
  const [first, second] = run.args;
  if (first === undefined || second === undefined) {
    throw new UsageError("siteatlas diff needs two snapshots", "siteatlas diff -h shows examples");
  }
  const older = await openSnapshot(first);
  try {
    const newer = await openSnapshot(second);
    try {
      return await tellDifferences(run, older, newer);
    } finally {
      await newer.close();
    }
  } finally {
    await older.close();
  }
};

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
    const sitemaps = newer.sitemaps.filter(({ format }) => format !== "robots").length;
    const line = changesLine(summary, ` in ${count(sitemaps, "sitemap")}`);
    talk.summary(line, { ...summary, exitCode: code }, summary.unknownSitemaps > 0);
    return code;
  });
}
