import { expect, onTestFinished, test } from "vitest";
import { Candidates } from "../../src/sync/candidates.ts";

/** Each line twice, before and after; more than are held in memory. */
async function collect(lineOf: (i: number) => string, count: number): Promise<Candidates> {
  const candidates = new Candidates();
  onTestFinished(() => candidates.drop());
  for (const side of ["-", "+"] as const) {
    for (let i = 0; i < count; i++) await candidates.add({ side, sitemap: 0, line: lineOf(i) });
  }
  return candidates;
}

const LONG = "a-rather-long-name-of-a-category-".repeat(2);

test.each([
  ["have a slug each", (i: number) => `https://www.example.com/${LONG}/page-${i}\tlastModified=2026-01-01`],
  [
    "share their slug",
    (i: number) => `https://www.example.com/${LONG}/${i}/details\tlastModified=2026-01-01`,
  ],
])("pages that %s come in pieces of bounded size, both lines of a page in one", async (_, lineOf) => {
  const COUNT = 120_000;
  const candidates = await collect(lineOf, COUNT);
  // They are looked at twice: once for what came, once for what went.
  for (let round = 0; round < 2; round++) {
    const seen = new Set<string>();
    let largest = 0;
    for await (const piece of candidates.pieces()) {
      largest = Math.max(largest, piece.length);
      const before = new Set(piece.filter(({ side }) => side === "-").map(({ line }) => line));
      const after = piece.filter(({ side }) => side === "+");
      expect(after.every(({ line }) => before.has(line))).toBe(true);
      expect(after).toHaveLength(before.size);
      for (const line of before) seen.add(line);
    }
    expect(seen.size).toBe(COUNT);
    expect(largest).toBeLessThan(100_000);
  }
});
