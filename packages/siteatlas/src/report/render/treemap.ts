/**
 * The squarified treemap layout of Bruls, Huizing and van Wijk (2000): divides a rectangle into parts whose areas are
 * proportional to their sizes, and which are as square as possible.
 */

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns one box for each size. @param sizes positive numbers, the largest first */
export function treemap(sizes: readonly number[], box: Box): Box[] {
  const boxes: Box[] = [];
  let left = box;
  let rest = sizes.reduce((sum, size) => sum + size, 0);
  for (let at = 0; at < sizes.length; ) {
    const side = Math.min(left.width, left.height);
    const scale = (left.width * left.height) / rest;
    let end = at + 1;
    let sum = sizes[at]!;
    // Add boxes to the row while this makes its worst box more square.
    while (end < sizes.length) {
      const next = sum + sizes[end]!;
      if (
        worst(sizes[at]!, sizes[end]!, next, side, scale) >
        worst(sizes[at]!, sizes[end - 1]!, sum, side, scale)
      )
        break;
      sum = next;
      end++;
    }
    const share = rest > 0 ? sum / rest : 1;
    left = addRow(boxes, sizes.slice(at, end), sum, left, share);
    rest -= sum;
    at = end;
  }
  return boxes;
}

/** The worst ratio of width and height in a row: 1 is a square. */
function worst(largest: number, smallest: number, sum: number, side: number, scale: number): number {
  const thickness = (sum * scale) / side;
  const ratio = (size: number): number => {
    const length = (size * scale) / thickness;
    return Math.max(length / thickness, thickness / length);
  };
  return Math.max(ratio(largest), ratio(smallest));
}

/** Puts a row at the shorter side of a box. Returns the rest of the box. */
function addRow(boxes: Box[], sizes: readonly number[], sum: number, box: Box, share: number): Box {
  const { x, y, width, height } = box;
  let before = 0;
  if (width >= height) {
    const thickness = width * share;
    for (const size of sizes) {
      boxes.push({ x, y: y + (height * before) / sum, width: thickness, height: (height * size) / sum });
      before += size;
    }
    return { x: x + thickness, y, width: width - thickness, height };
  }
  const thickness = height * share;
  for (const size of sizes) {
    boxes.push({ x: x + (width * before) / sum, y, width: (width * size) / sum, height: thickness });
    before += size;
  }
  return { x, y: y + thickness, width, height: height - thickness };
}
