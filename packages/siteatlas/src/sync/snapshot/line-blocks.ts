/**
 * Stores lines as bytes in blocks of memory that are reused. V8 would free the lines of large sitemaps late if they
 * were strings: hundreds of megabytes of garbage would accumulate.
 */

/** Size of a block in bytes. */
const BLOCK = 256 * 1024;
/**
 * Number of bytes of each line that are compared as a number first, which is fast. 6 bytes are 48 bits, and numbers are
 * exact up to 53 bits.
 */
const KEY_BYTES = 6;

/** The blocks of one sync. Blocks that are released are reused for other lines. */
export class BlockPool {
  /** Total size of the blocks that are in use, in bytes. */
  used = 0;
  readonly #free: Buffer[] = [];

  take(length: number): Buffer {
    const block =
      length > BLOCK ? Buffer.allocUnsafeSlow(length) : (this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK));
    this.used += block.length;
    return block;
  }

  release(block: Buffer): void {
    this.used -= block.length;
    if (block.length === BLOCK) this.#free.push(block);
  }

  /** Frees the blocks that are not in use. */
  trim(): void {
    this.#free.length = 0;
  }
}

export class LineBlocks {
  /** Total size of the blocks of these lines, in bytes. */
  size = 0;
  readonly #pool: BlockPool;
  readonly #blocks: Buffer[] = [];
  /** Number of used bytes in the last block. */
  #end = 0;
  /** Three numbers for each line: the number of its block, its start and its end in this block. */
  #places: number[] = [];

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** Number of lines. */
  get count(): number {
    return this.#places.length / 3;
  }

  add(line: string): void {
    const { length } = line;
    let block = this.#blocks.at(-1);
    if (block === undefined || this.#end + length > block.length) {
      block = this.#pool.take(length);
      this.#blocks.push(block);
      this.size += block.length;
      this.#end = 0;
    }
    block.write(line, this.#end, "latin1");
    this.#places.push(this.#blocks.length - 1, this.#end, this.#end + length);
    this.#end += length;
  }

  /** Returns the numbers of the lines, sorted by the bytes of the lines. */
  sort(): Uint32Array {
    const order = new Uint32Array(this.count);
    for (let line = 0; line < order.length; line++) order[line] = line;
    const skip = this.#commonLength();
    const keys = new Float64Array(order.length);
    for (let line = 0; line < order.length; line++) keys[line] = this.#keyOf(line, skip);
    return order.sort((a, b) => keys[a]! - keys[b]! || this.#compare(a, b, skip));
  }

  textOf(line: number): string {
    const at = 3 * line;
    return this.#blocks[this.#places[at]!]!.toString("latin1", this.#places[at + 1], this.#places[at + 2]);
  }

  lengthOf(line: number): number {
    return this.#places[3 * line + 2]! - this.#places[3 * line + 1]!;
  }

  /** Copies the bytes of a line to a buffer. */
  copy(line: number, target: Buffer, position: number): void {
    const at = 3 * line;
    this.#blocks[this.#places[at]!]!.copy(target, position, this.#places[at + 1], this.#places[at + 2]);
  }

  clear(): void {
    for (const block of this.#blocks.splice(0)) this.#pool.release(block);
    this.#places = [];
    this.size = 0;
    this.#end = 0;
  }

  /** Number of bytes at their start that all lines have in common. Most lines start with the same origin. */
  #commonLength(): number {
    let common = this.count === 0 ? 0 : this.lengthOf(0);
    for (let line = 1; line < this.count; line++) {
      const [first, own] = [this.#blocks[this.#places[0]!]!, this.#blocks[this.#places[3 * line]!]!];
      const [from, start] = [this.#places[1]!, this.#places[3 * line + 1]!];
      common = Math.min(common, this.lengthOf(line));
      let length = 0;
      while (length < common && first[from + length] === own[start + length]) length++;
      common = length;
    }
    return common;
  }

  /** The first bytes after the common start, as a number. Missing bytes count as 0, so a shorter line comes first. */
  #keyOf(line: number, skip: number): number {
    const block = this.#blocks[this.#places[3 * line]!]!;
    const [start, end] = [this.#places[3 * line + 1]! + skip, this.#places[3 * line + 2]!];
    let key = 0;
    for (let at = start; at < start + KEY_BYTES; at++) key = 256 * key + (at < end ? block[at]! : 0);
    return key;
  }

  #compare(a: number, b: number, skip: number): number {
    const [one, other] = [this.#blocks[this.#places[3 * a]!]!, this.#blocks[this.#places[3 * b]!]!];
    const places = this.#places;
    return one.compare(
      other,
      places[3 * b + 1]! + skip,
      places[3 * b + 2]!,
      places[3 * a + 1]! + skip,
      places[3 * a + 2]!,
    );
  }
}
