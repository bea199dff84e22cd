/**
 * A store in a folder. `put` syncs the file to the disk, renames it, and syncs the folders above it before it returns.
 * A file from another file system is first copied to a temporary name that starts with a dot. If the process is killed
 * during the copy, the temporary file stays. Listings skip it, and `sweepTemporary` removes it.
 *
 * Folders are created when needed and removed when empty. If a concurrent `delete` removes the folder that `put` needs,
 * `put` tries again.
 */
import { randomBytes } from "node:crypto";
import { constants, type Dirent, type Stats } from "node:fs";
import { chmod, copyFile, mkdir, open, opendir, rename, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { checkKey, checkPrefix, isKey, MissingObjectError } from "./object-key.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";

const TEMPORARY = /^\.put-[0-9a-f]{16}$/;
/** Maximum number of attempts of a `put`. An attempt fails if a concurrent `delete` removes its folder. */
const MAX_ATTEMPTS = 100;
/** Number of files that are deleted, or whose size is read, at the same time. */
const BATCH = 64;
/** Error codes of file systems that cannot sync folders, such as some network shares. */
const NO_FOLDER_SYNC: ReadonlySet<string | undefined> = new Set(["EINVAL", "ENOTSUP"]);

export class DirectoryStore implements ObjectStore {
  readonly #root: string;
  /**
   * File mode of new objects: the default mode of new files (umask). The mode of the local file is not kept, because
   * the local file may be readable only by its owner.
   */
  readonly #mode: number;
  readonly #folders = new FolderSync();

  private constructor(root: string, mode: number) {
    this.#root = root;
    this.#mode = mode;
  }

  /** Opens the store and creates its folder if needed. @throws if the folder is not writable */
  static async open(path: string): Promise<DirectoryStore> {
    const root = resolve(path);
    const made = await mkdir(root, { recursive: true });
    if (made !== undefined) await new FolderSync().sync(dirname(root), dirname(made));
    const probe = join(root, temporaryName());
    const handle = await open(probe, "wx");
    try {
      return new DirectoryStore(root, (await handle.stat()).mode & 0o777);
    } finally {
      await handle.close();
      await unlink(probe);
    }
  }

  async put(key: string, file: string): Promise<void> {
    const place = this.#place(key);
    await syncFile(file, this.#mode);
    let isCopied: boolean;
    for (let attempt = 1; ; attempt++) {
      try {
        await mkdir(dirname(place), { recursive: true });
        isCopied = await takePlace(file, place, this.#mode);
        break;
      } catch (error) {
        if (codeOf(error) !== "ENOENT" || attempt === MAX_ATTEMPTS || !(await isFile(file))) throw error;
      }
    }
    await this.#folders.sync(dirname(place), this.#root);
    // The copy is durable on the disk, so the local file can be removed.
    if (isCopied) await unlink(file);
  }

  async get(key: string, file: string): Promise<void> {
    const place = this.#place(key);
    try {
      await copyFile(place, file);
    } catch (error) {
      // If the object exists, the error is about the local file. `copyFile` has already removed the incomplete local
      // file.
      throw (await isFile(place)) ? error : new MissingObjectError(key, { cause: error });
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    checkPrefix(prefix);
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    for await (const [path, stats] of filesUnder(this.#root, folder)) {
      if (path.startsWith(prefix) && isKey(path))
        yield { key: path, bytes: stats.size, modifiedAt: stats.mtime };
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    const places = keys.map((key) => this.#place(key));
    for (let from = 0; from < places.length; from += BATCH) {
      await Promise.all(places.slice(from, from + BATCH).map((place) => ifThere(unlink(place))));
    }
    for (const folder of new Set(places.map((place) => dirname(place))))
      await removeIfEmpty(folder, this.#root);
  }

  address(key: string): string {
    return this.#place(key);
  }

  async close(): Promise<void> {}

  async sweepTemporary(olderThanMs: number): Promise<number> {
    const before = Date.now() - olderThanMs;
    let count = 0;
    for await (const [path, stats] of filesUnder(this.#root, "", (name) => TEMPORARY.test(name))) {
      if (stats.mtimeMs > before) continue;
      await ifThere(unlink(join(this.#root, path)));
      count++;
    }
    return count;
  }

  #place(key: string): string {
    checkKey(key);
    return join(this.#root, ...key.split("/"));
  }
}

/** Moves the file to its place, or copies it if it is on another file system. @returns whether it was copied */
async function takePlace(file: string, place: string, mode: number): Promise<boolean> {
  try {
    await rename(file, place);
    return false;
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
  }
  const beside = join(dirname(place), temporaryName());
  try {
    await copyFile(file, beside, constants.COPYFILE_EXCL);
    await syncFile(beside, mode);
    await rename(beside, place);
  } catch (error) {
    await unlink(beside).catch(() => {});
    throw error;
  }
  return true;
}

function temporaryName(): string {
  return `.put-${randomBytes(8).toString("hex")}`;
}

async function syncFile(path: string, mode: number): Promise<void> {
  await chmod(path, mode);
  await syncPath(path, "r+");
}

async function syncPath(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Syncs folders to the disk. Concurrent calls for one folder share a sync. A sync that is already running is not
 * shared: it may have started before the caller renamed its file. Such a caller waits for the next sync.
 */
class FolderSync {
  readonly #running: Map<string, Promise<void>> = new Map();
  readonly #next: Map<string, Promise<void>> = new Map();

  /**
   * Syncs this folder and all folders above it up to `top`, because another process may just have created one of them.
   */
  async sync(folder: string, top: string): Promise<void> {
    const folders = [folder];
    while (folders.at(-1) !== top && folders.at(-1) !== dirname(folders.at(-1)!)) {
      folders.push(dirname(folders.at(-1)!));
    }
    await Promise.all(folders.map((path) => this.#share(path)));
  }

  #share(path: string): Promise<void> {
    const waiting = this.#next.get(path);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(path);
    if (running === undefined) return this.#start(path);
    const start = (): Promise<void> => this.#start(path);
    const next = running.then(start, start);
    this.#next.set(path, next);
    return next;
  }

  #start(path: string): Promise<void> {
    this.#next.delete(path);
    const running = syncFolder(path).finally(() => this.#running.delete(path));
    this.#running.set(path, running);
    return running;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync folders.
  if (process.platform === "win32") return;
  try {
    await syncPath(path, "r");
  } catch (error) {
    // A folder that no longer exists needs no sync: it was removed because its last object was deleted.
    if (!NO_FOLDER_SYNC.has(codeOf(error)) && !isAbsence(error)) throw error;
  }
}

/**
 * Yields the files below a folder. Their paths are relative to the root of the store and have forward slashes. Skips
 * links, and files that are deleted meanwhile.
 *
 * @param folder path from the root: empty, or with a final slash
 */
async function* filesUnder(
  root: string,
  folder: string,
  isWanted: (name: string) => boolean = (name) => !name.startsWith("."),
): AsyncGenerator<readonly [path: string, stats: Stats]> {
  const folders: string[] = [];
  let names: string[] = [];
  for await (const entry of entriesOf(join(root, folder))) {
    if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`);
    else if (entry.isFile() && isWanted(entry.name)) names.push(entry.name);
    if (names.length < BATCH) continue;
    yield* statFiles(root, folder, names);
    names = [];
  }
  yield* statFiles(root, folder, names);
  for (const inner of folders) yield* filesUnder(root, inner, isWanted);
}

async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

async function* statFiles(
  root: string,
  folder: string,
  names: readonly string[],
): AsyncGenerator<readonly [path: string, stats: Stats]> {
  const found = await Promise.all(names.map((name) => ifThere(stat(join(root, folder, name)))));
  for (const [i, stats] of found.entries()) {
    if (stats?.isFile()) yield [folder + names[i]!, stats];
  }
}

async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await ifThere(stat(path)))?.isFile() === true;
}

/** Removes a folder if it is empty, and then the folders above it that become empty, up to `top`. */
async function removeIfEmpty(folder: string, top: string): Promise<void> {
  for (let path = folder; path !== top; path = dirname(path)) {
    try {
      await rmdir(path);
    } catch (error) {
      if (!isAbsence(error)) return;
    }
  }
}

/** Whether the error means that a file does not exist. ENOTDIR: one of the folders in its path is a file. */
function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
