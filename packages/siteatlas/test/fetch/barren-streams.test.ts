/**
 * Compressed data that holds nothing, without end: each block takes its time, none gives a byte that a limit of
 * decoded bytes could count. It is ended by what it took, with all clocks switched off (sec-E10, row 19).
 */
import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { undoCodings } from "../../src/fetch/content-coding.ts";
import { sitemapTreeForHomepage } from "../../src/tree.ts";
import type { WalkLimits } from "../../src/walk/options.ts";
import { openSite, robotsTxt, urlset } from "../support/test-site.ts";
import { readAll } from "./client-suite.ts";

const KIB = 1024;
const NONE = Number.POSITIVE_INFINITY;
const NO_CLOCKS: WalkLimits = { idleMs: NONE, requestMs: NONE, headersMs: NONE, bytesPerSecond: 0 };

/** Bits in the order of RFC 1951, from the lowest of the first byte on, again and again. */
function bitsOf(bits: string, size: number): Buffer {
  const bytes = Buffer.alloc(size - (size % bits.length));
  for (let at = 0; at < bytes.length * 8; at++) {
    if (bits[at % bits.length] === "1") bytes[at >> 3]! |= 1 << (at & 7);
  }
  return bytes;
}

/** Deflate blocks that hold nothing: a stored one, one with fixed codes, one that brings its own. */
const STORED = Buffer.from("000000ffff".repeat(13 * KIB), "hex");
const FIXED = bitsOf("0100000000", 64 * KIB);
const DYNAMIC = bitsOf(
  [
    "0", // not the last
    "01", // codes of its own
    "00000", // 257 of letters
    "00000", // 1 of distances
    "0111", // 18 lengths of codes: those of 18 and 1 are 1
    `000000100${"000".repeat(14)}100`,
    "1" + "1111111" + "1" + "1101011", // 138 letters and 118 have no code
    "0" + "0", // the end has, and a distance
    "0", // the end
  ].join(""),
  64 * KIB,
);
/** Brotli metadata of no bytes (RFC 7932 section 9.2), behind the size of the window. */
const BROTLI_START = Buffer.from([0b000_1100]);
const BROTLI = Buffer.alloc(64 * KIB, 0b00_0110);

const GZIP_START = Buffer.from("1f8b08000000000000ff", "hex");
const NAMED_GZIP_START = Buffer.from("1f8b08080000000000ff", "hex");

/** Brotli of so much of it, which is next to nothing. */
const brotliOf = (start: Uint8Array, blocks: Uint8Array, mebibytes: number): Uint8Array =>
  brotliCompressSync(Buffer.concat([start, ...Array<Uint8Array>(16 * mebibytes).fill(blocks)]));

/** Sends the start and then blocks until the other side is tired of it; gives how many bytes it took. */
async function pour(
  response: ServerResponse,
  start: Uint8Array,
  blocks: Uint8Array,
  headers: Record<string, string>,
): Promise<number> {
  response.writeHead(200, headers);
  response.write(start);
  for (let sent = start.length; ; sent += blocks.length) {
    if (response.destroyed) return sent;
    // Should nobody ever be.
    if (sent > 64 * KIB * KIB) response.end();
    else if (!response.write(blocks)) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          response.off("drain", done).off("close", done);
          resolve();
        };
        response.on("drain", done).on("close", done);
      });
    }
  }
}

