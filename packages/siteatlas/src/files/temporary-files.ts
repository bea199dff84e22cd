/**
 * Temporary files beside the files that they will replace. They are hidden. A killed process does not delete them.
 * Their names contain the process that wrote them, so that a later run can delete unused ones:
 * `.example.csv.7b13f2-1234-5f0c11aa.new` is the file of process 1234.
 */
import { createHash, randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * Longer file names are replaced by a hash in the names of temporary files, because a name may have at most 255
 * bytes.
 */
const MAX_NAME_BYTES = 200;

/** The rest of a name after its start: machine, process id, random digits, an ending. SQLite adds `-journal`. */
const REST = /^([\da-f]{6})-(\d+)-[\da-f]{8}\.[a-z-]+$/;

/** Names, without their endings, of the temporary files of this process. */
const inUse = new Set<string>();

let machineTag: string | undefined;

/**
 * Identifies the machine or container. Several machines may write to one folder, and a process id is valid only on
 * its own machine.
 */
function machine(): string {
  machineTag ??= createHash("sha256").update(`${hostname()} ${processNamespace()}`).digest("hex").slice(0, 6);
  return machineTag;
}

/** Containers with the same host name have different namespaces of process ids. Only Linux has them. */
function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** The path of one or more temporary files, without the ending. */
export class TemporaryPath {
  readonly #path: string;
  readonly #name: string;

  private constructor(folder: string, name: string) {
    this.#path = join(folder, name);
    this.#name = name;
    inUse.add(name);
  }

  /** Chooses a new path beside this file, and deletes the unused temporary files of earlier processes. */
  static beside(path: string): Promise<TemporaryPath> {
    const name = basename(path);
    const isLong = Buffer.byteLength(name) > MAX_NAME_BYTES;
    const start = isLong ? createHash("sha256").update(name).digest("hex") : name;
    return TemporaryPath.create(dirname(path), `.${start}.`);
  }

  /**
   * Deletes unused temporary files with the same start in this folder, then chooses a new path.
   *
   * @param start the start of the file names, with a dot at the beginning
   */
  static async create(folder: string, start: string): Promise<TemporaryPath> {
    await removeLeftovers(folder, start);
    const name = `${start}${machine()}-${process.pid}-${randomBytes(4).toString("hex")}`;
    return new TemporaryPath(folder, name);
  }

  /** @param ending lower-case letters, without a dot */
  withEnding(ending: string): string {
    return `${this.#path}.${ending}`;
  }

  /** Call this when the files were renamed or deleted. Otherwise a later `create` may delete them. */
  release(): void {
    inUse.delete(this.#name);
  }
}

/** Ignores errors: the folder may be unreadable, or a file may belong to another user. */
async function removeLeftovers(folder: string, start: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, tag, pid] = (name.startsWith(start) && REST.exec(name.slice(start.length))) || [];
    if (tag !== machine() || isUsed(name, Number(pid))) continue;
    await rm(join(folder, name), { force: true, recursive: true }).catch(() => {});
  }
}

/** In a container, a new process often has the id of the previous one. */
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
