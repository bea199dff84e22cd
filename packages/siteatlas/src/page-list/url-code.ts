/**
 * A fixed prefix code for the characters of URLs: 4 bits for the letters that slugs consist of, up to 11 for
 * rare ones, 19 for bytes that do not occur in URLs. On average a character takes 5 bits instead of 8.
 *
 * A code computed from the URLs of each list saves little more and would have to be stored with the list.
 */

/** Must be a valid prefix code: the sum of 2^-bits over all characters and the escape is at most 1. */
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

/** A code that precedes a byte without a code of its own. */
const ESCAPE = 256;
const ESCAPE_BITS = 11;
const BYTE_BITS = 8;
const LONGEST_BITS: number = ESCAPE_BITS + BYTE_BITS;
/** Length of the longest code in bytes, rounded up. */
export const MAX_BYTES_EACH = 3;

// The lowest bits of each entry in both tables are the length of the code.
const COUNT_BITS = 5;
const COUNT_MASK: number = (1 << COUNT_BITS) - 1;
/** The code of each byte, for encoding. */
const codes = new Uint32Array(256);
/** The symbol whose code starts the given eleven bits, for decoding. */
const symbols = new Uint16Array(1 << ESCAPE_BITS);
const LOOKUP_MASK: number = symbols.length - 1;

fillTables();

function fillTables(): void {
  // Codes are assigned in order: each starts where the previous one ends.
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
 * Encodes `source[start]` up to, not including, `source[end]` into `target` from `at` on, where there must be
 * room for it. Returns the position after the code.
 */
export function writeUrlCode(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
): number {
  let to = at;
  // `pending` has the bits that do not fill a byte yet.
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
    // At most 7 bits are pending, so that they fit into 31 bits together with the longest code.
    pending &= 0x7f;
  }
  if (count > 0) target[to++] = pending << (BYTE_BITS - count);
  return to;
}

/** Decodes `source` from `at` on into `target[start]` up to, not including, `target[end]`. */
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
    // Read as many bits as the longest code has. After the end of the block, the bits are 0.
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
