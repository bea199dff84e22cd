/**
 * Replaces test/support/splits.ts in the page: the same ways of splitting, at fewer positions. Node tests every
 * position. Here it only matters whether the browser agrees.
 */
import { seededRandom } from "../support/splits.ts";

export { pieces, seededRandom, smallestPieces, splitAt, streamOf } from "../support/splits.ts";

/** From this number of bytes on, parsing time matters. */
const LARGE = 65_536;

/** Both ends, and some seeded positions between them. */
export function splitPositions(length: number, seed = 1): readonly number[] {
  const random = seededRandom(seed + length);
  const between = Array.from({ length: length > LARGE ? 4 : 24 }, () => Math.floor(random() * (length + 1)));
  return [0, length, ...between];
}
