/**
 * An output file. It is written under a temporary name in the same folder and renamed when complete. So readers never
 * see an incomplete file, and a failed run leaves no file. If the process is killed, a later run that writes to the
 * same folder deletes the temporary file.
 *
 * An existing file is kept unless `force` is set. The output of an interrupted run never gets the final name: it
 * becomes `site.partial.csv`. A new file has the mode of the file that it replaces. A symbolic link is replaced, never
 * followed. Pipes and devices (`/dev/stdout`, `/dev/fd/63`) are written to directly.
 */
import { constants as fsConstants, type Stats, unlinkSync } from "node:fs";
import { type FileHandle, link, lstat, open, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { createReplacement } from "../../files/replace-file.ts";
import { TemporaryPath } from "../../files/temporary-files.ts";
import { OutputError, toOutputError } from "../process/output-error.ts";

interface TargetFileOptions {
  readonly force?: boolean | undefined;
  /**
   * Whether a library opens and writes the file itself, by its path (`writtenPath`). Then the file must be a regular
   * file.
   */
  readonly byName?: boolean;
}

/**
 * Start of the names of temporary files. It does not contain the name of the output file. So any later run in the folder
 * can find and delete a temporary file that was left behind.
 */
const START = ".siteatlas-";
const ENDING = "part";

/** Error codes of file systems without hard links, such as FAT and some network shares. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

export class TargetFile {
  /** The path that the user gave, for messages. */
  readonly path: string;
  /** The path of the temporary file. For pipes and devices, the same as `path`. */
  readonly writtenPath: string;
  readonly #handle: FileHandle;
  readonly #force: boolean;
  /** The temporary name. Undefined for pipes and devices. */
  readonly #temporary: TemporaryPath | undefined;
  /**
   * Deletes the temporary file when the process ends. After a second Ctrl-C, the process ends immediately. Then only
   * the listeners of the event `exit` are called.
   */
  readonly #dropAtExit = (): void => {
    try {
      unlinkSync(this.writtenPath);
    } catch {
      // The process ends now, so ignore errors.
    }
  };

  private constructor(path: string, handle: FileHandle, force: boolean, temporary?: TemporaryPath) {
    this.path = path;
    this.writtenPath = temporary?.withEnding(ENDING) ?? path;
    this.#handle = handle;
    this.#force = force;
    this.#temporary = temporary;
    if (temporary !== undefined) process.on("exit", this.#dropAtExit);
  }

  static async open(path: string, { force = false, byName = false }: TargetFileOptions): Promise<TargetFile> {
    takeFileSizeErrors();
    try {
      if (await isPipeOrDevice(path)) {
        if (byName) throw new OutputError(`cannot write ${path}: it is not a regular file`, { exitCode: 2 });
        return new TargetFile(path, await open(path, fsConstants.O_WRONLY), force);
      }
      await refuseExisting(path, force);
      return await TargetFile.#openBeside(path, force);
    } catch (error) {
      throw toOutputError(error, path, 2);
    }
  }

  static async #openBeside(path: string, force: boolean): Promise<TargetFile> {
    const temporary = await TemporaryPath.create(dirname(path), START);
    try {
      const stats = await statOrNone(lstat(path));
      const old = stats?.isFile() ? stats : undefined;
      // Links are not followed: `createReplacement` creates a new file.
      const handle = await createReplacement(temporary.withEnding(ENDING), old);
      return new TargetFile(path, handle, force, temporary);
    } catch (error) {
      temporary.release();
      throw error;
    }
  }

  /** Writes all bytes. Uses a loop, because a write may stop early if the file system is nearly full. */
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
   * Completes the file, like `TextOutput.end`. It calls `sync`, because some file systems report only then that they
   * are full.
   */
  async commit(isCut = false): Promise<string | undefined> {
    let elsewhere: string | undefined;
    try {
      if (this.#temporary !== undefined) await this.#handle.sync();
      await this.#handle.close();
      if (this.#temporary !== undefined) {
        if (isCut) elsewhere = await this.#takeFreePlace();
        else await this.#takePlace(this.path, this.#force);
      }
    } catch (error) {
      await this.discard();
      throw toOutputError(error, this.path);
    }
    this.#leave();
    return elsewhere;
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#temporary !== undefined) await unlink(this.writtenPath).catch(() => {});
    this.#leave();
  }

  /** Call this when the temporary file no longer exists. */
  #leave(): void {
    process.off("exit", this.#dropAtExit);
    this.#temporary?.release();
  }

  async #takePlace(path: string, force: boolean): Promise<void> {
    if (force) return rename(this.writtenPath, path);
    try {
      // Unlike a rename, a hard link does not replace a file that another program created in the meantime.
      await link(this.writtenPath, path);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
      await refuseExisting(path, false);
      return rename(this.writtenPath, path);
    }
    await unlink(this.writtenPath);
  }

  /** Gives the file the first free name: `site.partial.csv`, then `site.partial-2.csv`. */
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

const MAX_PARTIAL = 100;

/** Maximum length of a file name in bytes. */
const MAX_NAME = 255;

/** The name of an incomplete file. It has the same extension. A name that would be too long is shortened. */
function partialName(path: string, number: number): string {
  const name = basename(path);
  const [ending = ""] = /\.\w+(?:\.gz)?$/i.exec(name) ?? [];
  const mark = `.partial${number === 1 ? "" : `-${number}`}${ending}`;
  const stem = Buffer.from(name.slice(0, name.length - ending.length));
  // If the name is cut inside a character, its first bytes become U+FFFD. Remove this character.
  const kept = stem
    .subarray(0, Math.max(0, MAX_NAME - mark.length))
    .toString()
    .replace(/\ufffd$/, "");
  return `${path.slice(0, path.length - name.length)}${kept}${mark}`;
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
    // ELOOP: symbolic links form a cycle.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ELOOP") return undefined;
    throw error;
  }
}

let takesFileSizeErrors = false;

/**
 * Makes a write fail if the file gets larger than `ulimit -f` allows. Without this listener, SIGXFSZ would end the
 * process.
 */
export function takeFileSizeErrors(): void {
  if (takesFileSizeErrors || process.platform === "win32") return;
  takesFileSizeErrors = true;
  process.on("SIGXFSZ", () => {});
}
