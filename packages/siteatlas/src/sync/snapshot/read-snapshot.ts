/**
 * An open snapshot file. The entries of its sitemaps are in memory, their pages are read on demand. The file is
 * untrusted: everything in it is checked, and the memory for it is limited.
 */
import type { Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { crc32, createGunzip, gunzip } from "node:zlib";
import { checkArgument } from "../../check/check-options.ts";
import { FILE_PATH } from "../../check/rules.ts";
import { logLine } from "../../escape/log-line.ts";
import { filePath } from "../../files/file-path.ts";
import { SectionChecker } from "./check-section.ts";
import { readHeaderLines, tooLarge } from "./header-lines.ts";
import { readPageLine, type SnapshotPage } from "./page-line.ts";
import { sharedPages } from "./shared-pages.ts";
import { SnapshotError } from "./snapshot-error.ts";
import {
  linesOf,
  PENDING_START,
  resolveParents,
  type SectionOwner,
  type Sections,
  type SnapshotFacts,
  type SnapshotPending,
  type SnapshotSitemap,
  type WrittenSitemap,
} from "./snapshot-format.ts";
import { headerLength, PREAMBLE_LENGTH } from "./snapshot-header.ts";
import { readFacts, readPending, readSitemap } from "./snapshot-schema.ts";

const unpack = promisify(gunzip);

/** Size of the output buffer of zlib. */
const CHUNK = 64 * 1024;
/**
 * Sections of at most this many compressed bytes are decompressed in one step, which is faster. If the text is longer
 * than `MAX_AT_ONCE`, they are decompressed in pieces.
 */
const SMALL = 16 * 1024;
const MAX_AT_ONCE = 1024 * 1024;

/** Decompresses a section. @param length its compressed length in bytes */
export async function* unpackSection(packed: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  if (length <= SMALL) {
    const pieces: Buffer[] = [];
    for await (const piece of packed) pieces.push(piece);
    const text = await unpack(Buffer.concat(pieces), { maxOutputLength: MAX_AT_ONCE }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ERR_BUFFER_TOO_LARGE") throw error;
        return undefined;
      },
    );
    if (text === undefined) yield* unpackStream(pieces);
    else yield text;
    return;
  }
  yield* unpackStream(packed);
}

async function* unpackStream(packed: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false, highWaterMark: CHUNK });
  const unzip = createGunzip({ chunkSize: CHUNK });
  source.on("error", (error) => unzip.destroy(error)).pipe(unzip);
  try {
    yield* unzip as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    unzip.destroy();
  }
}

/** A page of a snapshot, with a sitemap that lists it. */
export interface ListedPage extends SnapshotPage {
  /** URL of the first sitemap that lists the page, or listed it last. */
  readonly sitemap: string;
  /**
   * Time of the first sync that did not find the page, in ISO 8601. Set if the removal of the page is not certain yet.
   */
  readonly pendingSince?: string;
}

/** The state of a website at the last sync. Call `close` when done. */
export class Snapshot implements Sections {
  /** Facts about the snapshot and the runs before it. */
  readonly facts: SnapshotFacts;
  /** Sitemaps, sorted by URL. */
  readonly sitemaps: readonly SnapshotSitemap[];
  /** Pages that no sitemap lists, and whose removal is not certain yet. */
  readonly pending: readonly SnapshotPending[];
  /** Identity of the file, which changes when the file is replaced. */
  readonly identity: string;
  /** Expected size of the file. */
  readonly length: number;
  readonly #file: FileHandle;
  readonly #name: string;
  readonly #offsets: ReadonlyMap<SectionOwner, number>;
  #byUrl: ReadonlyMap<string, SnapshotSitemap> | undefined;

  /** Use `readSnapshot` to open a snapshot. */
  constructor(
    file: FileHandle,
    name: string,
    identity: string,
    header: Pick<Snapshot, "facts" | "sitemaps" | "pending">,
    sectionsAt: number,
  ) {
    this.facts = header.facts;
    this.sitemaps = header.sitemaps;
    this.pending = header.pending;
    this.identity = identity;
    this.#file = file;
    this.#name = name;
    const offsets = new Map<SectionOwner, number>();
    let offset = sectionsAt;
    for (const owner of [...this.sitemaps, ...this.pending]) {
      offsets.set(owner, offset);
      offset += owner.section?.bytes ?? 0;
    }
    this.#offsets = offsets;
    this.length = offset;
  }

  /** Finds a sitemap by its URL. */
  find(url: string): SnapshotSitemap | undefined {
    this.#byUrl ??= new Map(this.sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    return this.#byUrl.get(url);
  }

  /** Number of pages. A page that several sitemaps list counts once for each of them. */
  get pageCount(): number {
    return this.facts.pageCount;
  }

