/**
 * Endless compressed data without content: each block takes time to decompress, but yields no byte that a limit
 * on decoded bytes could count. The number of input bytes must end it, with all time limits switched off
 * (sec-E10).
 */
import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { undoCodings } from "../../src/fetch/content-coding.ts";
import { sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkLimits } from "../../src/walk/options.ts";
import { openSite, robotsTxt, urlset } from "../support/test-site.ts";
import { readAll } from "./client/client-suite.ts";

const KIB = 1024;
const NONE = Number.POSITIVE_INFINITY;
const NO_CLOCKS: WalkLimits = { idleMs: NONE, requestMs: NONE, headersMs: NONE, bytesPerSecond: 0 };

/** Repeats a bit sequence in the order of RFC 1951: the lowest bit of a byte first. */
function bitsOf(bits: string, size: number): Buffer {
  const bytes = Buffer.alloc(size - (size % bits.length));
  for (let at = 0; at < bytes.length * 8; at++) {
    if (bits[at % bits.length] === "1") bytes[at >> 3]! |= 1 << (at & 7);
  }
  return bytes;
}

/** Empty deflate blocks: stored, with fixed codes, with dynamic codes. */
const STORED = Buffer.from("000000ffff".repeat(13 * KIB), "hex");
const FIXED = bitsOf("0100000000", 64 * KIB);
const DYNAMIC = bitsOf(
  [
    "0", // not the last
    "01", // dynamic codes
    "00000", // 257 literal codes
    "00000", // 1 distance code
    "0111", // 18 code length codes: 18 and 1 have length 1
    `000000100${"000".repeat(14)}100`,
    "1" + "1111111" + "1" + "1101011", // 138 and 118 literals without a code
    "0" + "0", // a code for the end of the block, and one distance
    "0", // the end
  ].join(""),
  64 * KIB,
);
/** Empty brotli metadata blocks (RFC 7932 section 9.2), after the window size. */
const BROTLI_START = Buffer.from([0b000_1100]);
const BROTLI = Buffer.alloc(64 * KIB, 0b00_0110);

const GZIP_START = Buffer.from("1f8b08000000000000ff", "hex");
const NAMED_GZIP_START = Buffer.from("1f8b08080000000000ff", "hex");

/** Compresses `length` bytes of it with brotli, which is very small. */
const brotliOf = (start: Uint8Array, blocks: Uint8Array, mebibytes: number): Uint8Array =>
  brotliCompressSync(Buffer.concat([start, ...Array<Uint8Array>(16 * mebibytes).fill(blocks)]));

/** Sends the start, then blocks until the client closes the connection. Returns the number of bytes sent. */
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
    // In case the client never closes it.
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

describe("an endless body without content", () => {
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
    // 256 KiB are read. The rest is in socket buffers.
    expect(a!.http!.bytes).toBeLessThan(1024 * KIB);
    expect(await sent).toBeLessThan(16 * KIB * KIB);
  });

  it.each<[string, Uint8Array]>([
    ["gzip, br", brotliOf(GZIP_START, DYNAMIC, 64)],
    ["gzip, br", brotliOf(NAMED_GZIP_START, Buffer.alloc(64 * KIB, "n"), 64)],
    ["deflate, br", brotliOf(Buffer.alloc(0), DYNAMIC, 64)],
    ["br, br", brotliOf(BROTLI_START, BROTLI, 64)],
  ])("%s: inside another coding, where 64 MiB compress to very little", async (coding, body) => {
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
    // Decompressing all of it would take 8 seconds.
    expect((user + system) / 1000).toBeLessThan(2000);
  });

  it("wireBytes counts received bytes, even if they decode to nothing", async () => {
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

describe("bodies of ordinary servers", () => {
  it("may contain flushes without data and empty members", async () => {
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
