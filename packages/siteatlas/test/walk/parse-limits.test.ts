/** The limits of the parser apply to each document of a walk. parse/parse-limits.test.ts tests them one by one. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { ParseLimits } from "../../src/model/generated/limits.ts";
import type { Sitemap } from "../../src/model/model.ts";
import { allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import { openSite, robotsTxt, urlset } from "../support/test-site.ts";

async function read(body: string | Uint8Array, limits: ParseLimits): Promise<Sitemap> {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/s.xml`]),
    "/s.xml": { body },
  }));
  const tree = await sitemapTreeForHomepage(site.url, {
    useKnownPaths: false,
    useHomepageLinks: false,
    limits,
  });
  return [...allSitemaps(tree)].at(-1)!;
}

const codesOf = ({ issues }: Sitemap): string[] => issues.map(({ code }) => code);
const page = urlset(["https://www.example.com/a"]);

it("limits of XML", async () => {
  const sitemap = await read(page, { elementDepth: 1 });
  expect(sitemap).toMatchObject({ kind: "pages", url: expect.stringMatching(/s\.xml$/) });
  expect(sitemap.pages).toHaveLength(0);
  expect(codesOf(sitemap)).toContain("xml.too-deep");
});

it("limits of compression", async () => {
  const twice = gzipSync(gzipSync(page));
  expect((await read(twice, { compressionLayers: 2 })).pages).toHaveLength(1);
  expect(await read(twice, { compressionLayers: 1 })).toMatchObject({ code: "gzip.too-deep" });
  const sitemap = await read(gzipSync(page), { gzipMembers: 0 });
  expect(codesOf(sitemap)).toContain("gzip.corrupt");
});

it("limit of issues", async () => {
  const sitemap = await read(page.replace("<loc>", "<loc>\u0001\u0002"), { issues: 0 });
  expect(sitemap.issues).toHaveLength(0);
  expect(sitemap.issueCount).toBeGreaterThan(0);
});
