/** Hostile compression and encodings: sec-E01 to sec-E16. */
import { brotliCompressSync, constants, crc32, deflateRawSync, gzipSync } from "node:zlib";
import { bomb, brotliBomb, type Frame, nestedBomb, patientBomb, repetitiveSitemap } from "./bombs.ts";
import {
  type Bounds,
  type CaseWalkOptions,
  type Context,
  type HostileCase,
  MIB,
  outcomeOf,
  type Stage,
} from "./case.ts";
import { httpHead, httpResponse, pour, type RawBehaviour, urlset } from "./raw-server.ts";
import { variantsOf } from "./variants.ts";

const sitemap = urlset(3);
const found = { outcome: "found", pageCount: 3 } as const;
const atOnce = { ms: 1000 };

/** What a bomb may cost, whichever it is. */
const bombBounds: Bounds = { ms: 5000, cpuMs: 500, rssMiB: 32 };

/** The limits that a walk has when nobody scales them. */
const DEFAULTS: CaseWalkOptions = { limits: { decodedBytes: 100 * MIB, wireBytes: 100 * MIB } };

/** Reads /sitemap.xml with the scaled limits and with those that people have. */
async function survives(context: Context, path = "/sitemap.xml"): Promise<string> {
  const outcomes: string[] = [];
  for (const options of [{}, DEFAULTS]) {
    const { document, codes, inflatedBytes } = await context.walk(context.url(path), options);
    context.expectSitemap(document, { outcome: "found", pageCount: 3, partial: true });
    const limit = (["limit.bytes", "gzip.bomb"] as const).find((code) => codes.has(code));
    context.expect(limit !== undefined, `neither limit.bytes nor gzip.bomb: ${[...codes].join(", ")}`);
    outcomes.push(`${limit} after ${(inflatedBytes / MIB).toFixed(1)} MiB`);
  }
  return outcomes.join("; ");
}

const serveCoded = (coding: string, pieces: () => Iterable<Uint8Array>) => async (stage: Stage) => ({
  url: await stage.raw((socket) => {
    socket.write(httpHead({ "content-encoding": coding }));
    return pour(socket, pieces()).then(() => socket.end());
  }),
});

function bombCase(coding: string, frame: Frame): Pick<Required<HostileCase>, "serve" | "run"> {
  return { serve: serveCoded(coding, () => bomb(frame)), run: (context) => survives(context) };
}

/** A body as a file, in one piece. */
const file =
  (bytes: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): RawBehaviour =>
  (socket) =>
    socket.write(httpResponse(bytes, headers));

/** A tar archive of one file. */
function tar(name: string, content: string): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0, "latin1");
  head.write("0000644\0", 100, "latin1");
  head.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  head.write("ustar\u000000", 257, "latin1");
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content, "latin1");
  return Buffer.concat([head, body, Buffer.alloc(1024)]);
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

function utf32(text: string): Buffer {
  return Buffer.concat(
    [...text].map((char) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(char.codePointAt(0)!);
      return bytes;
    }),
  );
}

const packed = gzipSync(urlset(3));
const declared = (encoding: string): string => sitemap.replace("UTF-8", encoding);

