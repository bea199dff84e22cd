/**
 * Locks a folder or a file for one process. Each process has its own hidden lock file, such as
 * `.example.gz.7b13f2-1234-5f0c11aa.lock`, so that no process has to take over the file of a dead process. Process ids
 * are valid only on one machine, so processes on other machines are not noticed.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { terminalText } from "../../escape/terminal.ts";
import type { TemporaryPath } from "../../files/temporary-files.ts";
import { processStart } from "./process-start.ts";

/** Matches the name of a lock file. The groups are the start of the name, which ends with the machine, and the pid. */
const NAME = /^(.*\.[\da-f]{6}-)(\d+)-[\da-f]{8}\.lock$/s;

/** The process that has the lock. */
export interface LockOwner {
  readonly pid: number;
  /**
   * How the user can remove the lock. Set if another program may have got the process id of the process that wrote the
   * lock. Otherwise empty.
   */
  readonly advice: string;
}

export class ProcessLock {
  readonly #path: TemporaryPath;

  private constructor(path: TemporaryPath) {
    this.#path = path;
  }

  /**
   * Takes the lock, or returns the process that has it. Writes a lock file first, then looks for the lock files of
   * other processes. If two processes do this at the same moment, it is possible that neither gets the lock.
   *
   * @param path path of the lock file. `TemporaryPath` has already deleted the lock files of dead processes
   */
  static async take(path: TemporaryPath): Promise<ProcessLock | LockOwner> {
    const lock = new ProcessLock(path);
    const own = path.withEnding("lock");
    try {
      await writeFile(own, processStart(process.pid) ?? "", { flag: "wx" });
      const owner = await findOwner(own);
      if (owner === undefined) return lock;
      await lock.release();
      return owner;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    await rm(this.#path.withEnding("lock"), { force: true });
    this.#path.release();
  }
}

async function findOwner(own: string): Promise<LockOwner | undefined> {
  const [folder, name] = [dirname(own), basename(own)];
  const [, start] = NAME.exec(name)!;
  for (const other of await readdir(folder)) {
    const [, otherStart, pid] = NAME.exec(other) ?? [];
    if (otherStart !== start || Number(pid) === process.pid) continue;
    const path = join(folder, other);
    if (await isLeft(path, Number(pid))) await rm(path, { force: true });
    else {
      const isSure = processStart(Number(pid)) !== undefined;
      const advice = isSure ? "" : `If this is another program, remove ${terminalText(path)}.`;
      return { pid: Number(pid), advice };
    }
  }
  return undefined;
}

/** Whether the process that wrote this lock has ended, and another program has its process id. */
async function isLeft(path: string, pid: number): Promise<boolean> {
  const now = processStart(pid);
  const written = await readFile(path, "latin1").catch(() => "");
  // If one of the start times is unknown, assume that the process has not ended. The file is empty while it is being
  // written, and on systems other than Linux.
  return now !== undefined && written !== "" && written !== now;
}
