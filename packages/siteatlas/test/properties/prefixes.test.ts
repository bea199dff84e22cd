/**
 * A truncated document yields what was complete: the pages of a prefix are a prefix of the pages. In a text
 * sitemap the last line may be incomplete, and is dropped if the body is known to be truncated.
 */
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSitemap } from "../../src/parse/index.ts";
import { anyBytes } from "../support/generate-any.ts";
import { documentArbitrary } from "../support/generate-bytes.ts";
import { type ModelFormat, modelArbitrary, modelFormats, modelUrl } from "../support/generate-model.ts";
import { limits } from "./limits.ts";

const XML_FORMATS = modelFormats.filter(
  (format) => format !== "json" && format !== "text" && format !== "robots",
);

/** Documents whose first bytes determine the encoding. In others a prefix may lack them. */
function clearEncoding(format: ModelFormat): fc.Arbitrary<Uint8Array> {
  return documentArbitrary(format)
    .filter(({ encoding, gzipLayers }) => !encoding.startsWith("windows") && gzipLayers === 0)
    .map(({ bytes }) => bytes);
}

const place = fc.double({ min: 0, max: 1, noNaN: true });

for (const format of XML_FORMATS) {
  test(`${format}: the pages of a prefix are a prefix of the pages`, async () => {
    await fc.assert(
      fc.asyncProperty(clearEncoding(format), place, async (bytes, part) => {
        await expectPrefix(bytes, Math.floor(part * bytes.length));
      }),
      limits(200),
    );
  });
}

test("the pages of a prefix of any XML are a prefix of the pages", async () => {
  // Any input that is XML from its first byte on, and UTF-8 as far as that can be detected.
  const anyXml = anyBytes
    .map((bytes) => new TextDecoder().decode(bytes))
    .filter((text) => text.trimStart().startsWith("<") && !/encoding|\0/i.test(text.slice(0, 300)))
    .map((text) => new TextEncoder().encode(text));
  await fc.assert(
    fc.asyncProperty(anyXml, place, async (bytes, part) => {
      await expectPrefix(bytes, Math.floor(part * bytes.length));
    }),
    limits(1500),
  );
});

async function expectPrefix(bytes: Uint8Array, length: number): Promise<void> {
  const url = "https://www.example.com/sitemap.xml";
  const [whole, cut] = [
    await parseSitemap(bytes, { url }),
    await parseSitemap(bytes.subarray(0, length), { url }),
  ];
  expect(plain([...cut.pages])).toEqual(plain([...whole.pages].slice(0, cut.pages.length)));
  const children = cut.subSitemaps.map((child) => child.url);
  expect(children).toEqual(whole.subSitemaps.map((child) => child.url).slice(0, children.length));
}

for (const format of modelFormats) {
  test(`${format}: a truncated body gives a prefix of the pages`, async () => {
    const cutBody = fc.tuple(documentArbitrary(format).filter(isUtf8), place);
    await fc.assert(
      fc.asyncProperty(cutBody, async ([{ bytes, model, contentType }, part]) => {
        // Level 0 stores the bytes uncompressed: a cut of the body is a cut of the document.
        const body = gzipSync(bytes, { level: 0 });
        const cut = body.subarray(0, 20 + Math.floor(part * (body.length - 20)));
        const sitemap = await parseSitemap(new Uint8Array(cut), {
          url: modelUrl(format),
          ...(contentType !== undefined && { contentType }),
        });
        const pages = [...sitemap.pages];
        expect(plain(pages)).toEqual(plain(model.pages.slice(0, pages.length)));
        const children = sitemap.subSitemaps.map(({ url }) => url);
        expect(children).toEqual(model.children.map(({ url }) => url).slice(0, children.length));
        if (cut.length < body.length && sitemap.kind !== "invalid") expect(sitemap.partial).toBe(true);
      }),
      limits(150),
    );
  });
}

test("text: only the last line of a prefix may differ", async () => {
  await fc.assert(
    fc.asyncProperty(modelArbitrary("text"), place, async ({ pages }, part) => {
      const text = pages.map(({ url }) => url).join("\n");
      const prefix = text.slice(0, Math.floor(part * text.length));
      const cut = await parseSitemap(prefix, { url: modelUrl("text") });
      const complete = prefix.split("\n").slice(0, -1);
      expect([...cut.pages].map(({ url }) => url).slice(0, complete.length)).toEqual(complete);
      expect(cut.pages.length).toBeLessThanOrEqual(complete.length + 1);
    }),
    limits(300),
  );
});

function isUtf8({ encoding, gzipLayers }: { encoding: string; gzipLayers: number }): boolean {
  return encoding.startsWith("utf-8") && gzipLayers === 0;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
