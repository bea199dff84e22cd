/**
 * The sites of the soak test: hostile ones, one of each kind that could leak something (a socket, a timer, a
 * buffer, a decompressor), and ordinary ones, which must be read completely at the same time.
 */
import type { Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Stage } from "./case.ts";
import {
  drip,
  forever,
  httpHead,
  httpResponse,
  pour,
  type RawBehaviour,
  sitemapIndex,
  urlset,
} from "./raw-server.ts";

export interface SoakSite {
  readonly name: string;
  readonly url: string;
  /** Expected number of pages of an ordinary site. */
  readonly pages?: number;
}

const ENTRY = "<url><loc>http://www.example.com/a</loc></url>\n";
const LAUGHS = `<!DOCTYPE urlset [<!ENTITY a "lol"><!ENTITY b "${"&a;".repeat(100)}">]>`;

const sends =
  (...parts: readonly (string | Uint8Array)[]): RawBehaviour =>
  (socket) =>
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));

/** Sends the head, then generated chunks, as fast as they are read. */
const pours =
  (pieces: (socket: Socket) => Iterable<string | Uint8Array>, headers = {}): RawBehaviour =>
  (socket) => {
    socket.write(httpHead(headers));
    return pour(socket, pieces(socket));
  };

const redirects =
  (make: (path: string) => string): RawBehaviour =>
  (socket, { path }) =>
    socket.write(httpResponse("", { location: make(path) }, "302 Found"));

/**
 * The response to each request except robots.txt, which lists `/sitemap.xml`. Created only in the servers'
 * process.
 */
function hostileSites(): Readonly<Record<string, RawBehaviour>> {
  const blanks = Buffer.alloc(20 * 1024 * 1024, " ");
  const [gzipBomb, brotliBomb] = [gzipSync(blanks), brotliCompressSync(blanks)];
  return {
    silent: () => {},
    "half a head": (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Ty"),
    "drips its head": (socket) => drip(socket, "HTTP/1.1 200 OK\r\n".repeat(100), 20),
    "103 without end": (socket) => pour(socket, forever("HTTP/1.1 103 Early Hints\r\n\r\n")),
    "102 now and then": (socket) => drip(socket, forever("HTTP/1.1 102 Processing\r\n\r\n"), 100),
    "headers without end": (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      return pour(socket, forever(`X-Y: ${"z".repeat(1000)}\r\n`));
    },
    "drips its body": (socket) => {
      socket.write(httpHead({ "content-length": "100000" }));
      return drip(socket, forever("<"), 20);
    },
    "stops in its body": (socket) =>
      socket.write(Buffer.concat([httpHead({ "content-length": "100000" }), Buffer.from(urlset(50))])),
    "body without end": pours(() => forever(ENTRY.repeat(100))),
    "breaks off": (socket) => {
      socket.write(Buffer.concat([httpHead({ "content-length": "100000" }), Buffer.from(urlset(50))]), () =>
        socket.resetAndDestroy(),
      );
    },
    "closes at once": (socket) => socket.destroy(),
    garbage: sends(Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256))),
    "bad chunks": sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"),
    "gzip bomb": sends(httpHead({ "content-encoding": "gzip" }), gzipBomb),
    "brotli bomb": sends(httpHead({ "content-encoding": "br" }), brotliBomb),
    "gzip file, cut": sends(httpHead(), gzipSync(urlset(5000)).subarray(0, 3000)),
    "brotli, broken": sends(httpHead({ "content-encoding": "br" }), brotliBomb.subarray(0, 10), "xxxxxxxxxx"),
    "redirects to itself": redirects((path) => path),
    "redirects ever on": redirects((path) => `${path}x`),
    "redirects to where it must not": redirects(() => "http://10.0.0.1/"),
    "asks to wait": (socket) => socket.write(httpResponse("", { "retry-after": "0" }, "503 Busy")),
    "is never there": (socket) => socket.write(httpResponse("", {}, "500 No")),
    "index trap": (socket, { path, headers: { host } }) =>
      socket.write(httpResponse(sitemapIndex([0, 1, 2].map((n) => `http://${host}${path}${n}`)))),
    "dead children": (socket, { path, headers: { host } }) =>
      path === "/sitemap.xml"
        ? socket.write(
            httpResponse(sitemapIndex(Array.from({ length: 2000 }, (_, n) => `http://${host}/${n}`))),
          )
        : socket.write(httpResponse("", {}, "404 No")),
    "children elsewhere": (socket) =>
      socket.write(
        httpResponse(
          sitemapIndex(Array.from({ length: 2000 }, (_, n) => `http://10.0.${n >> 8}.${n & 255}/`)),
        ),
      ),
    "deep XML": (socket) => socket.write(httpResponse(`<urlset>${"<a>".repeat(50_000)}`)),
    laughs: (socket) => socket.write(httpResponse(`${LAUGHS}<urlset><url><loc>/&b;</loc></url></urlset>`)),
    "broken a million times": (socket) =>
      socket.write(httpResponse(`<urlset>${"</x>&y;".repeat(50_000)}</urlset>`)),
  };
}

const PAGES = 2000;

/** Bodies of `/sitemap.xml`, all with the same number of pages. */
const HONEST: Readonly<Record<string, () => Uint8Array>> = {
  xml: () => Buffer.from(urlset(PAGES)),
  gzip: () => gzipSync(urlset(PAGES)),
  text: () => Buffer.from(Array.from({ length: PAGES }, (_, n) => `http://www.example.com/${n}\n`).join("")),
  "utf-16": () => Buffer.from(`\ufeff${urlset(PAGES).replace("UTF-8", "UTF-16")}`, "utf16le"),
  rss: () =>
    Buffer.from(
      `<rss version="2.0"><channel>${Array.from(
        { length: PAGES },
        (_, n) => `<item><link>http://www.example.com/${n}</link><title>${n}</title></item>`,
      ).join("")}</channel></rss>`,
    ),
};

/** Opens all sites. Each has its own address, so that they share no request slots. */
export async function openSites(stage: Stage): Promise<SoakSite[]> {
  const sites: SoakSite[] = [];
  let count = 0;
  const nextAddress = (): string => `127.0.1.${++count}`;
  for (const [name, behave] of Object.entries(hostileSites())) {
    sites.push({ name, url: await stage.raw(behave, { address: nextAddress() }) });
  }
  sites.push({
    name: "robots.txt without end",
    url: await stage.raw(
      pours(() => forever("Disallow: /x\n".repeat(100))),
      { robots: false, address: nextAddress() },
    ),
  });
  for (const [name, make] of Object.entries(HONEST)) {
    const body = make();
    const url = await stage.http({ "/sitemap.xml": { body } }, { address: nextAddress() });
    sites.push({ name: `honest ${name}`, url, pages: PAGES });
  }
  const index = await stage.http(
    ({ url = "", headers: { host } }, response) => {
      if (url === "/robots.txt") return response.end(`Sitemap: http://${host}/sitemap.xml\n`);
      if (url === "/sitemap.xml") {
        return response.end(sitemapIndex(Array.from({ length: 20 }, (_, n) => `http://${host}/${n}`)));
      }
      if (!/^\/\d+$/.test(url)) return response.writeHead(404).end();
      return response.end(urlset(PAGES / 20, `http://${host}${url}`));
    },
    { address: nextAddress() },
  );
  sites.push({ name: "ordinary index", url: index, pages: PAGES });
  return sites;
}
