/**
 * Collects the lines that differ between two snapshots. Up to 50,000 lines (8 MiB) stay in memory. If there are more,
 * all are written to 512 files ("pieces"), which are read one at a time. All lines of a page are in one piece, and so
 * are pages with the same slug and query, so that a moved page is found next to its old URL.
 */
import { createReadStream } from "node:fs";
import { appendFile, mkdir, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageKey } from "../../page-list/page-key.ts";
import { copyText } from "../snapshot/line-cursor.ts";
import { pathOf, pieceKey } from "./slug.ts";

/** The snapshot that has the line. `-`: only the older one. `+`: only the newer one. `=`: both. */
type Side = "-" | "+" | "=";

export interface DifferingLine {
  readonly side: Side;
  /** Number of the sitemap that lists the page. The caller numbers the sitemaps. */
  readonly sitemap: number;
  readonly line: string;
}

/** Maximum number of lines in memory, about 200 bytes each. */
const MAX_HELD = 50_000;
/** Maximum number of characters in memory. The number of lines is not enough: a URL may have 8,192 characters. */
const MAX_HELD_LENGTH = 8 * 1024 * 1024;
/** Number of files. With ten million lines, each has about 20,000. */
const PIECES = 512;
/** Maximum size of a piece in bytes, about 50,000 lines. A larger piece is split. */
const MAX_PIECE = 4 * 1024 * 1024;
/** Number of bytes that are buffered per piece before they are written. All 512 buffers take 8 MB. */
const MAX_PENDING = 16 * 1024;
/** Up to this many watched URLs, a set of hashes takes less memory than the Bloom filter (16 MB). */
const MAX_FEW = 20_000;
/** Size of the Bloom filter in bits, as a power of two. */
const FILTER_BITS = 27;

export class DifferingLines {
  readonly #place: string | undefined;
  #held: DifferingLine[] = [];
  #heldLength = 0;
  #folder: string | undefined;
  /**
   * Bytes that are not written yet: `MAX_PENDING` bytes of this buffer for each piece. It is a buffer, because V8 would
   * free strings only late.
   */
  #pending: Buffer | undefined;
  /** Number of used bytes in `#pending`, by piece. */
  readonly #filled = new Uint32Array(PIECES);
  /** Buffer for the content of the piece that is being read. It is reused. */
  #piece: Buffer = Buffer.alloc(0);
  /** The files that each oversized piece was split into. */
  readonly #split: Map<number, readonly string[]> = new Map();
  /** Hashes of the watched URLs: a set while they are few, then a Bloom filter. */
  #few: Set<number> | undefined = new Set();
  #filter: Uint8Array | undefined;

  /** @param place a folder to create if the lines do not fit into memory; by default a temporary one */
  constructor(place?: string) {
    this.#place = place;
  }

