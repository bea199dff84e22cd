import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DifferingLines } from "../../../src/sync/compare/differing-lines.ts";

/** Adds each line to both sides: more lines than fit into memory. */
async function collect(lineOf: (i: number) => string, count: number): Promise<DifferingLines> {
  const differing = new DifferingLines();
  onTestFinished(() => differing.drop());
  for (const side of ["-", "+"] as const) {
    for (let i = 0; i < count; i++) await differing.add({ side, sitemap: 0, line: lineOf(i) });
  }
  return differing;
}

const LONG = "a-rather-long-name-of-a-category-".repeat(2);

test.each([
  [
    "have different slugs",
    (i: number) => `https://www.example.com/${LONG}/page-${i}\tlastModified=2026-01-01`,
  ],
  [
    "have the same slug",
    (i: number) => `https://www.example.com/${LONG}/${i}/details\tlastModified=2026-01-01`,
  ],
])(
  "pages that %s come in pieces of limited size, with both lines of a page in the same piece",
  async (_, lineOf) => {
    const COUNT = 120_000;
    const differing = await collect(lineOf, COUNT);
    // A comparison iterates twice: for added pages, then for removed ones.
    for (let round = 0; round < 2; round++) {
      const seen = new Set<string>();
      let largest = 0;
      for await (const piece of differing.pieces()) {
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
  },
);

test.skipIf(process.platform === "win32")("the folder of the pieces is private", async () => {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = join(folder, "pieces");
  const umask = process.umask(0o000);
  onTestFinished(() => void process.umask(umask));
  const differing = new DifferingLines(place);
  onTestFinished(() => differing.drop());
  for (let i = 0; i < 60_000; i++) {
    await differing.add({ side: "+", sitemap: 0, line: `https://www.example.com/${i}` });
  }
  expect(statSync(place).mode & 0o777).toBe(0o700);
});
