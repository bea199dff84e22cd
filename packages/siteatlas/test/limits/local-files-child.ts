/**
 * Reads a file in a process of its own and prints how it ended and how much memory it took. Usage: node
 * local-files-child.mjs snapshot|tree FILE
 */
import { diffSnapshots, loadTree, readSnapshot } from "../../src/index.ts";
import { peakRss } from "../support/peak-rss.ts";

export interface FileReport {
  /** The code of the error, or `read`. */
  readonly code: string;
  readonly pages: number;
  /** Growth of the resident set, in bytes. */
  readonly rss: number;
}

const [kind = "", file = ""] = process.argv.slice(2);

async function readSnapshotFile(): Promise<number> {
  const snapshot = await readSnapshot(file);
  let pages = 0;
  for await (const _ of snapshot.pages()) pages++;
  for await (const _ of diffSnapshots(snapshot, snapshot));
  await snapshot.close();
  return pages;
}

const before = process.memoryUsage.rss();
const ended = await (kind === "tree"
  ? loadTree(file, { root: "any" }).then(() => 0)
  : readSnapshotFile()
).then(
  (pages) => ({ code: "read", pages }),
  (error: unknown) => ({ code: String((error as { code?: unknown }).code ?? error), pages: 0 }),
);
const rss = peakRss() - before;
process.stdout.write(JSON.stringify({ ...ended, rss } satisfies FileReport));
