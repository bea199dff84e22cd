/** Hostile bodies, and time: sec-B01 to sec-B18. */
import { type HostileCase, MIB, outcomeOf, SLACK_MS } from "../case.ts";
import {
  drip,
  forever,
  httpHead,
  httpResponse,
  pour,
  type RawBehaviour,
  sitemapIndex,
  urlset,
} from "../raw-server.ts";
import { variantsOf } from "../variants.ts";

const sitemap = urlset(3);
/** Three complete entries, and no end of the document. */
const opened = sitemap.slice(0, sitemap.indexOf("</urlset>"));
const found = { outcome: "found", pageCount: 3 } as const;
const cut = { ...found, partial: true } as const;
const atOnce = { ms: 1000 };

const chunked = httpHead({ "transfer-encoding": "chunked" });
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

function* endlessUrlset(): Generator<string> {
  yield opened;
  for (let n = 0; ; n++) {
    let text = "";
    for (let m = 0; m < 500; m++) text += `<url><loc>http://www.example.com/${n}/${m}</loc></url>\n`;
    yield text;
  }
}

/** A status with a body that never ends. */
const endless =
  (status: string, headers: Readonly<Record<string, string>> = {}): RawBehaviour =>
  (socket) => {
    socket.write(httpHead(headers, status));
    return pour(socket, forever("x".repeat(16_384)));
  };

