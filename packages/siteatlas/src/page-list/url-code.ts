/**
 * Compresses URLs with a fixed prefix code: 4 bits for the most frequent letters, up to 11 bits for rare characters,
 * and 19 bits for bytes that do not occur in URLs. On average, a character takes 5 bits instead of 8.
 *
 * A separate code for each list would save little more, and would have to be stored with the list.
 */

/** Characters by the length of their code. The sum of 2^-bits over all characters and `ESCAPE` must be at most 1. */
const CHARACTERS_BY_BITS: readonly (readonly [bits: number, characters: string])[] = [
  [4, "-eaiotns"],
  [5, "rlcdu"],
  [6, "mphgb/0123456"],
  [7, "789ykfvw."],
  [8, "%zxjq_="],
  [9, "ABCDEF?&"],
  [10, "GHIJKLMNOPQRSTUVWXYZ"],
  [11, "+,:;~'!()*@$"],
];

/** The symbol before a byte that has no code. */
const ESCAPE = 256;
const ESCAPE_BITS = 11;
const BYTE_BITS = 8;
const LONGEST_BITS: number = ESCAPE_BITS + BYTE_BITS;
/** Maximum number of bytes for one character: the longest code has 19 bits. */
export const MAX_BYTES_EACH = 3;

// Each entry of the tables `codes` and `symbols` has the length of the code in its lowest 5 bits.
const COUNT_BITS = 5;
const COUNT_MASK: number = (1 << COUNT_BITS) - 1;
/** The code of each byte, for encoding. */
const codes = new Uint32Array(256);
/** For decoding: maps the next 11 bits of the input to the symbol whose code they start with. */
const symbols = new Uint16Array(1 << ESCAPE_BITS);
const LOOKUP_MASK: number = symbols.length - 1;

fillTables();

function fillTables(): void {
  // Assign codes in order. `next` is the first number of 11 bits that is free.
  let next = 0;
  const assign = (symbol: number, bits: number): number => {
    const span = 1 << (ESCAPE_BITS - bits);
    symbols.fill((symbol << COUNT_BITS) | bits, next, next + span);
    next += span;
    return next / span - 1;
  };
  for (const [bits, characters] of CHARACTERS_BY_BITS) {
    for (const character of characters) {
      const byte = character.charCodeAt(0);
      codes[byte] = (assign(byte, bits) << COUNT_BITS) | bits;
    }
  }
  const prefix = assign(ESCAPE, ESCAPE_BITS);
  for (let byte = 0; byte < codes.length; byte++) {
    if (codes[byte] === 0) codes[byte] = (((prefix << BYTE_BITS) | byte) << COUNT_BITS) | LONGEST_BITS;
  }
}

/**
 * Encodes the bytes of `source` from `start` to `end` (not included) into `target` at position `at`. `target` must have
 * room for the result. Returns the position after the result.
 */
export function writeUrlCode(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
): number {
  let to = at;
  // `pending` contains bits that do not fill a byte yet. `count` is their number.
  let pending = 0;
  let count = 0;
  for (let i = start; i < end; i++) {
    const code = codes[source[i]!]!;
    const bits = code & COUNT_MASK;
    pending = (pending << bits) | (code >>> COUNT_BITS);
    count += bits;
    while (count >= BYTE_BITS) {
      count -= BYTE_BITS;
      target[to++] = pending >>> count;
    }
    // At most 7 bits are pending. Together with the longest code, they fit into 31 bits.
    pending &= 0x7f;
  }
  if (count > 0) target[to++] = pending << (BYTE_BITS - count);
  return to;
}

/**
 * Decodes `source` from position `at` on. Fills `target` from `start` to `end` (not included). Returns the position
 * after the code.
 */
export function readUrlCode(
  source: Uint8Array,
  at: number,
  target: Uint8Array,
  start: number,
  end: number,
): number {
  let from = at;
  let pending = 0;
  let count = 0;
  for (let i = start; i < end; i++) {
    // Make sure that `pending` has enough bits for the longest code. After the end of the block, the bits are 0.
    while (count < LONGEST_BITS) {
      pending = (pending << BYTE_BITS) | (from < source.length ? source[from]! : 0);
      from++;
      count += BYTE_BITS;
    }
    const found = symbols[(pending >>> (count - ESCAPE_BITS)) & LOOKUP_MASK]!;
    count -= found & COUNT_MASK;
    let byte = found >>> COUNT_BITS;
    if (byte === ESCAPE) {
      count -= BYTE_BITS;
      byte = pending >>> count;
    }
    target[i] = byte;
  }
  return from - (count >>> 3);
}
