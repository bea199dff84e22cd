/**
 * Time is linear: a document of twice the size takes less than three times the CPU time, for each shape of
 * linear-shapes.ts, each in a process of its own. A quadratic loop would take four times as long. V8 sometimes compiles
 * one of the two runs later than the other, so the best of three processes counts.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChild, type Child } from "./bundle-child.ts";
import type { DepthFigures, LinearFigures } from "./linear-child.ts";
import { linearShapes } from "./linear-shapes.ts";

const MAX_FACTOR = 3;
const TRIES = 3;
const MIN_MS = 20;
const MAX_DEPTH_MS = 50;

let child: Child;
beforeAll(async () => {
  child = await bundleChild(new URL("linear-child.ts", import.meta.url));
});
afterAll(() => child?.remove());

async function measure(name: string): Promise<number> {
  const { bytes, times, once, twice } = (await child.run(name)) as LinearFigures;
  const factor = twice / once;
  const rate = (bytes * times) / 1000 / once;
  process.stdout.write(
    `${name}: ${once.toFixed(1)} ms for ${times} × ${bytes} bytes (${rate.toFixed(1)} MB/s), ` +
      `${twice.toFixed(1)} ms for twice as much, factor ${factor.toFixed(2)}\n`,
  );
  expect(once).toBeGreaterThanOrEqual(MIN_MS);
  return factor;
}

test.each(Object.keys(linearShapes))("twice as much: %s", async (name) => {
  let factor = await measure(name);
  for (let tries = 1; factor >= MAX_FACTOR && tries < TRIES; tries++) {
    factor = Math.min(factor, await measure(name));
  }
  expect(factor).toBeLessThan(MAX_FACTOR);
});

test("20,000 levels", async () => {
  const { first, best } = (await child.run("depth")) as DepthFigures;
  process.stdout.write(`20,000 levels: ${best.toFixed(1)} ms, ${first.toFixed(1)} ms the first time\n`);
  expect(best).toBeLessThan(MAX_DEPTH_MS);
});
