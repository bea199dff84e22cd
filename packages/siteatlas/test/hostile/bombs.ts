/**
 * Decompression bombs, generated without holding their content: after a full flush, deflate (RFC 1951) refers
 * to nothing before it, and brotli (RFC 7932) only to the previous byte, so one block can be sent repeatedly.
 * Also the opposite: endless blocks without content.
 */
import { constants, crc32, createBrotliCompress, deflateRawSync, gzipSync } from "node:zlib";
import { MIB } from "./case.ts";
import { urlset } from "./raw-server.ts";

/** Three complete entries, and no end of the document. */
const opened: string = urlset(3).replace("</urlset>\n", "");

const GZIP_HEADER = Buffer.from("1f8b08000000000002ff", "hex");
const ZLIB_HEADER = Buffer.from("78da", "hex");

const flushed = (bytes: string | Uint8Array): Buffer =>
  deflateRawSync(bytes, { level: 9, finishFlush: constants.Z_FULL_FLUSH });

/** White space at 1,028 to 1, as much as deflate can do. */
const SPACES = 16 * MIB;
/** Keeps the ratio below 1,000. */
const NOISE = Array.from({ length: 160 }, (_, n) => crc32(String(n)).toString(36).slice(-1)).join("");

export type Frame = "gzip" | "zlib" | "raw";

/** `head`, then white space: 16 MiB `times` over. */
export function* bomb(frame: Frame, head: string = opened, times = 128): Generator<Buffer> {
  if (frame !== "raw") yield frame === "gzip" ? GZIP_HEADER : ZLIB_HEADER;
  yield flushed(head);
  const block = flushed(Buffer.alloc(SPACES, " "));
  for (let n = 0; n < times; n++) yield block;
}

/** Grows slightly too slowly for a limit of 1,000 to 1. */
export function* patientBomb(): Generator<Buffer> {
  yield GZIP_HEADER;
  yield flushed(opened);
  const block = flushed(Buffer.concat([Buffer.alloc(MIB, " "), Buffer.from(`<!--${NOISE}-->`)]));
  for (let n = 0; n < 2048; n++) yield block;
}

/** The bomb of 100 MiB, compressed `times` times. */
export function nestedBomb(layers: number): Buffer {
  let bytes: Buffer = gzipSync(`${opened}${" ".repeat(100 * MIB)}</urlset>`, { level: 9 });
  for (let layer = 1; layer < layers; layer++) bytes = gzipSync(bytes, { level: 9 });
  return bytes;
}

/** Ends a brotli stream. */
const BROTLI_END = Buffer.from([0x03]);

/** `head`, then 10 GiB of white space in 9 KB: 16 MiB for each 14 bytes. */
export async function brotliBomb(head: string = opened, times = 640): Promise<Buffer> {
  const brotli = createBrotliCompress({
    flush: constants.BROTLI_OPERATION_FLUSH,
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  const made: Buffer[] = [];
  brotli.on("data", (bytes: Buffer) => made.push(bytes));
  const compress = async (bytes: string | Uint8Array): Promise<Buffer> => {
    await new Promise((resolve) => brotli.write(bytes, resolve));
    return Buffer.concat(made.splice(0));
  };
  const start = await compress(head);
  const spaces = Buffer.alloc(SPACES, " ");
  const [first, second, third] = [await compress(spaces), await compress(spaces), await compress(spaces)];
  brotli.destroy();
  if (!second.equals(third)) throw new Error("Equal blocks were compressed differently");
  return Buffer.concat([start, first, ...Array<Buffer>(times - 1).fill(second), BROTLI_END]);
}

/** The empty block of deflate: stored, of no bytes. */
const EMPTY_BLOCK = Buffer.from("000000ffff", "hex");
/** A brotli stream whose first block is metadata of no bytes; then such a block. */
const [BROTLI_EMPTY_START, BROTLI_EMPTY_BLOCK] = [Buffer.from([0x0c]), Buffer.from([0x06])];

/** Endless compressed data without content. */
export function* barren(frame: Frame | "brotli"): Generator<Buffer> {
  if (frame === "gzip") yield GZIP_HEADER;
  if (frame === "zlib") yield ZLIB_HEADER;
  if (frame === "brotli") yield BROTLI_EMPTY_START;
  const block = frame === "brotli" ? BROTLI_EMPTY_BLOCK : EMPTY_BLOCK;
  const blocks = Buffer.concat(Array<Buffer>(13_000).fill(block));
  for (;;) yield blocks;
}

/**
 * A realistic sitemap that compresses well: each page in many languages, each listing all the others, from a
 * template that leaves blank lines.
 */
export function repetitiveSitemap(pages: number, languages = 24, blankLines = 90): string {
  const letter = (n: number): string => String.fromCharCode(97 + (n % 26));
  const blank = `${" ".repeat(30)}\n`.repeat(blankLines);
  const codes = Array.from({ length: languages }, (_, n) => letter(n / 5) + letter(n * 7));
  let text =
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n';
  for (let page = 0; page < pages / languages; page++) {
    const path = `shop/category-${page % 17}/product-${crc32(String(page)).toString(36)}`;
    const links = codes
      .map(
        (code) =>
          `<xhtml:link rel="alternate" hreflang="${code}" href="https://www.example.com/${code}/${path}"/>\n`,
      )
      .join("");
    for (const code of codes)
      text += `<url>\n<loc>https://www.example.com/${code}/${path}</loc>\n${links}${blank}</url>\n`;
  }
  return `${text}</urlset>\n`;
}