describe("a body without end that holds nothing", () => {
  it.each<[string, Record<string, string>, Uint8Array, Uint8Array, string]>([
    [
      "stored, as deflate",
      { "content-encoding": "deflate" },
      Buffer.alloc(0),
      STORED,
      "http.bad-content-encoding",
    ],
    [
      "fixed, as deflate",
      { "content-encoding": "deflate" },
      Buffer.alloc(0),
      FIXED,
      "http.bad-content-encoding",
    ],
    [
      "dynamic, as deflate",
      { "content-encoding": "deflate" },
      Buffer.alloc(0),
      DYNAMIC,
      "http.bad-content-encoding",
    ],
    ["as brotli", { "content-encoding": "br" }, BROTLI_START, BROTLI, "http.bad-content-encoding"],
    ["as gzip", { "content-encoding": "gzip" }, GZIP_START, DYNAMIC, "gzip.corrupt"],
    ["as a gzip file", { "content-type": "application/gzip" }, GZIP_START, STORED, "gzip.corrupt"],
    ["as a zlib file", {}, Buffer.from([0x78, 0x9c]), DYNAMIC, "gzip.corrupt"],
    [
      "a file name",
      { "content-type": "application/gzip" },
      NAMED_GZIP_START,
      Buffer.alloc(64 * KIB, "n"),
      "gzip.corrupt",
    ],
  ])("%s", async (_, headers, start, blocks, code) => {
    let sent: Promise<number> | undefined;
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": (_request, response) => {
        sent = pour(response, start, blocks, headers);
        return undefined;
      },
      "/b.xml": urlset(["/page"]),
    }));
    const options = { useKnownPaths: false, useHomepageLinks: false, limits: NO_CLOCKS };
    const tree = await sitemapTreeForHomepage(site.url, options);
    const [a, b] = tree.subSitemaps[0]!.subSitemaps;
    expect(a).toMatchObject({ kind: "invalid" });
    expect(a!.issues.map((issue) => issue.code)).toContain(code);
    expect(b).toMatchObject({ kind: "pages" });
    // 256 KiB are enough; the rest lies in the buffers of the sockets.
    expect(a!.http!.bytes).toBeLessThan(1024 * KIB);
    expect(await sent).toBeLessThan(16 * KIB * KIB);
  });

  it.each<[string, Uint8Array]>([
    ["gzip, br", brotliOf(GZIP_START, DYNAMIC, 64)],
    ["gzip, br", brotliOf(NAMED_GZIP_START, Buffer.alloc(64 * KIB, "n"), 64)],
    ["deflate, br", brotliOf(Buffer.alloc(0), DYNAMIC, 64)],
    ["br, br", brotliOf(BROTLI_START, BROTLI, 64)],
  ])("%s: in another layer, where 64 MiB are next to nothing", async (coding, body) => {
    expect(body.length).toBeLessThan(20 * KIB);
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": { headers: { "content-encoding": coding }, body },
    }));
    const options = { useKnownPaths: false, useHomepageLinks: false, limits: NO_CLOCKS };
    const from = process.cpuUsage();
    const [a] = (await sitemapTreeForHomepage(site.url, options)).subSitemaps[0]!.subSitemaps;
    const { user, system } = process.cpuUsage(from);
    expect(a).toMatchObject({ kind: "invalid" });
    expect(a!.issues.map(({ code }) => code).join(" ")).toMatch(/gzip\.corrupt|http\.bad-content-encoding/);
    // All of it would be 8 seconds.
    expect((user + system) / 1000).toBeLessThan(2000);
  });

  it("counts what came, even if nothing came of it: wireBytes", async () => {
    const read = async (wireBytes: number): Promise<string | undefined> => {
      const site = await openSite((base) => ({
        "/robots.txt": robotsTxt([`${base}/a.xml`]),
        "/a.xml": (_, response) => {
          response.writeHead(200, { "content-encoding": "deflate" });
          response.write(STORED.subarray(0, 1000), () => response.end());
          return undefined;
        },
      }));
      const options = { useKnownPaths: false, useHomepageLinks: false, limits: { ...NO_CLOCKS, wireBytes } };
      const tree = await sitemapTreeForHomepage(site.url, options);
      return tree.subSitemaps[0]!.subSitemaps[0]!.issues.map(({ code }) => code).join(" ");
    };
    expect(await read(999)).toMatch(/limit\.bytes/);
    expect(await read(1000)).not.toMatch(/limit\.bytes/);
  });
});

describe("what honest servers send", () => {
  it("has flushes without data in it, and members without any", async () => {
    const text = "x".repeat(1000);
    const flushes = Buffer.concat([...Array<Buffer>(1000).fill(STORED.subarray(0, 5))]);
    const letter = Buffer.from("0001 00fe ff78".replaceAll(" ", ""), "hex");
    const body = Buffer.concat([flushes, letter, flushes, Buffer.from([1, 0, 0, 0xff, 0xff])]);
    const { bytes, error } = await readAll(undoCodings("deflate", oneByOne(body)).body);
    expect({ text: bytes.toString(), error }).toEqual({ text: "x", error: undefined });
    const members = Buffer.concat([...Array<Buffer>(900).fill(gzipSync("")), gzipSync(urlset([`/${text}`]))]);
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml.gz`]),
      "/a.xml.gz": { body: members },
    }));
    const tree = await sitemapTreeForHomepage(site.url, { useKnownPaths: false, useHomepageLinks: false });
    expect(tree.subSitemaps[0]!.subSitemaps[0]!.pages).toHaveLength(1);
  });
});

async function* oneByOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}
