/**
 * Reads the one kind of `<loc>` that is nearly all of them, in one pass: a URL of the document's own origin,
 * normalised, with nothing to repair, right up to the next `<`. Finds its end, checks it and hashes it for
 * the set of URLs (url-set.ts) at once. Everything else is left to the ordinary way: scanner, url.ts.
 *
 * Before you change this: it accepts what `isPlainPathBytes` in plain-path.ts accepts, and no more (property test).
 * A group of four bytes that are safe whatever is around them is done together; of a URL of 60 characters
 * that is nearly all.
 */
import { escapeLength } from "./escaped-text.ts";
import { URL_SAFE } from "./plain-path.ts";
import type { TextProbe } from "./scanner.ts";
import type { TextValue } from "./text-value.ts";
import { HASH_SEED_A, HASH_SEED_B, MULTIPLIER_A, MULTIPLIER_B, type UrlHash } from "./url-set.ts";

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const COMMA = 0x2c;
const DOT = 0x2e;
const SLASH = 0x2f;
const LESS_THAN = 0x3c;

/** 1 for bytes that mean the same wherever they stand behind the host. */
const ALWAYS_SAFE: Uint8Array = URL_SAFE.map((kind, byte) =>
  kind === 1 && byte !== DOT && byte !== COMMA ? 1 : byte === SLASH ? 1 : 0,
);

export class PlainUrlProbe implements TextProbe, UrlHash {
  /** The hash of the URL read last. */
  hashA = 0;
  hashB = 0;
  readonly #prefix: Uint8Array;
  /** Grows with each URL that is not plain, shrinks with each that is. */
  #doubt = 0;

  /** `origin` with its final slash, `https://www.example.com/`; empty: there is no such URL. */
  constructor(origin: string) {
    this.#prefix = new TextEncoder().encode(origin);
  }

  /** Where the URL at `start` ends, if it is plain and `<` follows before `end`; else -1. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    // Where most URLs are not plain, looking costs more than it gives: then it is rare.
    if (this.#doubt > MAX_DOUBT && this.#doubt++ % 16 !== 0) return -1;
    const close = this.#read(bytes, start, end, false);
    if (close < 0) this.#doubt += 2;
    else if (this.#doubt > 0) this.#doubt = Math.min(this.#doubt, MAX_DOUBT) - 1;
    return close;
  }

  /** Whether a text that was put together, its references decoded, is such a URL. */
  accepts({ bytes, start, end, high }: TextValue): boolean {
    return !high && this.#read(bytes, start, end, true) === end;
  }

  #read(bytes: Uint8Array, start: number, end: number, isDecoded: boolean): number {
    const prefix = this.#prefix;
    const { length } = prefix;
    if (length === 0 || end - start <= length) return -1;
    for (let i = 0; i < length; i++) {
      if (bytes[start + i] !== prefix[i]) return -1;
    }
    let a = HASH_SEED_A;
    let b = HASH_SEED_B;
    let at = start + length;
    for (;;) {
      let word = 0;
      if (
        at + 4 <= end &&
        (ALWAYS_SAFE[bytes[at]!]! &
          ALWAYS_SAFE[bytes[at + 1]!]! &
          ALWAYS_SAFE[bytes[at + 2]!]! &
          ALWAYS_SAFE[bytes[at + 3]!]!) ===
          1
      ) {
        word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
        at += 4;
      } else {
        let shift = 0;
        while (shift < 32) {
          if (at >= end) {
            if (isDecoded) break;
            return -1;
          }
          const byte = bytes[at]!;
          if (byte === LESS_THAN && !isDecoded) break;
          if (ALWAYS_SAFE[byte] !== 1 && !isSafeHere(bytes, at, end, isDecoded)) return -1;
          word |= byte << shift;
          shift += 8;
          at++;
        }
        if (shift < 32) {
          if (bytes[at - 1] === COMMA) return -1;
          if (shift > 0) {
            a = Math.imul(a ^ word, MULTIPLIER_A);
            a ^= a >>> 15;
            b = Math.imul(b ^ word, MULTIPLIER_B);
            b ^= b >>> 13;
          }
          break;
        }
      }
      a = Math.imul(a ^ word, MULTIPLIER_A);
      a ^= a >>> 15;
      b = Math.imul(b ^ word, MULTIPLIER_B);
      b ^= b >>> 13;
    }
    if (at - start > MAX_LENGTH) return -1;
    this.hashA = a;
    this.hashB = b ^ (at - start - length);
    return at;
  }
}

const MAX_DOUBT = 64;

/** Longer ones are to be reported. */
const MAX_LENGTH = 2048;

/**
 * A dot that starts no segment, a comma, a percent escape in the spelling that all others are hashed in, an
 * ampersand in decoded text that starts no escape.
 */
function isSafeHere(bytes: Uint8Array, at: number, end: number, isDecoded: boolean): boolean {
  const byte = bytes[at];
  if (byte === AMPERSAND) return isDecoded && escapeLength(bytes, at, end) === 0;
  if (byte === DOT) return bytes[at - 1] !== SLASH;
  if (byte !== PERCENT) return byte === COMMA;
  if (at + 2 >= end || !isUpperHex(bytes[at + 1]!) || !isUpperHex(bytes[at + 2]!)) return false;
  // `/%2E` is a dot that starts a segment.
  return bytes[at - 1] !== SLASH || bytes[at + 1] !== 0x32 || bytes[at + 2] !== 0x45;
}

function isUpperHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46);
}
