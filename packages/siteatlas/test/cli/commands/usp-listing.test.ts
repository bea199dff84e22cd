/**
 * `-f tree` and `-f urls` against the documentation of `usp ls` of Ultimate Sitemap Parser
 * (https://ultimate-sitemap-parser.readthedocs.io, "CLI Reference" and "Sitemap Tree"):
 *
 * - tabtree: sitemaps and pages, nested with tabs; the website first, pages below their sitemap
 * - the sitemaps of robots.txt below robots.txt, those of known locations below the website
 * - failed sitemaps are listed; a sitemap that is declared in two places is listed in both
 * - pages: the same pages, one per line, without indentation
 * - --strip-url: the given URL is removed from each page and sitemap, but not from the first line
 */
import { describe, expect, it } from "vitest";
import { openSite, robotsTxt, sitemapIndex, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, runCli } from "../support/cli.ts";

buildCli();

/** Two sitemaps in robots.txt. One is an index that lists the other one and a missing one. */
function openUspSite(): Promise<TestSite> {
  return openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/index.xml`, `${base}/news.xml`]),
    "/index.xml": sitemapIndex([`${base}/posts.xml`, `${base}/gone.xml`, `${base}/news.xml`]),
    "/posts.xml": urlset([`${base}/posts/1`, `${base}/posts/2`]),
    "/news.xml": urlset([`${base}/news/1`]),
    "/sitemap.xml": urlset([`${base}/`, `${base}/posts/1`]),
  }));
}

const TREE = `SITE/
	SITE/robots.txt
		SITE/index.xml
			SITE/posts.xml
				SITE/posts/1
				SITE/posts/2
			SITE/gone.xml
			SITE/news.xml
				SITE/news/1
		SITE/news.xml
			SITE/news/1
	SITE/sitemap.xml
		SITE/
		SITE/posts/1
`;

const PAGES = `SITE/posts/1
SITE/posts/2
SITE/news/1
SITE/news/1
SITE/
SITE/posts/1
`;

describe("what usp ls prints", () => {
  it("-f tree", async () => {
    const site = await openUspSite();
    const { code, stdout, stderr } = await runCli(["ls", `${site.url}/`, "-f", "tree"]);
    expect(code).toBe(0);
    expect(stdout.replaceAll(site.url, "SITE")).toBe(TREE);
    expect(stderr).toBe(
      "5 pages in 4 sitemaps (1 page printed again, because several indexes list their sitemap). 1 sitemap failed (404). Details: -v\n",
    );
  });

  it("-f tree --strip-url: all but the first line", async () => {
    const site = await openUspSite();
    const { stdout } = await runCli(["ls", `${site.url}/`, "-f", "tree", "-u"]);
    expect(stdout.replace(site.url, "SITE")).toBe(TREE.replace(/(?<=\t)SITE/g, ""));
  });

  it("-f urls --ordered: only the pages, in the same order", async () => {
    const site = await openUspSite();
    const { stdout, stderr } = await runCli(["ls", site.url, "-f", "urls", "--ordered"]);
    expect(stdout.replaceAll(site.url, "SITE")).toBe(PAGES);
    expect(stderr).toMatch(/^5 pages in 4 sitemaps \(1 page printed again, /);
    const stripped = await runCli(["ls", site.url, "-f", "urls", "--ordered", "-u"]);
    expect(stripped.stdout).toBe(PAGES.replaceAll("SITE", ""));
  });

  it("-f urls: in the order in which they are read, without repetition", async () => {
    const site = await openUspSite();
    const { stdout, stderr } = await runCli(["ls", site.url, "-f", "urls"]);
    const expected = PAGES.replace("SITE/news/1\n", "").replaceAll("SITE", site.url);
    expect(stdout.split("\n").sort()).toEqual(expected.split("\n").sort());
    expect(stderr).toMatch(/^5 pages in 4 sitemaps\. /);
    expect((await runCli(["ls", site.url, "--ordered", "--include", "*/news/*"])).stderr).toMatch(
      /^1 of 5 pages in 4 sitemaps \(1 page printed again, /,
    );
  });
});