  /** Returns a promise only when it writes to a file, because awaiting every call would be too slow. */
  add(differing: DifferingLine): Promise<void> | undefined {
    if (this.#folder !== undefined) return this.#write(differing);
    this.#held.push({ ...differing, line: copyText(differing.line) });
    this.#heldLength += differing.line.length;
    const isFull = this.#held.length >= MAX_HELD || this.#heldLength >= MAX_HELD_LENGTH;
    return isFull ? this.#spill() : undefined;
  }

  /** Remembers the URL of this line, to find out later whether other sitemaps list it. */
  watch(line: string): void {
    const bit = hashUrl(line, 0);
    if (this.#few === undefined) return this.#mark(bit);
    this.#few.add(bit);
    if (this.#few.size < MAX_FEW) return;
    for (const each of this.#few) this.#mark(each);
    this.#few = undefined;
  }

  /** Whether the URL at this position is watched. In rare cases also true for another URL. */
  mayWatch(text: string, start: number): boolean {
    const bit = hashUrl(text, start);
    if (this.#few !== undefined) return this.#few.has(bit);
    return (this.#filter![bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }

  #mark(bit: number): void {
    this.#filter ??= new Uint8Array(2 ** (FILTER_BITS - 3));
    this.#filter[bit >>> 3]! |= 1 << (bit & 7);
  }

  /** Yields all lines, one piece at a time. */
  async *pieces(): AsyncGenerator<readonly DifferingLine[]> {
    if (this.#folder === undefined) {
      yield this.#held;
      return;
    }
    for (let piece = 0; piece < PIECES; piece++) {
      await this.#flush(piece);
      for (const name of await this.#parts(piece)) {
        yield await this.#readPiece(name);
      }
    }
  }

  /**
   * Splits an oversized piece by path. It is oversized because many pages have the same slug, which cannot identify
   * moved pages.
   */
  async #parts(piece: number): Promise<readonly string[]> {
    const known = this.#split.get(piece);
    if (known !== undefined) return known;
    const file = this.#fileOf(String(piece));
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    const count = Math.ceil(size / MAX_PIECE);
    if (count <= 1) return [String(piece)];
    const names = Array.from({ length: count }, (_, part) => `${piece}.${part}`);
    let rest = "";
    for await (const chunk of createReadStream(file, "latin1")) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      const parts = names.map(() => "");
      for (const line of lines) {
        const url = line.slice(line.indexOf("\t") + 1);
        parts[hashUrl(pathOf(url), 0) % count] += `${line}\n`;
      }
      for (const [part, text] of parts.entries())
        await appendFile(this.#fileOf(names[part]!), text, "latin1");
    }
    await rm(file);
    this.#split.set(piece, names);
    return names;
  }

  #fileOf(name: string): string {
    return join(this.#folder!, name);
  }

  async drop(): Promise<void> {
    this.#held = [];
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #spill(): Promise<void> {
    this.#folder = this.#place ?? (await mkdtemp(join(tmpdir(), "siteatlas-")));
    if (this.#place !== undefined) await mkdir(this.#place, { mode: 0o700 });
    const held = this.#held;
    this.#held = [];
    for (const each of held) await this.#write(each);
  }

  #write({ side, sitemap, line }: DifferingLine): Promise<void> | undefined {
    const piece = hashUrl(pieceKey(line), 0) % PIECES;
    const text = `${side}${sitemap}\t${line}\n`;
    if (this.#filled[piece]! + text.length > MAX_PENDING) return this.#flush(piece, text);
    this.#buffer(piece, text);
    return undefined;
  }

  #buffer(piece: number, text: string): void {
    this.#pending ??= Buffer.allocUnsafeSlow(PIECES * MAX_PENDING);
    this.#pending.write(text, piece * MAX_PENDING + this.#filled[piece]!, "latin1");
    this.#filled[piece]! += text.length;
  }

  /** Writes the buffered bytes of a piece to its file. @param text the next line, which does not fit into the buffer */
  async #flush(piece: number, text = ""): Promise<void> {
    const start = piece * MAX_PENDING;
    const file = this.#fileOf(String(piece));
    if (this.#filled[piece]! > 0) {
      await appendFile(file, this.#pending!.subarray(start, start + this.#filled[piece]!));
      this.#filled[piece] = 0;
    }
    if (text.length > MAX_PENDING) await appendFile(file, text, "latin1");
    else if (text !== "") this.#buffer(piece, text);
  }

  /**
   * Reads a piece into a buffer and creates one string per line. Slices of one long string would keep the whole string
   * in memory.
   */
  async #readPiece(name: string): Promise<readonly DifferingLine[]> {
    const lines: DifferingLine[] = [];
    const file = await open(this.#fileOf(name)).catch(undefinedIfAbsent);
    if (file === undefined) return lines;
    try {
      const { size } = await file.stat();
      if (this.#piece.length < size) this.#piece = Buffer.allocUnsafeSlow(2 * size);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.read(this.#piece, at, size - at, at);
        if (bytesRead === 0) throw new Error("A temporary file of siteatlas was truncated");
        at += bytesRead;
      }
      for (let at = 0; at < size; ) {
        const end = this.#piece.indexOf(LINE_FEED, at);
        lines.push(readDifferingLine(this.#piece, at, end));
        at = end + 1;
      }
    } finally {
      await file.close();
    }
    return lines;
  }
}

/** Returns undefined if the file does not exist, because no file is created for an empty piece. */
function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

const LINE_FEED = 0x0a;
const TAB = 0x09;

function readDifferingLine(bytes: Buffer, start: number, end: number): DifferingLine {
  const tab = bytes.indexOf(TAB, start);
  return {
    side: bytes.toString("latin1", start, start + 1) as Side,
    sitemap: Number(bytes.toString("latin1", start + 1, tab)),
    line: bytes.toString("latin1", tab + 1, end),
  };
}

/**
 * A hash of the URL up to the next tab or line end, reduced to the size of the filter. All spellings of a URL have the
 * same hash.
 */
function hashUrl(text: string, start: number): number {
  let end = start;
  let isEscaped = false;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code < 0x20) break;
    if (code === PERCENT) isEscaped = true;
  }
  if (!isEscaped) return hashText(text, start, end);
  const key = pageKey(text.slice(start, end));
  return hashText(key, 0, key.length);
}

const PERCENT = 0x25;

/** FNV-1a. */
function hashText(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash >>> FILTER_BITS) ^ hash) & (2 ** FILTER_BITS - 1);
}
