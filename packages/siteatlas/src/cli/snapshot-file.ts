/** Snapshots as files that people name: where they are unless told, and what is wrong with one, in words. */
import { safeFileName } from "../sinks/file-name.ts";
import { terminalText } from "../sinks/terminal.ts";
import { readSnapshot, type Snapshot, SnapshotError } from "../sync/read-snapshot.ts";
import type { SnapshotFacts } from "../sync/snapshot-format.ts";
import { toOutputError } from "./output/output-error.ts";
import type { Target } from "./target.ts";
import { UsageError } from "./usage-error.ts";

const EXTENSION = "snapshot.gz";
/** What is a name of a file everywhere, but for the colon. */
const PLAIN_HOST = /^[a-z0-9][a-z0-9.-]{0,99}(?::\d+)?$/;
/** Devices of Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:[.:]|$)/;

/** `www.example.com.snapshot.gz`; of one sitemap, and of odd hosts, a name that is nobody else's. */
export function snapshotName({ url, name, sitemapPath }: Target): string {
  const { pathname, search } = new URL(url);
  const isSite = sitemapPath === undefined && pathname + search === "/";
  if (!isSite) return safeFileName(url.replace(/^https?:\/\//, ""), EXTENSION);
  return PLAIN_HOST.test(name) && !DEVICE.test(name)
    ? `${name.replace(":", "_")}.${EXTENSION}`
    : safeFileName(name, EXTENSION);
}

/** @throws {UsageError} when there is none, or it cannot be read */
export async function openSnapshot(path: string): Promise<Snapshot> {
  try {
    return await readSnapshot(path);
  } catch (error) {
    throw readProblem(error, path);
  }
}

/** What an earlier sync left, if there was one. */
export async function lastFacts(path: string): Promise<SnapshotFacts | undefined> {
  try {
    const snapshot = await readSnapshot(path);
    await snapshot.close();
    return snapshot.facts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw readProblem(error, path);
  }
}

function readProblem(error: unknown, path: string): unknown {
  if (error instanceof SnapshotError) {
    return new UsageError(
      terminalText(error.message),
      "If it was one, move it away: the next sync starts anew, and every page is added",
    );
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") {
    return new UsageError(
      `Cannot read ${terminalText(path)}: no such file`,
      "siteatlas sync <url> makes a snapshot",
    );
  }
  return code === undefined
    ? error
    : new UsageError(`Cannot read ${terminalText(path)}: ${terminalText((error as Error).message)}`);
}

/** What a sync threw, in words: the snapshot cannot be read, or not be written. */
export function syncProblem(error: unknown, path: string): unknown {
  if (error instanceof SnapshotError) return readProblem(error, path);
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined ? toOutputError(error, path) : error;
}
