/** The bytes of a block of pages, and how numbers and bytes go in and come out: small numbers take one byte. */
import { MAX_BYTES_EACH, readUrlCode, writeUrlCode } from "./url-code.ts";

const FIRST_CAPACITY = 1024;
/** More than the numbers of a record take. */
const ROOM_FOR_NUMBERS = 64;

// Bytes of a number in the machine's own order: blocks do not leave the process.
const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

/** Writes one block after the other into the same buffer. */
export class BlockWriter {
  #bytes: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The block, as bytes of its own; the writer is empty again. */
  take(): Uint8Array {
    const block = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return block;
  }

  /** Starts a record with a byte that `setByte` fills in; gives its place. */
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

  /** A whole number from 0, seven bits to a byte, the lowest first. */
  integer(value: number): void {
    let rest = value;
    // Bit operations end at 31 bits; times in milliseconds do not.
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** A whole number of either sign; those near 0 are short. */
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

  /** Bytes that are most probably characters of a URL. */
  urlBytes(source: Uint8Array, start: number, end: number): void {
    this.#reserve(MAX_BYTES_EACH * (end - start));
    this.#length = writeUrlCode(source, start, end, this.#bytes, this.#length);
  }

  /** Makes room for so many bytes and the numbers that follow. */
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

/** A copy with room for `needed` bytes, and for twice as many as before: growing costs linear time in all. */
export function enlarged(bytes: Uint8Array, needed: number): Uint8Array {
  const larger = new Uint8Array(Math.max(needed, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}
