/**
 * Writes a snapshot to a temporary file and renames it when complete, so that the snapshot is always either the old
 * or the new file. Sections arrive in any order. A second temporary file, the spool, holds them until they can be
 * written in order.
 *
 * Both files are named after the snapshot. The next sync deletes the files of a killed process.
 */
import { createHash } from "node:crypto";
import { type FileHandle, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { crc32, createGzip } from "node:zlib";
import { createReplacement, findOldFile, type OldFile, syncFolder } from "../../files/replace-file.ts";
import { TemporaryPath } from "../../files/temporary-files.ts";
import { checkedHeaderLines } from "./header-lines.ts";
import { inBatches } from "./line-cursor.ts";
import { bytesOf, identityOf, type Snapshot, unpackSection } from "./read-snapshot.ts";
import { SnapshotError } from "./snapshot-error.ts";
import {
  headerLines,
  MAX_PAGE_LINE,
  MAX_SECTION_BYTES,
  type PendingFacts,
  pendingName,
  type SectionOwner,
  type Sections,
  type SnapshotFacts,
  type SnapshotPending,
  type SnapshotSitemap,
  sectionTitle,
} from "./snapshot-format.ts";
import { writeHeader } from "./snapshot-header.ts";
import { keepInHistory, trimHistory } from "./snapshot-history.ts";

/** Size of the output buffer of zlib. */
const CHUNK = 64 * 1024;

/** The entry of a sitemap, without the facts about its section. */
export type SitemapEntry = Omit<SnapshotSitemap, "section">;

/** Where the compressed pages of a sitemap are: in the spool, or in an earlier snapshot. */
type Section =
  | { readonly at: number; readonly bytes: number; readonly hash: string; readonly crc: number }
  | { readonly from: Snapshot; readonly sitemap: SnapshotSitemap };

const HASH_LENGTH = 16;

export class SnapshotWriter {
  readonly #old: OldFile;
  readonly #temporary: TemporaryPath;
  readonly #spool: FileHandle;
  /** Identity of the snapshot that `commit` will replace. */
  readonly #replaced: string | undefined;
  readonly #sections: Map<string, Section> = new Map();
  readonly #pending: SnapshotPending[] = [];
  #end = 0;

  private constructor(
    old: OldFile,
    temporary: TemporaryPath,
    spool: FileHandle,
    replaced: string | undefined,
  ) {
    this.#old = old;
    this.#temporary = temporary;
    this.#spool = spool;
    this.#replaced = replaced;
  }

  /** @param before the snapshot that was read from this path */
  static async create(path: string, before: Snapshot | undefined): Promise<SnapshotWriter> {
    const old = await findOldFile(path);
    const temporary = await TemporaryPath.beside(old.path);
    try {
      const spool = await createReplacement(temporary.withEnding("sections"), old.stats, "wx+");
      return new SnapshotWriter(old, temporary, spool, before?.identity);
    } catch (error) {
      temporary.release();
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") throw error;
      // The error of the file system names a temporary file.
      const message = `${path} cannot be written: its folder does not exist`;
      throw Object.assign(new Error(message, { cause: error }), { code });
    }
  }

  /** Path of a folder for lines that do not fit into memory during the comparison. It does not exist yet. */
  get changesFolder(): string {
    return this.#temporary.withEnding("changes");
  }

  /** Path of a folder for lines that do not fit into memory during the walk. It does not exist yet. */
  get linesFolder(): string {
    return this.#temporary.withEnding("lines");
  }

  /**
   * Writes the sorted lines of a sitemap to the spool. Returns the number of lines.
   *
   * @throws {SnapshotError} `too-large`, if a line or all lines are longer than a reader accepts
   */
  async write(
    url: string,
    batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  ): Promise<number> {
    const at = this.#end;
    const hash = createHash("sha256");
    let [crc, count] = [0, 0];
    const pack = (text: string): Buffer => {
      const bytes = Buffer.from(text, "latin1");
      hash.update(bytes);
      return bytes;
    };
    const plain = async function* (this: SnapshotWriter): AsyncGenerator<Buffer> {
      const title = sectionTitle(url);
      let length = title.length;
      for await (const lines of batches) {
        if (lines.length === 0) continue;
        if (count === 0) yield pack(title);
        count += lines.length;
        const text = `${lines.join("\n")}\n`;
        length += text.length;
        if (length > MAX_SECTION_BYTES || lines.some((line) => line.length > MAX_PAGE_LINE)) {
          throw this.#tooLarge(url);
        }
        yield pack(text);
      }
    }.bind(this);
    await pipeline(plain, createGzip({ chunkSize: CHUNK }), async (packed: AsyncIterable<Buffer>) => {
      for await (const bytes of packed) {
        crc = crc32(bytes, crc);
        this.#end += bytes.length;
        // `appendFile` writes all bytes or throws. `write` may write only a part.
        await this.#spool.appendFile(bytes);
      }
    });
    if (count > 0) {
      const text = hash.digest("base64url").slice(0, HASH_LENGTH);
      this.#sections.set(url, { at, bytes: this.#end - at, hash: text, crc });
    }
    return count;
  }

  #tooLarge(url: string): SnapshotError {
    const message = `${this.#old.path} cannot be written: the pages of ${url} exceed a limit of siteatlas`;
    return new SnapshotError("too-large", message);
  }

  /** Writes sorted lines of pages whose removal is pending. */
  async writePending(facts: PendingFacts, lines: readonly string[]): Promise<void> {
    const url = pendingName(this.#pending.length);
    await this.write(url, inBatches(lines));
    this.#pending.push(this.#withSection({ ...facts, url, pageCount: lines.length }));
  }

  /** Number of pages whose removal is pending. */
  get pendingCount(): number {
    return this.#pending.reduce((sum, { pageCount }) => sum + pageCount, 0);
  }

  /** Uses the section of an earlier snapshot, because the sitemap did not change or could not be read. */
  keep(from: Snapshot, sitemap: SnapshotSitemap): void {
    if (sitemap.section !== undefined) this.#sections.set(sitemap.url, { from, sitemap });
  }

  /** Returns the next snapshot before it is written, to compare it with the last one. */
  draft(entries: readonly SitemapEntry[]): Sections {
    return {
      pageCount: entries.reduce((sum, { pageCount }) => sum + pageCount, 0),
      sitemaps: this.#complete(entries),
      pending: [],
      texts: ({ url }) => this.#texts(url),
    };
  }

  /** Writes the snapshot to its temporary file. */
  async finish(facts: SnapshotFacts, entries: readonly SitemapEntry[]): Promise<void> {
    const file = await createReplacement(this.#temporary.withEnding("new"), this.#old.stats);
    try {
      const sitemaps = this.#complete(entries);
      const lines = headerLines(facts, sitemaps, this.#pending);
      await writeHeader(file, checkedHeaderLines(lines, this.#old.path));
      for (const { url } of [...sitemaps, ...this.#pending]) {
        const section = this.#sections.get(url);
        if (section === undefined) continue;
        for await (const bytes of this.#bytesOf(section)) await file.appendFile(bytes);
      }
      await file.sync();
    } finally {
      await file.close();
      await this.#dropSpool();
    }
  }

  /**
   * Replaces the old snapshot by the finished one.
   *
   * @param history given if the old snapshot is kept. `count`: how many earlier snapshots to keep. `startedAt`: when the
   * sync that wrote the old snapshot started
   * @throws {SnapshotError} `replaced`, when another sync replaced the old snapshot first. That sync has already
   * reported these changes
   */
  async commit(history?: { readonly count: number; readonly startedAt: string | undefined }): Promise<void> {
    const { path } = this.#old;
    const facts = await stat(path).catch(() => undefined);
    if ((facts && identityOf(facts)) !== this.#replaced) {
      throw new SnapshotError("replaced", `${path} was replaced by another sync`);
    }
    if (history?.startedAt !== undefined) await keepInHistory(path, history.startedAt);
    await rename(this.#temporary.withEnding("new"), path);
    this.#temporary.release();
    await syncFolder(dirname(path));
    if (history !== undefined) await trimHistory(path, history.count);
  }

  /** Deletes the temporary files. */
  async discard(): Promise<void> {
    await this.#dropSpool();
    await rm(this.#temporary.withEnding("new"), { force: true });
    await rm(this.linesFolder, { force: true, recursive: true });
    this.#temporary.release();
  }

  /** Sorts the entries by URL and adds the size, hash and CRC of each one's section. */
  #complete(entries: readonly SitemapEntry[]): SnapshotSitemap[] {
    const sitemaps = entries.map((entry): SnapshotSitemap => this.#withSection(entry));
    return sitemaps.sort((a, b) => (a.url < b.url ? -1 : 1));
  }

  #withSection<T extends SectionOwner>(owner: T): T {
    const section = this.#sections.get(owner.url);
    return section === undefined ? owner : { ...owner, section: sizeOf(section) };
  }

  async *#texts(url: string): AsyncGenerator<string> {
    const section = this.#sections.get(url);
    if (section === undefined) return;
    if ("from" in section) {
      yield* section.from.texts(section.sitemap);
      return;
    }
    // This process wrote the section, so its lines need no check. Only remove the title, and keep the incomplete line
    // at the end of each piece for the next one.
    let rest = "";
    let start = sectionTitle(url).length;
    for await (const piece of unpackSection(this.#bytesOf(section), section.bytes)) {
      const text = rest + piece.toString("latin1");
      const whole = text.lastIndexOf("\n") + 1;
      rest = text.slice(whole);
      if (whole === 0) continue;
      if (whole > start) yield text.slice(start, whole);
      start = 0;
    }
  }

  async *#bytesOf(section: Section): AsyncGenerator<Buffer> {
    if ("from" in section) {
      yield* section.from.packedSection(section.sitemap);
      return;
    }
    let length = 0;
    for await (const bytes of bytesOf(this.#spool, section.at, section.at + section.bytes)) {
      length += bytes.length;
      yield bytes;
    }
    if (length < section.bytes) {
      throw new SnapshotError("truncated", `${this.#temporary.withEnding("sections")} is truncated`);
    }
  }

  async #dropSpool(): Promise<void> {
    await this.#spool.close().catch(() => {});
    await rm(this.#temporary.withEnding("sections"), { force: true });
  }
}

function sizeOf(section: Section): NonNullable<SnapshotSitemap["section"]> {
  if ("from" in section) return section.sitemap.section!;
  const { bytes, hash, crc } = section;
  return { bytes, hash, crc };
}
