/** The robots.txt of a site that has no rules: empty, an HTML page, compressed. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { type Issue, sitemapTreeForHomepage, type TreeOptions } from "../../src/index.ts";
import { HTML_PAGE, openSite, type SiteAnswer, urlset } from "../support/test-site.ts";

const OPTIONS: TreeOptions = { extraKnownPaths: ["s.xml"], useKnownPaths: false, useHomepageLinks: false };

async function read(robots: string | SiteAnswer) {
  const site = await openSite((base) => ({ "/robots.txt": robots, "/s.xml": urlset([`${base}/1`]) }));
  const issues: Issue[] = [];
  const tree = await sitemapTreeForHomepage(site.url, {
    ...OPTIONS,
    onEvent: (event) => {
      if (event.kind === "issue") issues.push(event.issue);
    },
  });
  const nodes = tree.subSitemaps.map(({ url, kind }) => [url.slice(site.url.length), kind]);
  return { nodes, codes: issues.map(({ code }) => code) };
}

it("an empty robots.txt is an index without children, like one with only a comment", async () => {
  for (const robots of ["", "\n", "# nothing\n"]) {
    expect(await read(robots)).toEqual({
      nodes: [
        ["/robots.txt", "index"],
        ["/s.xml", "pages"],
      ],
      codes: [],
    });
  }
});

it("an HTML page in place of robots.txt counts as absent", async () => {
  expect(await read(HTML_PAGE)).toEqual({ nodes: [["/s.xml", "pages"]], codes: ["robots.html"] });
});

it("an HTML page around a robots.txt is read", async () => {
  const { nodes, codes } = await read("<html><pre>\nUser-agent: *\nDisallow: /x\n</pre></html>");
  expect(nodes[0]).toEqual(["/robots.txt", "index"]);
  expect(codes).toEqual(["robots.html"]);
});

it("Content-Encoding declares gzip", async () => {
  const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
  const { nodes, codes } = await read({ headers, body: gzipSync("User-agent: *\nDisallow: /x\n") });
  expect(nodes[0]).toEqual(["/robots.txt", "index"]);
  expect(codes).toEqual([]);
});
