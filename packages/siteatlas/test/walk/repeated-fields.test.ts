/** A second lastmod, changefreq or priority in one entry is reported, and the first one is used. */
import { expect, it } from "vitest";
import { sitemapTree } from "../../src/tree/tree.ts";
import { openSite } from "../support/test-site.ts";

const ENTRY = `<loc>https://example.com/a</loc>
<lastmod>2024-01-01</lastmod><lastmod>2025-01-01</lastmod>
<changefreq>daily</changefreq><changefreq>daily</changefreq>
<priority>0.4</priority><priority/><priority>0.9</priority>`;

it("reports a field that occurs twice, with its name and line", async () => {
  const site = await openSite(() => ({ "/a.xml": `<urlset>\n<url>${ENTRY}</url>\n</urlset>` }));
  const { pages, issues } = await sitemapTree(`${site.url}/a.xml`);
  expect(pages.at(0)).toMatchObject({
    lastModified: { text: "2024-01-01" },
    changeFrequency: "daily",
    priority: 0.4,
  });
  const repeated = issues.filter(({ code }) => code === "entry.repeated-field");
  expect(repeated.map(({ value, line }) => `${value} ${line}`)).toEqual([
    "lastmod 3",
    "changefreq 4",
    "priority 5",
  ]);
});

it("reports it for the entries of an index, and not across entries", async () => {
  const entry = (name: string): string =>
    `<sitemap><loc>https://example.com/${name}</loc><lastmod>2024-01-01</lastmod></sitemap>`;
  const twice = entry("b").replace("</sitemap>", "<lastmod>2025-01-01</lastmod></sitemap>");
  const site = await openSite(() => ({
    "/a.xml": `<sitemapindex>${entry("a")}${twice}${entry("c")}</sitemapindex>`,
  }));
  const { issues } = await sitemapTree(`${site.url}/a.xml`, { recurseListCallback: () => [] });
  expect(issues.filter(({ code }) => code === "entry.repeated-field")).toHaveLength(1);
});
