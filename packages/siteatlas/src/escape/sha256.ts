/**
 * SHA-256 (FIPS 180-4) of a text, for file names only. The `crypto.subtle` of browsers cannot be used, because it is
 * asynchronous.
 */

const ROUNDS = 64;

/**
 * The constants of SHA-256 are computed: they are the first 32 bits of the fractional parts of roots of primes (FIPS
 * 180-4 sections 4.2.2 and 5.3.3).
 */
const PRIMES: readonly number[] = firstPrimes(ROUNDS);
const ROUND_CONSTANTS: Uint32Array = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START: Uint32Array = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** Returns the digest in lower-case hexadecimal. Texts that differ only in lone surrogates have different digests. */
export function sha256Hex(text: string): string {
  const bytes = pad(wtf8(text));
  const state = START.slice();
  const schedule = new Uint32Array(ROUNDS);
  const view = new DataView(bytes.buffer);
  for (let offset = 0; offset < bytes.length; offset += 64) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(offset + 4 * i);
    compress(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** Updates the state with one block of the text (FIPS 180-4 section 6.2.2). */
function compress(state: Uint32Array, w: Uint32Array): void {
  for (let i = 16; i < ROUNDS; i++) {
    const before15 = w[i - 15]!;
    const before2 = w[i - 2]!;
    const s0 = rotate(before15, 7) ^ rotate(before15, 18) ^ (before15 >>> 3);
    const s1 = rotate(before2, 17) ^ rotate(before2, 19) ^ (before2 >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + w[i]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = state[i]! + word;
  });
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** Appends a bit 1, zeros, and the length in bits (FIPS 180-4 section 5.1.1). */
function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, 8n * BigInt(bytes.length));
  return padded;
}

/** Encodes the text as UTF-8. Also encodes lone surrogates, so that different texts have different bytes. */
function wtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at)!;
    if (point < 0x80) {
      bytes[length++] = point;
      continue;
    }
    if (point < 0x800) bytes[length++] = 0xc0 | (point >> 6);
    else {
      if (point < 0x10000) bytes[length++] = 0xe0 | (point >> 12);
      else {
        at++;
        bytes[length++] = 0xf0 | (point >> 18);
        bytes[length++] = 0x80 | ((point >> 12) & 0x3f);
      }
      bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
    }
    bytes[length++] = 0x80 | (point & 0x3f);
  }
  return bytes.subarray(0, length);
}

function fraction(root: number): number {
  return (root - Math.floor(root)) * 2 ** 32;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
