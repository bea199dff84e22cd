/**
 * Sorts the lines of a sitemap's pages and keeps one line per page. Up to 8 MiB stay in memory. If there are more, they
 * are written to a temporary file in sorted runs, which are merged at the end. So a sitemap of 100 MiB takes as much
 * memory as one of 8 MiB.
 *
 * All spellings of a URL (page-key.ts) are one page. The page keeps its spelling in the last snapshot, because it was
 * reported with that spelling. If a new page has several spellings, the first one in alphabetical order is used, so
 * that the order in the sitemap does not matter. To bring the spellings of a page together, lines are sorted by the key
 * of their URL. If the URL of a line is not equal to its key, the line is stored as `key \x01 line`. A spelling in the
 * last snapshot is stored as `key \x02 URL`. Both characters sort before all characters of a line.
 */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pageKey } from "../../page-list/page-key.ts";
import { BlockPool, LineBlocks } from "./line-blocks.ts";
import { LineBatch, LineCursor } from "./line-cursor.ts";
import { isPreferred } from "./merge-lines.ts";
import { urlOfLine } from "./page-line.ts";
import { linesOf } from "./snapshot-format.ts";

/** Memory for the lines of one sitemap, in bytes. A sitemap with 50,000 pages has about 5 MB. */
const MAX_OWN = 8 * 1024 * 1024;
/** Memory for the lines of all sitemaps that are being read, in bytes. */
const MAX_ALL = 16 * 1024 * 1024;
/** Maximum number of lines of one sitemap in memory. Each takes 50 bytes in addition to its text. */
const MAX_LINES = 200_000;
/** Minimum size of a run in bytes. Shorter runs would be too many, and each needs a buffer when it is read. */
const MIN_RUN = 512 * 1024;
/** Total size of the buffers that read the runs of one sitemap, in bytes. */
const READ_BYTES = 4 * 1024 * 1024;
/** Maximum size of the buffer that reads one run, in bytes. */
const MAX_CHUNK = 64 * 1024;

const LINE_FEED = 0x0a;
const RESPELLED = "\x01";
const KNOWN = "\x02";

/** The sorters of one sync share a folder and a limit of memory. */
export class SorterPool extends BlockPool {
  /** Memory for the lines of one sitemap, in bytes. */
  readonly maxOwn: number;
  readonly #folder: string;
  #files = 0;

  /** @param folder is created when a sorter needs a file */
  constructor(folder: string, maxOwn: number = MAX_OWN) {
    super();
    this.#folder = folder;
    this.maxOwn = maxOwn;
  }

  async open(): Promise<{ readonly file: FileHandle; readonly path: string }> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, String(this.#files++));
    return { file: await open(path, "wx+", 0o600), path };
  }
}

interface Run {
  readonly start: number;
  readonly end: number;
}

export class LineSorter {
  /** Number of characters that were added. */
  length = 0;
  /** Whether one of the URLs has an escape such as `%C3`, so that it may have several spellings. */
  hasEscape = false;
  readonly #pool: SorterPool;
  readonly #lines: LineBlocks;
  #hasSpellings = false;
  #store: { readonly file: FileHandle; readonly path: string } | undefined;
  readonly #runs: Run[] = [];

  constructor(pool: SorterPool) {
    this.#pool = pool;
    this.#lines = new LineBlocks(pool);
  }

