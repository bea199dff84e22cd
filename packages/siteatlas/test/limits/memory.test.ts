/**
 * Memory does not depend on the size of the document. Each shape of memory-shapes.ts is parsed in a process of its
 * own, first as a small document, then as a large one. The limits apply to the difference.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChild, type Child } from "./bundle-child.ts";
import type { MemoryFigures } from "./memory-child.ts";
import { largeShapes, type MemoryShape, otherShapes } from "./memory-shapes.ts";

const MB = 1024 * 1024;
const LARGE_SIZE = 100 * MB;
/** Twice the allowed live memory, so that a document kept in memory exceeds it. */
const OTHER_SIZE = 16 * MB;
const MAX_ALIVE = 8 * MB;
const MAX_RSS = 64 * MB;
/** Shapes that are mostly garbage make V8's young generation grow to its full size. */
const MAX_RSS_WITH_GARBAGE = 96 * MB;

let child: Child;
beforeAll(async () => {
  child = await bundleChild(new URL("memory-child.ts", import.meta.url));
});
afterAll(() => child?.remove());

const inMb = (bytes: number): string => (bytes / MB).toFixed(1);

async function check(name: string, shape: MemoryShape, size: number, maxRss: number): Promise<void> {
  const figures = (await child.run(name, String(size))) as MemoryFigures;
  const { rss, after, during, seconds, entries, expected, codes } = figures;
  process.stdout.write(
    `${inMb(size)} MB, ${name}: RSS +${inMb(rss)} MB, alive +${inMb(during)} MB on the way, ` +
      `+${inMb(after)} MB after; ${entries} entries, ${seconds.toFixed(2)} s\n`,
  );
  expect(figures.bytes).toBeGreaterThanOrEqual(size);
  expect(entries).toBe(expected);
  if (shape.code !== undefined) expect(codes).toContain(shape.code);
  expect(during, "alive on the way").toBeLessThanOrEqual(MAX_ALIVE);
  expect(after, "alive afterwards").toBeLessThanOrEqual(MAX_ALIVE);
  expect(rss, "resident set").toBeLessThanOrEqual(maxRss);
}

test.each(Object.entries(largeShapes))("100 MB: %s", (name, shape) =>
  check(name, shape, LARGE_SIZE, MAX_RSS),
);

test.each(Object.entries(otherShapes))("16 MB: %s", (name, shape) =>
  check(name, shape, OTHER_SIZE, MAX_RSS_WITH_GARBAGE),
);

test("the measurement can fail", async () => {
  // The same child keeps all entries: the measured memory must grow.
  const figures = (await child.run("urlset", String(2 * OTHER_SIZE), "keep")) as MemoryFigures;
  expect(figures.during).toBeGreaterThan(MAX_ALIVE);
  expect(figures.rss).toBeGreaterThan(MAX_RSS);
});