  /** Reads the pages of a sitemap, or pending pages. Yields texts of complete lines, one line per page. */
  async *texts(owner: SectionOwner): AsyncGenerator<string> {
    if (owner.section === undefined) return;
    const checker = new SectionChecker(owner, this.#name);
    try {
      for await (const piece of unpackSection(this.packedSection(owner), owner.section.bytes)) {
        const text = checker.add(piece.toString("latin1"));
        if (text !== "") yield text;
      }
    } catch (error) {
      throw isZlibError(error) ? this.#damaged(owner) : error;
    }
    checker.end();
  }

  /** Reads the compressed pages of a sitemap, or compressed pending pages. */
  async *packedSection(owner: SectionOwner): AsyncGenerator<Buffer> {
    const { bytes = 0, crc } = owner.section ?? {};
    const start = this.#offsets.get(owner)!;
    let [length, sum] = [0, 0];
    // Check the CRC of the complete section first, because the section may be copied into the next snapshot without
    // decompressing it.
    for await (const piece of bytesOf(this.#file, start, start + bytes)) {
      length += piece.length;
      sum = crc32(piece, sum);
    }
    if (length < bytes || sum !== crc) throw this.#damaged(owner);
    yield* bytesOf(this.#file, start, start + bytes);
  }

  #damaged({ url }: SectionOwner): SnapshotError {
    return new SnapshotError("damaged", `${this.#name} is damaged in the section of ${url}`);
  }

  /**
   * All pages, each once, with the URL and the values that a sync reported. First the pages of the sitemaps that have
   * none in common with others, grouped by sitemap and sorted by URL. Then those of the other sitemaps, sorted by URL.
   * Pages whose removal is pending come last.
   */
  async *pages(): AsyncGenerator<ListedPage> {
    for (const sitemap of this.sitemaps) {
      if (sitemap.isShared) continue;
      for await (const text of this.texts(sitemap)) {
        for (const line of linesOf(text)) yield { ...readPageLine(line), sitemap: sitemap.url };
      }
    }
    const shared = this.sitemaps.filter(({ isShared }) => isShared);
    for await (const { line, sitemap } of sharedPages(this, shared)) yield { ...readPageLine(line), sitemap };
    for (const group of this.pending) {
      const { since: pendingSince } = group;
      const [sitemap = ""] = group.sitemaps;
      for await (const text of this.texts(group)) {
        for (const line of linesOf(text)) yield { ...readPageLine(line), sitemap, pendingSince };
      }
    }
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}

/**
 * Opens a snapshot. Its pages are read from the file on demand.
 *
 * @throws {SnapshotError} when the file is not a snapshot that can be used
 * @throws the error of the file system when the file cannot be read
 */
export async function readSnapshot(path: string | URL): Promise<Snapshot> {
  checkArgument("readSnapshot", "path", FILE_PATH, path);
  const name = logLine(filePath(path), { maxLength: 200 });
  const kind = await stat(path);
  // Opening a named pipe would wait for a writer.
  if (!kind.isFile() && !kind.isDirectory()) {
    throw new SnapshotError("not-a-snapshot", `${name} is not a regular file`);
  }
  const file = await open(path);
  try {
    const preamble = Buffer.alloc(PREAMBLE_LENGTH);
    await file.read(preamble, 0, PREAMBLE_LENGTH, 0);
    const length = headerLength(preamble);
    const stats = await file.stat();
    if (length === undefined || length <= PREAMBLE_LENGTH || length > stats.size) {
      throw new SnapshotError("not-a-snapshot", `${name} is not a siteatlas snapshot`);
    }
    const snapshot = new Snapshot(
      file,
      name,
      identityOf(stats),
      await readHeader(file, name, length),
      length,
    );
    if (snapshot.length > stats.size) throw new SnapshotError("truncated", `${name} is truncated`);
    return snapshot;
  } catch (error) {
    await file.close();
    throw error;
  }
}

type Header = Pick<Snapshot, "facts" | "sitemaps" | "pending">;

async function readHeader(file: FileHandle, name: string, length: number): Promise<Header> {
  const source = Readable.from(bytesOf(file, 0, length));
  const unzip = createGunzip({ chunkSize: CHUNK });
  source.on("error", (error) => unzip.destroy(error)).pipe(unzip);
  let facts: SnapshotFacts | undefined;
  const sitemaps: WrittenSitemap[] = [];
  const pending: SnapshotPending[] = [];
  let pageCount = 0;
  try {
    for await (const line of readHeaderLines(unzip, name)) {
      if (facts === undefined) facts = readFacts(line, name);
      else if (line.startsWith(PENDING_START)) pending.push(readPending(line, name, pending.length));
      else {
        const sitemap = readSitemap(line, name, sitemaps.length);
        pageCount += sitemap.pageCount;
        sitemaps.push(sitemap);
      }
    }
  } catch (error) {
    throw isZlibError(error) ? new SnapshotError("damaged", `${name} is damaged`) : error;
  } finally {
    source.destroy();
    unzip.destroy();
  }
  if (facts === undefined) throw new SnapshotError("invalid", `${name} is not valid: its header is empty`);
  if (facts.pageCount !== pageCount) {
    throw new SnapshotError("invalid", `${name} is not valid: its numbers of pages contradict each other`);
  }
  const resolved = resolveParents(sitemaps);
  if (resolved === undefined) throw tooLarge(name);
  return { facts, sitemaps: resolved, pending };
}

/** Yields the bytes of a part of a file. `createReadStream` would close the file at its end. */
export async function* bytesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  let at = start;
  while (at < end) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function isZlibError(error: unknown): boolean {
  return /^Z_/.test(String((error as NodeJS.ErrnoException).code));
}

export function identityOf({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}
