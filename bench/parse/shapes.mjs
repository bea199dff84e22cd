/** Documents in the shapes of common generators, as a fleet's walker sees them, one after the other. */

const ORIGIN = "https://www.example.com";
const OTHER = "https://cdn.example.net";
const SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
const NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
const XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';

const slug = (n) => `/section-${n % 17}/an-article-about-something-${n}`;
const day = (n) => `2024-0${1 + (n % 9)}-${10 + (n % 18)}`;
const time = (n) => `${day(n)}T0${n % 10}:1${n % 10}:2${n % 10}+00:00`;

function urlset(namespaces, entry, { before = "\n\t", after = "\n" } = {}) {
  return (pages) => {
    const rows = Array.from({ length: pages }, (_, n) => `${before}${entry(n)}`).join("");
    return `<?xml version="1.0" encoding="UTF-8"?>${after}<urlset ${namespaces.join(" ")}>${rows}${after}</urlset>`;
  };
}

const LANGUAGES = ["en", "de", "fr", "es", "it"];

/** @type {readonly { name: string, url: string, document: (pages: number) => string }[]} */
export const shapes = [
  {
    name: "WordPress core",
    url: `${ORIGIN}/wp-sitemap-posts-post-1.xml`,
    document: urlset([SITEMAP], (n) => `<url><loc>${ORIGIN}${slug(n)}/</loc></url>`, { before: "" }),
  },
  {
    name: "Yoast",
    url: `${ORIGIN}/post-sitemap.xml`,
    document: urlset(
      [SITEMAP, IMAGE],
      (n) => `<url>\n\t\t<loc>${ORIGIN}${slug(n)}/</loc>\n\t\t<lastmod>${time(n)}</lastmod>\n\t</url>`,
    ),
  },
  {
    name: "Shopify",
    url: `${ORIGIN}/sitemap_products_1.xml`,
    document: urlset(
      [SITEMAP, IMAGE],
      (n) =>
        `<url>\n    <loc>${ORIGIN}/products${slug(n)}</loc>\n    <lastmod>${time(n)}</lastmod>\n    <changefreq>daily</changefreq>\n    <image:image>\n      <image:loc>${OTHER}/files/${n}.jpg?v=${n}</image:loc>\n      <image:title>A thing that is number ${n}</image:title>\n      <image:caption/>\n    </image:image>\n  </url>`,
    ),
  },
  {
    name: "Next.js",
    url: `${ORIGIN}/sitemap.xml`,
    document: urlset(
      [SITEMAP],
      (n) =>
        `<url>\n<loc>${ORIGIN}${slug(n)}</loc>\n<lastmod>${day(n)}T00:00:00.000Z</lastmod>\n<changefreq>weekly</changefreq>\n<priority>0.${n % 10}</priority>\n</url>`,
      { before: "\n" },
    ),
  },
  {
    name: "Hugo, minified",
    url: `${ORIGIN}/sitemap.xml`,
    document: urlset(
      [SITEMAP, XHTML],
      (n) => `<url><loc>${ORIGIN}${slug(n)}/</loc><lastmod>${time(n)}</lastmod></url>`,
      { before: "", after: "" },
    ),
  },
  {
    name: "date only, some fields",
    url: `${ORIGIN}/sitemap.xml`,
    document: urlset([SITEMAP], (n) => {
      const rest =
        n % 3 === 0 ? "<priority>0.8</priority>" : n % 3 === 1 ? "" : "<changefreq>monthly</changefreq>";
      return `<url><loc>${ORIGIN}${slug(n)}</loc><lastmod>${day(n)}</lastmod>${rest}</url>`;
    }),
  },
  {
    name: "news",
    url: `${ORIGIN}/news-sitemap.xml`,
    document: urlset(
      [SITEMAP, NEWS],
      (n) =>
        `<url><loc>${ORIGIN}${slug(n)}</loc><news:news><news:publication><news:name>The Example</news:name><news:language>en</news:language></news:publication><news:publication_date>${time(n)}</news:publication_date><news:title>What happened on day ${n}</news:title></news:news></url>`,
    ),
  },
  {
    name: "images",
    url: `${ORIGIN}/image-sitemap.xml`,
    document: urlset(
      [SITEMAP, IMAGE],
      (n) =>
        `<url><loc>${ORIGIN}${slug(n)}</loc><lastmod>${time(n)}</lastmod><image:image><image:loc>${ORIGIN}/images/${n}-1.jpg</image:loc></image:image><image:image><image:loc>${ORIGIN}/images/${n}-2.jpg</image:loc></image:image></url>`,
    ),
  },
  {
    name: "hreflang",
    url: `${ORIGIN}/sitemap.xml`,
    document: urlset(
      [SITEMAP, XHTML],
      (n) =>
        `<url><loc>${ORIGIN}/en${slug(n)}</loc>${LANGUAGES.map((tag) => `<xhtml:link rel="alternate" hreflang="${tag}" href="${ORIGIN}/${tag}${slug(n)}"/>`).join("")}</url>`,
    ),
  },
  {
    name: "other host",
    url: `${OTHER}/sitemap.xml`,
    document: urlset(
      [SITEMAP],
      (n) => `<url><loc>${ORIGIN}${slug(n)}</loc><lastmod>${time(n)}</lastmod></url>`,
    ),
  },
  {
    name: "text",
    url: `${ORIGIN}/sitemap.txt`,
    document: (pages) => Array.from({ length: pages }, (_, n) => `${ORIGIN}${slug(n)}\n`).join(""),
  },
  {
    name: "RSS",
    url: `${ORIGIN}/feed`,
    document: (pages) =>
      `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Example</title><link>${ORIGIN}/</link>${Array.from(
        { length: pages },
        (_, n) =>
          `<item><title>What happened on day ${n}</title><link>${ORIGIN}${slug(n)}</link><pubDate>Mon, 0${1 + (n % 9)} Jan 2024 0${n % 10}:00:00 +0000</pubDate><description>Some words.</description></item>`,
      ).join("")}</channel></rss>`,
  },
];
