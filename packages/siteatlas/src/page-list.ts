/**
 * The pages of one sitemap, held in a tenth of the memory that objects take: some 20 to 40 bytes a page
 * with date, frequency and priority, so that a tree of millions of pages fits into a process.
 *
 * Pages are written into blocks of about 60 KiB, one after the other, and made anew whenever somebody
 * goes through the list. So two passes give equal pages, not the same ones, and there is no access by
 * index. How a page becomes bytes is in page-list/.
 */
import type { Page, PageList } from "./model.ts";
import { BlockWriter } from "./page-list/block.ts";
import { PageReader, PageWriter } from "./page-list/page-record.ts";

/** Large enough that starting anew costs little; the last page of a block still fits into 64 KiB mostly. */
const BLOCK_LENGTH: number = 60 * 1024;

export class CompactPageList implements PageList {
  readonly length: number;
  readonly #blocks: readonly Uint8Array[];

  /** To make one, use `PageListBuilder`. */
  constructor(blocks: readonly Uint8Array[], length: number) {
    this.#blocks = blocks;
    this.length = length;
  }

  /** What the pages take in memory. */
  get byteLength(): number {
    return this.#blocks.reduce((sum, block) => sum + block.length, 0);
  }

  *[Symbol.iterator](): Generator<Page, void, undefined> {
    const reader = new PageReader();
    for (const block of this.#blocks) {
      reader.open(block);
      while (!reader.atEnd) yield reader.read();
    }
  }

  /** All pages at once: what `JSON.stringify` writes. */
  toJSON(): Page[] {
    return [...this];
  }
}

/** Takes pages one by one; nothing of them is kept but the bytes. */
export class PageListBuilder {
  #length = 0;
  #isFinished = false;
  readonly #blocks: Uint8Array[] = [];
  readonly #block = new BlockWriter();
  readonly #pages = new PageWriter();

  get length(): number {
    return this.#length;
  }

  add(page: Page): void {
    if (this.#isFinished) throw new TypeError("Cannot add a page: the list is finished");
    this.#pages.write(page, this.#block);
    this.#length++;
    if (this.#block.length >= BLOCK_LENGTH) this.#endBlock();
  }

  /** The list; no page can be added any more. */
  finish(): CompactPageList {
    this.#isFinished = true;
    if (this.#block.length > 0) this.#endBlock();
    return new CompactPageList(this.#blocks, this.#length);
  }

  #endBlock(): void {
    this.#blocks.push(this.#block.take());
    this.#pages.reset();
  }
}
