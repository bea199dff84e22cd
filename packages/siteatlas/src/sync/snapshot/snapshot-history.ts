/**
 * Earlier snapshots of a site, kept beside the current one: `example.com.snapshot.20261116T080000000Z.gz` is the
 * snapshot whose sync started at this time. If the clock was set back, the name has a later time, so that the names stay
 * in the order of the syncs. A kept snapshot is a hard link to the replaced file, so that it is complete at any moment.
 */
import { constants } from "node:fs";
import { copyFile, link, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { findOldFile } from "../../files/replace-file.ts";
import { TemporaryPath } from "../../files/temporary-files.ts";

const ENDING = ".gz";
const STAMP = /^\d{8}T\d{9}Z$/;
/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/** Keeps the snapshot at this path, which is about to be replaced. */
export async function keepInHistory(path: string, startedAt: string): Promise<void> {
  const { stem, ending } = partsOf(path);
  const nameAt = (time: number): string =>
    join(dirname(path), `${stem}.${new Date(time).toISOString().replace(/[-:.]/g, "")}${ending}`);
  let kept = nameAt(Date.parse(startedAt));
  const [newest] = await listHistory(path);
  if (newest !== undefined && kept < newest) kept = nameAt(timeIn(newest, ending) + 1);
  try {
    await link(path, kept);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The snapshot was kept before, by a sync that was killed before it could replace the snapshot.
    if (code === "EEXIST") return;
    if (!NO_LINKS.has(code)) throw error;
    await copyWhole(path, kept);
  }
}

/** Deletes all but the newest `count` earlier snapshots. */
export async function trimHistory(path: string, count: number): Promise<void> {
  for (const old of (await listHistory(path)).slice(count)) await rm(old, { force: true });
}

/** Paths of the earlier snapshots, the newest first. */
export async function listHistory(path: string): Promise<string[]> {
  const { path: target } = await findOldFile(path);
  const { stem, ending } = partsOf(target);
  const folder = dirname(target);
  const isKept = (name: string): boolean =>
    name.startsWith(`${stem}.`) &&
    name.endsWith(ending) &&
    STAMP.test(name.slice(stem.length + 1, name.length - ending.length));
  const names = (await readdir(folder)).filter(isKept).sort().reverse();
  const current = await stat(target).catch(() => undefined);
  const kept: string[] = [];
  for (const name of names) {
    const old = join(folder, name);
    const { ino, dev } = await stat(old);
    // Skip a link to the current snapshot. A sync that was killed before it replaced the snapshot may leave one.
    if (ino !== current?.ino || dev !== current.dev) kept.push(old);
  }
  return kept;
}

/** The time in the name of an earlier snapshot. */
function timeIn(path: string, ending: string): number {
  const stamp = path.slice(0, path.length - ending.length).slice(-"20261116T080000000Z".length);
  return Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..)/, "$1-$2-$3:$4:$5."));
}

function partsOf(path: string): { readonly stem: string; readonly ending: string } {
  const name = basename(path);
  return name.endsWith(ENDING)
    ? { stem: name.slice(0, -ENDING.length), ending: ENDING }
    : { stem: name, ending: "" };
}

async function copyWhole(from: string, to: string): Promise<void> {
  const temporary = await TemporaryPath.beside(to);
  const written = temporary.withEnding("new");
  try {
    await copyFile(from, written, constants.COPYFILE_EXCL);
    await rename(written, to);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  } finally {
    temporary.release();
  }
}
