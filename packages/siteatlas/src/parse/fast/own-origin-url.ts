/**
 * Reads a `<loc>` with a plain URL in one pass, up to the next `<`. A plain URL is on the document's own origin, is
 * normalized, and has no issue. The pass finds the end of the URL, checks the URL, and computes its hash for the set of
 * URLs (seen-urls.ts). All other URLs are left to scanner.ts and url.ts.
 *
 * Before you change this: it must accept exactly what `isPlainPathBytes` in normalized-path.ts accepts (a property test
 * checks this). Four bytes that are always safe are handled together, which covers nearly all of a URL of 60
 * characters.
 */

import { URL_SAFE } from "./normalized-path.ts";
import { HASH_SEED_A, HASH_SEED_B, MULTIPLIER_A, MULTIPLIER_B, type UrlHash } from "./seen-urls.ts";
import type { TextSlice } from "./text-slice.ts";
import { escapeLength } from "./unescape-ascii.ts";

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const COMMA = 0x2c;
const DOT = 0x2e;
const SLASH = 0x2f;
const LESS_THAN = 0x3c;

/** For each byte: 1 if it is safe at any position after the host, otherwise 0. */
const ALWAYS_SAFE: Uint8Array = URL_SAFE.map((kind, byte) =>
  kind === 1 && byte !== DOT && byte !== COMMA ? 1 : byte === SLASH ? 1 : 0,
);

export class PlainUrlProbe implements UrlHash {
  /** The hash of the last URL that was accepted, in two numbers. */
  hashA = 0;
  hashB = 0;
  readonly #prefix: Uint8Array;
  /** Grows with each URL that is not plain, and shrinks with each plain URL. */
  #doubt = 0;

  /** @param origin such as `https://www.example.com/`, with its slash. If empty, every URL is rejected. */
  constructor(origin: string) {
    this.#prefix = new TextEncoder().encode(origin);
  }

  /** Returns the end of the URL at `start` if it is plain and a `<` follows before `end`. Otherwise returns -1. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    // If most URLs are not plain, checking costs more than it saves. In that case, check only every 16th URL.
    if (this.#doubt > MAX_DOUBT && this.#doubt++ % 16 !== 0) return -1;
    const close = this.#read(bytes, start, end, false);
    if (close < 0) this.#doubt += 2;
    else if (this.#doubt > 0) this.#doubt = Math.min(this.#doubt, MAX_DOUBT) - 1;
    return close;
  }

  /** Whether a decoded text is a plain URL on this origin. */
  accepts({ bytes, start, end, high }: TextSlice): boolean {
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
    if (bytes[at] === SLASH) return -1;
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

/** Maximum length of a plain URL. Longer URLs must be reported. */
const MAX_LENGTH = 2048;

/**
 * Whether a byte that is not always safe is safe at this position. Accepts a dot that does not start a segment, a
 * comma, and a percent escape in upper case (URLs are hashed in this form). In decoded text, also accepts an ampersand
 * that does not start an escape.
 */
function isSafeHere(bytes: Uint8Array, at: number, end: number, isDecoded: boolean): boolean {
  const byte = bytes[at];
  if (byte === AMPERSAND) return isDecoded && escapeLength(bytes, at, end) === 0;
  if (byte === DOT) return bytes[at - 1] !== SLASH;
  if (byte !== PERCENT) return byte === COMMA;
  if (at + 2 >= end || !isUpperHex(bytes[at + 1]!) || !isUpperHex(bytes[at + 2]!)) return false;
  // Reject `/%2E`. It starts a dot segment, which normalization removes.
  return bytes[at - 1] !== SLASH || bytes[at + 1] !== 0x32 || bytes[at + 2] !== 0x45;
}

function isUpperHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46);
}
