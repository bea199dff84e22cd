/**
 * The lines that differ between two snapshots, gathered to be looked at page by page. Few are held in memory;
 * beyond that they go to files, each page's lines to one file, so that ten million are looked at in pieces.
 * Pages with the same slug and query share a file, too: a page that moved is found beside what it was.
 */
import { createReadStream } from "node:fs";
import { appendFile, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathOf, pieceKey } from "./slug.ts";

/** A line of the older snapshot, of the newer one, or of both. */
export type Side = "-" | "+" | "=";

export interface Candidate {
  readonly side: Side;
  /** Number of its sitemap. */
  readonly sitemap: number;
  readonly line: string;
}

/** So many are held in memory, some 200 bytes each. */
const MAX_HELD = 50_000;
/** Ten million candidates make pieces of some 20,000. */
const PIECES = 512;
/** In bytes; some 50,000 lines. */
const MAX_PIECE = 4 * 1024 * 1024;
/** Written to a file at once; all pieces together hold 16 MB. */
const MAX_PENDING = 32 * 1024;
/** To make the filter takes longer than a small sync, and 16 MB: so many hashes do without it. */
const MAX_FEW = 20_000;
/** In bits. Touched only where there is something. */
const FILTER_BITS = 27;

export class Candidates {
  readonly #place: string | undefined;
  #held: Candidate[] = [];
  #folder: string | undefined;
  readonly #pending: string[] = [];
  /** The pieces that were too large, and what they were parted into. */
  readonly #split: Map<number, readonly string[]> = new Map();
  /** Which URLs may be among those whose presence elsewhere matters; the hashes themselves while they are few. */
  #few: Set<number> | undefined = new Set();
  #filter: Uint8Array | undefined;

  /** `place`: a folder that is made when there are many; one for temporary files unless told. */
  constructor(place?: string) {
    this.#place = place;
  }

  /** Gives a promise now and then: there are too many to wait for each. */
  add(candidate: Candidate): Promise<void> | undefined {
    if (this.#folder !== undefined) return this.#write(candidate);
    // A slice would keep its whole section in memory.
    this.#held.push({ ...candidate, line: Buffer.from(candidate.line, "latin1").toString("latin1") });
    return this.#held.length < MAX_HELD ? undefined : this.#spill();
  }

  /** Whether this page is also listed elsewhere has to be known. */
  watch(line: string): void {
    const bit = hashUrl(line, 0);
    if (this.#few === undefined) return this.#mark(bit);
    this.#few.add(bit);
    if (this.#few.size < MAX_FEW) return;
    for (const each of this.#few) this.#mark(each);
    this.#few = undefined;
  }

  /** Whether the URL that starts here is watched; rarely true for others. */
  mayWatch(text: string, start: number): boolean {
    const bit = hashUrl(text, start);
    if (this.#few !== undefined) return this.#few.has(bit);
    return (this.#filter![bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }

  #mark(bit: number): void {
    this.#filter ??= new Uint8Array(2 ** (FILTER_BITS - 3));
    this.#filter[bit >>> 3]! |= 1 << (bit & 7);
  }

  /** All of them, in pieces; all of a page, and of pages with its slug, in one piece. */
  async *pieces(): AsyncGenerator<readonly Candidate[]> {
    if (this.#folder === undefined) {
      yield this.#held;
      return;
    }
    for (let piece = 0; piece < PIECES; piece++) {
      await this.#flush(piece);
      for (const name of await this.#parts(piece)) {
        const text = await readFile(this.#fileOf(name), "latin1").catch(emptyIfAbsent);
        yield text.split("\n").filter(Boolean).map(readCandidate);
      }
    }
  }

  /** A slug that a million pages share tells nothing: they are parted by their paths. */
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
    if (this.#place !== undefined) await mkdir(this.#place);
    const held = this.#held;
    this.#held = [];
    for (const each of held) await this.#write(each);
  }

  #write({ side, sitemap, line }: Candidate): Promise<void> | undefined {
    const piece = hashUrl(pieceKey(line), 0) % PIECES;
    const pending = `${this.#pending[piece] ?? ""}${side}${sitemap}\t${line}\n`;
    this.#pending[piece] = pending;
    return pending.length < MAX_PENDING ? undefined : this.#flush(piece);
  }

  async #flush(piece: number): Promise<void> {
    const pending = this.#pending[piece] ?? "";
    if (pending === "") return;
    this.#pending[piece] = "";
    await appendFile(this.#fileOf(String(piece)), pending, "latin1");
  }
}

/** No line came to this piece. */
function emptyIfAbsent(error: NodeJS.ErrnoException): string {
  if (error.code !== "ENOENT") throw error;
  return "";
}

function readCandidate(text: string): Candidate {
  const tab = text.indexOf("\t");
  return {
    side: text.charAt(0) as Side,
    sitemap: Number(text.slice(1, tab)),
    line: text.slice(tab + 1),
  };
}

/** FNV-1a of what stands before the next tab or line end, folded to the filter's size. */
function hashUrl(text: string, start: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20) break;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return ((hash >>> FILTER_BITS) ^ hash) & (2 ** FILTER_BITS - 1);
}
