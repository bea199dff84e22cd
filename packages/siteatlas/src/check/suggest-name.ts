/** Suggests the name that a user may have meant: `--format` for `--fomat`, `crossHost` for `crosHost`. */

/** Longer inputs resemble no name, and the distance takes quadratic time. */
const MAX_LENGTH = 40;

/** The most similar of the names, if it is similar enough. */
export function nearestName(typed: string, names: Iterable<string>): string | undefined {
  if (typed.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  // A third of the letters may be wrong, and at least one.
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Number of letters to insert, delete, change or swap with the next one. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min(row[j - 1]! + (same ? 0 : 1), row[j]! + 1, next[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) distance = Math.min(distance, before[j - 2]! + 1);
      next.push(distance);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
