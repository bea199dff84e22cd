/** Ways to split bytes into chunks. Every decoder must give the same result for all of them. */

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One byte per character. */
export const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

export const join = (...parts: (Uint8Array | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

export const inPieces = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

/** Split at the given positions, in any order. */
export function cutAt(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const cuts = [...positions.map((at) => at % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return cuts.map((to, i) => bytes.subarray(cuts[i - 1] ?? 0, to));
}

/** Complete, byte by byte, and split in two at every position. */
export function* everyCut(bytes: Uint8Array): Generator<Uint8Array[]> {
  yield [bytes];
  yield inPieces(bytes, 1);
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
}
