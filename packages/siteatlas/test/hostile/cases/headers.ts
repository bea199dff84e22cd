/** Hostile status lines and headers: sec-H01 to sec-H18. */
import { gzipSync } from "node:zlib";
import { type HostileCase, MIB, outcomeOf, SLACK_MS } from "../case.ts";
import { drip, forever, httpHead, httpResponse, pour, type RawBehaviour, urlset } from "../raw-server.ts";
import { type Variants, variantsOf } from "../variants.ts";

/** Until the end of the headers. */
const headersBound = { ms: 1500 + SLACK_MS };
const atOnce = { ms: 1000 };

const timeout = { outcome: "failed", code: "http.timeout" } as const;
const protocol = { outcome: "failed", code: "http.protocol" } as const;
const coding = { outcome: "failed", code: "http.bad-content-encoding" } as const;
const status = { outcome: "failed", code: "http.status" } as const;
const found = { outcome: "found", pageCount: 3 } as const;

const sitemap = urlset(3);

const sends =
  (bytes: string | Uint8Array): RawBehaviour =>
  (socket) =>
    socket.write(bytes);
const sendsAndEnds =
  (bytes: string | Uint8Array): RawBehaviour =>
  (socket) =>
    socket.end(bytes);

/** All variants have the same outcome. */
const all = (
  behaviours: Readonly<Record<string, RawBehaviour>>,
  wanted: Variants[string]["wanted"],
): Variants =>
  Object.fromEntries(Object.entries(behaviours).map(([name, behave]) => [name, { behave, wanted }]));

