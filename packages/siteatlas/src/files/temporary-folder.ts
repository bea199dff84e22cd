/**
 * A private folder for temporary files. It is created when the first file is needed. If a process is killed, its folder
 * stays until the next run deletes it (temporary-files.ts).
 */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TemporaryPath } from "./temporary-files.ts";

export class TemporaryFolder {
  readonly #temporary: TemporaryPath;
  readonly #path: string;
  #created: Promise<unknown> | undefined;
  #files = 0;
  readonly #open: Set<FileHandle> = new Set();

  private constructor(temporary: TemporaryPath) {
    this.#temporary = temporary;
    this.#path = temporary.withEnding("runs");
  }

  /**
   * Deletes folders of killed processes, and chooses the path of a new one.
   *
   * @param use what the files are for, such as `compare`. A part of the name
   * @param parent default: `tmpdir()`
   */
  static async choose(use: string, parent: string = tmpdir()): Promise<TemporaryFolder> {
    return new TemporaryFolder(await TemporaryPath.create(parent, `.siteatlas-${use}.`));
  }

  /** Creates a file that only this user can read. */
  async createFile(): Promise<FileHandle> {
    this.#created ??= mkdir(this.#path, { mode: 0o700 });
    await this.#created;
    const file = await open(join(this.#path, String(this.#files++)), "wx+", 0o600);
    this.#open.add(file);
    return file;
  }

  /** Closes and deletes all files. */
  async remove(): Promise<void> {
    for (const file of this.#open) await file.close();
    this.#open.clear();
    await rm(this.#path, { recursive: true, force: true });
    this.#temporary.release();
  }
}
