/**
 * Deliveries that wait for a webhook, in a folder beside the snapshot: one file per run (batch-file.ts), sent in the
 * order of their numbers.
 *
 * A run is first written as `prepared-RUN.ndjson`, then the snapshot is replaced, then the file gets its number. After a
 * crash, the snapshot says whether the run counts: if it does not list the run, the next sync finds the same changes
 * again, and the file is deleted. Nothing of it was sent. So each change has one delivery id.
 */
import { type Dirent, existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { terminalText } from "../../../escape/terminal.ts";
import { syncFolder } from "../../../files/replace-file.ts";
import { TemporaryPath } from "../../../files/temporary-files.ts";
import { readSnapshot } from "../../../sync/snapshot/read-snapshot.ts";
import type { RunFacts } from "../../../sync/snapshot/snapshot-format.ts";
import { DeliveryError } from "../delivery.ts";
import { Batch, BatchWriter } from "./batch-file.ts";

const PREPARED = /^prepared-([\w-]{16})\.ndjson$/;
const NUMBERED = /^\d{8}\.ndjson$/;
const LOCK = /^\.lock\.([\da-f]{6})-(\d+)-/;

export class Outbox {
  readonly folder: string;
  readonly #snapshot: string;
  readonly #site: string;
  readonly #lock: TemporaryPath;

  private constructor(snapshot: string, site: string, lock: TemporaryPath) {
    this.folder = folderOf(snapshot);
    this.#snapshot = snapshot;
    this.#site = site;
    this.#lock = lock;
  }

  static exists(snapshot: string): boolean {
    return existsSync(folderOf(snapshot));
  }

  /** Opens or creates the folder. @throws {DeliveryError} if another process uses it */
  static async open(snapshot: string, site: string): Promise<Outbox> {
    const folder = folderOf(snapshot);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(dirname(folder));
    const outbox = new Outbox(snapshot, site, await lockFolder(folder));
    await outbox.settle();
    return outbox;
  }

  // ---------------------------------------------------------------- runs

  prepare(run: string): Promise<BatchWriter> {
    return BatchWriter.create(this.#prepared(run));
  }

  /** Call this before the snapshot is replaced. */
  async sync(): Promise<void> {
    await syncFolder(this.folder);
  }

  /** Puts a prepared run at the end of the queue. Call this when the snapshot was replaced. */
  async commit(run: string): Promise<void> {
    const last = (await this.#names(NUMBERED)).at(-1);
    const number = last === undefined ? 1 : Number.parseInt(last, 10) + 1;
    const name = `${String(number).padStart(8, "0")}.ndjson`;
    await rename(this.#prepared(run), join(this.folder, name));
    await syncFolder(this.folder);
  }

  /** Commits or deletes prepared runs of which it is not known whether the snapshot was replaced. */
  async settle(): Promise<void> {
    const names = await this.#names(PREPARED);
    if (names.length === 0) return;
    const runs = await this.#runs();
    for (const name of names) {
      const [, run = ""] = PREPARED.exec(name)!;
      if (await this.#isCommitted(run, runs)) await this.commit(run);
      else await rm(this.#prepared(run), { force: true });
    }
  }

  /** If the history of the snapshot is too short to tell, the run counts: a change may come twice, but none is lost. */
  async #isCommitted(run: string, runs: readonly RunFacts[]): Promise<boolean> {
    if (runs.some((one) => one.run === run)) return true;
    const oldest = runs[0]?.at;
    if (oldest === undefined || runs.some((one) => one.run === undefined)) return false;
    return (await stat(this.#prepared(run))).mtimeMs < Date.parse(oldest);
  }

  /** @throws if there is a snapshot that cannot be read: nothing is known then */
  async #runs(): Promise<readonly RunFacts[]> {
    try {
      const snapshot = await readSnapshot(this.#snapshot);
      await snapshot.close();
      return snapshot.facts.runs;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  // ---------------------------------------------------------------- the queue

  /** The oldest run that waits. @throws {OutboxError} if its file is damaged */
  async first(): Promise<{ readonly batch: Batch; readonly remove: () => Promise<void> } | undefined> {
    const [name] = await this.#names(NUMBERED);
    if (name === undefined) return undefined;
    const path = join(this.folder, name);
    const batch = await Batch.open(path, this.#site);
    return { batch, remove: () => rm(path, { force: true }) };
  }

  /** Number of runs that wait, and the bytes of their files. */
  async size(): Promise<{ readonly runs: number; readonly bytes: number }> {
    const names = await this.#names(NUMBERED);
    let bytes = 0;
    for (const name of names)
      bytes += (await stat(join(this.folder, name)).catch(() => undefined))?.size ?? 0;
    return { runs: names.length, bytes };
  }

  /** Deletes the folder if nothing waits. */
  async close(): Promise<void> {
    await rm(this.#lock.withEnding("lock"), { force: true });
    this.#lock.release();
    await rmdir(this.folder).catch(() => {});
  }

  #prepared(run: string): string {
    return join(this.folder, `prepared-${run}.ndjson`);
  }

  async #names(pattern: RegExp): Promise<string[]> {
    const entries: Dirent[] = await readdir(this.folder, { withFileTypes: true });
    // A link or a pipe is not ours.
    const files = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
    return files.map(({ name }) => name).sort();
  }
}

export function folderOf(snapshot: string): string {
  return `${snapshot}.outbox`;
}

/**
 * Each process has its own file, so that no process has to take over the file of a dead one. `create` deletes those.
 * Process ids are valid on one machine: another machine that uses the same folder is not noticed.
 */
async function lockFolder(folder: string): Promise<TemporaryPath> {
  const lock = await TemporaryPath.create(folder, ".lock.");
  const own = basename(lock.withEnding("lock"));
  await writeFile(lock.withEnding("lock"), "", { flag: "wx" });
  const [, machine] = LOCK.exec(own) ?? [];
  const others = (await readdir(folder)).filter((name) => name !== own && LOCK.exec(name)?.[1] === machine);
  const [other] = others;
  if (other === undefined) return lock;
  await rm(lock.withEnding("lock"), { force: true });
  lock.release();
  const [, , pid] = LOCK.exec(other)!;
  throw new DeliveryError(
    `process ${pid} already delivers the changes in ${terminalText(folder)}`,
    `If this is another program, remove ${terminalText(join(folder, other))}.`,
  );
}
