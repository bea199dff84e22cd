/**
 * A site of 75 sitemaps and 2.6 million URLs, made on the fly and sent with gzip, for measuring the
 * stream and the tree: `node bench/site/large-site.mjs [port]`. Prints its address when it listens.
 */
import { createServer } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";

const SITEMAPS = Number(process.env.SITEMAPS ?? 75);
const PAGES = Math.ceil(2_600_000 / 75);
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const FREQUENCIES = ["daily", "weekly", "monthly"];

let requests = 0;

function* urlset(origin, sitemap) {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACE}>\n`;
  let part = "";
  for (let i = 0; i < PAGES; i++) {
    const section = `section-${(i * 7) % 41}`;
    const day = String(1 + ((i * 13) % 28)).padStart(2, "0");
    const hour = String((i * 5) % 24).padStart(2, "0");
    part +=
      `  <url>\n    <loc>${origin}/${section}/article-${sitemap}-${i}-words-in-a-slug</loc>\n` +
      `    <lastmod>2024-0${1 + (i % 9)}-${day}T${hour}:04:05+00:00</lastmod>\n` +
      `    <changefreq>${FREQUENCIES[i % 3]}</changefreq>\n    <priority>0.${i % 10}</priority>\n  </url>\n`;
    if (part.length > 60_000) {
      yield part;
      part = "";
    }
  }
  yield `${part}</urlset>\n`;
}

function send(response, parts) {
  pipeline(Readable.from(parts), createGzip({ level: 1 }), response, () => {});
}

const server = createServer((request, response) => {
  const origin = `http://${request.headers.host}`;
  if (request.url === "/__requests") return response.end(String(requests));
  requests++;
  if (request.url === "/robots.txt") return response.end(`Sitemap: ${origin}/index.xml\n`);
  if (request.url === "/index.xml") {
    const children = Array.from(
      { length: SITEMAPS },
      (_, i) => `<sitemap><loc>${origin}/s/${i}.xml.gz</loc></sitemap>`,
    );
    return response.end(`<sitemapindex ${NAMESPACE}>${children.join("\n")}</sitemapindex>`);
  }
  const match = /^\/s\/(\d+)\.xml\.gz$/.exec(request.url);
  if (match === null) {
    response.statusCode = 404;
    return response.end();
  }
  response.setHeader("content-type", "application/gzip");
  send(response, urlset(origin, match[1]));
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