export const cases: readonly HostileCase[] = [
  {
    id: "sec-B01",
    server: "one byte per 200 ms",
    expected: "http.timeout after the grace period, received entries kept",
    bounds: { ms: 1500 + SLACK_MS },
    ...variantsOf({
      drip: {
        behave: (socket) => {
          socket.write(httpHead({ "content-length": "100000" }));
          return drip(socket, [opened, ...Array<string>(60).fill(" ")], 200);
        },
        wanted: cut,
        check: (context, _, { codes }) => context.expect(codes.has("http.timeout"), "no http.timeout"),
      },
    }),
  },
  {
    id: "sec-B02",
    server: "stalls in the middle of the body",
    expected: "http.timeout, received entries kept",
    bounds: { ms: 1500 + SLACK_MS },
    ...variantsOf({
      stall: {
        behave: (socket) =>
          socket.write(`${httpHead({ "content-length": "100000" })}${opened}<url><loc>http://www.exam`),
        wanted: cut,
        check: (context, _, { codes }) => context.expect(codes.has("http.timeout"), "no http.timeout"),
      },
    }),
  },
  {
    id: "sec-B03",
    server: "a urlset without end",
    expected: "limit.bytes, partial",
    bounds: { ms: 5000, wireBytes: 6 * MIB },
    ...variantsOf(
      {
        endless: {
          behave: (socket) => {
            socket.write(httpHead());
            return pour(socket, endlessUrlset());
          },
          wanted: { outcome: "found", partial: true },
          check(context, { pageCount }, { codes }) {
            context.expect(codes.has("limit.bytes"), "no limit.bytes");
            context.expect(pageCount > 80_000, `${pageCount} pages kept`);
          },
        },
      },
      { limits: { urls: Number.POSITIVE_INFINITY } },
    ),
  },
  {
    id: "sec-B04",
    server: "an endless body on 404, 500 and 301",
    expected: "not read: http.status, and the redirect followed",
    bounds: { ms: 1500, wireBytes: 2 * MIB },
    ...variantsOf({
      "404": { behave: endless("404 Not Found"), wanted: { outcome: "failed", code: "http.status" } },
      "500": { behave: endless("500 Oops"), wanted: { outcome: "failed", code: "http.status" } },
      "301": {
        path: "/moved",
        behave: (socket, request) =>
          request.path === "/moved"
            ? endless("301 Moved", { location: "/moved?to" })(socket, request)
            : socket.write(httpResponse(sitemap)),
        wanted: found,
      },
    }),
  },
  {
    id: "sec-B05",
    server: "Content-Length of 10^15 and of 6 MiB",
    expected: "limit.bytes before anything is read",
    bounds: { ...atOnce, wireBytes: 256 * 1024 },
    ...variantsOf({
      "10^15": {
        behave: (socket) => {
          socket.write(httpHead({ "content-length": "1000000000000000" }));
          return pour(socket, endlessUrlset());
        },
        wanted: { outcome: "failed", code: "limit.bytes", pageCount: 0 },
      },
      "6 MiB": {
        behave: (socket) => {
          socket.write(httpHead({ "content-length": String(6 * MIB) }));
          return pour(socket, endlessUrlset());
        },
        wanted: { outcome: "failed", code: "limit.bytes", pageCount: 0 },
      },
    }),
  },
  {
    id: "sec-B06",
    server: "less than announced and FIN; a chunk cut; RST; all of that before the first entry",
    expected: "http.truncated, partial; retried at most once, nothing yielded twice",
    bounds: atOnce,
    serve: async (stage) => {
      const behaviours: Readonly<Record<string, RawBehaviour>> = {
        "/fin": (socket) => socket.end(`${httpHead({ "content-length": "100000" })}${opened}`),
        "/chunk": (socket) => socket.end(`${chunked}${chunk(opened)}ff\r\n<url>`),
        "/rst": (socket) => {
          socket.write(`${httpHead({ "content-length": "100000" })}${opened}`, () =>
            setTimeout(() => socket.resetAndDestroy(), 50),
          );
        },
        "/nothing": (socket) => socket.end(`${httpHead({ "content-length": "100000" })}<urlset>`),
      };
      const behave: RawBehaviour = (socket, request) => behaviours[request.path]?.(socket, request);
      return { url: await stage.raw(behave, { sitemaps: Object.keys(behaviours) }) };
    },
    async run(context) {
      const walked = await context.walk(context.url());
      for (const path of ["/fin", "/chunk", "/rst"]) context.expectSitemap(walked.sitemap(path), cut, path);
      context.expectSitemap(walked.sitemap("/nothing"), { pageCount: 0, partial: true }, "/nothing");
      const truncated = walked.issues
        .filter(({ code }) => code === "http.truncated")
        .map(({ url }) => new URL(url).pathname);
      context.expectEqual(new Set(truncated).size, 4, "documents with http.truncated");
      const { requests } = await context.facts();
      for (const path of ["/fin", "/chunk", "/rst", "/nothing"]) {
        const count = requests.filter((request) => request.path === path).length;
        context.expect(count <= 2, `${count} requests for ${path}`);
      }
      return outcomeOf(walked.sitemap("/rst"));
    },
  },
  {
    id: "sec-B07",
    server: "no length, and the connection ends in the middle",
    expected: "XML: xml.truncated, partial; text: its complete lines",
    bounds: atOnce,
    ...variantsOf({
      xml: {
        behave: (socket) => socket.end(`${httpHead()}${opened}<url><loc>http://www.exam`),
        wanted: cut,
        check: (context, _, { codes }) => context.expect(codes.has("xml.truncated"), "no xml.truncated"),
      },
      text: {
        behave: (socket) =>
          socket.end(`${httpHead()}http://a.example/1\nhttp://a.example/2\nhttp://a.example/3\n`),
        wanted: { ...found, format: "text" },
      },
    }),
  },
  {
    id: "sec-B08",
    server: "more bytes than announced, a complete response among them",
    expected: "the rest ignored, each request gets its own response",
    bounds: atOnce,
    serve: async (stage) => {
      const poison = httpResponse(urlset(3, "http://evil.example"));
      const behave: RawBehaviour = (socket, { path }) =>
        socket.write(Buffer.concat([httpResponse(urlset(3, `http://good${path.slice(1)}.example`)), poison]));
      return { url: await stage.raw(behave, { sitemaps: ["/1", "/2", "/3"] }) };
    },
    async run(context) {
      const { pages, pageCount } = await context.walk(context.url(), { concurrency: 1 });
      context.expectEqual(pageCount, 9, "pages");
      context.expectEqual(pages.filter(({ url }) => url.includes("evil")).length, 0, "poisoned pages");
      return `found ${pageCount} pages`;
    },
  },
  {
    id: "sec-B09",
    server: "a chunk extension without end",
    expected: "http.timeout, http.truncated or limit.bytes, partial",
    bounds: { ms: 1500 + SLACK_MS },
    ...variantsOf({
      extension: {
        behave: (socket) => {
          socket.write(`${chunked}${chunk(opened)}5;x=`);
          return pour(socket, forever("y".repeat(1000)));
        },
        wanted: cut,
      },
    }),
  },
  {
    id: "sec-B10",
    server: "chunks of one byte, each with an extension of 1 KB",
    expected: "the bytes of the socket count: limit.bytes or http.timeout, partial",
    bounds: { ms: 5000 + SLACK_MS, wireBytes: 6 * MIB },
    ...variantsOf({
      extensions: {
        behave: (socket) => {
          socket.write(`${chunked}${chunk(opened)}`);
          return pour(socket, forever(`1;x=${"y".repeat(1000)}\r\n \r\n`.repeat(10)));
        },
        wanted: cut,
      },
    }),
  },
  {
    id: "sec-B11",
    server: "trailers without end",
    expected: "http.truncated or http.protocol, received entries kept",
    bounds: { ...atOnce, wireBytes: 512 * 1024 },
    ...variantsOf({
      trailers: {
        behave: (socket) => {
          socket.write(`${chunked}${chunk(opened)}0\r\n`);
          return pour(socket, forever(`x: ${"y".repeat(1000)}\r\n`));
        },
        wanted: cut,
      },
    }),
  },
  {
    id: "sec-B12",
    server: "204 and 304 with a body",
    expected: "the body is not a document: content.empty or http.protocol, http.status",
    bounds: atOnce,
    ...variantsOf({
      "204": {
        behave: (socket) => socket.end(httpResponse(sitemap, {}, "204 No Content")),
        wanted: { outcome: "failed", pageCount: 0 },
      },
      "304": {
        behave: (socket) => socket.end(httpResponse(sitemap, {}, "304 Not Modified")),
        wanted: { outcome: "failed", code: "http.status", pageCount: 0 },
      },
    }),
  },
  {
    id: "sec-B13",
    server: "200 with nothing, with white space, with chunks of nothing",
    expected: "content.empty",
    bounds: atOnce,
    ...variantsOf({
      nothing: {
        behave: (socket) => socket.write(httpResponse("")),
        wanted: { outcome: "failed", code: "content.empty" },
      },
      "white space": {
        behave: (socket) => socket.write(httpResponse(" \n\t\n".repeat(1000))),
        wanted: { outcome: "failed", code: "content.empty" },
      },
      "no chunk": {
        behave: (socket) => socket.write(`${chunked}0\r\n\r\n`),
        wanted: { outcome: "failed", code: "content.empty" },
      },
    }),
  },
  {
    id: "sec-B14",
    server: "an HTML page with 200 for every path",
    expected: "content.html once for each location, nothing followed",
    bounds: { ms: 2000, requests: 20 },
    serve: async (stage) => {
      const links = Array.from(
        { length: 2000 },
        (_, n) => `<a href="/x${n}.xml">http://www.example.com/${n}</a>\n`,
      ).join("");
      const page = `<!DOCTYPE html>\n<html><head><title>Not found</title></head><body>\n${links}</body></html>`;
      return {
        url: await stage.http((_, response) =>
          response.writeHead(200, { "content-type": "text/html" }).end(page),
        ),
      };
    },
    async run(context) {
      const { sitemaps, pageCount } = await context.walk(context.url(), {
        useKnownPaths: true,
        useHomepageLinks: "when-empty",
      });
      context.expectEqual(pageCount, 0, "pages");
      const codes = new Set(
        sitemaps.filter(({ url }) => !url.endsWith("/robots.txt")).map(({ code }) => code),
      );
      context.expectEqual([...codes], ["content.html"], "codes");
      return `${sitemaps.length} documents, ${[...codes].join(", ")}`;
    },
  },
  {
    id: "sec-B15",
    server: "a different body each time, listed many times",
    expected: "one request for each URL",
    bounds: { ...atOnce, requests: 4 },
    serve: async (stage) => {
      let nonce = 0;
      const url: string = await stage.raw(
        (socket, { path }) => {
          if (path === "/index.xml") {
            socket.write(
              httpResponse(
                sitemapIndex(["/a.xml", "/a.xml", "/b.xml", "/a.xml#x"].map((name) => `${url}${name}`)),
              ),
            );
          } else socket.write(httpResponse(urlset(3, `http://n${++nonce}.example`)));
        },
        { sitemaps: ["/index.xml", "/a.xml", "/index.xml", "/b.xml"] },
      );
      return { url };
    },
    async run(context) {
      const { pageCount } = await context.walk(context.url());
      context.expectEqual(pageCount, 6, "pages");
      const { requestCount } = await context.facts();
      return `${pageCount} pages, ${requestCount} requests`;
    },
  },
  {
    id: "sec-B16",
    server: "unrequested 206; 206 as multipart",
    expected: "parsed and marked http.partial",
    bounds: atOnce,
    ...variantsOf({
      "206": {
        behave: (socket) =>
          socket.write(httpResponse(sitemap, { "content-range": "bytes 0-99/5000" }, "206 Partial Content")),
        wanted: cut,
        check: (context, _, { codes }) => context.expect(codes.has("http.partial"), "no http.partial"),
      },
      multipart: {
        behave: (socket) =>
          socket.write(
            httpResponse(
              `--b\r\nContent-Type: text/xml\r\nContent-Range: bytes 0-99/5000\r\n\r\n${sitemap}\r\n--b--\r\n`,
              { "content-type": "multipart/byteranges; boundary=b" },
              "206 Partial Content",
            ),
          ),
        wanted: { partial: true },
      },
    }),
  },
  {
    id: "sec-B17",
    server: "a slow, ordinary server: 120 KB at 40 KB/s",
    expected: "found, whole",
    bounds: { ms: 5000 },
    serve: async (stage) => {
      const whole = urlset(2100);
      const step = 2000;
      const pieces = Array.from({ length: Math.ceil(whole.length / step) }, (_, n) =>
        whole.slice(n * step, (n + 1) * step),
      );
      return {
        url: await stage.raw((socket) => {
          socket.write(httpHead({ "content-length": String(whole.length) }));
          return drip(socket, pieces, 50);
        }),
      };
    },
    async run(context) {
      const { document, ms } = await context.walk(context.url(), { limits: { urls: 10_000 } });
      context.expectSitemap(document, { outcome: "found", pageCount: 2100 });
      context.expect(document?.partial === undefined, "it is partial");
      context.expect(ms > 2000, "it was not slow");
      return outcomeOf(document);
    },
  },
  {
    id: "sec-B18",
    server: "429, then 200; 503 always",
    expected: "found; http.status after two retries",
    bounds: { ms: 2000, requests: 6 },
    serve: async (stage) => {
      const asked = new Set<string>();
      const behave: RawBehaviour = (socket, { path }) => {
        if (path === "/busy") socket.write(httpResponse("", {}, "503 Service Unavailable"));
        else if (asked.has(path)) socket.write(httpResponse(sitemap));
        else socket.write(httpResponse("", { "retry-after": "0" }, "429 Too Many Requests"));
        asked.add(path);
      };
      return { url: await stage.raw(behave, { sitemaps: ["/later", "/busy"] }) };
    },
    async run(context) {
      const walked = await context.walk(context.url());
      context.expectSitemap(walked.sitemap("/later"), found, "429");
      context.expectSitemap(walked.sitemap("/busy"), { outcome: "failed", code: "http.status" }, "503");
      const { requests } = await context.facts();
      const counts = ["/later", "/busy"].map(
        (path) => requests.filter((request) => request.path === path).length,
      );
      context.expectEqual(counts, [2, 3], "requests");
      return `found after ${counts[0]} requests, http.status after ${counts[1]}`;
    },
  },
];