const body = (headers: string): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${sitemap.length}\r\n\r\n${sitemap}`;

function* endlessHeaders(): Generator<string> {
  yield "HTTP/1.1 200 OK\r\n";
  for (let n = 0; ; n++) yield `x-${n}: ${"y".repeat(100)}\r\n`;
}

const manyHeaders = Array.from({ length: 5000 }, (_, n) => `x${n}: 1\r\n`).join("");

export const cases: readonly HostileCase[] = [
  {
    id: "sec-H01",
    server: "never answers",
    expected: "http.timeout",
    bounds: headersBound,
    ...variantsOf({ silence: { behave: () => {}, wanted: timeout } }),
  },
  {
    id: "sec-H02",
    server: "sends headers byte by byte",
    expected: "http.timeout: bytes do not reset the timeout",
    bounds: headersBound,
    ...variantsOf({
      drip: {
        behave: (socket) => drip(socket, ["HTTP/1.1 200 OK\r\nx: ", ...Array<string>(100).fill("y")], 100),
        wanted: timeout,
      },
    }),
  },
  {
    id: "sec-H03",
    server: "sends 103 without end",
    expected: "http.protocol after ten of them",
    bounds: { ...atOnce, wireBytes: MIB },
    ...variantsOf({
      flood: {
        behave: (socket) =>
          pour(socket, forever("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n".repeat(20))),
        wanted: protocol,
      },
    }),
  },
  {
    id: "sec-H04",
    server: "sends a 102 every 300 ms",
    expected: "http.timeout by the wall clock",
    bounds: headersBound,
    ...variantsOf({
      drip: {
        behave: (socket) => drip(socket, Array<string>(30).fill("HTTP/1.1 102 Processing\r\n\r\n"), 300),
        wanted: timeout,
      },
    }),
  },
  {
    id: "sec-H05",
    server: "sends an unrequested 100 or 101",
    expected: "http.protocol, no upgrade",
    bounds: atOnce,
    ...variantsOf(
      all(
        {
          "100": sends(`HTTP/1.1 100 Continue\r\n\r\n${body("")}`),
          "101": sends(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello",
          ),
        },
        protocol,
      ),
    ),
  },
  {
    id: "sec-H06",
    server: "one header of 20, 60 and 70 KB",
    expected: "found below 64 KiB, else http.protocol",
    bounds: { ...atOnce, wireBytes: 512 * 1024 },
    ...variantsOf({
      "20 KB": { behave: sends(body(`x: ${"y".repeat(20_000)}\r\n`)), wanted: found },
      "60 KB": { behave: sends(body(`x: ${"y".repeat(60_000)}\r\n`)), wanted: found },
      "70 KB": { behave: sends(body(`x: ${"y".repeat(70_000)}\r\n`)), wanted: protocol },
    }),
  },
  {
    id: "sec-H07",
    server: "headers without end; 5,000 tiny headers",
    expected: "http.protocol; found",
    bounds: { ...atOnce, wireBytes: 512 * 1024 },
    ...variantsOf({
      endless: { behave: (socket) => pour(socket, endlessHeaders()), wanted: protocol },
      "5,000": { behave: sends(body(manyHeaders)), wanted: found },
    }),
  },
  {
    id: "sec-H08",
    server: "a reason phrase without end",
    expected: "http.timeout or http.protocol",
    bounds: headersBound,
    serve: async (stage) => ({
      url: await stage.raw((socket) => {
        socket.write("HTTP/1.1 200 ");
        return pour(socket, forever("so good ".repeat(1000)));
      }),
    }),
    async run(context) {
      const { document } = await context.walk(context.url());
      const isEnded = document?.code === "http.timeout" || document?.code === "http.protocol";
      context.expect(isEnded, `the reason phrase ended with ${outcomeOf(document)}`);
      return outcomeOf(document);
    },
  },
  {
    id: "sec-H09",
    server: "responds with status 000, 099, 600 and 999",
    expected: "http.protocol below 100, http.status above 599",
    bounds: atOnce,
    ...variantsOf({
      "000": { behave: sends(httpResponse(sitemap, {}, "000 Zero")), wanted: protocol },
      "099": { behave: sends(httpResponse(sitemap, {}, "099 Low")), wanted: protocol },
      "600": { behave: sends(httpResponse(sitemap, {}, "600 High")), wanted: status },
      "999": { behave: sends(httpResponse(sitemap, {}, "999 Denied")), wanted: status },
    }),
  },
  {
    id: "sec-H10",
    server: "bare LF, folded header, NUL, space before the colon",
    expected: "http.protocol",
    bounds: atOnce,
    ...variantsOf(
      all(
        {
          "bare LF": sends(body("").replaceAll("\r\n", "\n")),
          folded: sends(body("x: a\r\n b\r\n")),
          NUL: sends(body("x: a\0b\r\n")),
          "space before the colon": sends(body("x : a\r\n")),
        },
        protocol,
      ),
    ),
  },
  {
    id: "sec-H11",
    server: "garbage, an SSH banner, HTTP/0.9, HTTP/2 frames",
    expected: "http.protocol, nothing parsed",
    bounds: atOnce,
    ...variantsOf(
      all(
        {
          garbage: sendsAndEnds(Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7919) % 256))),
          SSH: sendsAndEnds("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
          "HTTP/0.9": sendsAndEnds(sitemap),
          "HTTP/2": sendsAndEnds(Buffer.from("000000040000000000000004080000000000000f0001", "hex")),
        },
        protocol,
      ),
    ),
  },
  {
    id: "sec-H12",
    server: "two lengths, length and chunks, a negative length, a chunk size that overflows",
    expected: "http.protocol; no smuggled body",
    bounds: atOnce,
    ...variantsOf({
      ...all(
        {
          "two lengths": sends(body("Content-Length: 5\r\n")),
          "length and chunks": sends(body("Transfer-Encoding: chunked\r\n")),
          negative: sends(`HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n${sitemap}`),
        },
        protocol,
      ),
      overflow: {
        behave: sends(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"f".repeat(17)}\r\n${sitemap}`),
        wanted: { outcome: "failed", code: "http.protocol" },
      },
    }),
  },
  {
    id: "sec-H13",
    server: "a wrong Content-Type, or none",
    expected: "found by the content",
    bounds: atOnce,
    ...variantsOf(
      all(
        {
          html: sends(body("Content-Type: text/html\r\n")),
          png: sends(body("Content-Type: image/png\r\n")),
          none: sends(body("")),
          nonsense: sends(body("Content-Type: ;;;===\r\n")),
        },
        found,
      ),
    ),
  },
  {
    id: "sec-H14",
    server: "charset UTF-7, an unknown one, one that contradicts the BOM",
    expected: "found: BOM, UTF-8, declaration, then the header",
    bounds: atOnce,
    ...variantsOf({
      "UTF-7": { behave: sends(body("Content-Type: text/xml; charset=UTF-7\r\n")), wanted: found },
      unknown: { behave: sends(body("Content-Type: text/xml; charset=x-klingon\r\n")), wanted: found },
      "long and binary": {
        behave: sends(body(`Content-Type: text/xml; charset=${"\xff".repeat(5000)}\r\n`)),
        wanted: found,
      },
      "against the BOM": {
        behave: sends(
          httpResponse(Buffer.from(`\ufeff${sitemap}`, "utf16le"), {
            "content-type": "text/xml; charset=iso-8859-1",
          }),
        ),
        wanted: found,
      },
    }),
  },
  {
    id: "sec-H15",
    server: "Content-Encoding: six, two, identity, x-gzip, unknown, zstd, 10,000 names",
    expected:
      "at most two are decoded, more are http.bad-content-encoding; unknown ones are detected by their bytes",
    bounds: { ms: 1000, inflatedBytes: MIB },
    ...variantsOf({
      six: { behave: coded("gzip, gzip, gzip, gzip, gzip, gzip", sitemap), wanted: coding },
      "10,000": { behave: coded("br,".repeat(10_000), sitemap), wanted: coding },
      twice: { behave: coded("gzip, gzip", gzipSync(gzipSync(sitemap))), wanted: found },
      identity: { behave: coded("identity", sitemap), wanted: found },
      "x-gzip": { behave: coded("x-gzip", gzipSync(sitemap)), wanted: found },
      "aws-chunked": { behave: coded("aws-chunked", sitemap), wanted: found },
      "unknown over gzip": { behave: coded("x-secret", gzipSync(sitemap)), wanted: found },
      zstd: {
        behave: coded("zstd", Buffer.from("28b52ffd0458a10000", "hex")),
        wanted: { outcome: "failed", pageCount: 0 },
      },
    }),
  },
  {
    id: "sec-H16",
    server: "Retry-After: 999999999, -1, the year 9999, garbage",
    expected: "never longer than the limit; invalid values are ignored",
    bounds: { ms: 3000 },
    serve: async (stage) => {
      const later = ["999999999", "-1", "Fri, 31 Dec 9999 23:59:59 GMT", "soon\xff", "9".repeat(5000)];
      const behave: RawBehaviour = (socket, { path }) =>
        socket.write(
          httpResponse("", { "retry-after": later[Number(path.slice(1))]! }, "503 Service Unavailable"),
        );
      return { url: await stage.raw(behave, { sitemaps: later.map((_, at) => `/${at}`) }) };
    },
    async run(context) {
      const walked = await context.walk(context.url(), { limits: { retryAfterMs: 100 } });
      const { requests } = await context.facts();
      const counts = [0, 1, 2, 3, 4].map((at) => requests.filter(({ path }) => path === `/${at}`).length);
      for (const at of [0, 1, 2, 3, 4]) {
        context.expectSitemap(walked.sitemap(`/${at}`), { outcome: "failed" }, `Retry-After ${at}`);
      }
      context.expect(Math.max(...counts) <= 3, `requests: ${counts.join(", ")}`);
      return `failed after ${counts.join(", ")} requests`;
    },
  },
  {
    id: "sec-H17",
    server: "ETag and Last-Modified of 25 KB each; a Link header of 60 KB",
    expected: "at most 1 KiB is kept; found",
    bounds: atOnce,
    serve: async (stage) => {
      const links = Array.from({ length: 2000 }, (_, n) => `</s${n}>;rel=sitemap`).join(",");
      const behave: RawBehaviour = (socket, { path }) => {
        if (path === "/") socket.write(httpResponse("<html></html>", { link: links }));
        else if (path !== "/sitemap.xml") socket.write(httpResponse("", {}, "404 Not Found"));
        else
          socket.write(
            httpResponse(sitemap, { etag: `"${"e".repeat(25_000)}"`, "last-modified": "M".repeat(25_000) }),
          );
      };
      return { url: await stage.raw(behave) };
    },
    async run(context) {
      const { document } = await context.walk(context.url(), {
        useHomepageLinks: true,
        concurrency: 8,
        limits: { sitemaps: 100 },
      });
      context.expectSitemap(document, found);
      const { etag = "", lastModified = "" } = document?.http ?? {};
      context.expect(etag.length <= 1024, `an ETag of ${etag.length} characters is kept`);
      context.expect(
        lastModified.length <= 1024,
        `a Last-Modified of ${lastModified.length} characters is kept`,
      );
      const { requestCount } = await context.facts();
      context.expect(requestCount <= 102, `${requestCount} requests`);
      return `${outcomeOf(document)}, ${requestCount} requests`;
    },
  },
  {
    id: "sec-H18",
    server: "500 cookies with every response",
    expected: "found; no cookie is ever sent",
    bounds: atOnce,
    serve: async (stage) => {
      const cookies = Array.from(
        { length: 500 },
        (_, n) => `Set-Cookie: c${n}=${"v".repeat(50)}; Path=/\r\n`,
      ).join("");
      return {
        url: await stage.raw((socket) => socket.write(body(cookies)), { sitemaps: ["/1", "/2", "/3"] }),
      };
    },
    async run(context) {
      const walked = await context.walk(context.url(), { concurrency: 1 });
      const { requests } = await context.facts();
      for (const path of ["/1", "/2", "/3"]) context.expectSitemap(walked.sitemap(path), found, path);
      context.expectEqual(
        requests.filter(({ headers }) => "cookie" in headers).length,
        0,
        "requests with cookies",
      );
      return outcomeOf(walked.sitemap("/3"));
    },
  },
];

function coded(coding: string, bytes: string | Uint8Array): RawBehaviour {
  return (socket) => {
    const { length } = Buffer.from(bytes);
    socket.write(httpHead({ "content-encoding": coding, "content-length": String(length) }));
    socket.write(bytes);
  };
}