  /** Adds lines, joined by line feeds. Returns a promise only when it writes to a file. */
  add(text: string): Promise<void> | undefined {
    this.length += text.length;
    const lines = text.split("\n");
    if (!text.includes("%")) return this.hold(lines);
    this.hasEscape = true;
    return this.hold(lines.map(this.#withKey));
  }

  /**
   * Yields the lines in order, one per page.
   *
   * @param known the pages of the sitemap in the last snapshot, as texts of complete lines. Read only if `hasEscape`
   */
  async *pages(known?: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
    if (known !== undefined && this.hasEscape) await this.#addKnown(known);
    if (!this.#hasSpellings) {
      yield* onePerPage(this.sorted());
      return;
    }
    // Some lines get another spelling, so they have to be sorted again.
    const sorter = new LineSorter(this.#pool);
    try {
      for await (const lines of onePerKey(this.sorted())) await sorter.hold(lines);
      await this.drop();
      yield* sorter.sorted();
    } finally {
      await sorter.drop();
    }
  }

  /** Frees the memory of the lines and deletes the file. */
  async drop(): Promise<void> {
    this.#lines.clear();
    const store = this.#store;
    this.#store = undefined;
    if (store === undefined) return;
    await store.file.close();
    await rm(store.path, { force: true });
  }

  readonly #withKey = (line: string): string => {
    const url = urlOfLine(line);
    const key = pageKey(url);
    if (key === url) return line;
    this.#hasSpellings = true;
    return `${key}${RESPELLED}${line}`;
  };

  /**
   * Adds how the last snapshot spelled each URL. The key of a URL is its usual spelling. If all new lines have the usual
   * spelling, only the URLs that the last snapshot spelled otherwise can make a difference.
   */
  async #addKnown(sections: AsyncIterable<string>): Promise<void> {
    const isRespelled = this.#hasSpellings;
    for await (const text of sections) {
      if (!isRespelled && !text.includes("%")) continue;
      const known: string[] = [];
      for (const line of linesOf(text)) {
        const url = urlOfLine(line);
        const key = pageKey(url);
        if (isRespelled || key !== url) known.push(`${key}${KNOWN}${url}`);
      }
      if (known.length === 0) continue;
      this.#hasSpellings = true;
      await this.hold(known);
    }
  }

  /** Adds lines as they are. Returns a promise only when it writes to a file. */
  hold(lines: readonly string[]): Promise<void> | undefined {
    for (const line of lines) this.#lines.add(line);
    const { size, count } = this.#lines;
    const { used, maxOwn } = this.#pool;
    const isFull = size >= maxOwn || count >= MAX_LINES || (used >= MAX_ALL && size >= MIN_RUN);
    return isFull ? this.#writeRun() : undefined;
  }

  async #writeRun(): Promise<void> {
    this.#store ??= await this.#pool.open();
    const { file } = this.#store;
    const start = this.#runs.at(-1)?.end ?? 0;
    let end = start;
    let buffer = Buffer.allocUnsafeSlow(MAX_CHUNK);
    let filled = 0;
    const flush = async (): Promise<void> => {
      // `appendFile` writes all bytes or throws. `write` may write only a part.
      await file.appendFile(buffer.subarray(0, filled));
      end += filled;
      filled = 0;
    };
    for (const line of this.#lines.sort()) {
      const length = this.#lines.lengthOf(line) + 1;
      if (filled + length > buffer.length) await flush();
      if (length > buffer.length) buffer = Buffer.allocUnsafeSlow(length);
      this.#lines.copy(line, buffer, filled);
      filled += length;
      buffer[filled - 1] = LINE_FEED;
    }
    await flush();
    this.#lines.clear();
    this.#runs.push({ start, end });
  }

