/** Suggests the name that a user may have meant: `--format` for `--fomat`, `crossHost` for `crosHost`. */

/** Maximum length of an input. Names are shorter, and computing the edit distance takes quadratic time. */
const MAX_LENGTH = 40;

/** The name that is most similar to `typed`. Undefined if no name is similar enough. */
export function nearestName(typed: string, names: Iterable<string>): string | undefined {
  if (typed.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  // Up to a third of the letters may be wrong. One wrong letter is always allowed.
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Number of edits that turn `a` into `b`. An edit inserts, deletes or changes a letter, or swaps two neighbors. */
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
