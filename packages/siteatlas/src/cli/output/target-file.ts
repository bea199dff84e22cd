/**
 * The file that an output becomes. It is written beside its place under another name and takes the place
 * when it is whole: whoever reads it never sees half of it, and a run that failed leaves nothing behind.
 *
 * What is there already stays unless it is to be overwritten, and even then a run that was interrupted does
 * not replace it: `site.csv` stays whole, and what there is so far becomes `site.partial.csv`. A symbolic
 * link is replaced, never followed.
 * Pipes and devices (`/dev/stdout`, `/dev/fd/63`) have no such place and are written to as they are.
 */
import { randomBytes } from "node:crypto";
import { constants as fsConstants, type Stats, unlinkSync } from "node:fs";
import { type FileHandle, link, lstat, open, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OutputError, toOutputError } from "./output-error.ts";

export interface TargetFileOptions {
  readonly force?: boolean | undefined;
  /** Something else writes the file by its name, and needs it to be a file. */
  readonly byName?: boolean;
}

/** File systems without hard links: FAT, some network shares. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

export class TargetFile {
  /** As given, for messages. */
  readonly path: string;
  /** Where it is written. */
  readonly writtenPath: string;
  readonly #handle: FileHandle;
  readonly #force: boolean;
  readonly #isBeside: boolean;
  /** A second Ctrl-C ends the process at once: what is not whole does not stay. */
  readonly #dropAtExit = (): void => {
    try {
      unlinkSync(this.writtenPath);
    } catch {
      // Nobody is left to be told.
    }
  };

  private constructor(path: string, writtenPath: string, handle: FileHandle, force: boolean) {
    this.path = path;
    this.writtenPath = writtenPath;
    this.#handle = handle;
    this.#force = force;
    this.#isBeside = path !== writtenPath;
    if (this.#isBeside) process.on("exit", this.#dropAtExit);
  }

  static async open(path: string, { force = false, byName = false }: TargetFileOptions): Promise<TargetFile> {
    takeFileSizeErrors();
    try {
      if (await isPipeOrDevice(path)) {
        if (byName) throw new OutputError(`Cannot write ${path}: it is no file`, { exitCode: 2 });
        return new TargetFile(path, path, await open(path, fsConstants.O_WRONLY), force);
      }
      await refuseExisting(path, force);
      // `wx` follows no link, and a name that nobody can guess is nobody's link anyway.
      const beside = join(dirname(path), `.siteatlas-${randomBytes(8).toString("hex")}.part`);
      return new TargetFile(path, beside, await open(beside, "wx"), force);
    } catch (error) {
      throw toOutputError(error, path, 2);
    }
  }

  /** All of it, or an error: a file system that is nearly full takes a part. */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let from = 0; from < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, from);
        from += bytesWritten;
      }
    } catch (error) {
      throw toOutputError(error, this.path);
    }
  }

  /**
   * Takes its place, or one beside an earlier file if it was cut, which it gives then. Some file systems tell
   * only at `sync` that they had no room.
   */
  async commit(isCut = false): Promise<string | undefined> {
    let elsewhere: string | undefined;
    try {
      if (this.#isBeside) await this.#handle.sync();
      await this.#handle.close();
      if (this.#isBeside) {
        if (isCut && this.#force && (await statOrNone(lstat(this.path))) !== undefined) {
          elsewhere = await this.#takeFreePlace();
        } else await this.#takePlace(this.path, this.#force);
      }
    } catch (error) {
      await this.discard();
      throw toOutputError(error, this.path);
    }
    process.off("exit", this.#dropAtExit);
    return elsewhere;
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#isBeside) await unlink(this.writtenPath).catch(() => {});
    process.off("exit", this.#dropAtExit);
  }

  async #takePlace(path: string, force: boolean): Promise<void> {
    if (force) return rename(this.writtenPath, path);
    try {
      // Unlike a rename, a link does not replace what came there in the meantime.
      await link(this.writtenPath, path);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
      await refuseExisting(path, false);
      return rename(this.writtenPath, path);
    }
    await unlink(this.writtenPath);
  }

  /** `site.partial.csv`, or `site.partial-2.csv` where that is left from an earlier run. */
  async #takeFreePlace(): Promise<string> {
    for (let number = 1; ; number++) {
      const path = partialName(this.path, number);
      try {
        await this.#takePlace(path, false);
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST" || number === MAX_PARTIAL) throw error;
      }
    }
  }
}

/** So many files of interrupted runs may stay beside one; then somebody has to look. */
const MAX_PARTIAL = 100;

/** Before the ending, which still says what the file is. */
function partialName(path: string, number: number): string {
  const [ending = ""] = /\.\w+(?:\.gz)?$/i.exec(basename(path)) ?? [];
  const name = path.slice(0, path.length - ending.length);
  return `${name}.partial${number === 1 ? "" : `-${number}`}${ending}`;
}

async function isPipeOrDevice(path: string): Promise<boolean> {
  const stats = await statOrNone(stat(path));
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

async function refuseExisting(path: string, force: boolean): Promise<void> {
  const stats = await statOrNone(lstat(path));
  if (stats?.isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
  if (stats !== undefined && !force) throw Object.assign(new Error("exists"), { code: "EEXIST" });
}

async function statOrNone(stats: Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await stats;
  } catch (error) {
    // A link that leads nowhere, or in a circle, is nothing to follow either.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ELOOP") return undefined;
    throw error;
  }
}

let takesFileSizeErrors = false;

/** Beyond `ulimit -f` the signal SIGXFSZ ends a process; with a listener the write fails instead, and is told. */
export function takeFileSizeErrors(): void {
  if (takesFileSizeErrors || process.platform === "win32") return;
  takesFileSizeErrors = true;
  process.on("SIGXFSZ", () => {});
}