  /** Yields all lines in order. */
  async *sorted(): AsyncGenerator<readonly string[]> {
    if (this.#store === undefined) {
      const batch = new LineBatch();
      for (const line of this.#lines.sort()) {
        if (batch.add(this.#lines.textOf(line))) yield batch.take();
      }
      yield batch.take();
      return;
    }
    if (this.#lines.count > 0) await this.#writeRun();
    const { file } = this.#store;
    const chunk = Math.min(MAX_CHUNK, Math.ceil(READ_BYTES / this.#runs.length));
    yield* merge(this.#runs.map((run) => new LineCursor(readRun(file, run, chunk))));
  }
}

async function* readRun(file: FileHandle, run: Run, chunk: number): AsyncGenerator<readonly string[]> {
  const buffer = Buffer.allocUnsafeSlow(chunk);
  let rest = "";
  for (let at = run.start; at < run.end; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(chunk, run.end - at), at);
    if (bytesRead === 0) throw new Error("A temporary file of siteatlas was truncated");
    at += bytesRead;
    const lines = (rest + buffer.toString("latin1", 0, bytesRead)).split("\n");
    rest = lines.pop()!;
    yield lines;
  }
}

/** Merges sorted lines. The top of the heap is the cursor whose line sorts first. */
async function* merge(cursors: readonly LineCursor[]): AsyncGenerator<readonly string[]> {
  for (const cursor of cursors) await cursor.next();
  const heap = cursors.filter(({ line }) => line !== undefined);
  heap.sort((a, b) => (a.line! < b.line! ? -1 : 1));
  const batch = new LineBatch();
  while (heap.length > 0) {
    const top = heap[0]!;
    if (batch.add(top.line!)) yield batch.take();
    const busy = top.next();
    if (busy !== undefined) await busy;
    if (top.line === undefined) {
      const last = heap.pop()!;
      if (last !== top) heap[0] = last;
    }
    sink(heap);
  }
  yield batch.take();
}

/** Moves the top of a heap down to its place. */
function sink(heap: LineCursor[]): void {
  for (let at = 0; ; ) {
    let child = 2 * at + 1;
    if (child >= heap.length) return;
    if (child + 1 < heap.length && heap[child + 1]!.line! < heap[child]!.line!) child++;
    if (heap[at]!.line! <= heap[child]!.line!) return;
    [heap[at], heap[child]] = [heap[child]!, heap[at]!];
    at = child;
  }
}

/**
 * Keeps one of the lines with the same URL, the one with the newest date. Such lines are adjacent, because the lines are
 * sorted.
 */
async function* onePerPage(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  let last: string | undefined;
  let url = "";
  for await (const lines of batches) {
    const kept: string[] = [];
    for (const line of lines) {
      // The URL ends at a tab or at the end of the line.
      if (last !== undefined && line.startsWith(url) && "\t".startsWith(line.charAt(url.length))) {
        if (isPreferred(line, last)) last = line;
        continue;
      }
      if (last !== undefined) kept.push(last);
      last = line;
      url = urlOfLine(line);
    }
    yield kept;
  }
  if (last !== undefined) yield [last];
}

/** One page: all lines with the same key. */
interface KeyGroup {
  readonly key: string;
  /**
   * The spelling in the sitemap, the first one in alphabetical order. Undefined if the sitemap does not list the page.
   */
  url: string | undefined;
  /** The fields of the line. If several lines have different fields, those with the newest date. */
  fields: string;
  /** The spelling in the last snapshot. Undefined if the last snapshot does not have the page. */
  known: string | undefined;
}

/** Yields one line per key. Its URL is spelled as in the last snapshot. */
async function* onePerKey(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  const done = new LineBatch();
  let group: KeyGroup | undefined;
  for await (const records of batches) {
    for (const record of records) {
      const [key, rest] = splitAt(record, record.search(/[^ -~]/));
      if (group?.key !== key) {
        if (group?.url !== undefined && done.add(lineOf(group))) yield done.take();
        group = { key, url: undefined, fields: "", known: undefined };
      }
      if (rest.startsWith(KNOWN)) group.known = rest.slice(1);
      else if (rest.startsWith(RESPELLED)) {
        const line = rest.slice(1);
        addLine(group, ...splitAt(line, line.indexOf("\t")));
      } else addLine(group, key, rest);
    }
  }
  if (group?.url !== undefined) done.add(lineOf(group));
  yield done.take();
}

function addLine(group: KeyGroup, url: string, fields: string): void {
  if (group.url === undefined || isPreferred(fields, group.fields)) group.fields = fields;
  if (group.url === undefined || url < group.url) group.url = url;
}

function lineOf({ url, known, fields }: KeyGroup): string {
  return (known ?? url) + fields;
}

function splitAt(text: string, at: number): [string, string] {
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}
