/**
 * Reads a file in a process of its own and prints how it ended and how much memory it took. Usage: node
 * local-files-child.mjs snapshot|tree FILE
 */
import { readFileSync } from "node:fs";
import { diffSnapshots, loadTree, readSnapshot } from "../../src/index.ts";

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

/** Peak of the resident set. On Linux not `maxRSS`, which a process inherits from its parent. */
function peak(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
}

const before = process.memoryUsage.rss();
const ended = await (kind === "tree"
  ? loadTree(file, { root: "any" }).then(() => 0)
  : readSnapshotFile()
).then(
  (pages) => ({ code: "read", pages }),
  (error: unknown) => ({ code: String((error as { code?: unknown }).code ?? error), pages: 0 }),
);
const rss = peak() - before;
process.stdout.write(JSON.stringify({ ...ended, rss } satisfies FileReport));
