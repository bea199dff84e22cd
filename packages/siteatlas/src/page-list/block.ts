/** Writes and reads the numbers and bytes in a block of packed pages. Small numbers take one byte. */
import { MAX_BYTES_EACH, readUrlCode, writeUrlCode } from "./url-code.ts";

const FIRST_CAPACITY = 1024;
/** Upper bound for the size of all numbers in one record, in bytes. A record is one packed page. */
const ROOM_FOR_NUMBERS = 64;

// Floats are stored in the byte order of the machine, because blocks never leave the process.
const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

/** Writes one block after another. All blocks use the same buffer. */
export class BlockWriter {
  #bytes: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns a copy of the block and empties the writer. */
  take(): Uint8Array {
    const block = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return block;
  }

  /** Starts a record. Returns the position of its first byte, which `setByte` fills later. */
  startRecord(): number {
    this.#reserve(0);
    return this.#length++;
  }

  setByte(at: number, byte: number): void {
    this.#bytes[at] = byte;
  }

  byte(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  /** Writes a non-negative integer as LEB128: seven bits per byte, the lowest first. */
  integer(value: number): void {
    let rest = value;
    // Do not use bit operations: they have only 32 bits, and times in milliseconds need more.
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Writes an integer with zigzag coding, so that numbers near 0 are short. */
  signed(value: number): void {
    this.integer(value < 0 ? -2 * value - 1 : 2 * value);
  }

  float64(value: number): void {
    float[0] = value;
    this.bytes(floatBytes, 0, floatBytes.length);
  }

  bytes(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const target = this.#bytes;
    let at = this.#length;
    for (let i = start; i < end; i++) target[at++] = source[i]!;
    this.#length = at;
  }

  /** Like `bytes`, but compresses characters that are frequent in URLs. */
  urlBytes(source: Uint8Array, start: number, end: number): void {
    this.#reserve(MAX_BYTES_EACH * (end - start));
    this.#length = writeUrlCode(source, start, end, this.#bytes, this.#length);
  }

  /** Makes room for `count` bytes and the numbers of a record. */
  #reserve(count: number): void {
    const needed = this.#length + count + ROOM_FOR_NUMBERS;
    if (needed > this.#bytes.length) this.#bytes = enlarged(this.#bytes, needed);
  }
}

export class BlockReader {
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  open(block: Uint8Array): void {
    this.#bytes = block;
    this.#at = 0;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++]!;
  }

  integer(): number {
    let byte = this.byte();
    let value = byte & 0x7f;
    for (let scale = 0x80; byte > 0x7f; scale *= 0x80) {
      byte = this.byte();
      value += (byte & 0x7f) * scale;
    }
    return value;
  }

  signed(): number {
    const value = this.integer();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  float64(): number {
    this.bytes(floatBytes, 0, floatBytes.length);
    return float[0]!;
  }

  bytes(target: Uint8Array, start: number, end: number): void {
    const source = this.#bytes;
    let at = this.#at;
    for (let i = start; i < end; i++) target[i] = source[at++]!;
    this.#at = at;
  }

  urlBytes(target: Uint8Array, start: number, end: number): void {
    this.#at = readUrlCode(this.#bytes, this.#at, target, start, end);
  }
}

/**
 * Returns a copy with room for `needed` bytes. The size at least doubles, so that many small calls take linear time.
 */
export function enlarged(bytes: Uint8Array, needed: number): Uint8Array {
  const larger = new Uint8Array(Math.max(needed, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}