export const cases: readonly HostileCase[] = [
  {
    id: "sec-E01",
    server: "Content-Encoding gzip, 2 GiB at 1,028 to 1",
    expected: "limit.bytes or gzip.bomb, partial",
    bounds: bombBounds,
    ...bombCase("gzip", "gzip"),
  },
  {
    id: "sec-E02",
    server: "the same as a .gz file, and one that stays below 1,000 to 1",
    expected: "limit.bytes or gzip.bomb, partial",
    bounds: bombBounds,
    serve: async (stage) => {
      const sending =
        (pieces: () => Iterable<Uint8Array>): RawBehaviour =>
        (socket) => {
          socket.write(httpHead({ "content-type": "application/gzip" }));
          return pour(socket, pieces()).then(() => socket.end());
        };
      return {
        url: await stage.raw(sending(() => bomb("gzip"))),
        patient: await stage.raw(sending(patientBomb)),
      };
    },
    async run(context) {
      const fast = await survives(context);
      const { document, codes, cpuMs } = await context.walk(String(context.site["patient"]), DEFAULTS);
      context.expectSitemap(document, { outcome: "found", pageCount: 3, partial: true }, "patient");
      context.expect(codes.has("limit.bytes"), "the patient one did not meet limit.bytes");
      return `${fast}; patient: limit.bytes, ${cpuMs.toFixed(0)} ms`;
    },
  },
  {
    id: "sec-E03",
    server: "brotli, 256 MiB in some hundred bytes",
    expected: "limit.bytes or gzip.bomb, partial",
    bounds: { ...bombBounds, inflatedBytes: 10 * MIB },
    serve: (stage) => {
      const bytes = brotliBomb();
      return serveCoded("br", () => [bytes])(stage);
    },
    run: (context) => survives(context),
  },
  {
    id: "sec-E04",
    server: "deflate with and without its frame; zstd that nobody asked for",
    expected: "limit.bytes or gzip.bomb, partial; zstd is not read",
    bounds: bombBounds,
    serve: async (stage) => {
      const { url } = await bombCase("deflate", "zlib").serve(stage);
      const raw = await bombCase("deflate", "raw").serve(stage);
      const zstd = await serveCoded("zstd", () => [Buffer.from("28b52ffd0458a10000".repeat(100), "hex")])(
        stage,
      );
      return { url: url!, raw: raw["url"]!, zstd: zstd.url };
    },
    async run(context) {
      const framed = await survives(context);
      for (const options of [{}, DEFAULTS]) {
        const { document } = await context.walk(String(context.site["raw"]), options);
        context.expectSitemap(document, { outcome: "found", pageCount: 3, partial: true }, "raw");
      }
      const { document } = await context.walk(String(context.site["zstd"]));
      context.expectSitemap(document, { outcome: "failed", pageCount: 0 }, "zstd");
      return `${framed}; zstd: ${outcomeOf(document)}`;
    },
  },
  {
    id: "sec-E05",
    server: "gzip in gzip, three and four times over, 100 MiB in the innermost",
    expected: "three layers are undone, each counted; gzip.too-deep",
    bounds: bombBounds,
    serve: async (stage) => {
      const [two, three, four] = [2, 3, 4].map(nestedBomb) as [Buffer, Buffer, Buffer];
      const sizes = { two: two.length, three: three.length, four: four.length };
      const answers = new Map([
        ["/2.gz", two],
        ["/3.gz", three],
        ["/4.gz", four],
      ]);
      const url = await stage.raw((socket, { path }) => socket.write(httpResponse(answers.get(path) ?? "")), {
        sitemaps: [...answers.keys()],
      });
      const coded = await stage.raw((socket) =>
        socket.write(httpResponse(three, { "content-encoding": "gzip" })),
      );
      return { url, coded, ...sizes };
    },
    async run(context) {
      for (const options of [{}, DEFAULTS]) {
        const walked = await context.walk(context.url(), options);
        for (const path of ["/2.gz", "/3.gz"]) {
          context.expectSitemap(
            walked.sitemap(path),
            { outcome: "found", pageCount: 3, partial: true },
            path,
          );
        }
        context.expectSitemap(walked.sitemap("/4.gz"), { outcome: "failed", code: "gzip.too-deep" }, "/4.gz");
      }
      const { document } = await context.walk(String(context.site["coded"]));
      context.expectSitemap(
        document,
        { outcome: "found", pageCount: 3, partial: true },
        "with Content-Encoding",
      );
      const { two, three, four } = context.site;
      return `partial, partial, gzip.too-deep out of ${two}, ${three} and ${four} bytes`;
    },
  },
  {
    id: "sec-E06",
    server: "a .gz URL with Content-Encoding gzip, compressed once; and twice",
    expected: "found, undone as often as it was done",
    bounds: atOnce,
    ...variantsOf({
      once: {
        path: "/1.gz",
        behave: file(packed, { "content-encoding": "gzip", "content-type": "application/gzip" }),
        wanted: found,
      },
      twice: { path: "/2.gz", behave: file(gzipSync(packed), { "content-encoding": "gzip" }), wanted: found },
    }),
  },
  {
    id: "sec-E07",
    server: "named .gz and not compressed",
    expected: "found, gzip.not-gzip",
    bounds: atOnce,
    ...variantsOf({
      plain: {
        path: "/1.xml.gz",
        behave: file(sitemap, { "content-type": "application/gzip" }),
        wanted: found,
        check: (context, _, { codes }) => context.expect(codes.has("gzip.not-gzip"), "no gzip.not-gzip"),
      },
    }),
  },
  {
    id: "sec-E08",
    server: "gzip, brotli and deflate that end early",
    expected: "what came is kept, partial",
    bounds: atOnce,
    ...variantsOf(
      Object.fromEntries(
        Object.entries({
          "gzip file": file(gzipSync(urlset(2000)).subarray(0, -2000)),
          gzip: file(gzipSync(urlset(2000)).subarray(0, -2000), { "content-encoding": "gzip" }),
          deflate: file(deflateRawSync(urlset(2000)).subarray(0, -2000), { "content-encoding": "deflate" }),
          brotli: file(brotliCompressSync(noisyUrlset(2000)).subarray(0, -4000), {
            "content-encoding": "br",
          }),
        }).map(([name, behave]) => [
          name,
          {
            behave,
            wanted: { outcome: "found", partial: true } as const,
            check: (context: Context, { pageCount }: { pageCount: number }) =>
              context.expect(pageCount > 500 && pageCount < 2000, `${name}: ${pageCount} pages`),
          },
        ]),
      ),
      { limits: { urls: 100_000 } },
    ),
  },
  {
    id: "sec-E09",
    server: "a wrong checksum, junk after the end, zeros after the end",
    expected: "found; gzip.crc, gzip.trailing-junk",
    bounds: atOnce,
    ...variantsOf({
      "bad CRC": {
        behave: file(
          Buffer.concat([packed.subarray(0, -8), Buffer.from("0badc0de", "hex"), packed.subarray(-4)]),
        ),
        wanted: found,
        check: (context, _, { codes }) => context.expect(codes.has("gzip.crc"), "no gzip.crc"),
      },
      junk: {
        behave: file(Buffer.concat([packed, Buffer.from("this is not gzip")])),
        wanted: found,
        check: (context, _, { codes }) =>
          context.expect(codes.has("gzip.trailing-junk"), "no gzip.trailing-junk"),
      },
      zeros: { behave: file(Buffer.concat([packed, Buffer.alloc(100_000)])), wanted: found },
    }),
  },
  {
    id: "sec-E10",
    server: "200,000 empty members; a file name of 4 MB in the header",
    expected: "gzip.corrupt or limit.bytes, quickly",
    bounds: { ms: 2000, cpuMs: 1000 },
    ...variantsOf({
      members: {
        behave: file(Buffer.concat([packed, ...Array<Buffer>(200_000).fill(gzipSync(""))])),
        wanted: { outcome: "found", pageCount: 3, partial: true },
      },
      "file name": {
        behave: file(
          Buffer.concat([
            Buffer.from("1f8b08080000000002ff", "hex"),
            Buffer.alloc(4_000_000, "n"),
            Buffer.from([0]),
            packed.subarray(10),
          ]),
        ),
        wanted: {},
        check: (context, sitemap) =>
          context.expect(
            sitemap.outcome === "found" || sitemap.partial === true,
            `file name: ${outcomeOf(sitemap)}`,
          ),
      },
    }),
  },
  {
    id: "sec-E11",
    server: "bombs on a redirect, on a 404 and on a 500",
    expected: "never undone",
    bounds: { ms: 1500, inflatedBytes: 0, wireBytes: 2 * MIB },
    ...variantsOf({
      redirect: {
        path: "/moved",
        behave: (socket, { path }) => {
          if (path !== "/moved") return socket.write(httpResponse(sitemap));
          socket.write(httpHead({ "content-encoding": "gzip", location: "/moved?to" }, "301 Moved"));
          return pour(socket, bomb("gzip"));
        },
        wanted: found,
      },
      "404": { behave: bombWith("404 Not Found"), wanted: { outcome: "failed", code: "http.status" } },
      "500": { behave: bombWith("500 Oops"), wanted: { outcome: "failed", code: "http.status" } },
    }),
  },
  {
    id: "sec-E12",
    server: "a bomb as robots.txt",
    expected: "its first lines count, the rest is left",
    bounds: { ...bombBounds, inflatedBytes: 8 * MIB },
    serve: async (stage) => {
      const url: string = await stage.raw(
        (socket, { path }) => {
          if (path !== "/robots.txt") return socket.write(httpResponse(sitemap));
          socket.write(httpHead({ "content-encoding": "gzip", "content-type": "text/plain" }));
          return pour(socket, bomb("gzip", `User-agent: *\nSitemap: ${url}/sitemap.xml\n`));
        },
        { robots: false },
      );
      return { url };
    },
    async run(context) {
      const { document, robots, inflatedBytes } = await context.walk(context.url(), DEFAULTS);
      context.expectSitemap(document, found);
      context.expectSitemap(robots, { outcome: "found", format: "robots" }, "robots.txt");
      return `${outcomeOf(document)} after ${(inflatedBytes / MIB).toFixed(1)} MiB`;
    },
  },
  {
    id: "sec-E13",
    server: "UTF-16 and UTF-32 of either order, with and without BOM, odd lengths, lone surrogates",
    expected: "found, or failed; always an end",
    bounds: atOnce,
    ...variantsOf({
      "LE with BOM": { behave: file(Buffer.from(`\ufeff${declared("UTF-16")}`, "utf16le")), wanted: found },
      "BE with BOM": {
        behave: file(swapped(Buffer.from(`\ufeff${declared("UTF-16")}`, "utf16le"))),
        wanted: found,
      },
      "LE without": { behave: file(Buffer.from(declared("UTF-16LE"), "utf16le")), wanted: found },
      "BE without": { behave: file(swapped(Buffer.from(declared("UTF-16BE"), "utf16le"))), wanted: found },
      "odd length": {
        behave: file(
          Buffer.concat([Buffer.from(`\ufeff${declared("UTF-16")}`, "utf16le"), Buffer.from("<")]),
        ),
        wanted: found,
      },
      surrogate: {
        behave: file(Buffer.from(`\ufeff${declared("UTF-16").replace("p1", "p1\ud800")}`, "utf16le")),
        wanted: { outcome: "found" },
      },
      "UTF-32": { behave: file(utf32(`\ufeff${declared("UTF-32")}`)), wanted: {} },
      "UTF-32 without": { behave: file(utf32(declared("UTF-32"))), wanted: {} },
    }),
  },
  {
    id: "sec-E14",
    server: "invalid and overlong UTF-8, split between two chunks",
    expected: "found, encoding.invalid-utf8 in bounded number",
    bounds: atOnce,
    serve: async (stage) => {
      const bad = Buffer.from([0xc0, 0xaf, 0xe0, 0x80, 0x80, 0xff, 0xfe, 0xf8, 0x88, 0xed, 0xa0, 0x80]);
      const text = Buffer.concat([
        Buffer.from(sitemap.replace("</urlset>\n", "")),
        Buffer.from("<!-- "),
        ...Array<Buffer>(5000).fill(bad),
        Buffer.from(" -->"),
        Buffer.from("<url><loc>http://www.example.com/a"),
        bad,
        Buffer.from("</loc></url></urlset>"),
      ]);
      return {
        url: await stage.raw(async (socket) => {
          socket.write(
            httpHead({ "transfer-encoding": "chunked", "content-type": "text/xml; charset=utf-8" }),
          );
          for (let at = 0; at < text.length; at += 7001) {
            const piece = text.subarray(at, at + 7001);
            socket.write(
              Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]),
            );
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
          socket.write("0\r\n\r\n");
        }),
      };
    },
    async run(context) {
      const { document, issues } = await context.walk(context.url());
      context.expectSitemap(document, { outcome: "found", pageCount: 4 });
      const count = issues.filter(({ code }) => code === "encoding.invalid-utf8").length;
      context.expect(count >= 1 && count <= 100, `${count} issues of it`);
      return `${outcomeOf(document)}, told ${count} times`;
    },
  },
  {
    id: "sec-E15",
    server: "a ZIP, a tar.gz with a sitemap in it, a 7z, a PDF",
    expected: "failed: none is unpacked",
    bounds: atOnce,
    ...variantsOf({
      zip: {
        behave: file(Buffer.concat([Buffer.from("504b0304140000000800", "hex"), Buffer.from(sitemap)])),
        wanted: { outcome: "failed", code: "content.zip" },
      },
      "tar.gz": {
        path: "/sitemap.tar.gz",
        behave: file(gzipSync(tar("sitemap.xml", sitemap))),
        wanted: { outcome: "failed", pageCount: 0 },
      },
      "7z": {
        behave: file(Buffer.concat([Buffer.from("377abcaf271c0004", "hex"), Buffer.alloc(3000, 0xa7)])),
        wanted: { outcome: "failed", pageCount: 0 },
      },
      pdf: {
        behave: file(
          `%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n${"\0\x01\x02".repeat(500)}`,
        ),
        wanted: { outcome: "failed", pageCount: 0 },
      },
    }),
  },
  {
    id: "sec-E16",
    server: "honest sitemaps of 20 MB at 158 to 1 (gzip) and more than 145 to 1 (brotli)",
    expected: "found, whole",
    bounds: { ms: 10_000 },
    serve: async (stage) => {
      const text = repetitiveSitemap(3600);
      const gzip = gzipSync(text, { level: 9 });
      const brotli = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
      const url = await stage.raw(
        (socket, { path }) =>
          socket.write(
            path.endsWith(".gz") ? httpResponse(gzip) : httpResponse(brotli, { "content-encoding": "br" }),
          ),
        { sitemaps: ["/1.xml.gz", "/2.xml"] },
      );
      return {
        url,
        bytes: text.length,
        gzip: Math.round(text.length / gzip.length),
        brotli: Math.round(text.length / brotli.length),
      };
    },
    async run(context) {
      const { gzip, brotli, bytes } = context.site as { gzip: number; brotli: number; bytes: number };
      const walked = await context.walk(context.url(), {
        concurrency: 1,
        keepPages: 0,
        limits: { ...DEFAULTS.limits, urls: 100_000, requestMs: 20_000 },
      });
      for (const path of ["/1.xml.gz", "/2.xml"]) {
        const document = walked.sitemap(path);
        context.expectSitemap(document, { outcome: "found", pageCount: 3600 }, path);
        context.expect(document?.partial === undefined, `${path} is partial`);
      }
      context.expect(
        gzip >= 158 && brotli >= 145 && bytes > 8 * MIB,
        `ratios ${gzip} and ${brotli}, ${bytes} bytes`,
      );
      return `found, gzip ${gzip} to 1, brotli ${brotli} to 1, ${(bytes / MIB).toFixed(0)} MiB`;
    },
  },
];

function bombWith(status: string): RawBehaviour {
  return (socket) => {
    socket.write(httpHead({ "content-encoding": "gzip" }, status));
    return pour(socket, bomb("gzip"));
  };
}

/** One that does not compress to nothing, so that a part of it holds a part of the pages. */
function noisyUrlset(count: number): string {
  const urls = Array.from(
    { length: count },
    (_, n) => `<url><loc>http://www.example.com/${crc32(String(n)).toString(36)}</loc></url>\n`,
  );
  return `${urlset(0).replace("</urlset>\n", "")}${urls.join("")}</urlset>\n`;
}
