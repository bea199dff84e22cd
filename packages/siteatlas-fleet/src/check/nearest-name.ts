/** Suggests the option that a misspelled name may mean: `shard` is `shards`. */

/** Longer names resemble no option, and the distance takes quadratic time. */
const MAX_LENGTH = 40;

/** The nearest of the names, if at most a third of the letters differ. */
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

/** Letters to insert, delete or change. */
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
