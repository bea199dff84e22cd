/**
 * Writes a file to a temporary name in the same folder, and renames it when it is complete. So other programs see
 * either the old file or the complete new file. The new file has the mode of the old file. If the path is a symbolic
 * link, the link is kept and its target is replaced.
 */
import type { Stats } from "node:fs";
import { type FileHandle, open, readlink, rename, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { TemporaryPath } from "./temporary-files.ts";

export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const old = await findOldFile(path);
  const temporary = await TemporaryPath.beside(old.path);
  const written = temporary.withEnding("new");
  try {
    const file = await createReplacement(written, old.stats);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, old.path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  } finally {
    temporary.release();
  }
  await syncFolder(dirname(old.path));
}

/** The file that a new file replaces. */
export interface OldFile {
  /** The path of the file, after symbolic links were followed. */
  readonly path: string;
  /** The mode and owner of the file. Undefined if the file does not exist. */
  readonly stats: Stats | undefined;
}

/** Follows symbolic links, even if their target does not exist yet. @throws if the path is a device or a pipe */
export async function findOldFile(path: string): Promise<OldFile> {
  // `stat` fails if the links form a cycle, or if Linux does not allow this user to follow them
  // (`fs.protected_symlinks`).
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory()) {
    throw Object.assign(new Error(`Cannot replace ${path}: it is not a regular file`), {
      code: "EINVAL",
      path,
    });
  }
  return { path: await linkTarget(path), stats };
}

/** Maximum number of symbolic links that are followed. Linux has the same limit. */
const MAX_LINKS = 40;

async function linkTarget(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) break;
    // Do not use `join`: it removes `..` together with the folder before it, but this folder may be a link.
    target = isAbsolute(link) ? link : `${dirname(target)}/${link}`;
  }
  return target;
}

/**
 * Creates a file that will replace the old file. The new file has the same mode and, if the system permits it, the same
 * owner. No user without access to the old file ever has access to the new file.
 */
export async function createReplacement(
  path: string,
  old: Stats | undefined,
  flags: "wx" | "wx+" = "wx",
): Promise<FileHandle> {
  if (old === undefined) return open(path, flags);
  const mode = old.mode & 0o777;
  const file = await open(path, flags, mode);
  // Ignore errors, because some file systems have no owners and modes.
  await file.chown(old.uid, old.gid).catch(() => {});
  await file.chmod(mode).catch(() => {});
  return file;
}

/** Writes a folder to disk, so that a rename survives a crash. Ignores errors: some systems cannot open a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
