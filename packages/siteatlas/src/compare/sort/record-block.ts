/**
 * Stores records as bytes in one block of memory, and sorts them. V8 would free the records late if they were strings,
 * and comparing millions of strings is slow.
 *
 * Each record has its length in front of it, in two bytes, and four zero bytes behind it. Records contain no zero bytes.
 */

/** Number of bytes that store the length of a record. */
export const LENGTH_BYTES = 2;
/** Maximum length of a record in bytes. */
export const MAX_RECORD = 0xffff;
/** Number of bytes that are compared at a time. */
const STEP = 4;
/** Groups of at most this many records are sorted by insertion. */
const SMALL_GROUP = 12;

const FIRST_BYTES = 256 * 1024;
const FIRST_RECORDS = 4096;

export class RecordBlock {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Number of records. */
  count = 0;
  /** Number of used bytes. */
  size = 0;
  /** Positions of the records in `bytes`. */
  #starts: Uint32Array = new Uint32Array(FIRST_RECORDS);
  /** The next bytes of each record as a number, while the records are sorted. */
  #keys: Uint32Array = new Uint32Array(0);
  #random = 1;

  /** Adds a record of ASCII characters. */
  add(record: string): void {
    const { length } = record;
    const start = this.size + LENGTH_BYTES;
    const end = start + length;
    if (end + STEP > this.bytes.length) this.#grow(end + STEP);
    if (this.count === this.#starts.length) this.#starts = doubled(this.#starts);
    const { bytes } = this;
    bytes[start - 2] = length;
    bytes[start - 1] = length >> 8;
    bytes.write(record, start, "latin1");
    for (let at = end; at < end + STEP; at++) bytes[at] = 0;
    this.#starts[this.count++] = start;
    this.size = end + STEP;
  }

  /** Sorts the records by their bytes. Returns their positions in order. The result is valid until the next `add`. */
  sort(): Uint32Array {
    if (this.#keys.length < this.count) this.#keys = new Uint32Array(this.#starts.length);
    this.#loadKeys(0, this.count, 0);
    this.#sort(0, this.count, 0);
    return this.#starts.subarray(0, this.count);
  }

  /** The length of the record at this position. */
  lengthAt(start: number): number {
    return this.bytes[start - 2]! + 256 * this.bytes[start - 1]!;
  }

  clear(): void {
    this.count = 0;
    this.size = 0;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.size);
    this.bytes = larger;
  }

  /**
   * Multikey quicksort (Bentley and Sedgewick, 1997) with four bytes per step. Records with the same four bytes are
   * sorted by the next four. The pivot is random, so that no file can make it slow.
   */
  #sort(from: number, to: number, firstDepth: number): void {
    const keys = this.#keys;
    const starts = this.#starts;
    let [low, high, depth] = [from, to, firstDepth];
    while (high - low > SMALL_GROUP) {
      const pivot = this.#pivot(low, high);
      let [less, greater] = [low, high];
      for (let at = low; at < greater; ) {
        const key = keys[at]!;
        if (key === pivot) at++;
        else {
          const other = key < pivot ? less++ : --greater;
          keys[at] = keys[other]!;
          keys[other] = key;
          const start = starts[at]!;
          starts[at] = starts[other]!;
          starts[other] = start;
          if (key < pivot) at++;
        }
      }
      this.#sort(low, less, depth);
      this.#sort(greater, high, depth);
      // The last byte is zero: these records end here, and are equal.
      if ((pivot & 0xff) === 0) return;
      low = less;
      high = greater;
      depth += STEP;
      this.#loadKeys(low, high, depth);
    }
    this.#insertionSort(low, high, depth);
  }

  /** The median of three random keys. */
  #pivot(low: number, high: number): number {
    const keys = this.#keys;
    const [a, b, c] = [
      keys[this.#pick(low, high)]!,
      keys[this.#pick(low, high)]!,
      keys[this.#pick(low, high)]!,
    ];
    return a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b;
  }

  #pick(low: number, high: number): number {
    // Math.random as the seed: a file cannot be made for it.
    if (this.#random === 1) this.#random = 1 + Math.floor(Math.random() * 0x7ffffffe);
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return low + ((this.#random >>> 0) % (high - low));
  }

  #loadKeys(low: number, high: number, depth: number): void {
    const { bytes } = this;
    const keys = this.#keys;
    const starts = this.#starts;
    for (let i = low; i < high; i++) {
      const at = starts[i]! + depth;
      keys[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    }
  }

  #insertionSort(low: number, high: number, depth: number): void {
    const starts = this.#starts;
    for (let i = low + 1; i < high; i++) {
      const start = starts[i]!;
      let at = i;
      while (at > low && this.#isBefore(start, starts[at - 1]!, depth)) {
        starts[at] = starts[at - 1]!;
        at--;
      }
      starts[at] = start;
    }
  }

  #isBefore(a: number, b: number, depth: number): boolean {
    const { bytes } = this;
    for (let i = a + depth, j = b + depth; ; i++, j++) {
      const [x, y] = [bytes[i]!, bytes[j]!];
      if (x !== y) return x < y;
      if (x === 0) return false;
    }
  }
}

function doubled(numbers: Uint32Array): Uint32Array {
  const larger = new Uint32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
