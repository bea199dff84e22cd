/**
 * Writes a snapshot beside its place and puts it there at the end, so that at any moment the file is the old
 * one or the new one, whole. Sections come in any order, as sitemaps end; they wait in a second file until
 * all are there and can be written in their order.
 *
 * Both files are named after the snapshot. What a killed process left of them is removed by the next one.
 */
import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { crc32, createGzip, gunzip } from "node:zlib";
import { identityOf, type Snapshot, SnapshotError } from "./read-snapshot.ts";
import { type Sections, type SnapshotFacts, type SnapshotSitemap, sectionTexts } from "./snapshot-format.ts";
import { packHeader } from "./snapshot-header.ts";

/** Of what zlib gives at once. */
const CHUNK = 64 * 1024;

const unpack = promisify(gunzip);

/** What is known of a sitemap besides its pages. */
export type SitemapEntry = Omit<SnapshotSitemap, "section">;

/** Where the section of an entry comes from. */
type Section =
  | { readonly at: number; readonly bytes: number; readonly hash: string; readonly crc: number }
  | { readonly from: Snapshot; readonly sitemap: SnapshotSitemap };

const HASH_LENGTH = 16;

/** The prefixes of the files that this process is writing. */
const inUse = new Set<string>();

export class SnapshotWriter {
  readonly #path: string;
  /** What both files are named after. */
  readonly #prefix: string;
  readonly #spool: FileHandle;
  /** The file in its place that was read. */
  readonly #replaced: string | undefined;
  readonly #sections: Map<string, Section> = new Map();
  #end = 0;

  private constructor(path: string, prefix: string, spool: FileHandle, replaced: string | undefined) {
    this.#path = path;
    this.#prefix = prefix;
    this.#spool = spool;
    this.#replaced = replaced;
  }

  /** For a snapshot at this path, after the one that was read there. */
  static async create(path: string, before: Snapshot | undefined): Promise<SnapshotWriter> {
    await removeLeftovers(path);
    // Hidden, beside the snapshot, and of this process: `.example.snapshot.gz.1234-5f0c11aa.new`.
    const name = `.${basename(path)}.${process.pid}-${randomBytes(4).toString("hex")}.`;
    const prefix = join(dirname(path), name);
    inUse.add(prefix);
    try {
      const spool = await open(`${prefix}sections`, "wx+");
      return new SnapshotWriter(path, prefix, spool, before?.identity);
    } catch (error) {
      inUse.delete(prefix);
      throw error;
    }
  }

  /** A folder for what a comparison cannot hold in memory; not made yet. */
  get changesFolder(): string {
    return `${this.#prefix}changes`;
  }

  /** The pages of a sitemap, as sorted lines. */
  async write(url: string, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const at = this.#end;
    const hash = createHash("sha256");
    let crc = 0;
    const plain = function* (): Generator<Buffer> {
      for (const text of sectionTexts(url, lines)) {
        const bytes = Buffer.from(text, "latin1");
        hash.update(bytes);
        yield bytes;
      }
    };
    await pipeline(plain, createGzip({ chunkSize: CHUNK }), async (packed: AsyncIterable<Buffer>) => {
      for await (const bytes of packed) {
        crc = crc32(bytes, crc);
        this.#end += bytes.length;
        // One after the other: each is written whole, or it throws.
        await this.#spool.appendFile(bytes);
      }
    });
    const text = hash.digest("base64url").slice(0, HASH_LENGTH);
    this.#sections.set(url, { at, bytes: this.#end - at, hash: text, crc });
  }

  /** The pages of this sitemap are those of an earlier snapshot. */
  keep(from: Snapshot, sitemap: SnapshotSitemap): void {
    if (sitemap.section !== undefined) this.#sections.set(sitemap.url, { from, sitemap });
  }

  /** The snapshot as it will be, to compare it with another before it is one. */
  draft(entries: readonly SitemapEntry[]): Sections {
    return {
      pageCount: entries.reduce((sum, { pageCount }) => sum + pageCount, 0),
      sitemaps: this.#complete(entries),
      section: async ({ url }) => {
        const section = this.#sections.get(url);
        return section === undefined ? "" : (await unpack(await this.#bytesOf(section))).toString("latin1");
      },
    };
  }

  /** Writes it all, beside its place. */
  async finish(facts: SnapshotFacts, entries: readonly SitemapEntry[]): Promise<void> {
    const file = await open(`${this.#prefix}new`, "wx");
    try {
      const sitemaps = this.#complete(entries);
      const lines = [facts, ...sitemaps].map((line) => JSON.stringify(line));
      await file.appendFile(packHeader(`${lines.join("\n")}\n`));
      for (const { url } of sitemaps) {
        const section = this.#sections.get(url);
        if (section !== undefined) await file.appendFile(await this.#bytesOf(section));
      }
      await file.sync();
    } finally {
      await file.close();
      await this.#dropSpool();
    }
  }

  /**
   * Puts the finished snapshot in its place.
   *
   * @throws {SnapshotError} when somebody else did so meanwhile: what they told is not to be told again
   */
  async commit(): Promise<void> {
    const facts = await stat(this.#path).catch(() => undefined);
    if ((facts && identityOf(facts)) !== this.#replaced) {
      throw new SnapshotError(`${this.#path} was replaced by another sync`);
    }
    await rename(`${this.#prefix}new`, this.#path);
    inUse.delete(this.#prefix);
    await syncFolder(dirname(this.#path));
  }

  /** Nothing of it stays. */
  async discard(): Promise<void> {
    await this.#dropSpool();
    await rm(`${this.#prefix}new`, { force: true });
    inUse.delete(this.#prefix);
  }

  /** Sorted, each with what is known of its section. */
  #complete(entries: readonly SitemapEntry[]): SnapshotSitemap[] {
    const sitemaps = entries.map((entry) => {
      const section = this.#sections.get(entry.url);
      return { ...entry, ...(section !== undefined && { section: sizeOf(section) }) };
    });
    return sitemaps.sort((a, b) => (a.url < b.url ? -1 : 1));
  }

  async #bytesOf(section: Section): Promise<Buffer> {
    if ("from" in section) return section.from.packedSection(section.sitemap);
    const buffer = Buffer.allocUnsafe(section.bytes);
    const { bytesRead } = await this.#spool.read(buffer, 0, section.bytes, section.at);
    if (bytesRead < section.bytes) throw new SnapshotError(`${this.#prefix}sections is cut off`);
    return buffer;
  }

  async #dropSpool(): Promise<void> {
    await this.#spool.close().catch(() => {});
    await rm(`${this.#prefix}sections`, { force: true });
  }
}

function sizeOf(section: Section): NonNullable<SnapshotSitemap["section"]> {
  if ("from" in section) return section.sitemap.section!;
  const { bytes, hash, crc } = section;
  return { bytes, hash, crc };
}

/** The new name is to last, too. Not every system can open a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

const PART = /^(\d+)-[\da-f]+\.(?:new|sections|changes)$/;

/** Takes away what processes left that are gone. */
async function removeLeftovers(path: string): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    const [part, pid] = (name.startsWith(start) && PART.exec(name.slice(start.length))) || [];
    if (part === undefined) continue;
    const file = join(dirname(path), name);
    const isOurs = Number(pid) === process.pid;
    const isUsed = isOurs ? inUse.has(file.slice(0, file.lastIndexOf(".") + 1)) : isAlive(Number(pid));
    if (!isUsed) await rm(file, { force: true, recursive: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
