/** Sitemaps and feeds as most generators write them, on one line and indented. */

const entries = [1, 2, 3, 4] as const;

const page = (n: number): string => `https://www.example.com/p${n}?a=1&amp;b=${n}`;

function write(blank: string): string[] {
  const join = (parts: readonly string[]): string => parts.join(blank);
  const each = (entry: (n: number) => readonly string[]): string => join(entries.map((n) => join(entry(n))));
  return [
    join([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      each((n) => [
        "<url>",
        `<loc>${page(n)}</loc>`,
        `<lastmod>2024-01-0${n}</lastmod>`,
        "<changefreq>daily</changefreq>",
        `<priority>0.${n}</priority>`,
        "</url>",
      ]),
      "</urlset>",
    ]),
    join([
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
      each((n) => [
        "<url>",
        `<loc>${page(n)}</loc>`,
        `<image:image><image:loc>https://www.example.com/i${n}.jpg</image:loc><image:title>A &amp; B</image:title></image:image>`,
        `<xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/de/${n}"/>`,
        "</url>",
      ]),
      "</urlset>",
    ]),
    join([
      "<?xml version='1.0'?>",
      '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      each((n) => [
        "<sitemap>",
        `<loc><![CDATA[https://www.example.com/s${n}.xml?a=1&b]]></loc>`,
        `<lastmod>2024-01-0${n}T03:04:05Z</lastmod>`,
        "</sitemap>",
      ]),
      "</sitemapindex>",
    ]),
    join([
      '<?xml version="1.0"?>',
      '<rss version="2.0"><channel>',
      "<title>News</title>",
      "<link>https://no.example/</link>",
      each((n) => [
        "<item>",
        `<title>Item ${n}</title>`,
        `<link>${page(n)}</link>`,
        `<guid isPermaLink="false">${n}</guid>`,
        "<description><![CDATA[<p>more</p>]]></description>",
        `<enclosure url="https://www.example.com/${n}.mp3" type="audio/mpeg"/>`,
        "</item>",
      ]),
      "</channel></rss>",
    ]),
    join([
      '<feed xmlns="http://www.w3.org/2005/Atom">',
      "<title>News</title>",
      '<link rel="self" href="https://no.example/"/>',
      each((n) => [
        "<entry>",
        `<title>Entry ${n}</title>`,
        `<link rel="alternate" type='text/html' href="${page(n)}"/>`,
        `<id>tag:no.example,2024:${n}</id>`,
        "<updated>2024-01-02T03:04:05Z</updated>",
        '<content type="html">&lt;p></content>',
        "</entry>",
      ]),
      "</feed>",
    ]),
  ];
}

const encoder = new TextEncoder();

export const usualDocuments: readonly Uint8Array[] = [...write(""), ...write("\n  ")].map((text) =>
  encoder.encode(text),
);
