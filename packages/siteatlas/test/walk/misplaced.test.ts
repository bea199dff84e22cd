/** Issues that only the walk can find: a child of an index is not a sitemap (walkCodes of the fixtures I10 and I14). */
import { expect, it } from "vitest";
import { type WalkEvent, walkSitemaps } from "../../src/index.ts";
import { openSite, robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";

it("reports an index that lists a page or robots.txt, and continues", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([`${base}/about.html`, `${base}/other/Robots.TXT`, `${base}/a.xml`]),
    "/about.html": "<!doctype html><html><body>About</body></html>",
    "/other/Robots.TXT": robotsTxt([`${base}/b.xml`]),
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
    value: `${site.url}/other/Robots.TXT`,
  });
  // The page and the case of the name of robots.txt add nothing to these.
  expect(issues.map(({ code }) => code).sort()).toEqual(["index.lists-page", "index.lists-robots"]);
  const failed = events.flatMap((event) =>
    event.kind === "sitemap" && event.sitemap.outcome === "failed" ? [event.sitemap] : [],
  );
  expect(failed).toMatchObject([{ url: `${site.url}/about.html`, code: "content.html", issueCount: 1 }]);
  const pages = events.flatMap((event) => (event.kind === "page" ? [event.page.url] : []));
  expect(pages.sort()).toEqual([`${site.url}/1`, `${site.url}/2`]);
});
