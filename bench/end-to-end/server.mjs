/**
 * The sites that are measured, on loopback, in a process of its own. HTTP/1.1 by hand, GET and HEAD with
 * keep-alive: nothing but a look at the request line and a copy of bytes that were there before, so that it is
 * never the server that is measured. The bench asks by messages: open a site, say how many were asked for.
 */
import { createServer } from "node:net";
import { gunzipSync } from "node:zlib";
import { hostTemplate, keptSitemaps, makeSitemaps, sitemapIndex } from "./bodies.mjs";
import { addresses } from "./small-hosts.mjs";

const NOT_FOUND = {
  head: "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n",
  body: Buffer.from("Not found"),
};

let requests = 0;
let sentBytes = 0;
let connections = 0;
/** By path and number; of one host, as all others are asked the same. */
const asked = new Map();

function page(contentType, body) {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return { head, body: bytes };
}

/** Calls `answer(path, host)` for each request, in order; what it gives is sent after `latencyMs`. */
function listen(port, latencyMs, answer, host = "127.0.0.1") {
  const server = createServer({ noDelay: true }, (socket) => {
    let text = "";
    connections++;
    socket.setEncoding("latin1");
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      text += chunk;
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const request = text.slice(0, end);
        text = text.slice(end + 4);
        if (latencyMs > 0) setTimeout(respond, latencyMs, socket, request, answer);
        else respond(socket, request, answer);
      }
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: 4096 }, () => resolve(server));
  });
}

function respond(socket, request, answer) {
  if (socket.destroyed) return;
  const path = request.slice(request.indexOf(" ") + 1, request.indexOf(" HTTP/"));
  const host = /\r\nhost: *([^\r]*)/i.exec(request)?.[1] ?? "";
  requests++;
  const { head, body } = answer(path, host) ?? NOT_FOUND;
  sentBytes += body.length;
  socket.cork();
  socket.write(head, "latin1");
  if (!request.startsWith("HEAD ")) socket.write(body);
  socket.uncork();
  if (/\r\nconnection: *close/i.test(request)) socket.end();
}

/** One site with many large sitemaps; how many, and whether compressed, is told before each run. */
async function openLarge({ port, bodies, pages, isKept }) {
  const origin = `http://127.0.0.1:${port}`;
  const packed = (isKept ? keptSitemaps : makeSitemaps)(origin, bodies, pages);
  const gzip = packed.map((bytes) => page("application/gzip", bytes));
  const plain = [];
  let index;
  const show = ({ count, isGzip }) => {
    index = page("application/xml", sitemapIndex(origin, count, isGzip ? ".xml.gz" : ".xml"));
    if (isGzip) return;
    for (let i = plain.length; i < Math.min(count, bodies); i++)
      plain.push(page("application/xml", gunzipSync(packed[i])));
  };
  const robots = page("text/plain", `Sitemap: ${origin}/index.xml\n`);
  await listen(port, 0, (path) => {
    if (path === "/robots.txt") return robots;
    if (path === "/index.xml") return index;
    const [, number, ending] = /^\/sitemap-(\d+)\.xml(\.gz)?$/.exec(path) ?? [];
    // Sites of more sitemaps than were made give them again, under other names.
    return number === undefined ? undefined : (ending ? gzip : plain)[Number(number) % bodies];
  });
  const bytes = packed.reduce((sum, { length }) => sum + length, 0);
  return { origin, show, facts: { bytes, decodedBytes: gunzipSync(packed[0]).length * bodies } };
}

/** Many sites, told apart by their names, each with some small sitemaps. */
async function openSmall({ port, hostLength, sitemaps, pages, latencyMs }) {
  const fills = Array.from({ length: sitemaps }, (_, i) => hostTemplate(hostLength, i, pages));
  let first;
  const answer = (path, host) => {
    first ??= host;
    if (host === first) asked.set(path, (asked.get(path) ?? 0) + 1);
    if (path === "/robots.txt") {
      const lines = fills.map((_, i) => `Sitemap: http://${host}/sitemap-${i}.xml\n`);
      return page("text/plain", lines.join(""));
    }
    const [, number] = /^\/sitemap-(\d+)\.xml$/.exec(path) ?? [];
    return number === undefined ? undefined : page("application/xml", fills[number](host));
  };
  for (const address of addresses) await listen(port, latencyMs, answer, address);
  return { origin: `http://127.0.0.1:${port}`, show() {}, facts: {} };
}

const kinds = { large: openLarge, small: openSmall };
const sites = new Map();

const questions = {
  async open({ name, kind, ...details }) {
    const site = await kinds[kind](details);
    sites.set(name, site);
    return { origin: site.origin, ...site.facts };
  },
  show({ name, ...shown }) {
    sites.get(name).show(shown);
    return {};
  },
  /** Since the last time. */
  take() {
    const taken = { requests, sentBytes, connections, paths: [...asked.keys()] };
    requests = 0;
    sentBytes = 0;
    connections = 0;
    return taken;
  },
};

process.on("message", async ({ question, ...details }) => {
  try {
    process.send({ result: await questions[question](details) });
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.on("disconnect", () => process.exit());
