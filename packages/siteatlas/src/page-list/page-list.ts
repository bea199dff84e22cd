/**
 * A compact list of the pages of one sitemap. A page with date, frequency and priority takes about 20 to 40 bytes, a
 * tenth of the memory of an object. So a tree of millions of pages fits into one process.
 *
 * Pages are packed into blocks of about 60 KiB and unpacked each time they are read. A page that is read twice is two
 * equal objects, not the same object. packed-page.ts describes the format.
 */
import type { Page, PageList } from "../model/model.ts";
import { BlockWriter } from "./block.ts";
import { addInspect } from "./inspect-pages.ts";
import { PageReader, PageWriter } from "./packed-page.ts";

/** Length of a block in bytes. Texts are not shared between blocks, so much smaller blocks would need more memory. */
const BLOCK_LENGTH: number = 60 * 1024;

/** A block of packed pages. It can be read without the other blocks. */
interface Block {
  readonly bytes: Uint8Array;
  /** Total number of pages in the blocks before this block. */
  readonly before: number;
}

/**
 * Makes `structuredClone` throw. Otherwise it would return a list without pages, because it does not copy private
 * fields. For a symbol, `structuredClone` throws a DataCloneError. Its message contains the text of the symbol.
 */
const UNCLONEABLE: symbol = Symbol(
  "A list of pages (clone JSON.stringify(tree) instead, and restore it with treeFromJson)",
);

/**
 * The position where the last call of `at` stopped reading. Makes loops with `at` fast. All lists share one cursor,
 * because such a loop usually reads only one list.
 */
const cursor = { reader: new PageReader(), block: undefined as Block | undefined, next: 0 };

export class CompactPageList implements PageList {
  /** This must be the first property, so that structuredClone throws before it reads `pages`. */
  readonly uncloneable: symbol = UNCLONEABLE;
  readonly length: number;
  /**
   * The same as `toArray()`. It exists for code that compares objects property by property, such as
   * `assert.deepStrictEqual`. Such code sees only own, enumerable properties.
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

  /** Called by `JSON.stringify`. Returns all pages. */
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

  /** Returns the index of the block that contains the page at this position. Uses binary search. */
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

  /** Converts an argument of `slice` to a position, like `Array.prototype.slice`. */
  #bound(relative: number): number {
    const whole = toInteger(relative);
    return whole < 0 ? Math.max(whole + this.length, 0) : Math.min(whole, this.length);
  }
}

/** Converts a number to an integer, like the methods of arrays. NaN becomes 0. */
function toInteger(value: number): number {
  return Math.trunc(value) || 0;
}

/** Packs pages one by one and keeps only their bytes. */
export class PageListBuilder {
  #length = 0;
  /** Total number of pages in finished blocks. */
  #before = 0;
  #isFinished = false;
  /** Length of the last record that does not share its JSON with the record before. */
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
    // Do not count the last record with new JSON. If its JSON were larger than a block, each further page with this
    // JSON would get a separate block with a copy of it.
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

/** An empty list. All nodes without pages share it. */
export const NO_PAGES: CompactPageList = new PageListBuilder().finish();
