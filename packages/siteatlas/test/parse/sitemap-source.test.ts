/** The forms of a document that the parser takes. Each gives the same result. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseEntries, parseSitemap, type SitemapSource } from "../../src/parse/index.ts";
import { serve } from "../support/http-server.ts";

const URLS = ["https://example.com/a", "https://example.com/%C3%BC"];
const XML = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/a</loc></url><url><loc>https://example.com/ü</loc></url></urlset>`;
const bytes = new TextEncoder().encode(XML);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const packed = gzipSync(bytes);

/** Of an even length, for a view with items of two bytes. */
const even = new TextEncoder().encode(bytes.length % 2 === 0 ? XML : `${XML} `);

const SOURCES: Readonly<Record<string, () => SitemapSource>> = {
  "a string": () => XML,
  "a Uint8Array": () => bytes,
  "a Buffer": () => Buffer.from(XML),
  "an ArrayBuffer": () => buffer,
  "an ArrayBuffer of gzip": () => Uint8Array.from(packed).buffer,
  "a DataView": () => new DataView(buffer),
  "a Uint16Array": () => new Uint16Array(even.buffer, 0, even.length / 2),
  "a Blob": () => new Blob([bytes]),
  "a Blob of gzip": () => new Blob([Uint8Array.from(packed)]),
  "a File": () => new File([bytes], "sitemap.xml", { type: "application/xml" }),
  "a Response": () => new Response(bytes),
  "a Response of text": () => new Response(XML),
  "a ReadableStream": () => new Blob([bytes]).stream(),
  "a stream of Node": () => Readable.from([bytes.subarray(0, 40), bytes.subarray(40)]),
  "an array of strings": () => [XML.slice(0, 30), XML.slice(30)],
  "an array of bytes": () => [bytes.subarray(0, 41), bytes.subarray(41)],
  "an async generator": () =>
    (async function* () {
      yield XML.slice(0, 50);
      yield XML.slice(50);
    })(),
};

describe.each(Object.entries(SOURCES))("%s", (_, source) => {
  it("is parsed", async () => {
    const { kind, pages } = await parseSitemap(source());
    expect(kind).toBe("pages");
    expect([...pages].map(({ url }) => url)).toEqual(URLS);
  });

  it("is parsed entry by entry", async () => {
    const urls: string[] = [];
    for await (const entry of parseEntries(source())) if (entry.kind === "page") urls.push(entry.page.url);
    expect(urls).toEqual(URLS);
  });
});

it("a Response gives its URL and its content type", async () => {
  await using server = await serve({
    "/map.txt": {
      headers: { "content-type": "text/plain; charset=iso-8859-1" },
      body: Buffer.from(`${"http://a.example/"}\xfc\n`, "latin1"),
    },
    "/robots.txt": { body: "Sitemap: /own.xml" },
  });
  const text = await parseSitemap(await fetch(`${server.url}/map.txt`));
  expect([...text.pages].map(({ url }) => url)).toEqual(["http://a.example/%C3%BC"]);
  const robots = await parseSitemap(await fetch(`${server.url}/robots.txt`));
  expect(robots).toMatchObject({ kind: "index", format: "robots", url: `${server.url}/robots.txt` });
  expect(robots.subSitemaps[0]?.url).toBe(`${server.url}/own.xml`);
  const renamed = await parseSitemap(await fetch(`${server.url}/robots.txt`), {
    url: "https://b.example/robots.txt",
  });
  expect(renamed.subSitemaps[0]?.url).toBe("https://b.example/own.xml");
});

it("the URL may be a URL object", async () => {
  const { url } = await parseSitemap(XML, { url: new URL("https://example.com/a.xml") });
  expect(url).toBe("https://example.com/a.xml");
});

it("an empty Response is an empty document", async () => {
  expect(await parseSitemap(new Response(null))).toMatchObject({ kind: "invalid", code: "content.empty" });
});

it("leaving the loop cancels the stream", async () => {
  let isCanceled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(`${URLS[0]}\n`)),
    cancel: () => {
      isCanceled = true;
    },
  });
  for await (const _ of parseEntries(stream)) break;
  expect(isCanceled).toBe(true);
});

async function readResponse(): Promise<SitemapSource> {
  const response = new Response("a");
  await response.text();
  return response;
}

function lockedResponse(): SitemapSource {
  const response = new Response("a");
  response.body?.getReader();
  return response;
}

it.each([
  [
    "a Request",
    // @ts-expect-error A Request is not a SitemapSource.
    (): SitemapSource => new Request("http://127.0.0.1:9/", { method: "POST", body: XML }),
    /^parseSitemap: source must be a string, .* a Response, .*, not a Request$/,
  ],
  [
    "a Response whose body is locked",
    lockedResponse,
    /^parseSitemap: source must be a Response that was not read before, not a Response/,
  ],
  [
    "a Response that was read",
    readResponse,
    /^parseSitemap: source must be a Response that was not read before, not a Response/,
  ],
  [
    "an array of numbers",
    () => [1, 2] as never,
    /^parseSitemap: each chunk of source must be a string or a Uint8Array, not 1/,
  ],
  [
    "a stream of objects",
    () => Readable.from([{}]) as never,
    /^parseSitemap: each chunk of source must be a string or a Uint8Array, not an object/,
  ],
  ["an object", () => ({}) as never, /^parseSitemap: source must be a string, a Uint8Array.*, not an object/],
  ["a URL", () => new URL("https://example.com/") as never, /^parseSitemap: source must be .*, not a URL/],
])("%s is a TypeError", async (_, source, message) => {
  const parsed = parseSitemap(await source());
  await expect(parsed).rejects.toBeInstanceOf(TypeError);
  await expect(parsed).rejects.toThrow(message);
});

it("an error of the source itself is thrown", async () => {
  await expect(parseSitemap(createReadStream("/no/such/file.xml"))).rejects.toThrow(/ENOENT/);
});
