/**
 * Deliveries that wait for a webhook or a command, in a folder beside the snapshot: one file per run (batch-file.ts),
 * delivered in the order of their numbers.
 *
 * A run is first written as `prepared-RUN.ndjson`, then the snapshot is replaced, then the file gets its number. After
 * a crash, the snapshot says whether the run counts. If the snapshot does not list the run, the next sync finds the
 * same changes again, and the file is deleted. No part of such a file was sent, so each change has only one delivery
 * id.
 *
 * If the folder is deleted while the process runs, the deliveries in it are lost. This is reported, and the next sync
 * creates the folder again.
 */
import { type Dirent, existsSync, readdirSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { terminalText } from "../../../escape/terminal.ts";
import { syncFolder } from "../../../files/replace-file.ts";
import { TemporaryPath } from "../../../files/temporary-files.ts";
import { readSnapshot } from "../../../sync/snapshot/read-snapshot.ts";
import type { RunFacts } from "../../../sync/snapshot/snapshot-format.ts";
import { ProcessLock } from "../../process/process-lock.ts";
import { count } from "../../terminal/format-text.ts";
import { DeliveryError } from "../delivery.ts";
import { Batch, BatchWriter, waitingIn } from "./batch-file.ts";

const PREPARED = /^prepared-([\w-]{16})\.ndjson$/;
const NUMBERED = /^\d{8}\.ndjson$/;

/** The receiver that the deliveries of an outbox wait for. */
export interface Receiver {
  readonly kind: "webhook" | "command";
  /** How messages name it. */
  readonly name: string;
  /** End of the name of the folder. The start is the path of the snapshot. */
  readonly suffix: string;
}

export const WEBHOOK: Receiver = { kind: "webhook", name: "webhook", suffix: ".outbox" };
export const COMMAND: Receiver = { kind: "command", name: "--on-change command", suffix: ".command" };

/** The runs that wait. */
export interface OutboxSize {
  readonly runs: number;
  /** Number of deliveries that were not accepted. 0 for a run whose file is damaged. */
  readonly deliveries: number;
  readonly bytes: number;
  /** Time since when the oldest delivery waits, in milliseconds. Undefined if none waits. */
  readonly oldestAt: number | undefined;
}

/** The oldest run of an outbox. */
interface QueuedBatch {
  readonly batch: Batch;
  /** Records in the file that the next delivery was accepted. */
  readonly accept: () => Promise<void>;
  /** Call this when nothing more is sent, and before `remove`. */
  readonly close: () => Promise<void>;
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
  readonly #receiver: Receiver;
  #lock: ProcessLock;
  /** Runs that wait, by the name of their file. */
  readonly #queue: Map<string, QueuedRun> = new Map();
  /** Name of the file that is being sent. */
  #sending: string | undefined;

  private constructor(snapshot: string, site: string, receiver: Receiver, lock: ProcessLock) {
    this.folder = folderOf(snapshot, receiver);
    this.#snapshot = snapshot;
    this.#site = site;
    this.#receiver = receiver;
    this.#lock = lock;
  }

  static exists(snapshot: string, receiver: Receiver): boolean {
    return existsSync(folderOf(snapshot, receiver));
  }

  /** Whether a run waits. The folder may also be empty, after a process was killed. */
  static hasRuns(snapshot: string, receiver: Receiver): boolean {
    if (!Outbox.exists(snapshot, receiver)) return false;
    return readdirSync(folderOf(snapshot, receiver)).some(
      (name) => NUMBERED.test(name) || PREPARED.test(name),
    );
  }

  /** Opens or creates the folder. @throws {DeliveryError} if another process uses it */
  static async open(snapshot: string, site: string, receiver: Receiver): Promise<Outbox> {
    const outbox = new Outbox(snapshot, site, receiver, await createFolder(folderOf(snapshot, receiver)));
    for (const name of await outbox.#names(NUMBERED)) await outbox.#enqueue(name);
    await outbox.settle();
    return outbox;
  }

  /** Creates the folder again if it was deleted. Returns an error to report if deliveries waited in it. */
  async restore(): Promise<DeliveryError | undefined> {
    if (existsSync(this.folder)) return undefined;
    await this.#lock.release();
    this.#lock = await createFolder(this.folder);
    return this.#forgetAll();
  }

  /**
   * Forgets the deliveries of a deleted folder, and returns an error about them. Keeps the run that is being sent: its
   * file is open, so it can still be read.
   */
  #forgetAll(): DeliveryError | undefined {
    let lost = 0;
    for (const [name, { deliveries }] of this.#queue) {
      if (name === this.#sending) continue;
      lost += deliveries;
      this.#queue.delete(name);
    }
    return lost === 0 ? undefined : this.#lost(count(lost, "delivery that waited", "deliveries that waited"));
  }

  #lost(subject: string): DeliveryError {
    return new DeliveryError(
      `${terminalText(this.folder)} was deleted. The ${this.#receiver.name} never gets the ${subject} in it`,
      "To send every page again, stop siteatlas and remove the snapshot.",
    );
  }

  // ---------------------------------------------------------------- runs

  prepare(run: string): Promise<BatchWriter> {
    return BatchWriter.create(this.#prepared(run));
  }

  /**
   * Flushes the folder to the disk, so that the file of a prepared run survives a power failure. Call this before the
   * snapshot is replaced.
   *
   * @throws {DeliveryError} if the folder was deleted
   */
  async sync(run: string): Promise<void> {
    try {
      await stat(this.#prepared(run));
      await syncFolder(this.folder);
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new DeliveryError(`${terminalText(this.folder)} was deleted during the sync`);
    }
  }

  /** Puts a prepared run at the end of the queue. Call this when the snapshot was replaced. */
  async commit(run: string): Promise<void> {
    const last = (await this.#names(NUMBERED)).at(-1) ?? "0";
    // A deleted folder lists no files, but a run that is still being sent uses its number.
    const number = Math.max(Number.parseInt(last, 10), Number.parseInt(this.#sending ?? "0", 10)) + 1;
    const name = `${String(number).padStart(8, "0")}.ndjson`;
    await rename(this.#prepared(run), join(this.folder, name)).catch((error: unknown) => {
      throw isMissing(error) ? this.#lost("changes of this sync that waited") : error;
    });
    await syncFolder(this.folder);
    await this.#enqueue(name);
  }

  /** Commits each prepared run that the snapshot lists, and deletes the others. A crash may leave prepared runs. */
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
   * Whether this run has replaced the snapshot. Also true if the run is older than all runs that the snapshot lists: a
   * change may then be sent twice, but none is lost.
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
      if (isMissing(error)) return [];
      throw error;
    }
  }

  // ---------------------------------------------------------------- the queue

  /**
   * Returns the oldest run that waits.
   *
   * @throws {OutboxError} if its file is damaged
   * @throws {DeliveryError} if the folder was deleted, and deliveries waited in it
   */
  async first(): Promise<QueuedBatch | undefined> {
    const names = await this.#names(NUMBERED);
    if (names.length === 0 && !existsSync(this.folder)) {
      const error = this.#forgetAll();
      if (error !== undefined) throw error;
    }
    // A file that the user moved away no longer waits.
    for (const name of this.#queue.keys()) if (!names.includes(name)) this.#queue.delete(name);
    const [name] = names;
    if (name === undefined) return undefined;
    const path = join(this.folder, name);
    const batch = await Batch.open(path, this.#site);
    this.#sending = name;
    return {
      batch,
      close: async () => {
        this.#sending = undefined;
        await batch.close();
      },
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
      // A run whose deliveries have all arrived is in the queue until its file is deleted.
      if (deliveries > 0) size.oldestAt = Math.min(size.oldestAt ?? at, at);
    }
    return size;
  }

  /** Releases the lock. Deletes the folder if it is empty. */
  async close(): Promise<void> {
    await this.#lock.release();
    await rmdir(this.folder).catch(() => {});
  }

  #prepared(run: string): string {
    return join(this.folder, `prepared-${run}.ndjson`);
  }

  async #names(pattern: RegExp): Promise<string[]> {
    const entries: Dirent[] = await readdir(this.folder, { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    // siteatlas writes only regular files: ignore links and pipes.
    const files = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
    return files.map(({ name }) => name).sort();
  }
}

export function folderOf(snapshot: string, { suffix }: Receiver): string {
  return `${snapshot}${suffix}`;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

async function createFolder(folder: string): Promise<ProcessLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await syncFolder(dirname(folder));
  return lockFolder(folder);
}

/** @throws {DeliveryError} if another process uses the folder */
async function lockFolder(folder: string): Promise<ProcessLock> {
  const lock = await ProcessLock.take(await TemporaryPath.create(folder, ".lock."));
  if (lock instanceof ProcessLock) return lock;
  const { pid, advice } = lock;
  throw new DeliveryError(
    `process ${pid} already delivers the changes in ${terminalText(folder)}`,
    advice === "" ? undefined : advice,
  );
}
