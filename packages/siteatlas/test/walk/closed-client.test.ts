/** A walk on a closed client is a mistake of the caller, not a site that does not answer. */
import { expect, it } from "vitest";
import {
  type Client,
  createNodeClient,
  sitemapTree,
  sitemapTreeForHomepage,
  walkSitemaps,
} from "../../src/index.ts";
import { openSite, robotsTxt, urlset } from "../support/test-site.ts";

const MESSAGE = "Cannot walk with a closed client";

it("throws before the first request", async () => {
  const site = await openSite({});
  const client = createNodeClient({ allowPrivateNetworks: true });
  expect(client.closed).toBe(false);
  await client.close();
  expect(client.closed).toBe(true);
  await expect(sitemapTreeForHomepage(site.url, { client })).rejects.toThrow(TypeError);
  await expect(sitemapTree(`${site.url}/a.xml`, { client })).rejects.toThrow(MESSAGE);
  await expect(walkSitemaps(site.url, { client }).next()).rejects.toThrow(MESSAGE);
  const wrapper: Client = Object.assign((request: Parameters<Client>[0]) => client(request), {
    wraps: client,
  });
  await expect(walkSitemaps(site.url, { client: wrapper }).next()).rejects.toThrow(MESSAGE);
  expect(site.requests).toEqual([]);
});

it("throws if the client is closed in the middle of the walk", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset([`${base}/1`]),
    "/b.xml": urlset([`${base}/2`]),
  }));
  const client = createNodeClient({ allowPrivateNetworks: true });
  const walk = async (): Promise<void> => {
    for await (const { kind } of walkSitemaps(site.url, { client, concurrency: 1 })) {
      if (kind === "page") await client.close();
    }
  };
  await expect(walk()).rejects.toThrow(MESSAGE);
});
