/**
 * A site of 80,356 pages in 23 sitemaps, computed without chance, so that its screens never change. Like other
 * large sites it has an index, sitemaps by year and by language, gzip, images, news, a feed, a missing sitemap and
 * a truncated one.
 */
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

const NAMESPACES = [
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
].join(" ");
const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pl"];
const DAY_MS = 86_400_000;
/** All dates are between these, so none is in the future. */
const FIRST_DAY = Date.UTC(2021, 0, 1) / DAY_MS;
const LAST_DAY = Date.UTC(2026, 9, 31) / DAY_MS;

/** @param {number} day */
const dateOf = (day) => new Date(Math.floor(day) * DAY_MS).toISOString().slice(0, 10);

/**
 * A number from 0 to 1 that looks like chance (Knuth's multiplicative hash).
 *
 * @param {number} i
 */
const chance = (i) => ((i * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;

/**
 * Maps 0 to 1 onto 0 to 1 in order, faster and slower in turns, so that the dates have seasons.
 *
 * @param {number} part
 * @param {number} seasons how many there are between 0 and 1
 * @param {number} strength 0 for none, below 1
 */
const seasonal = (part, seasons, strength) =>
  part + (strength * Math.sin(2 * Math.PI * seasons * part)) / (2 * Math.PI * seasons);

/**
 * @param {number} count
 * @param {(i: number) => string} entry
 */
function urlset(count, entry) {
  const entries = Array.from({ length: count }, (_, i) => `<url>${entry(i)}</url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACES}>\n${entries.join("")}</urlset>\n`;
}

/**
 * @param {string} base `https://www.example.com`
 * @returns {Map<string, string | Buffer>} path → document
 */
function documents(base) {
  /** @type {Map<string, string | Buffer>} */
  const files = new Map();
  /** @type {[path: string, lastmod: string][]} */
  const children = [];
  /**
   * @param {string} path
   * @param {string} lastmod
   * @param {string | Buffer} body
   */
  const add = (path, lastmod, body) => {
    files.set(path, body);
    children.push([path, lastmod]);
  };

  for (const [at, count] of [7100, 6900, 7000, 6800, 7062, 5900].entries()) {
    const year = 2021 + at;
    const from = Date.UTC(year, 0, 1) / DAY_MS;
    const days = (year === 2026 ? LAST_DAY + 1 : Date.UTC(year + 1, 0, 1) / DAY_MS) - from;
    const entry = (/** @type {number} */ i) =>
      `<loc>${base}/news/${year}/story-${i + 1}</loc><lastmod>${dateOf(from + days * seasonal(i / count, 2, 0.4))}</lastmod>`;
    add(`/news-${year}.xml`, year === 2026 ? "2026-10-31" : `${year}-12-31`, urlset(count, entry));
  }
  add("/news-latest.xml", "2026-10-31", latestNews(base));
  for (const [at, count] of [5500, 5500, 5500, 5500, 3333].entries()) {
    const entry = (/** @type {number} */ i) => {
      const id = at * 5500 + i;
      const url = `${base}/products/${id + 1000}`;
      const day = LAST_DAY - (LAST_DAY - FIRST_DAY) * chance(id) ** 3;
      // Three URLs are not escaped.
      const query = i === 41 && at < 3 ? "?colour=red&size=4" : "";
      return `<loc>${url}${query}</loc><lastmod>${dateOf(day)}</lastmod><image:image><image:loc>${url}.jpg</image:loc></image:image>`;
    };
    // Stored, not compressed, so that its size is the same with every zlib.
    add(`/products-${at + 1}.xml.gz`, "2026-10-30", gzipSync(urlset(count, entry), { level: 0 }));
  }
  for (const [at, language] of LANGUAGES.entries()) {
    const count = at === 0 ? 1221 : 1217;
    const entry = (/** @type {number} */ i) => {
      const links = LANGUAGES.map(
        (other) =>
          `<xhtml:link rel="alternate" hreflang="${other}" href="${base}/docs/${other}/chapter-${i + 1}"/>`,
      );
      return `<loc>${base}/docs/${language}/chapter-${i + 1}</loc><lastmod>2026-03-16</lastmod>${links.join("")}`;
    };
    add(`/docs-${language}.xml`, "2026-03-16", urlset(count, entry));
  }
  const events = urlset(
    2617,
    (i) =>
      `<loc>${base}/events/${i + 1}</loc><lastmod>${dateOf(FIRST_DAY + (LAST_DAY - FIRST_DAY) * seasonal(chance(i + 7), 6, 0.7))}</lastmod>`,
  );
  add("/events.xml", "2026-10-28", events.replace("</urlset>\n", `<url><loc>${base}/eve`));
  children.push(["/archive.xml", "2020-12-31"]);
  const help = urlset(1106 + 276, (i) => `<loc>${base}${i < 276 ? `/page-${i + 1}` : `/help/${i}`}</loc>`);
  add("/help.xml", "2026-09-02", help);
  files.set("/blog/feed", feed(base));

  const list = children.map(
    ([path, lastmod]) => `<sitemap><loc>${base}${path}</loc><lastmod>${lastmod}</lastmod></sitemap>\n`,
  );
  files.set("/sitemap_index.xml", `<sitemapindex ${NAMESPACES}>\n${list.join("")}</sitemapindex>\n`);
  const robots = [
    "User-agent: *",
    "Disallow: /cart/",
    "Disallow: /*?session=",
    "Allow: /cart/help",
    "Crawl-delay: 1",
    "",
    "User-agent: GPTBot",
    "User-agent: CCBot",
    "Disallow: /",
    "",
    `Sitemap: ${base}/sitemap_index.xml`,
    `Sitemap: ${base}/blog/feed`,
    "",
  ];
  files.set("/robots.txt", robots.join("\n"));
  return files;
}

/**
 * The changes of the next day: three new stories, two edited ones, and a removed page.
 *
 * @param {string} base
 * @param {ReadonlyMap<string, string | Buffer>} files
 * @returns {Map<string, string | Buffer>}
 */
function nextDay(base, files) {
  const entry = (/** @type {number} */ story, day = "2026-11-01") =>
    `<url><loc>${base}/news/2026/story-${story}</loc><lastmod>${day}</lastmod></url>\n`;
  const text = (/** @type {string} */ path) => String(files.get(path));
  const news = text("/news-2026.xml")
    .replace(entry(5899, "2026-10-31"), entry(5899))
    .replace(entry(5900, "2026-10-31"), entry(5900))
    .replace("</urlset>", `${[5901, 5902, 5903].map((story) => entry(story)).join("")}</urlset>`);
  const gone = `<url><loc>${base}/help/1381</loc></url>\n`;
  const index = text("/sitemap_index.xml").replace(
    /(news-2026\.xml|help\.xml)(<\/loc><lastmod>)[\d-]+/g,
    "$1$22026-11-01",
  );
  return new Map([
    ["/news-2026.xml", news],
    ["/help.xml", text("/help.xml").replace(gone, "")],
    ["/sitemap_index.xml", index],
  ]);
}

/** @param {string} base */
function latestNews(base) {
  return urlset(412, (i) => {
    const url = `${base}/news/2026/latest-${i + 1}`;
    const day = dateOf(LAST_DAY - i / 200);
    const publication =
      "<news:publication><news:name>Example News</news:name><news:language>en</news:language></news:publication>";
    const title = `<news:title>Headline number ${i + 1}</news:title>`;
    const news = `${publication}<news:publication_date>${day}</news:publication_date>${title}`;
    return `<loc>${url}</loc><lastmod>${day}</lastmod><news:news>${news}</news:news>`;
  });
}

/** @param {string} base */
function feed(base) {
  const items = Array.from({ length: 1327 }, (_, i) => {
    const date = new Date((FIRST_DAY + (LAST_DAY - FIRST_DAY) * ((i + 1) / 1327) ** 0.6) * DAY_MS);
    return `<item><title>Post ${i + 1}</title><link>${base}/blog/post-${i + 1}</link><pubDate>${date.toUTCString()}</pubDate></item>\n`;
  });
  return `<rss version="2.0"><channel><title>Blog</title>\n${items.join("")}</channel></rss>\n`;
}

/**
 * @typedef {object} LargeSite
 * @property {import("node:http").Server} server
 * @property {boolean} isNextDay
 * @property {string | undefined} heldPath only the first half of this document is sent
 */

/**
 * @param {string} base
 * @returns {LargeSite}
 */
export function createLargeSite(base) {
  const files = documents(base);
  const changed = nextDay(base, files);
  const server = createServer(({ url = "" }, response) => {
    const body = (site.isNextDay ? changed.get(url) : undefined) ?? files.get(url);
    if (body === undefined) response.writeHead(404).end();
    else if (url === site.heldPath) response.write(body.slice(0, body.length / 2));
    else response.end(body);
  });
  /** @type {LargeSite} */
  const site = { server, isNextDay: false, heldPath: undefined };
  return site;
}
