/** Hostile compression and encodings: sec-E01 to sec-E17. */
import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, crc32, deflateRawSync, gzipSync } from "node:zlib";
import {
  barren,
  bomb,
  brotliBomb,
  type Frame,
  nestedBomb,
  patientBomb,
  repetitiveSitemap,
} from "../bombs.ts";
import {
  type Bounds,
  type CaseWalkOptions,
  type Context,
  type HostileCase,
  MIB,
  outcomeOf,
  type Stage,
} from "../case.ts";
import { httpHead, httpResponse, pour, type RawBehaviour, urlset } from "../raw-server.ts";
import { variantsOf } from "../variants.ts";

const sitemap = urlset(3);
const found = { outcome: "found", pageCount: 3 } as const;
const atOnce = { ms: 1000 };

/** Limits for all bombs. */
const bombBounds: Bounds = { ms: 5000, cpuMs: 500, isByteWork: true, rssMiB: 32 };

/** The default limits of a walk. */
const DEFAULTS: CaseWalkOptions = { limits: { decodedBytes: 100 * MIB, wireBytes: 100 * MIB } };

/** The bomb yielded its three pages and was stopped. */
const stopped = { outcome: "found", pageCount: 3, partial: true } as const;

/** Reads /sitemap.xml with the scaled limits and with the default limits. */
async function survives(context: Context, url: string | number = context.url()): Promise<string> {
  const outcomes: string[] = [];
  for (const options of [{}, DEFAULTS]) {
    const { document, codes, inflatedBytes } = await context.walk(String(url), options);
    context.expectSitemap(document, stopped);
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

/** Compressed data without content: where it is, its label, its kind. */
const BARREN = [
  ["/deflate", "deflate", "raw"],
  ["/zlib", "deflate", "zlib"],
  ["/gzip", "gzip", "gzip"],
  ["/file", "identity", "gzip"],
  ["/br", "br", "brotli"],
  ["/br-gzip", "br, gzip", "gzip"],
] as const;

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
    parts: ["fast", "patient"],
    async run(context) {
      if (context.part === "fast") return survives(context);
      const { document, codes, cpuMs } = await context.walk(String(context.site["patient"]), DEFAULTS);
      context.expectSitemap(document, stopped, "patient");
      context.expect(codes.has("limit.bytes"), "the slow bomb did not reach limit.bytes");
      return `patient: limit.bytes, ${cpuMs.toFixed(0)} ms`;
    },
  },
  {
    id: "sec-E03",
    server: "brotli, 10 GiB in 9 KB: as Content-Encoding; in brotli again; over gzip; as a file",
    expected: "limit.bytes or gzip.bomb after 8 MiB, partial; no file is brotli: content.binary",
    bounds: { ...bombBounds, inflatedBytes: 9 * MIB, wireBytes: 32 * 1024 },
    parts: ["br", "br, br", "br, gzip", "file"],
    serve: async (stage) => {
      const bytes = await brotliBomb();
      const bodies = { br: bytes, "br, br": brotliCompressSync(bytes), "br, gzip": gzipSync(bytes) };
      const urls = Object.entries(bodies).map(async ([coding, body]) => [
        coding,
        await stage.raw(file(body, { "content-encoding": coding })),
      ]);
      const sizes = Object.entries(bodies).map(([coding, { length }]) => [`size of ${coding}`, length]);
      return {
        ...Object.fromEntries([...(await Promise.all(urls)), ...sizes]),
        file: await stage.raw(file(bytes)),
      };
    },
    async run(context) {
      const { part, site } = context;
      if (part !== "file") {
        return `${part} of ${site[`size of ${part}`]} bytes: ${await survives(context, site[part])}`;
      }
      const { document } = await context.walk(String(site["file"]), DEFAULTS);
      context.expectSitemap(document, { outcome: "failed", code: "content.binary", pageCount: 0 }, "file");
      return `file: ${outcomeOf(document)}`;
    },
  },
  {
    id: "sec-E04",
    server: "deflate with and without its frame; unrequested zstd; endless blocks without content",
    expected:
      "limit.bytes or gzip.bomb, partial; zstd is not read; empty blocks: damaged or limit.bytes, after at most 5 MiB on the wire",
    bounds: { ...bombBounds, wireBytes: 6 * MIB },
    parts: ["zlib", "deflate", "zstd", "nothing"],
    serve: async (stage) => {
      const nothing = await stage.raw(
        (socket, { path }) => {
          const [, coding, frame] = BARREN.find(([name]) => name === path)!;
          socket.write(httpHead({ "content-encoding": coding }));
          return pour(socket, barren(frame));
        },
        { sitemaps: BARREN.map(([path]) => path) },
      );
      const zstd = Buffer.from("28b52ffd0458a10000".repeat(100), "hex");
      return {
        zlib: (await serveCoded("deflate", () => bomb("zlib"))(stage)).url,
        deflate: (await serveCoded("deflate", () => bomb("raw"))(stage)).url,
        zstd: (await serveCoded("zstd", () => [zstd])(stage)).url,
        nothing,
      };
    },
    async run(context) {
      const { part, site } = context;
      const url = String(site[part]);
      if (part === "zstd") {
        const { document } = await context.walk(url);
        context.expectSitemap(document, { outcome: "failed", pageCount: 0 }, part);
        return `zstd: ${outcomeOf(document)}`;
      }
      if (part !== "nothing") return `${part}: ${await survives(context, url)}`;
      const ends = new Set<string>();
      for (const [path] of BARREN) {
        const { sitemap, codes } = await context.walk(url, {
          recurseListCallback: (urls) => urls.filter((child) => new URL(child).pathname === path),
        });
        const what = `blocks without content, ${path}`;
        context.expectSitemap(sitemap(path), { outcome: "failed", partial: true, pageCount: 0 }, what);
        // Ended by an error or by their bytes, not by a time limit.
        const code = (["limit.bytes", "gzip.corrupt", "http.bad-content-encoding"] as const).find((name) =>
          codes.has(name),
        );
        context.expect(code !== undefined, `${what}: ${[...codes].join(", ")}`);
        ends.add(code ?? "");
      }
      return `blocks that give nothing (${BARREN.length} ways): ${[...ends].join(", ")}`;
    },
  },
  {
    id: "sec-E05",
    server: "gzip in gzip, three and four times over, 100 MiB in the innermost; in brotli",
    expected: "three layers are decompressed, each counted; gzip.too-deep",
    bounds: bombBounds,
    parts: ["scaled limits", "default limits", "gzip", "br"],
    serve: async (stage) => {
      const [two, three, four] = [2, 3, 4].map(nestedBomb) as [Buffer, Buffer, Buffer];
      const serve = (bodies: Readonly<Record<string, Buffer>>, coding = "identity"): Promise<string> =>
        stage.raw(
          (socket, { path }) =>
            socket.write(httpResponse(bodies[path] ?? "", { "content-encoding": coding })),
          { sitemaps: Object.keys(bodies) },
        );
      return {
        url: await serve({ "/2.gz": two, "/3.gz": three, "/4.gz": four }),
        gzip: await serve({ "/3.gz": three }, "gzip"),
        br: await serve({ "/2.gz": brotliCompressSync(two), "/3.gz": brotliCompressSync(three) }, "br"),
        sizes: `${two.length}, ${three.length} and ${four.length} bytes`,
      };
    },
    async run(context) {
      const { part, site } = context;
      const { sitemap } = await context.walk(
        String(site[part] ?? site["url"]),
        part === "scaled limits" ? {} : DEFAULTS,
      );
      const tooDeep = { outcome: "failed", code: "gzip.too-deep" } as const;
      if (part !== "gzip") context.expectSitemap(sitemap("/2.gz"), stopped, "twice");
      context.expectSitemap(sitemap("/3.gz"), part === "br" ? tooDeep : stopped, "three times");
      if (part.endsWith("limits")) context.expectSitemap(sitemap("/4.gz"), tooDeep, "four times");
      if (part === "scaled limits") context.note(`out of ${site["sizes"]}`);
      const outcomes = ["/2.gz", "/3.gz", "/4.gz"].map((path) => outcomeOf(sitemap(path)));
      return `${part}: ${outcomes.filter((outcome) => outcome !== "nothing").join(", ")}`;
    },
  },
  {
    id: "sec-E06",
    server: "a .gz URL with Content-Encoding gzip, compressed once; and twice",
    expected: "found, decompressed as often as it was compressed",
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
    expected: "received entries kept, partial",
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
    server: "500,000 empty members; a file name of 20 MB in the header",
    expected:
      "gzip.corrupt after 1,000 members, earlier entries kept; gzip.corrupt or limit.bytes, or the name is skipped",
    bounds: { ms: 2000, cpuMs: 1000, wireBytes: 22 * MIB },
    ...variantsOf(
      {
        members: {
          behave: (socket) => {
            socket.write(httpHead({ "content-type": "application/gzip" }));
            const members = Buffer.concat(Array<Buffer>(5000).fill(gzipSync("")));
            return pour(socket, [packed, ...Array<Buffer>(100).fill(members)]).then(() => socket.end());
          },
          wanted: stopped,
          check: (context, _, { codes }) => context.expect(codes.has("gzip.corrupt"), "no gzip.corrupt"),
        },
        "file name": {
          behave: (socket) => {
            socket.write(httpHead({ "content-type": "application/gzip" }));
            const name = Buffer.alloc(MIB, "n");
            return pour(socket, [
              Buffer.from("1f8b08080000000002ff", "hex"),
              ...Array<Buffer>(20).fill(name),
              Buffer.concat([Buffer.from([0]), packed.subarray(10)]),
            ]).then(() => socket.end());
          },
          wanted: {},
          check: (context, { url, outcome, partial }, { issues }) => {
            const codes = issues.filter((issue) => issue.url === url).map(({ code }) => code);
            const isRefused = codes.includes("gzip.corrupt") || codes.includes("limit.bytes");
            context.expect(
              outcome === "found" || (partial === true && isRefused),
              `file name: ${outcome}, ${codes.join(", ")}`,
            );
          },
        },
      },
      DEFAULTS,
    ),
  },
  {
    id: "sec-E11",
    server: "bombs of gzip and brotli on a redirect, on a 404 and on a 500",
    expected: "never undone",
    bounds: { ...bombBounds, ms: 1500, inflatedBytes: 0, wireBytes: 2 * MIB },
    serve: async (stage) => {
      const brotli = await brotliBomb();
      const answers = new Map([
        ["301", "301 Moved"],
        ["404", "404 Not Found"],
        ["500", "500 Oops"],
      ]);
      const behave: RawBehaviour = (socket, { path }) => {
        const [, coding = "", status = ""] = path.split("/");
        const answer = answers.get(status);
        if (answer === undefined) return socket.write(httpResponse(sitemap));
        socket.write(httpHead({ "content-encoding": coding, location: "to" }, answer));
        return pour(socket, coding === "br" ? [brotli] : bomb("gzip")).then(() => socket.end());
      };
      const sitemaps = ["gzip", "br"].flatMap((coding) =>
        [...answers.keys()].map((status) => `/${coding}/${status}`),
      );
      return { url: await stage.raw(behave, { sitemaps }) };
    },
    async run(context) {
      const { sitemap } = await context.walk(context.url());
      for (const coding of ["gzip", "br"]) {
        context.expectSitemap(sitemap(`/${coding}/301`), found, `redirect with ${coding}`);
        for (const status of [404, 500]) {
          const ends = { outcome: "failed", code: "http.status" } as const;
          context.expectSitemap(sitemap(`/${coding}/${status}`), ends, `${status} with ${coding}`);
        }
      }
      return `301: ${outcomeOf(sitemap("/br/301"))}; 404, 500: ${outcomeOf(sitemap("/br/404"))}`;
    },
  },
  {
    id: "sec-E12",
    server: "bombs as robots.txt: gzip, brotli, gzip as a file",
    expected: "its first lines are read, the rest is skipped after 5 MiB",
    bounds: { ...bombBounds, inflatedBytes: 8 * MIB, decodedBytes: 6 * MIB },
    serve: async (stage) => {
      const site = async (coding: string): Promise<string> => {
        const url: string = await stage.raw(
          async (socket, { path }) => {
            if (path !== "/robots.txt") return socket.write(httpResponse(sitemap));
            socket.write(httpHead({ "content-encoding": coding, "content-type": "text/plain" }));
            const lines = `User-agent: *\nSitemap: ${url}/sitemap.xml\n`;
            await pour(socket, coding === "br" ? [await brotliBomb(lines)] : bomb("gzip", lines));
            return socket.end();
          },
          { robots: false },
        );
        return url;
      };
      return { gzip: await site("gzip"), br: await site("br"), file: await site("identity") };
    },
    parts: ["gzip", "br", "file"],
    async run(context) {
      const { part, site } = context;
      const { document, robots, inflatedBytes } = await context.walk(String(site[part]), DEFAULTS);
      context.expectSitemap(document, found, part);
      context.expectSitemap(robots, { outcome: "found", format: "robots", partial: true }, "robots.txt");
      return `${part} ${outcomeOf(document)} after ${(inflatedBytes / MIB).toFixed(1)} MiB`;
    },
  },
  {
    id: "sec-E13",
    server: "UTF-16 and UTF-32 of either order, with and without BOM, odd lengths, lone surrogates",
    expected: "found, or failed; it always ends",
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
    expected: "found, with a limited number of encoding.invalid-utf8",
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
    expected: "failed: no archive is unpacked",
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
    server: "ordinary sitemaps of 9 and 19 MiB at 158 to 1 (gzip), 145 to 1 and more (brotli)",
    expected: "found, whole",
    bounds: { ms: 10_000 },
    serve: async (stage) => {
      const [large, small] = [repetitiveSitemap(3600), repetitiveSitemap(10_000, 8, 0)];
      const gzip = gzipSync(large, { level: 9 });
      const brotli = (text: string): Buffer =>
        brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
      const [coded, codedLarge] = [brotli(small), brotli(large)];
      const answers = new Map([
        ["/1.xml.gz", httpResponse(gzip)],
        ["/2.xml", httpResponse(gzip, { "content-encoding": "gzip" })],
        ["/3.xml", httpResponse(coded, { "content-encoding": "br" })],
        ["/4.xml", httpResponse(codedLarge, { "content-encoding": "br" })],
      ]);
      const url = await stage.raw((socket, { path }) => socket.write(answers.get(path) ?? ""), {
        sitemaps: [...answers.keys()],
      });
      return {
        url,
        bytes: small.length,
        gzip: Math.floor(large.length / gzip.length),
        brotli: Math.floor(small.length / coded.length),
        brotliLarge: Math.floor(large.length / codedLarge.length),
      };
    },
    async run(context) {
      const { gzip, brotli, brotliLarge, bytes } = context.site as Record<string, number>;
      const { sitemap } = await context.walk(context.url(), {
        concurrency: 1,
        keepPages: 0,
        limits: { ...DEFAULTS.limits, urls: 100_000, requestMs: 20_000 },
      });
      for (const [path, pageCount] of Object.entries({
        "/1.xml.gz": 3600,
        "/2.xml": 3600,
        "/3.xml": 10_000,
        "/4.xml": 3600,
      })) {
        context.expectSitemap(sitemap(path), { outcome: "found", pageCount }, path);
        context.expect(sitemap(path)?.partial === undefined, `${path} is partial`);
      }
      // Realistic: slightly above the ratios seen on real sites, and above 8 MiB, where the limit applies.
      const isFair = gzip! >= 158 && gzip! < 200 && brotli! >= 145 && brotli! < 180 && bytes! > 8 * MIB;
      context.expect(isFair, `ratios ${gzip} and ${brotli}, ${bytes} bytes`);
      return `found, gzip ${gzip} to 1, brotli ${brotli} and ${brotliLarge} to 1`;
    },
  },
  {
    id: "sec-E17",
    server:
      "brotli with the largest window, 16 MiB: one document of 18 MiB; eight at once, which stall before their ends; a window of 1 GiB",
    expected:
      "found: bodies wait for each other, so their windows do not take 128 MiB; 1 GiB: http.bad-content-encoding",
    bounds: {
      ms: 20_000,
      cpuMs: 6000,
      isByteWork: true,
      rssMiB: 96,
      wireBytes: 2 * MIB,
      inflatedBytes: 160 * MIB,
    },
    parts: ["one", "eight", "1 GiB"],
    serve: async (stage) => {
      const body = wideBrotli({ [constants.BROTLI_PARAM_LGWIN]: 24 });
      const wider = wideBrotli({
        [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
        [constants.BROTLI_PARAM_LGWIN]: 30,
      });
      const serve = (bytes: Buffer, sitemaps: readonly string[]): Promise<string> =>
        stage.raw(
          (socket) => {
            socket.write(httpHead({ "content-encoding": "br", "content-length": String(bytes.length) }));
            socket.write(bytes.subarray(0, -10));
            setTimeout(() => socket.write(bytes.subarray(-10)), 200);
          },
          { sitemaps },
        );
      return {
        one: await serve(body, ["/s0"]),
        eight: await serve(body, EIGHT_PATHS),
        "1 GiB": await serve(wider, ["/s0"]),
      };
    },
    async run(context) {
      const { part, site } = context;
      const { sitemap } = await context.walk(String(site[part]), {
        limits: { ...DEFAULTS.limits, requestMs: 20_000 },
        concurrency: 8,
      });
      const paths = part === "eight" ? EIGHT_PATHS : ["/s0"];
      const wanted =
        part === "1 GiB"
          ? ({ outcome: "failed", code: "http.bad-content-encoding" } as const)
          : ({ outcome: "found", pageCount: 1 } as const);
      for (const path of paths) context.expectSitemap(sitemap(path), wanted, path);
      const isPartial = sitemap("/s0")?.partial !== undefined;
      context.expect(isPartial === (part === "1 GiB"), "the document was cut before its window was full");
      return `${part}: ${outcomeOf(sitemap("/s0"))}`;
    },
  },
];

const EIGHT_PATHS: readonly string[] = Array.from({ length: 8 }, (_, n) => `/s${n}`);

/** A sitemap of 18 MiB, so that the decoder allocates its whole window. */
function wideBrotli(params: Readonly<Record<number, number>>): Buffer {
  // The random part keeps the document below `compressionRatio`.
  const line = (): string => randomBytes(60).toString("hex") + " ".repeat(20_000);
  const filling = Array.from({ length: 900 }, line).join("");
  return brotliCompressSync(urlset(1).replace("</urlset>", `<!--${filling}--></urlset>`), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, ...params },
  });
}

/** Compresses badly, so that a part of the data contains a part of the pages. */
function noisyUrlset(count: number): string {
  const urls = Array.from(
    { length: count },
    (_, n) => `<url><loc>http://www.example.com/${crc32(String(n)).toString(36)}</loc></url>\n`,
  );
  return `${urlset(0).replace("</urlset>\n", "")}${urls.join("")}</urlset>\n`;
}
