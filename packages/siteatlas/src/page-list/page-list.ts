/**
 * The pages of one sitemap in a tenth of the memory that objects take: about 20 to 40 bytes per page with
 * date, frequency and priority. So a tree of millions of pages fits into one process.
 *
 * Pages are packed into blocks of about 60 KiB and unpacked each time they are read. Reading a page twice gives equal
 * pages, not the same object. packed-page.ts has the format.
 */
import type { Page, PageList } from "../model/model.ts";
import { BlockWriter } from "./block.ts";
import { addInspect } from "./inspect-pages.ts";
import { PageReader, PageWriter } from "./packed-page.ts";

/** Texts are not shared between blocks. With blocks of this length, that costs little. */
const BLOCK_LENGTH: number = 60 * 1024;

/** Some packed pages, which can be read without the other blocks. */
interface Block {
  readonly bytes: Uint8Array;
  /** Number of the pages in the blocks before this one. */
  readonly before: number;
}

/**
 * structuredClone copies no private fields: without this, it would return an object with a length and no pages. It
 * cannot copy a symbol, and throws a DataCloneError that has the text of the symbol in its message.
 */
const UNCLONEABLE: symbol = Symbol(
  "A list of pages (clone JSON.stringify(tree) instead, and restore it with treeFromJson)",
);

/** Where `at` stopped reading. All lists share it, because it only serves loops over one list. */
const cursor = { reader: new PageReader(), block: undefined as Block | undefined, next: 0 };

export class CompactPageList implements PageList {
  /** The first property, so that structuredClone throws before it reads `pages`. */
  readonly uncloneable: symbol = UNCLONEABLE;
  readonly length: number;
  /**
   * The same as `toArray()`. It exists for code that compares objects property by property, such as
   * `assert.deepStrictEqual`, and sees only own, enumerable properties.
   */
  declare readonly pages: readonly Page[];
  readonly #blocks: readonly Block[];

  static {
    addInspect(CompactPageList.prototype);
  }

  /** Use `PageListBuilder` to create a list. */
  constructor(blocks: readonly Block[], length: number) {
    this.length = length;
    this.#blocks = blocks;
    Object.defineProperty(this, "pages", { get: this.toArray, enumerable: true });
  }

  get byteLength(): number {
    return this.#blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  [Symbol.iterator](): Generator<Page, void, undefined> {
    return this.#pagesFrom(0);
  }

  at(index: number): Page | undefined {
    const whole = toInteger(index);
    const position = whole < 0 ? whole + this.length : whole;
    if (position < 0 || position >= this.length) return undefined;
    const block = this.#blocks[this.#blockAt(position)]!;
    if (cursor.block !== block || cursor.next > position) {
      cursor.block = block;
      cursor.next = block.before;
      cursor.reader.open(block.bytes);
    }
    for (; cursor.next < position; cursor.next++) cursor.reader.read();
    cursor.next++;
    return cursor.reader.read();
  }

  map<T>(callback: (page: Page, index: number) => T): T[] {
    const results: T[] = [];
    for (const page of this) results.push(callback(page, results.length));
    return results;
  }

  filter<P extends Page>(predicate: (page: Page, index: number) => page is P): P[];
  filter(predicate: (page: Page, index: number) => unknown): Page[];
  filter(predicate: (page: Page, index: number) => unknown): Page[] {
    const kept: Page[] = [];
    let index = 0;
    for (const page of this) if (predicate(page, index++)) kept.push(page);
    return kept;
  }

  slice(start = 0, end: number = this.length): Page[] {
    const from = this.#bound(start);
    const to = this.#bound(end);
    const pages: Page[] = [];
    if (from >= to) return pages;
    const first = this.#blockAt(from);
    let position = this.#blocks[first]!.before;
    for (const page of this.#pagesFrom(first)) {
      if (position >= from) pages.push(page);
      if (++position === to) break;
    }
    return pages;
  }

  toArray(): Page[] {
    return [...this];
  }

  /** Called by `JSON.stringify`. */
  toJSON(): Page[] {
    return this.toArray();
  }

  *#pagesFrom(blockIndex: number): Generator<Page, void, undefined> {
    const reader = new PageReader();
    for (let i = blockIndex; i < this.#blocks.length; i++) {
      reader.open(this.#blocks[i]!.bytes);
      while (!reader.atEnd) yield reader.read();
    }
  }

  /** Finds the block of a page by bisection. */
  #blockAt(position: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#blocks[middle]!.before <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** A bound of a range, as `Array.prototype.slice` understands it. */
  #bound(relative: number): number {
    const whole = toInteger(relative);
    return whole < 0 ? Math.max(whole + this.length, 0) : Math.min(whole, this.length);
  }
}

/** Converts to an integer like the methods of arrays: NaN becomes 0. */
function toInteger(value: number): number {
  return Math.trunc(value) || 0;
}

/** Packs pages one by one and keeps only their bytes. */
export class PageListBuilder {
  #length = 0;
  /** Number of the pages in finished blocks. */
  #before = 0;
  #isFinished = false;
  /** Length of the last record that shares no JSON with the record before. */
  #unshared = 0;
  readonly #blocks: Block[] = [];
  readonly #block = new BlockWriter();
  readonly #pages = new PageWriter();

  get length(): number {
    return this.#length;
  }

  add(page: Page): void {
    if (this.#isFinished) throw new TypeError("Cannot add a page: the list is finished");
    const start = this.#block.length;
    const isShared = this.#pages.write(page, this.#block);
    if (!isShared) this.#unshared = this.#block.length - start;
    this.#length++;
    // Without the images of the last entry: otherwise each of its URLs could get a block with a copy of them.
    if (this.#block.length - this.#unshared >= BLOCK_LENGTH) this.#endBlock();
  }

  /** Returns the list. After this, no page can be added. */
  finish(): CompactPageList {
    this.#isFinished = true;
    if (this.#block.length > 0) this.#endBlock();
    return new CompactPageList(this.#blocks, this.#length);
  }

  #endBlock(): void {
    this.#blocks.push({ bytes: this.#block.take(), before: this.#before });
    this.#before = this.#length;
    this.#unshared = 0;
    this.#pages.reset();
  }
}

/** The list of every node without pages. */
export const NO_PAGES: CompactPageList = new PageListBuilder().finish();
