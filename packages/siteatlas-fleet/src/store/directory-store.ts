/**
 * Objects as files of a folder. A file takes its place by a rename, after its bytes are on the disk; the folders that
 * lead to it are on the disk before `put` returns. If the local file is on another file system it is copied first,
 * beside its place and under a name with a dot: a process that is killed meanwhile leaves such a file, which no listing
 * shows and `sweepTemporary` removes.
 *
 * Folders are made when they are needed and removed when they are empty, so a `put` may find its folder gone, and
 * makes it again.
 */
import { randomBytes } from "node:crypto";
import { constants, type Dirent, type Stats } from "node:fs";
import { chmod, copyFile, mkdir, open, opendir, rename, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { checkKey, checkPrefix, isKey, MissingObjectError } from "./object-key.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";

const TEMPORARY = /^\.put-[0-9a-f]{16}$/;
/** How often a folder may vanish under a `put`. */
const MAX_ATTEMPTS = 100;
/** So many files are looked at together. */
const BATCH = 64;
/** File systems that have no `fsync` for folders, such as some network shares. Windows has none at all. */
const NO_FOLDER_SYNC: ReadonlySet<string | undefined> = new Set(["EINVAL", "ENOTSUP"]);

export class DirectoryStore implements ObjectStore {
  readonly #root: string;
  /** Of new objects, as the umask has it: local files may be for their owner alone. */
  readonly #mode: number;
  readonly #folders = new FolderSync();

  private constructor(root: string, mode: number) {
    this.#root = root;
    this.#mode = mode;
  }

  /** Makes the folder if it is not there. @throws when nothing can be written there */
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
    // Only now can it not be lost any more.
    if (isCopied) await unlink(file);
  }

  async get(key: string, file: string): Promise<void> {
    const place = this.#place(key);
    try {
      await copyFile(place, file);
    } catch (error) {
      // Not that of the file that it was to become.
      if (!(await isFile(place))) throw new MissingObjectError(key, { cause: error });
      // What was copied of it is gone already: `copyFile` sees to that.
      throw error;
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
      await Promise.all(places.slice(from, from + BATCH).map((place) => unlinkIfThere(place)));
    }
    for (const folder of new Set(places.map((place) => dirname(place))))
      await removeIfEmpty(folder, this.#root);
  }

  address(key: string): string {
    return this.#place(key);
  }

  async close(): Promise<void> {}

  /**
   * Removes what unfinished `put`s left behind that long ago. A copy that is still under way must not be that old.
   *
   * @returns how many there were
   */
  async sweepTemporary(olderThanMs: number): Promise<number> {
    const before = Date.now() - olderThanMs;
    let count = 0;
    for await (const [path, stats] of filesUnder(this.#root, "", (name) => TEMPORARY.test(name))) {
      if (stats.mtimeMs > before) continue;
      await unlinkIfThere(join(this.#root, path));
      count++;
    }
    return count;
  }

  #place(key: string): string {
    checkKey(key);
    return join(this.#root, ...key.split("/"));
  }
}

/**
 * By a rename, and by a copy beside it where that cannot be. What it replaces is never seen half.
 *
 * @returns whether it was copied
 */
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
    await unlinkIfThere(beside).catch(() => {});
    throw error;
  }
  return true;
}

function temporaryName(): string {
  return `.put-${randomBytes(8).toString("hex")}`;
}

async function syncFile(path: string, mode: number): Promise<void> {
  await chmod(path, mode);
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Has folders written to the disk. A hundred files that take their places in a few folders at about the same time
 * share what that costs: whoever comes while a folder is being written waits for the next time, which may have begun
 * too early for none of them.
 */
class FolderSync {
  readonly #running: Map<string, Promise<void>> = new Map();
  readonly #next: Map<string, Promise<void>> = new Map();

  /**
   * This folder and those above it, up to `top`: that a name is in a folder is known to the disk only then. All of
   * them, as another process may just have made one of them.
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
  if (process.platform === "win32") return;
  try {
    const handle = await open(path, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // If it is gone, somebody has deleted what was in it.
    if (!NO_FOLDER_SYNC.has(codeOf(error)) && !isAbsence(error)) throw error;
  }
}

/**
 * The files below a folder of the root, by their paths from the root, with forward slashes. Links are passed over, and
 * so is what vanishes meanwhile.
 *
 * @param folder empty, or with a final slash
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
  const found = await Promise.all(names.map((name) => statIfThere(join(root, folder, name))));
  for (const [i, stats] of found.entries()) {
    if (stats?.isFile()) yield [folder + names[i]!, stats];
  }
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await statIfThere(path))?.isFile() === true;
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** And those above it, below `top`. */
async function removeIfEmpty(folder: string, top: string): Promise<void> {
  for (let path = folder; path !== top; path = dirname(path)) {
    try {
      await rmdir(path);
    } catch (error) {
      if (!isAbsence(error)) return;
    }
  }
}

/** There is no such file, or what should be a folder on the way to it is a file. */
function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
