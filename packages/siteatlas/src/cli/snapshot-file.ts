/** Snapshots as files that people name: where they are unless told, and what is wrong with one, in words. */
import { access, constants, stat } from "node:fs/promises";
import { join } from "node:path";
import { safeFileName } from "../sinks/file-name.ts";
import { terminalText } from "../sinks/terminal.ts";
import { readSnapshot, type Snapshot, SnapshotError } from "../sync/read-snapshot.ts";
import type { SnapshotFacts } from "../sync/snapshot-format.ts";
import { OutputError, toOutputError } from "./output/output-error.ts";
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

/** A file that no waiting mends. */
export class SnapshotProblem extends UsageError {}

const ANEW = "or move it away: the next sync starts anew, and every page is added";

/** What the library says, with what to do about it. */
function explainSnapshot(message: string): UsageError {
  const text = terminalText(message);
  if (message.endsWith(" was replaced by another sync")) {
    return new UsageError(text, "That one has told what changed; the next sync goes on from there");
  }
  return new SnapshotProblem(text, mendHint(message));
}

function mendHint(message: string): string {
  if (/ is a snapshot of version /.test(message)) {
    return `Use the siteatlas that wrote it, ${ANEW}`;
  }
  if (/ is a snapshot of /.test(message)) return "Each site needs a snapshot of its own";
  if (message.endsWith(" is no snapshot")) return `If it was one, restore it from a copy, ${ANEW}`;
  return `Restore it from a copy, ${ANEW}`;
}

function readProblem(error: unknown, path: string): unknown {
  if (error instanceof SnapshotError) return explainSnapshot(error.message);
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EISDIR") {
    const file = terminalText(join(path, `example.com.${EXTENSION}`));
    return new SnapshotProblem(`${terminalText(path)} is a directory`, `Name a file, such as ${file}`);
  }
  if (code === "ENOENT") {
    return new UsageError(
      `Cannot read ${terminalText(path)}: no such file`,
      "siteatlas sync <url> makes a snapshot",
    );
  }
  if (code === undefined) return error;
  const why = code === "EACCES" ? "permission denied" : terminalText((error as Error).message);
  return new UsageError(`Cannot read ${terminalText(path)}: ${why}`);
}

/** Before the first request: whether a snapshot can be written there. */
export async function checkFolder(folder: string, target: string): Promise<void> {
  try {
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    await access(folder, constants.W_OK);
  } catch (error) {
    const { message } = toOutputError(error, target, 2);
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const hint = `Create it first: mkdir -p ${terminalText(folder)}`;
    throw new OutputError(message, { exitCode: 2, cause: error, ...(isMissing && { hint }) });
  }
}

/** What a sync threw, in words: the snapshot cannot be read, or not be written. */
export function syncProblem(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof SnapshotError || code === "EISDIR") return readProblem(error, path);
  return code !== undefined && syscall !== undefined ? toOutputError(error, path) : error;
}
