/**
 * Small bodies that decompress to large ones, wherever the size is hidden, and large files that must not block other
 * work.
 */
import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { Client } from "../../src/fetch/client/client.ts";
import type { Sitemap } from "../../src/model/model.ts";
import { sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkLimits, WalkOptions } from "../../src/walk/options.ts";
import { openSite, pageUrls, robotsTxt, type SiteAnswer, urlset } from "../support/test-site.ts";

const MIB = 1024 * 1024;
const OPTIONS: WalkOptions = { useKnownPaths: false, useHomepageLinks: false };

async function readBody(answer: SiteAnswer, options: WalkOptions = OPTIONS): Promise<Sitemap> {
  const site = await openSite((base) => ({ "/robots.txt": robotsTxt([`${base}/a`]), "/a": answer }));
  return (await sitemapTreeForHomepage(site.url, options)).subSitemaps[0]!.subSitemaps[0]!;
}

const codesOf = ({ issues }: Sitemap): string[] => issues.map(({ code }) => code);

/** Maximum length of a file name in the header of a gzip member. */
const MAX_NAME = 64 * 1024;

/** A gzip member with a file name of this number of bytes in its header, which is not part of the output. */
function namedMember(length: number, text = ""): Uint8Array {
  const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([head, Buffer.alloc(length, "n"), Buffer.from([0]), gzipSync(text).subarray(10)]);
}

/** gzip with this number of bytes of file names, and one page. */
function namedGzip(length: number): Uint8Array {
  const members = Array<Uint8Array>(length / MAX_NAME).fill(namedMember(MAX_NAME));
  return Buffer.concat([...members, namedMember(1, urlset(["https://example.com/1"]))]);
}

it.each([
  [0, true],
  [1, true],
  [MAX_NAME, true],
  [MAX_NAME + 1, false],
])("a file name of %d bytes (row 19, sec-E10)", async (length, isRead) => {
  const node = await readBody({ body: namedMember(length, urlset(["https://example.com/1"])) });
  expect(node.pages).toHaveLength(isRead ? 1 : 0);
  expect(codesOf(node).includes("gzip.corrupt")).toBe(!isRead);
});

it.each<[string, WalkLimits, string | undefined]>([
  ["by its ratio", { compressionRatio: 300 }, "gzip.bomb"],
  ["by its size", { compressionRatio: Number.POSITIVE_INFINITY, decodedBytes: MIB }, "limit.bytes"],
  ["not at all without limits", { compressionRatio: Number.POSITIVE_INFINITY }, undefined],
])("an inner layer without output is stopped %s (sec-E05, sec-E10)", async (_, limits, code) => {
  const node = await readBody({ body: gzipSync(namedGzip(40 * MIB), { level: 9 }) }, { ...OPTIONS, limits });
  expect(codesOf(node).filter((issue) => issue === "gzip.bomb" || issue === "limit.bytes")).toEqual(
    code === undefined ? [] : [code],
  );
  expect(node.pages).toHaveLength(code === undefined ? 1 : 0);
});

it("brotli as Content-Encoding (sec-E03), deflate (sec-E04)", async () => {
  const text = `${urlset(["https://example.com/1"])}${" ".repeat(30 * MIB)}`;
  const node = await readBody({ headers: { "content-encoding": "br" }, body: brotliCompressSync(text) });
  expect(node.pages).toHaveLength(1);
  expect(codesOf(node)).toContain("gzip.bomb");
  expect(node.partial).toBe(true);
});

