/**
 * The ways in which a test splits its input: not at all, into chunks of one size, into two at every position. A
 * streaming parser must give the same result for all of them.
 */

/** Longer inputs are split at seeded positions instead of at every position. */
const EVERY_POSITION_UP_TO = 4096;
const SEEDED_SPLITS = 200;

/** Longer inputs are split into chunks of seven bytes instead of one, which also cuts every token. */
const SINGLE_BYTES_UP_TO = 65_536;

/** Yields the chunks one by one, like a network. */
export async function* streamOf<T>(chunks: Iterable<T>): AsyncGenerator<T> {
  yield* chunks;
}

/** The input in chunks of `size` bytes. */
export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The input byte by byte, or in chunks of seven bytes if it is long. */
export function smallestPieces(bytes: Uint8Array): Generator<Uint8Array> {
  return pieces(bytes, bytes.length > SINGLE_BYTES_UP_TO ? 7 : 1);
}

/** The input in two chunks; one of them is empty at the positions 0 and `bytes.length`. */
export function splitAt(bytes: Uint8Array, position: number): readonly [Uint8Array, Uint8Array] {
  return [bytes.subarray(0, position), bytes.subarray(position)];
}

/** Where to split an input of this length: everywhere, including both ends, or at 200 seeded positions. */
export function splitPositions(length: number, seed = 1): readonly number[] {
  if (length <= EVERY_POSITION_UP_TO) return Array.from({ length: length + 1 }, (_, position) => position);
  const random = seededRandom(seed);
  return Array.from({ length: SEEDED_SPLITS }, () => Math.floor(random() * (length + 1)));
}

/** mulberry32: small, and the same numbers on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
