/** A site with one sitemap and pages of 8 kB, in a process of its own. Prints its URL. Argument: the number of pages. */
import { createServer } from "node:http";

const count = Number(process.argv[2]);
const filler = "<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>\n".repeat(120);
const server = createServer((request, response) => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const [, number] = /^\/page-(\d+)$/.exec(request.url) ?? [];
  if (request.url === "/robots.txt") response.end(`Sitemap: ${base}/sitemap.xml\n`);
  else if (request.url === "/sitemap.xml") {
    const entries = Array.from({ length: count }, (_, page) => `<url><loc>${base}/page-${page}</loc></url>`);
    response.setHeader("content-type", "application/xml");
    response.end(
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("\n")}</urlset>`,
    );
  } else if (number === undefined) {
    response.statusCode = 404;
    response.end();
  } else {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      `<!doctype html><html lang="en"><head><title>Page ${number}</title><link rel="canonical" href="${base}/page-${number}"></head><body><h1>Page ${number}</h1>${filler}</body></html>`,
    );
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
