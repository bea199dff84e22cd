/**
 * A fixed prefix code for the characters of URLs: four bits for those that slugs are made of, up to eleven
 * for the rare ones. What of a URL is not shared with the one before takes five bits a character instead
 * of eight.
 *
 * Fixed, because a code learnt from the URLs saves little more and would have to be kept beside each list.
 * Any byte can be written; those that URLs do not have take 19 bits.
 */

/** Which characters have how many bits. The sum of 2^-bits over all, the escape included, must not pass 1. */
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

/** Stands before a byte that has no code of its own. */
const ESCAPE = 256;
const ESCAPE_BITS = 11;
const BYTE_BITS = 8;
const LONGEST_BITS: number = ESCAPE_BITS + BYTE_BITS;
/** More than the longest code takes. */
export const MAX_BYTES_EACH = 3;

// Both tables hold a number of bits in their lowest bits.
const COUNT_BITS = 5;
const COUNT_MASK: number = (1 << COUNT_BITS) - 1;
/** The code of each byte. */
const codes = new Uint32Array(256);
/** The symbol with which these eleven bits start. */
const symbols = new Uint16Array(1 << ESCAPE_BITS);
const LOOKUP_MASK: number = symbols.length - 1;

fillTables();

function fillTables(): void {
  // Codes are given out in order: each starts where the one before ends.
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
 * Writes the code of `source[start]` to before `source[end]` to `target[at]` and on, where there must be
 * room for it. Gives the place behind it.
 */
export function writeUrlCode(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
): number {
  let to = at;
  // Bits that do not fill a byte yet, and their number.
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
    // Seven bits and the longest code still fit into 31.
    pending &= 0x7f;
  }
  if (count > 0) target[to++] = pending << (BYTE_BITS - count);
  return to;
}

/** Reads the code at `source[at]` into `target[start]` to before `target[end]`. Gives the place behind it. */
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
    // Reads ahead as far as the longest code reaches, at the end of a block beyond it.
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
