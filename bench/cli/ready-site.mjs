/**
 * A site of 75 sitemaps with 34,667 pages each, for measuring who reads it: every answer is ready before the
 * first request, gzipped, so that none of the time is the server's. `node bench/cli/ready-site.mjs` prints its
 * address when it listens. All sitemaps hold the same pages.
 */
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

const SITEMAPS = 75;
const PAGES = Math.ceil(2_600_000 / SITEMAPS);
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

const answers = new Map();
const server = createServer(({ url }, response) => {
  const answer = answers.get(/^\/s\/\d+\.xml\.gz$/.test(url) ? "sitemap" : url);
  response.statusCode = answer === undefined ? 404 : 200;
  response.end(answer);
});
server.listen(0, "127.0.0.1", () => {
  const origin = `http://127.0.0.1:${server.address().port}`;
  const children = Array.from(
    { length: SITEMAPS },
    (_, i) => `<sitemap><loc>${origin}/s/${i}.xml.gz</loc></sitemap>`,
  );
  const pages = Array.from({ length: PAGES }, (_, i) => {
    const day = String(1 + (i % 28)).padStart(2, "0");
    return `<url><loc>${origin}/section-${i % 41}/article-${i}-words-in-a-slug</loc><lastmod>2024-05-${day}T10:04:05+00:00</lastmod></url>`;
  });
  answers.set("/robots.txt", `Sitemap: ${origin}/index.xml\n`);
  answers.set("/index.xml", `<sitemapindex ${NAMESPACE}>${children.join("\n")}</sitemapindex>`);
  answers.set("sitemap", gzipSync(`<urlset ${NAMESPACE}>\n${pages.join("\n")}\n</urlset>\n`));
  console.log(`${origin}/`);
});
