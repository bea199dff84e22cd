/** The random wait between requests, with a source of random numbers that the test controls. */
import { expect, it } from "vitest";
import { type Client, createNodeClient } from "../../../src/index.ts";
import { checkWalk } from "../../../src/walk/option-rules.ts";
import type { WalkOptions } from "../../../src/walk/options.ts";
import { Walk } from "../../../src/walk/walk.ts";
import { serve } from "../../support/http-server.ts";

/** Milliseconds between the requests for robots.txt and for two sitemaps. */
async function gaps(options: WalkOptions, random: () => number): Promise<number[]> {
  await using server = await serve({
    "/robots.txt": { body: "Sitemap: /a.txt\nSitemap: /b.txt" },
    "/a.txt": { body: "https://example.com/a" },
    "/b.txt": { body: "https://example.com/b" },
  });
  await using node = createNodeClient({ homepage: server.url });
  // Measured where requests start, because connections take a varying time.
  const times: number[] = [];
  const client: Client = (request) => {
    times.push(performance.now());
    return node(request);
  };
  const given: WalkOptions = { useKnownPaths: false, concurrency: 1, ...options };
  const walk = new Walk(checkWalk("test", server.url, given), given, client, { random });
  for await (const _ of walk.run());
  return times.slice(1).map((at, i) => at - times[i]!);
}

/** On a busy machine, one request may start late, which shortens the next wait. */
const LATE = 50;

it("is a share of randomDelayMs, drawn for each request", async () => {
  const draws = [0.2, 0.6, 0.9];
  let drawn = 0;
  const [first, second] = await gaps({ randomDelayMs: 500 }, () => draws[drawn++ % 3]!);
  expect(first).toBeGreaterThanOrEqual(100 - LATE);
  expect(second).toBeGreaterThanOrEqual(300 - LATE);
  expect(drawn).toBe(3);
});

it("is added to delayMs", async () => {
  const [first] = await gaps({ delayMs: 100, randomDelayMs: 400 }, () => 0.5);
  expect(first).toBeGreaterThanOrEqual(300 - LATE);
});

it("is zero by default", async () => {
  let drawn = 0;
  await gaps({}, () => drawn++);
  expect(drawn).toBe(0);
});
