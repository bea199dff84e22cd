/** Trees for the tests of saving: one of a real walk, with everything that a node can have, and any others. */
import type { IndexWebsiteSitemap, Page, Sitemap } from "../../../src/model/model.ts";
import { PageListBuilder } from "../../../src/page-list/page-list.ts";
import { sitemapTreeForHomepage } from "../../../src/tree/tree.ts";
import { openSite, robotsTxt, sitemapIndex } from "../../support/test-site.ts";

/** `/news.xml` and the index `/inner.xml` are listed twice, `/copy.xml` has the bytes of `/news.xml`. */
export async function walkSampleSite(): Promise<IndexWebsiteSitemap> {
  const news = `<urlset xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"
      xmlns:i="http://www.google.com/schemas/sitemap-image/1.1" xmlns:v="http://www.google.com/schemas/sitemap-video/1.1">
    <url><loc>https://example.com/ü?a=1&amp;b=2</loc><lastmod>2024-01-02 03:04:05</lastmod><priority>0.8</priority>
      <n:news><n:publication><n:name>Ex</n:name><n:language>en</n:language></n:publication>
        <n:publication_date>2024-01</n:publication_date><n:title>A “title” \u{1f31e}</n:title></n:news>
      <i:image><i:loc>https://example.com/a.jpg</i:loc></i:image>
      <v:video><v:title>V</v:title><v:expiration_date>2030</v:expiration_date></v:video></url>
    <url><loc>https://example.com/b</loc><lastmod>yesterday</lastmod><changefreq>daily</changefreq></url>
    <url><loc>https://example.com/b</loc></url>
  </urlset>`;
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/index.xml`, `${base}/news.xml`, `${base}/missing.xml`]),
    "/index.xml": sitemapIndex([[`${base}/news.xml`, "2024"], `${base}/inner.xml`, `${base}/copy.xml`]),
    "/inner.xml": sitemapIndex([`${base}/feed.xml`, `${base}/index.xml`, `${base}/outer.xml`]),
    "/outer.xml": sitemapIndex([`${base}/inner.xml`, `${base}/news.xml`]),
    "/news.xml": { headers: { etag: '"1"', "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" }, body: news },
    "/copy.xml": news,
    "/feed.xml": `<rss><channel><item><link>https://example.com/f</link><title>T</title>
      <pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>`,
  }));
  return sitemapTreeForHomepage(site.url, { limits: { retries: 0 } });
}

/** A website with one sitemap that has these pages. */
export function treeOf(pages: Iterable<Page>): IndexWebsiteSitemap {
  return { ...facts, kind: "index", format: "website", subSitemaps: [pagesNode(pages)], pages: listOf([]) };
}

export function pagesNode(pages: Iterable<Page>): Sitemap {
  return { ...facts, kind: "pages", format: "xml", subSitemaps: [], pages: listOf(pages) };
}

const facts = { url: "https://example.com/", issues: [], issueCount: 0, duplicateCount: 0 } as const;

function listOf(pages: Iterable<Page>) {
  const builder = new PageListBuilder();
  for (const page of pages) builder.add(page);
  return builder.finish();
}
