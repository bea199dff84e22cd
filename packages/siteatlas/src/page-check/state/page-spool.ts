/** The pages that wait for their check, in a temporary file. So a site of any size needs little memory. */
import type { FileHandle } from "node:fs/promises";
import { TemporaryFolder } from "../../files/temporary-folder.ts";
import type { PageToCheck } from "../checked-page.ts";
import { completeLines } from "./json-lines.ts";

/** Number of characters that are collected before they are written. */
const MAX_HELD = 64 * 1024;

export class PageSpool {
  readonly #folder: TemporaryFolder;
  #file: FileHandle | undefined;
  #held = "";

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder;
  }

  static async create(): Promise<PageSpool> {
    return new PageSpool(await TemporaryFolder.choose("check"));
  }

  /** Adds a page. Returns a promise if the caller must wait until pages are written. */
  add(page: PageToCheck): Promise<void> | undefined {
    this.#held += `${JSON.stringify(page)}\n`;
    return this.#held.length < MAX_HELD ? undefined : this.#flush();
  }

  /** Yields the pages in the order in which they were added. */
  async *pages(): AsyncGenerator<PageToCheck> {
    await this.#flush();
    for await (const { text } of completeLines(this.#file!)) yield JSON.parse(text) as PageToCheck;
  }

  /** Deletes the file. */
  async remove(): Promise<void> {
    await this.#folder.remove();
  }

  async #flush(): Promise<void> {
    this.#file ??= await this.#folder.createFile();
    const text = this.#held;
    this.#held = "";
    await this.#file.appendFile(text);
  }
}
