/** Snapshot files: their default names, and error messages about them. */
import { access, constants, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { safeFileName } from "../../escape/file-name.ts";
import { terminalText } from "../../escape/terminal.ts";
import { readSnapshot, type Snapshot } from "../../sync/snapshot/read-snapshot.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../sync/snapshot/snapshot-error.ts";
import type { SnapshotFacts } from "../../sync/snapshot/snapshot-format.ts";
import { listHistory } from "../../sync/snapshot/snapshot-history.ts";
import { EARLIER } from "../config/local-files.ts";
import type { Target } from "../config/target.ts";
import { toOutputError } from "../process/output-error.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";
import { count } from "../terminal/format-text.ts";

const EXTENSION = "snapshot.gz";
/** Hosts that are valid file names on every system, when the colon before the port is replaced. */
const PLAIN_HOST = /^[a-z0-9][a-z0-9.-]{0,99}(?::\d+)?$/;
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:[.:]|$)/;

/**
 * Returns the default name: `www.example.com.snapshot.gz`. Unusual hosts and single sitemaps get a unique, safe name.
 */
export function snapshotName({ url, name, sitemapPath }: Target): string {
  const { pathname, search } = new URL(url);
  const isSite = sitemapPath === undefined && pathname + search === "/";
  if (!isSite) return safeFileName(url.replace(/^https?:\/\//, ""), EXTENSION);
  return PLAIN_HOST.test(name) && !DEVICE.test(name)
    ? `${name.replace(":", "_")}.${EXTENSION}`
    : safeFileName(name, EXTENSION);
}

/**
 * Opens a snapshot file, or an earlier snapshot that `--history` kept: `FILE@1` is the newest of the earlier ones.
 *
 * @throws {UsageError} if the snapshot is missing or cannot be read
 */
export async function openSnapshot(path: string): Promise<Snapshot> {
  const file = await snapshotPath(path);
  try {
    return await readSnapshot(file);
  } catch (error) {
    throw readProblem(error, file);
  }
}

/** The file of a snapshot: `path` itself, or the earlier snapshot that `FILE@1` means. */
export async function snapshotPath(path: string): Promise<string> {
  const [, file, number] = EARLIER.exec(path) ?? [];
  if (file === undefined || (await isFile(path)) || !(await isFile(file))) return path;
  return Number(number) === 0 ? file : earlierSnapshot(file, Number(number));
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

async function earlierSnapshot(file: string, number: number): Promise<string> {
  const kept = await listHistory(file);
  const found = kept[number - 1];
  if (found !== undefined) return found;
  const shown = terminalText(file);
  throw new UsageError(
    `${shown}@${number} does not exist: ${kept.length === 0 ? "no earlier snapshot" : `only ${count(kept.length, "earlier snapshot")}`} of ${shown} ${kept.length > 1 ? "are" : "is"} kept`,
    "Keep more with siteatlas sync or watch --history N.",
  );
}

/** Reads the facts of the last sync. Undefined if the file does not exist. */
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

/** An error that a retry cannot repair, because the file is at fault. */
export class SnapshotProblem extends UsageError {}

const START_OVER = "or remove the file to start over: the next sync then reports every page as added.";

const SNAPSHOT_HINTS: Readonly<Record<SnapshotErrorCode, string>> = {
  // The user probably named the wrong file. The file may be valuable, so the hint does not suggest to delete it.
  "not-a-snapshot": `Use a file that siteatlas sync wrote, such as example.com.${EXTENSION}.`,
  "unsupported-version": `Use the version of siteatlas that wrote it, ${START_OVER}`,
  truncated: `Restore a backup, ${START_OVER}`,
  damaged: `Restore a backup, ${START_OVER}`,
  invalid: `siteatlas did not write it like this. Restore a backup, ${START_OVER}`,
  "too-large": `Restore a backup, ${START_OVER}`,
  "other-site": "Use one file per site.",
  "other-start": "Use one file for the site and another for the sitemap: --snapshot FILE.",
  replaced: "It reported these changes already. Run this sync again for later ones.",
};

function explainSnapshot({ code, message }: SnapshotError): UsageError {
  const Problem = code === "replaced" ? UsageError : SnapshotProblem;
  return new Problem(terminalText(message), SNAPSHOT_HINTS[code]);
}

function readProblem(error: unknown, path: string): unknown {
  if (error instanceof SnapshotError) return explainSnapshot(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EISDIR") {
    const file = terminalText(join(path, `example.com.${EXTENSION}`));
    return new SnapshotProblem(`${terminalText(path)} is a folder`, `Use a file, such as ${file}.`);
  }
  if (code === "ENOENT") {
    return new UsageError(
      `cannot read ${terminalText(path)}: no such file`,
      "Create a snapshot with siteatlas sync <url>.",
    );
  }
  if (code === undefined) return error;
  return new UsageError(`cannot read ${terminalText(path)}: ${terminalText(systemReason(error))}`);
}

/** Checks before the first request that the folder of a snapshot exists and is writable. */
export async function checkFolder(snapshot: string): Promise<void> {
  const folder = dirname(snapshot);
  try {
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw toOutputError(error, snapshot, 2);
  }
}

/** Turns an error of a sync into a readable message. */
export function syncProblem(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof SnapshotError || code === "EISDIR") return readProblem(error, path);
  return code !== undefined && syscall !== undefined ? toOutputError(error, path) : error;
}
