/** What only the walk can know of an index: that a child is no sitemap (the walkCodes of the fixtures I10, I14). */
import { expect, it } from "vitest";
import { type WalkEvent, walkSitemaps } from "../../src/index.ts";
import { openSite, robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";

it("tells of an index that lists a page or robots.txt, and goes on", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([`${base}/about.html`, `${base}/other/robots.txt`, `${base}/a.xml`]),
    "/about.html": "<!doctype html><html><body>About</body></html>",
    "/other/robots.txt": robotsTxt([`${base}/b.xml`]),
    "/a.xml": urlset([`${base}/1`]),
    "/b.xml": urlset([`${base}/2`]),
  }));
  const events: WalkEvent[] = [];
  for await (const event of walkSitemaps(site.url, { useKnownPaths: false })) events.push(event);
  const issues = events.flatMap((event) => (event.kind === "issue" ? [event.issue] : []));
  expect(issues).toContainEqual({
    code: "index.lists-page",
    severity: "warning",
    url: `${site.url}/i.xml`,
    value: `${site.url}/about.html`,
  });
  expect(issues).toContainEqual({
    code: "index.lists-robots",
    severity: "info",
    url: `${site.url}/i.xml`,
    value: `${site.url}/other/robots.txt`,
  });
  const pages = events.flatMap((event) => (event.kind === "page" ? [event.page.url] : []));
  expect(pages.sort()).toEqual([`${site.url}/1`, `${site.url}/2`]);
});
