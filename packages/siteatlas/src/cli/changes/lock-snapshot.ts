/**
 * Locks a snapshot for one process of `sync` or `watch`. Without the lock, a `sync` that runs during a `watch` would
 * take changes from the watch: its command or webhook would never get them.
 */
import { terminalText } from "../../escape/terminal.ts";
import { findOldFile } from "../../files/replace-file.ts";
import { TemporaryPath } from "../../files/temporary-files.ts";
import { toOutputError } from "../process/output-error.ts";
import { ProcessLock } from "../process/process-lock.ts";
import { UsageError } from "../process/usage-error.ts";

/** Another process syncs or watches the site with the same snapshot. */
export class SnapshotInUseError extends UsageError {}

/** @throws {SnapshotInUseError} */
export async function lockSnapshot(snapshot: string): Promise<ProcessLock> {
  const lock = await takeLock(snapshot);
  if (lock instanceof ProcessLock) return lock;
  const { pid, advice } = lock;
  throw new SnapshotInUseError(
    `process ${pid} already syncs or watches ${terminalText(snapshot)}`,
    `Try again when it has ended, or use --dry-run. ${advice}`.trim(),
  );
}

async function takeLock(snapshot: string): ReturnType<typeof ProcessLock.take> {
  try {
    const { path } = await findOldFile(snapshot);
    return await ProcessLock.take(await TemporaryPath.beside(path));
  } catch (error) {
    throw toOutputError(error, snapshot);
  }
}
