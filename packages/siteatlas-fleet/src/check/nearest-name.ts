/** Finds the option that a misspelled name may mean: for `shard` it is `shards`. */

/** Maximum length of a name that is compared. No option is that long, and comparing takes quadratic time. */
const MAX_LENGTH = 40;

/** Returns the option name with the smallest edit distance. Undefined if more than a third of the letters differ. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (typed.length > MAX_LENGTH) return undefined;
  const most = Math.max(1, Math.floor(typed.length / 3));
  const near = names.map((name) => ({
    name,
    distance: editDistance(typed.toLowerCase(), name.toLowerCase()),
  }));
  const [best] = near.sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= most ? best.name : undefined;
}

/** The number of letters to insert, delete or change until `a` becomes `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = row[j]! + (letter === b[j] ? 0 : 1);
      next.push(Math.min(changed, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
