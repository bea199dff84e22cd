/**
 * Small sites on loopback, each at its own address: a robots.txt with one line, and a sitemap with a given number of
 * pages. It runs as a separate process, so that its cost is not measured. Prints its port.
 */
import { createServer } from "node:http";

const [sites, pages] = process.argv.slice(2).map(Number);

export const addressOf = (site) => `127.${100 + (site >> 16)}.${(site >> 8) & 255}.${site & 255}`;

const server = createServer({ keepAliveTimeout: 2000 }, (request, response) => {
  const origin = `http://${request.headers.host}`;
  if (request.url === "/robots.txt") response.end(`Sitemap: ${origin}/sitemap.xml\n`);
  else if (request.url === "/sitemap.xml") {
    const list = Array.from(
      { length: pages },
      (_, page) => `<url><loc>${origin}/articles/page-${page}.html</loc></url>`,
    );
    response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${list.join("")}</urlset>`);
  } else response.writeHead(404).end();
});

if (sites > 0) {
  // Listens on all addresses, because each site has another loopback address.
  server.listen(0, "0.0.0.0", () => console.log(server.address().port));
}
