/** Archives and PDFs, which people link as sitemaps, are named. */
import { expect, it } from "vitest";
import { parseSitemap } from "../../../src/parse/parse-sitemap.ts";

/** Bytes of a compressed stream, always the same. */
function noise(length: number): Buffer {
  let state = 42;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state >> 16) & 255;
  };
  return Buffer.from(Array.from({ length }, next));
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** The first block of a tar archive (POSIX.1-1988) with a sitemap in it. */
function tar(): Buffer {
  const block = Buffer.alloc(1024);
  block.write("sitemap.xml");
  block.write(
    ["0000644", "0001750", "0001750", "00000000073", "14000000000", ""].join("\x00"),
    100,
    "latin1",
  );
  block.write("0", 156);
  block.write("ustar\x0000", 257, "latin1");
  block.write("<urlset><url><loc>https://example.com/</loc></url></urlset>", 512);
  return block;
}

it.each([
  ["bzip2", Buffer.concat([Buffer.from("BZh91AY&SY"), noise(500)])],
  ["xz", Buffer.concat([hex("fd 37 7a 58 5a 00 00 04"), noise(500)])],
  ["7z", Buffer.concat([hex("37 7a bc af 27 1c 00 04"), noise(500)])],
  ["rar", Buffer.concat([hex("52 61 72 21 1a 07 01 00"), noise(500)])],
  ["zstd", Buffer.concat([hex("28 b5 2f fd 24 58"), noise(500)])],
  ["tar", tar()],
  ["pdf", Buffer.from("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\nhttps://example.com/\n")],
])("%s", async (type, bytes) => {
  for (const source of [bytes, bytes.subarray(0, 300)]) {
    expect(await parseSitemap(source, { url: "https://example.com/sitemap.xml" })).toMatchObject({
      kind: "invalid",
      code: "content.binary",
      reason: `The document is binary data, not a sitemap (${type} file)`,
      cause: type,
    });
  }
});

it("other binary data has no type", async () => {
  const sitemap = await parseSitemap(noise(500), { url: "https://example.com/sitemap.xml" });
  expect(sitemap).toMatchObject({
    code: "content.binary",
    reason: "The document is binary data, not a sitemap",
  });
  expect("cause" in sitemap).toBe(false);
});

it.each(["7z is a program\nhttps://example.com/\n", "BZh9\nhttps://example.com/\n"])(
  "a text that starts like an archive is a text: %j",
  async (text) => {
    expect(await parseSitemap(text, { url: "https://example.com/sitemap.txt" })).toMatchObject({
      kind: "pages",
      format: "text",
    });
  },
);
