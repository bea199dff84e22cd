/**
 * A site of any size that changes a little, for measuring syncs: ordinary URLs, dates with times, an index with
 * dates, gzip files, ETags. A process of its own; `POST /change` edits one page in a thousand, in two sitemaps.
 * What it sent and was asked is at `/counts`.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

const [sitemapCount = 50, pagesPerSitemap = 20_000] = process.argv.slice(2).map(Number);

const WORDS = `steel kitchen garden summer winter classic modern wooden leather cotton running travel
family outdoor digital portable vintage compact premium folding electric wireless organic natural ceramic
bamboo kettle chair table lamp jacket boots guide review history recipes repair design story report museum
island valley river harbour market station castle bridge forest`.split(/\s+/);
const SECTIONS = ["products", "blog", "guides", "news", "places", "recipes", "support", "stories"];

/** The same site each time. */
function random(seed) {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 12)) >>> 0) % below;
  };
}

const port = await new Promise((resolve) => {
  const server = createServer(answer).listen(0, "127.0.0.1", () => resolve(server.address().port));
});
const origin = `http://127.0.0.1:${port}`;
const counts = { requests: 0, bytes: 0 };
/** Which sitemaps were edited, and when. */
const editions = new Map();
const bodies = new Map();

function urlset(number) {
  const next = random(number + 1);
  const edition = editions.get(number) ?? 0;
  const changed = edition === 0 ? 0 : (sitemapCount * pagesPerSitemap) / 1000 / 2;
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`;
  for (let page = 0; page < pagesPerSitemap; page++) {
    const words = Array.from({ length: 3 + next(3) }, () => WORDS[next(WORDS.length)]).join("-");
    const id = number * pagesPerSitemap + page;
    const isEdited = page < changed;
    const date = new Date(Date.UTC(2024, 0, 1) + next(6e7) * 1000 + (isEdited ? edition * 1000 : 0));
    text +=
      `  <url>\n    <loc>${origin}/${SECTIONS[next(SECTIONS.length)]}/${words}-${id}</loc>\n` +
      `    <lastmod>${date.toISOString().slice(0, 19)}+00:00</lastmod>\n  </url>\n`;
  }
  return `${text}</urlset>\n`;
}

function bodyOf(number) {
  let body = bodies.get(number);
  if (body === undefined) {
    const packed = gzipSync(urlset(number), { level: 1 });
    body = { packed, etag: `"${createHash("sha1").update(packed).digest("hex")}"` };
    bodies.set(number, body);
  }
  return body;
}

function index() {
  const items = Array.from({ length: sitemapCount }, (_, number) => {
    const day = new Date(Date.UTC(2026, 0, 1 + (editions.get(number) ?? 0))).toISOString().slice(0, 10);
    return `<sitemap><loc>${origin}/sitemap-${number}.xml.gz</loc><lastmod>${day}</lastmod></sitemap>\n`;
  });
  return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${items.join("")}</sitemapindex>`;
}

function answer(request, response) {
  const send = (status, body = "") => {
    counts.requests++;
    counts.bytes += body.length;
    response.writeHead(status).end(body);
  };
  if (request.url === "/counts") {
    response.end(JSON.stringify(counts));
    counts.requests = counts.bytes = 0;
  } else if (request.url === "/change") {
    for (const number of [3, Math.min(17, sitemapCount - 1)]) {
      editions.set(number, (editions.get(number) ?? 0) + 1);
      bodies.delete(number);
      bodyOf(number);
    }
    response.end();
  } else if (request.url === "/robots.txt") send(200, `Sitemap: ${origin}/sitemap_index.xml\n`);
  else if (request.url === "/sitemap_index.xml") send(200, index());
  else {
    const number = /^\/sitemap-(\d+)\.xml\.gz$/.exec(request.url)?.[1];
    if (number === undefined) return send(404);
    const { packed, etag } = bodyOf(Number(number));
    response.setHeader("etag", etag);
    if (request.headers["if-none-match"] === etag) send(304);
    else send(200, packed);
  }
}

for (let number = 0; number < sitemapCount; number++) bodyOf(number);
console.log(`${origin}/`);
