/** A thousand concurrent walks in one process. They share a client, and so its limits per host. */
import { expect, it } from "vitest";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { eventually, watchLeftovers } from "../support/http-server.ts";
import { openSite, pageUrls, robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";

const WALKS = 1000;
const HOSTS = 200;
const NONE = Number.POSITIVE_INFINITY;

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
  // Long timeouts: on a busy machine 400 concurrent connections are slow, and this is not tested here.
  const client = createNodeClient({ allowPrivateNetworks: true, connectTimeoutMs: NONE });
  const limits = { headersMs: NONE, idleMs: NONE, requestMs: NONE, timeMs: NONE };
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
  await client.close();
  // Checked first: missing pages would have a reported reason.
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
});