it.each<[string, (text: Uint8Array) => Uint8Array]>([
  ["gzip", (text) => gzipSync(text, { level: 9 })],
  ["deflate", (text) => deflateSync(text, { level: 9 })],
  ["deflate", (text) => deflateRawSync(text, { level: 9 })],
  ["br", (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
])(
  "bytes after a bomb do not lower its ratio: Content-Encoding %s (sec-E01, sec-E04)",
  async (coding, pack) => {
    const start = `${urlset(["https://example.com/1"])}${" ".repeat(20 * MIB)}`;
    const body = pack(Buffer.concat([Buffer.from(start), randomBytes(60_000)]));
    // The complete body is received before a fraction of it is decompressed.
    expect(start.length / body.length).toBeLessThan(400);
    const node = await readBody({ headers: { "content-encoding": coding }, body });
    expect(node.pages).toHaveLength(1);
    expect(codesOf(node)).toContain("gzip.bomb");
  },
);

it("a bomb in robots.txt (sec-E12)", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": { body: gzipSync(`Sitemap: ${base}/a.xml\n${"\n".repeat(40 * MIB)}`, { level: 9 }) },
    "/a.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, OPTIONS);
  expect(tree.subSitemaps[0]!.subSitemaps[0]!.pages).toHaveLength(1);
  expect(tree.subSitemaps[0]!.partial).toBe(true);
});

it.each([
  [undefined, 3, true],
  [undefined, 4, false],
  ["br", 2, true],
  ["br", 3, false],
  ["br, br", 1, true],
  ["br, br", 2, false],
  ["gzip, br", 2, true],
  ["gzip, br", 3, false],
])("layers: Content-Encoding %s over %i of gzip: %s (row 18)", async (header, layers, isRead) => {
  let body: Uint8Array = Buffer.from(urlset(["https://example.com/1"]));
  for (let layer = 0; layer < layers; layer++) body = gzipSync(body);
  const brotli = header?.split("br").length ?? 1;
  for (let coding = 1; coding < brotli; coding++) body = brotliCompressSync(body);
  const node = await readBody({ headers: header === undefined ? {} : { "content-encoding": header }, body });
  expect(node).toMatchObject(isRead ? { kind: "pages" } : { kind: "invalid", code: "gzip.too-deep" });
});

it("other tasks run while a large piece is parsed (row 41)", async () => {
  const text = urlset(pageUrls(`https://example.com/${"x".repeat(200)}`, 40_000));
  expect(text.length).toBeGreaterThan(9 * MIB);
  const client: Client = async ({ url }) => ({
    status: 200,
    headers: {},
    body: (async function* () {
      yield Buffer.from(url.endsWith("robots.txt") ? "Sitemap: /a.xml" : text);
    })(),
  });
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const tree = await sitemapTreeForHomepage("https://example.com/", { ...OPTIONS, client });
  isOver = true;
  expect(tree.subSitemaps[0]!.subSitemaps[0]!.pages).toHaveLength(40_000);
  expect(turns).toBeGreaterThan(text.length / (256 * 1024) - 1);
});

it.each([
  [1024, true],
  [1025, false],
])("ETag and Last-Modified of %i characters are kept: %s (sec-H17)", async (length, isKept) => {
  const value = "e".repeat(length);
  const headers = { etag: value, "last-modified": value, link: `<${value}>; rel="sitemap"` };
  const node = await readBody({ headers, body: urlset(["https://example.com/1"]) });
  expect(node.http?.etag).toBe(isKept ? value : undefined);
  expect(node.http?.lastModified).toBe(isKept ? value : undefined);
});

it("user and password in a sitemap's URL are never sent and never shown (sec-U06)", async () => {
  const site = await openSite((base) => {
    const withUser = base.replace("//", "//eve:stolen@");
    return {
      "/robots.txt": `Sitemap: ${withUser}/a.xml\nSitemap: ${withUser}/gone.xml\n`,
      "/a.xml": urlset([`${base}/1`]),
    };
  });
  const tree = await sitemapTreeForHomepage(site.url.replace("//", "//user:secret@"), OPTIONS);
  expect(site.paths()).toEqual(["/robots.txt", "/a.xml", "/gone.xml"]);
  // Credentials of the homepage come from the caller.
  const own = `Basic ${Buffer.from("user:secret").toString("base64")}`;
  expect(new Set(site.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([own]));
  expect(JSON.stringify(tree)).not.toMatch(/secret|stolen/);
});
