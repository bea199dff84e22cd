/** Syncs of given sitemaps: only they are read, and their snapshot is not mixed with that of the whole site. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Change, readSnapshot, syncSite, type WalkStart } from "../../src/index.ts";
import { openSite, robotsTxt, sitemapIndex, type TestSite, urlset } from "../support/test-site.ts";

async function openExample(): Promise<{ site: TestSite; snapshot: string }> {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/other.xml`]),
    "/other.xml": urlset([`${base}/other`]),
    "/news.xml": sitemapIndex([`${base}/a.xml`]),
    "/a.xml": urlset([`${base}/1`]),
    "/b.xml": urlset([`${base}/2`]),
  }));
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-given-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { site, snapshot: join(folder, "s.gz") };
}

async function sync(start: WalkStart, snapshot: string): Promise<string[]> {
  const changes: Change[] = [];
  for await (const change of syncSite(start, { snapshot, limits: { backoffMs: 1 } })) changes.push(change);
  return changes.flatMap((change) =>
    !("url" in change) ? [] : [`${change.kind} ${new URL(change.url).pathname}`],
  );
}

test("reports the changes of the given sitemaps alone, and stores the source given", async () => {
  const { site, snapshot } = await openExample();
  const start = { sitemaps: [`${site.url}/news.xml`, `${site.url}/b.xml`] };
  expect((await sync(start, snapshot)).sort()).toEqual(["added /1", "added /2"]);
  expect(new Set(site.paths())).toEqual(new Set(["/news.xml", "/a.xml", "/b.xml"]));
  const stored = await readSnapshot(snapshot);
  const { sitemaps, facts } = stored;
  await stored.close();
  expect(Object.fromEntries(sitemaps.map(({ url, source }) => [new URL(url).pathname, source]))).toEqual({
    "/news.xml": "given",
    "/b.xml": "given",
    "/a.xml": "sitemap",
  });
  expect(facts.homepage).toBe(`${site.url}/`);
  expect(facts.absent).toEqual([]);
  site.routes = { ...site.routes, "/a.xml": urlset([`${site.url}/3`]) };
  expect((await sync(start, snapshot)).sort()).toEqual(["added /3", "pending /1"]);
});

test("a given sitemap that is missing makes its pages unknown, not removed", async () => {
  const { site, snapshot } = await openExample();
  const start = { sitemaps: [`${site.url}/news.xml`, `${site.url}/b.xml`] };
  await sync(start, snapshot);
  site.routes = { ...site.routes, "/b.xml": { status: 404 } };
  expect(await sync(start, snapshot)).toEqual(["unknown /b.xml"]);
});

test("a snapshot of the whole site is refused for given sitemaps, and the other way round", async () => {
  const { site, snapshot } = await openExample();
  const start = { sitemaps: [`${site.url}/b.xml`] };
  await sync(start, snapshot);
  await expect(sync(site.url, snapshot)).rejects.toMatchObject({ code: "other-start" });
  await sync(site.url, `${snapshot}.site`);
  await expect(sync(start, `${snapshot}.site`)).rejects.toMatchObject({ code: "other-start" });
  // Nothing was lost.
  expect(await sync(start, snapshot)).toEqual([]);
});
