/**
 * Temporary files in the same folder as the files that they will replace. They are hidden. If a process is killed, its
 * temporary files stay. Their names contain the process id, so that a later run can delete unused files:
 * `.example.csv.7b13f2-1234-5f0c11aa.new` belongs to process 1234.
 */
import { createHash, randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * Maximum length of a file name that becomes part of the name of a temporary file. A longer file name is replaced by
 * its hash, because names may have at most 255 bytes.
 */
const MAX_NAME_BYTES = 200;

/**
 * Matches the end of a temporary file name: machine, process id, random digits, and an ending. SQLite adds `-journal`
 * to the ending.
 */
const REST = /^([\da-f]{6})-(\d+)-[\da-f]{8}\.[a-z-]+$/;

/** The names of this process's temporary files, without their endings. */
const inUse = new Set<string>();

let machineTag: string | undefined;

/**
 * Identifies this machine or container. It is part of the names, because several machines may write to one folder, and
 * each has its own process ids.
 */
function machine(): string {
  machineTag ??= createHash("sha256").update(`${hostname()} ${processNamespace()}`).digest("hex").slice(0, 6);
  return machineTag;
}

/** The namespace of process ids. It distinguishes containers with the same host name. Exists only on Linux. */
function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** The path of one or more temporary files, without their endings. */
export class TemporaryPath {
  readonly #path: string;
  readonly #name: string;

  private constructor(folder: string, name: string) {
    this.#path = join(folder, name);
    this.#name = name;
    inUse.add(name);
  }

  /** Chooses a new path in the folder of this file. Deletes unused temporary files of earlier processes. */
  static beside(path: string): Promise<TemporaryPath> {
    const name = basename(path);
    const isLong = Buffer.byteLength(name) > MAX_NAME_BYTES;
    const start = isLong ? createHash("sha256").update(name).digest("hex") : name;
    return TemporaryPath.create(dirname(path), `.${start}.`);
  }

  /**
   * Deletes unused temporary files in this folder whose names start with `start`. Then chooses a new path.
   *
   * @param start the start of the file names, with a dot at the beginning
   */
  static async create(folder: string, start: string): Promise<TemporaryPath> {
    await removeLeftovers(folder, start);
    const name = `${start}${machine()}-${process.pid}-${randomBytes(4).toString("hex")}`;
    return new TemporaryPath(folder, name);
  }

  /** Returns the path of one temporary file. @param ending lower-case letters, without a dot */
  withEnding(ending: string): string {
    return `${this.#path}.${ending}`;
  }

  /** Call this when the files were renamed or deleted. Otherwise a later `create` may delete them. */
  release(): void {
    inUse.delete(this.#name);
  }
}

/**
 * Deletes unused temporary files. Ignores errors: the folder may be unreadable, or a file may belong to another user.
 */
async function removeLeftovers(folder: string, start: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, tag, pid] = (name.startsWith(start) && REST.exec(name.slice(start.length))) || [];
    if (tag !== machine() || isUsed(name, Number(pid))) continue;
    await rm(join(folder, name), { force: true, recursive: true }).catch(() => {});
  }
}

/**
 * Whether a process still uses the file. A file with the id of this process may be from an earlier process: in
 * containers, a new process often gets the id of the previous process.
 */
function isUsed(name: string, pid: number): boolean {
  return pid === process.pid ? inUse.has(name.slice(0, name.lastIndexOf("."))) : isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
