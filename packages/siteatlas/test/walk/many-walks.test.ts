/** A thousand walks at once in one process: they share a client, and with it the politeness towards each host. */
import { expect, it } from "vitest";
import { createNodeClient } from "../../src/fetch/node-client.ts";
import { streamPages } from "../../src/walk/walk-sitemaps.ts";
import { eventually, watchLeftovers } from "../support/http-server.ts";
import { openSite, pageUrls, robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";

const WALKS = 1000;
const HOSTS = 200;

it(`${WALKS} walks over ${HOSTS} hosts end, with at most 2 requests at once to each host`, async () => {
  const site = await openSite(
    {
      "/robots.txt": { body: robotsTxt(["/index.xml"]), delayMs: 5 },
      "/index.xml": sitemapIndex(pageUrls("/s", 4)),
      ...Object.fromEntries(
        pageUrls("/s", 4).map((path) => [path, { body: urlset(pageUrls(path, 10)), delayMs: 5 }]),
      ),
    },
    { everyAddress: true },
  );
  const expectNothing = watchLeftovers();
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => {
    rejections.push(reason);
  };
  process.on("unhandledRejection", onRejection);
  const client = createNodeClient();
  const from = performance.now();
  const counts = await Promise.all(
    Array.from({ length: WALKS }, async (_, at) => {
      const homepage = site.at(`127.0.1.${1 + (at % HOSTS)}`);
      let count = 0;
      for await (const page of streamPages(homepage, { client, useKnownPaths: false })) {
        expect(page.url.startsWith(homepage)).toBe(true);
        count++;
      }
      return count;
    }),
  );
  expect(performance.now() - from).toBeLessThan(60_000);
  await client.close();
  expect(counts).toEqual(Array(WALKS).fill(40));
  // robots.txt, the index and its four children, for each walk.
  expect(site.requests).toHaveLength(6 * WALKS);
  expect(site.maxActive.size).toBe(HOSTS);
  expect([...new Set(site.maxActive.values())]).toEqual([2]);
  await eventually(() => site.sockets.size === 0, "no connection is open");
  await expectNothing();
  process.off("unhandledRejection", onRejection);
  expect(rejections).toEqual([]);
}, 90_000);
