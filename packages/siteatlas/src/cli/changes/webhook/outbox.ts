/**
 * Deliveries that wait for a webhook, in a folder beside the snapshot: one file per run (batch-file.ts), sent in the
 * order of their numbers.
 *
 * A run is first written as `prepared-RUN.ndjson`, then the snapshot is replaced, then the file gets its number. After
 * a crash, the snapshot says whether the run counts. If the snapshot does not list the run, the next sync finds the
 * same changes again, and the file is deleted. No part of such a file was sent, so each change has only one delivery
 * id.
 */
import { type Dirent, existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { terminalText } from "../../../escape/terminal.ts";
import { syncFolder } from "../../../files/replace-file.ts";
import { TemporaryPath } from "../../../files/temporary-files.ts";
import { readSnapshot } from "../../../sync/snapshot/read-snapshot.ts";
import type { RunFacts } from "../../../sync/snapshot/snapshot-format.ts";
import { processStart } from "../../process/process-start.ts";
import { DeliveryError } from "../delivery.ts";
import { Batch, BatchWriter, waitingIn } from "./batch-file.ts";

const PREPARED = /^prepared-([\w-]{16})\.ndjson$/;
const NUMBERED = /^\d{8}\.ndjson$/;
const LOCK = /^\.lock\.([\da-f]{6})-(\d+)-/;

/** The runs that wait for the webhook. */
export interface OutboxSize {
  readonly runs: number;
  /** Number of deliveries that the webhook has not accepted. 0 for a run whose file is damaged. */
  readonly deliveries: number;
  readonly bytes: number;
  /** Time since when the oldest run waits, in milliseconds. */
  readonly oldestAt: number | undefined;
}

/** The oldest run of an outbox. */
interface QueuedBatch {
  readonly batch: Batch;
  /** Notes that the webhook accepted the next delivery. */
  readonly accept: () => Promise<void>;
  /** Deletes the file. */
  readonly remove: () => Promise<void>;
}

interface QueuedRun {
  readonly at: number;
  readonly bytes: number;
  deliveries: number;
}

export class Outbox {
  readonly folder: string;
  readonly #snapshot: string;
  readonly #site: string;
  readonly #lock: TemporaryPath;
  /** Runs that wait, by the name of their file. */
  readonly #queue: Map<string, QueuedRun> = new Map();

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
    for (const name of await outbox.#names(NUMBERED)) await outbox.#enqueue(name);
    await outbox.settle();
    return outbox;
  }

  // ---------------------------------------------------------------- runs

  prepare(run: string): Promise<BatchWriter> {
    return BatchWriter.create(this.#prepared(run));
  }

  /** Writes the names of the files to the disk. Call this before the snapshot is replaced. */
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
    await this.#enqueue(name);
  }

  /** Commits a prepared run if the snapshot lists it. Otherwise deletes it. A crash may have left such runs. */
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

  /**
   * Whether this run has replaced the snapshot. Also true if the run is older than the history of the snapshot: then a
   * change may be sent twice, but none is lost.
   */
  async #isCommitted(run: string, runs: readonly RunFacts[]): Promise<boolean> {
    if (runs.some((one) => one.run === run)) return true;
    const oldest = runs[0]?.at;
    if (oldest === undefined || runs.some((one) => one.run === undefined)) return false;
    return (await stat(this.#prepared(run))).mtimeMs < Date.parse(oldest);
  }

  /** Returns the runs that the snapshot lists. @throws if the snapshot exists but cannot be read */
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

  /** Returns the oldest run that waits. @throws {OutboxError} if its file is damaged */
  async first(): Promise<QueuedBatch | undefined> {
    const names = await this.#names(NUMBERED);
    // A file that the user moved away no longer waits.
    for (const name of this.#queue.keys()) if (!names.includes(name)) this.#queue.delete(name);
    const [name] = names;
    if (name === undefined) return undefined;
    const path = join(this.folder, name);
    const batch = await Batch.open(path, this.#site);
    return {
      batch,
      accept: async () => {
        await batch.accept();
        const run = this.#queue.get(name);
        if (run !== undefined) run.deliveries = batch.waiting;
      },
      remove: async () => {
        this.#queue.delete(name);
        await rm(path, { force: true });
      },
    };
  }

  async #enqueue(name: string): Promise<void> {
    const path = join(this.folder, name);
    const file = await stat(path).catch(() => undefined);
    if (file === undefined) return;
    // Some file systems do not store when a file was created.
    const at = file.birthtimeMs || file.mtimeMs;
    this.#queue.set(name, { at, bytes: file.size, deliveries: await waitingIn(path) });
  }

  size(): OutboxSize {
    const size = { runs: 0, deliveries: 0, bytes: 0, oldestAt: undefined as number | undefined };
    for (const { deliveries, bytes, at } of this.#queue.values()) {
      size.runs++;
      size.deliveries += deliveries;
      size.bytes += bytes;
      size.oldestAt = Math.min(size.oldestAt ?? at, at);
    }
    return size;
  }

  /** Releases the lock. Deletes the folder if it is empty. */
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
    // siteatlas writes only regular files: ignore links and pipes.
    const files = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
    return files.map(({ name }) => name).sort();
  }
}

export function folderOf(snapshot: string): string {
  return `${snapshot}.outbox`;
}

/**
 * Locks the folder. Each process has its own lock file, so that no process has to take over the file of a dead process.
 * `create` deletes the files of dead processes. If another program has got the id of a dead process, the start of the
 * process in the file tells them apart. Process ids are valid only on one machine, so another machine that uses the
 * same folder is not noticed.
 */
async function lockFolder(folder: string): Promise<TemporaryPath> {
  const lock = await TemporaryPath.create(folder, ".lock.");
  const own = basename(lock.withEnding("lock"));
  await writeFile(lock.withEnding("lock"), processStart(process.pid) ?? "", { flag: "wx" });
  const [, machine] = LOCK.exec(own) ?? [];
  const locks = (await readdir(folder)).filter((name) => name !== own && LOCK.exec(name)?.[1] === machine);
  let other: string | undefined;
  for (const name of locks) {
    if (await isLeft(folder, name)) await rm(join(folder, name), { force: true });
    else other ??= name;
  }
  if (other === undefined) return lock;
  await rm(lock.withEnding("lock"), { force: true });
  lock.release();
  const [, , pid] = LOCK.exec(other)!;
  throw new DeliveryError(
    `process ${pid} already delivers the changes in ${terminalText(folder)}`,
    `If this is another program, remove ${terminalText(join(folder, other))}.`,
  );
}

/** Whether the process that wrote this lock has ended, and another program has its process id. */
async function isLeft(folder: string, name: string): Promise<boolean> {
  const [, , pid] = LOCK.exec(name)!;
  const now = processStart(Number(pid));
  const written = await readFile(join(folder, name), "latin1").catch(() => "");
  // An empty file is being written, or the system does not tell the start.
  return now !== undefined && written !== "" && written !== now;
}
