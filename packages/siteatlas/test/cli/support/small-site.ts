/** A small site: an index, news, gzip, a feed, a missing sitemap and a truncated one. */
import { gzipSync } from "node:zlib";
import {
  openSite,
  robotsTxt,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../../support/test-site.ts";

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"';

/** Pages are below `/posts/`, `/shop/`, `/de/` and `/news/`; all URLs are within the path of their sitemap. */
function smallSiteRoutes(base: string): SiteRoutes {
  const posts = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${NAMESPACES}>
<url><loc>${base}/posts/first</loc><lastmod>2024-01-05</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>
<url><loc>${base}/posts/second</loc><lastmod>2024-10-20T10:00:00Z</lastmod></url>
<url><loc>${base}/posts/old.pdf</loc><lastmod>2019</lastmod></url>
</urlset>`;
  const news = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${NAMESPACES}>
<url><loc>${base}/news/today</loc><news:news><news:publication><news:name>The Site</news:name><news:language>de</news:language></news:publication><news:publication_date>2024-11-01</news:publication_date><news:title>=Today, "now"</news:title></news:news></url>
</urlset>`;
  const shop = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${NAMESPACES}>
<url><loc>${base}/shop/a</loc><xhtml:link rel="alternate" hreflang="en" href="${base}/shop/a"/><xhtml:link rel="alternate" hreflang="de" href="${base}/de/a"/><image:image><image:loc>${base}/a.jpg</image:loc></image:image></url>
<url><loc>${base}/de/a</loc><xhtml:link rel="alternate" hreflang="en" href="${base}/shop/a"/><xhtml:link rel="alternate" hreflang="de" href="${base}/de/a"/></url>
<url><loc>${base}/posts/first</loc></url>
</urlset>`;
  return {
    "/robots.txt": robotsTxt([`${base}/index.xml`, `${base}/news.xml`], "Disallow: /admin/\nCrawl-delay: 2"),
    "/index.xml": sitemapIndex([
      [`${base}/posts.xml`, "2024-10-20"],
      `${base}/shop.xml.gz`,
      `${base}/gone.xml`,
      `${base}/cut.xml`,
    ]),
    "/posts.xml": posts,
    "/news.xml": news,
    // Stored, not compressed, so that its size does not depend on the port.
    "/shop.xml.gz": { headers: { "content-type": "application/gzip" }, body: gzipSync(shop, { level: 0 }) },
    "/cut.xml": urlset([`${base}/posts/third`]).replace("</urlset>", "<url><lo"),
    "/sitemap.txt": `${base}/plain/1\n${base}/plain/2\n`,
  };
}

export function openSmallSite(): Promise<TestSite> {
  return openSite((base) => smallSiteRoutes(base));
}

/** Its pages, each as often as it is listed. */
export const SMALL_SITE_PAGES: readonly string[] = [
  "/posts/first",
  "/posts/second",
  "/posts/old.pdf",
  "/shop/a",
  "/de/a",
  "/posts/first",
  "/posts/third",
  "/news/today",
  "/plain/1",
  "/plain/2",
];
