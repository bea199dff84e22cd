/** A thousand walks at once in one process: they share a client, and with it the politeness towards each host. */
import { expect, it } from "vitest";
import { createNodeClient } from "../../src/fetch/node-client.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
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
  // Patient: on a busy machine 400 connections at once take their time, and that is not what is tested.
  const client = createNodeClient({ allowPrivateNetworks: true, connectTimeoutMs: 60_000 });
  const limits = { headersMs: 60_000, idleMs: 60_000 };
  const from = performance.now();
  const troubles: string[] = [];
  const counts = await Promise.all(
    Array.from({ length: WALKS }, async (_, at) => {
      const homepage = site.at(`127.0.1.${1 + (at % HOSTS)}`);
      let count = 0;
      for await (const event of walkSitemaps(homepage, { client, useKnownPaths: false, limits })) {
        if (event.kind === "page") {
          expect(event.page.url.startsWith(homepage)).toBe(true);
          count++;
        } else if (event.kind === "issue") {
          if (/^(?:http|limit)\./.test(event.issue.code))
            troubles.push(`${event.issue.code} ${event.issue.url} ${event.issue.value}`);
        } else if (event.sitemap.outcome !== "found") {
          const { outcome, url, code, reason } = event.sitemap;
          troubles.push(`${outcome} ${url} ${code}: ${reason}`);
        }
      }
      return count;
    }),
  );
  expect(performance.now() - from).toBeLessThan(60_000);
  await client.close();
  // First: pages that are missing are missing for a reason that was told.
  expect(troubles).toEqual([]);
  expect(counts).toEqual(Array(WALKS).fill(40));
  // robots.txt, the index and its four children, for each walk.
  expect(site.requests).toHaveLength(6 * WALKS);
  expect(site.maxActive.size).toBe(HOSTS);
  expect(Math.max(...site.maxActive.values())).toBe(2);
  await eventually(() => site.sockets.size === 0, "no connection is open");
  await expectNothing();
  process.off("unhandledRejection", onRejection);
  expect(rejections).toEqual([]);
}, 90_000);
