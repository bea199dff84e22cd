/**
 * Takes the place of test/support/splits.ts in the page: the same ways of cutting, at fewer positions.
 * Node has tried every position; here the question is only whether the browser agrees.
 */
import { seededRandom } from "../support/splits.ts";

export { pieces, seededRandom, smallestPieces, splitAt, streamOf } from "../support/splits.ts";

/** Above this many bytes a parse takes long enough to count. */
const LARGE = 65_536;

/** Both ends, and some seeded positions between them. */
export function splitPositions(length: number, seed = 1): readonly number[] {
  const random = seededRandom(seed + length);
  const between = Array.from({ length: length > LARGE ? 4 : 24 }, () => Math.floor(random() * (length + 1)));
  return [0, length, ...between];
}
