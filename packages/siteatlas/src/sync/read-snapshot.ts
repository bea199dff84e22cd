/** A snapshot as a file that is open: facts and entries in memory, sections read one at a time when asked for. */
import type { Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, gunzip } from "node:zlib";
import { readPageLine, type SnapshotPage } from "./page-line.ts";
import {
  type Sections,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type SnapshotFacts,
  type SnapshotSitemap,
  sectionLines,
} from "./snapshot-format.ts";
import { headerLength, PREAMBLE_LENGTH, unpackHeader } from "./snapshot-header.ts";

const unpack = promisify(gunzip);

/** A file that is no snapshot, or a damaged one. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

/** One site as it was seen. Close it when done. */
export class Snapshot implements Sections {
  readonly facts: SnapshotFacts;
  /** Sorted by their URLs. */
  readonly sitemaps: readonly SnapshotSitemap[];
  /** Another one for every file that takes its place. */
  readonly identity: string;
  /** Of the file, as it should be. */
  readonly length: number;
  readonly #file: FileHandle;
  readonly #name: string;
  readonly #offsets: ReadonlyMap<SnapshotSitemap, number>;
  #byUrl: ReadonlyMap<string, SnapshotSitemap> | undefined;

  /** To open one, use `readSnapshot`. */
  constructor(file: FileHandle, name: string, identity: string, header: string, sectionsAt: number) {
    const [facts, ...entries] = header.split("\n").filter((line) => line !== "");
    this.facts = JSON.parse(facts ?? "{}");
    this.sitemaps = entries.map((line) => JSON.parse(line));
    this.identity = identity;
    this.#file = file;
    this.#name = name;
    const offsets = new Map<SnapshotSitemap, number>();
    let offset = sectionsAt;
    for (const sitemap of this.sitemaps) {
      offsets.set(sitemap, offset);
      offset += sitemap.section?.bytes ?? 0;
    }
    this.#offsets = offsets;
    this.length = offset;
  }

  /** The sitemap with this URL. */
  find(url: string): SnapshotSitemap | undefined {
    this.#byUrl ??= new Map(this.sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    return this.#byUrl.get(url);
  }

  get pageCount(): number {
    return this.facts.pageCount;
  }

  async section(sitemap: SnapshotSitemap): Promise<string> {
    if (sitemap.section === undefined) return "";
    const packed = await this.packedSection(sitemap);
    return (await unpack(packed)).toString("latin1");
  }

  /** The section as it is in the file. */
  async packedSection(sitemap: SnapshotSitemap): Promise<Buffer> {
    const bytes = sitemap.section?.bytes ?? 0;
    const { buffer, bytesRead } = await this.#file.read(
      Buffer.allocUnsafe(bytes),
      0,
      bytes,
      this.#offsets.get(sitemap)!,
    );
    // It may go into the next snapshot without being unpacked.
    if (bytesRead < bytes || crc32(buffer) !== sitemap.section?.crc) {
      throw new SnapshotError(`${this.#name} is damaged in the section of ${sitemap.url}`);
    }
    return buffer;
  }

  /** All pages, sitemap by sitemap, each sitemap's in the order of their URLs. */
  async *pages(): AsyncGenerator<SnapshotPage & { readonly sitemap: string }> {
    for (const sitemap of this.sitemaps) {
      for (const line of sectionLines(await this.section(sitemap))) {
        yield { ...readPageLine(line), sitemap: sitemap.url };
      }
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/**
 * Opens a snapshot. Its pages stay in the file.
 *
 * @throws {SnapshotError} when the file is no snapshot; what the file system throws when there is none
 */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const file = await open(path);
  try {
    const preamble = Buffer.alloc(PREAMBLE_LENGTH);
    await file.read(preamble, 0, PREAMBLE_LENGTH, 0);
    const length = headerLength(preamble);
    const facts = await file.stat();
    if (length === undefined || length > facts.size) throw new SnapshotError(`${path} is no snapshot`);
    const packed = Buffer.allocUnsafe(length);
    await file.read(packed, 0, length, 0);
    const snapshot = new Snapshot(file, path, identityOf(facts), headerText(packed, path), length);
    const { format, version } = snapshot.facts;
    if (format !== SNAPSHOT_FORMAT || version !== SNAPSHOT_VERSION) {
      throw new SnapshotError(`${path} is a snapshot of version ${version}; this reads ${SNAPSHOT_VERSION}`);
    }
    if (snapshot.length > facts.size) throw new SnapshotError(`${path} is cut off`);
    return snapshot;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Changes whenever the file at a path is another one. */
export function identityOf({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}

function headerText(packed: Buffer, path: string): string {
  try {
    return unpackHeader(packed);
  } catch {
    throw new SnapshotError(`${path} is damaged`);
  }
}
