/**
 * Any input: bytes, texts, random sequences of sitemap fragments, and damaged fixtures and documents. For
 * properties that hold for any input from an untrusted server.
 */
import fc from "fast-check";
import { loadFixtures } from "./fixtures.ts";
import { documentArbitrary } from "./generate-bytes.ts";
import { modelFormats } from "./generate-model.ts";
import { FRAGMENTS, mutate } from "./mutate.ts";
import { seededRandom } from "./splits.ts";

export interface AnyInput {
  readonly bytes: Uint8Array;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly strict: boolean;
}

const encoder = new TextEncoder();

const TOKENS: readonly string[] = [
  ...FRAGMENTS,
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<?xml version="1.0" encoding="windows-1251"?>',
  '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  '<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">',
  "<sitemapindex>",
  "<sitemap>",
  "</sitemap>",
  "<lastmod>2024-01-02</lastmod>",
  "<lastmod>today</lastmod>",
  "<changefreq>daily",
  "<priority>0,8</priority>",
  "<loc>https://www.example.com/a</loc>",
  "<url><loc>https://www.example.com/b?x=1&amp;y=2</loc></url>",
  "<url><loc>/c?x=1&y=2</loc></url>",
  "<loc><![CDATA[https://www.example.com/d]]></loc>",
  "<loc>javascript:alert(1)</loc>",
  "<loc>https://bücher.example/é</loc>",
  "</image:image>",
  "<image:loc>https://www.example.com/i.jpg</image:loc>",
  "<image:license>x y</image:license>",
  "<news:news><news:title>T",
  "</news:news>",
  '<video:video><video:uploader info="u">U</video:uploader>',
  "<video:player_loc>//p</video:player_loc>",
  '<xhtml:link rel="alternate" hreflang="en_US" href="/d"/>',
  '<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject type="t"><Attribute name="n" value="v"/>',
  '<rss version="2.0"><channel>',
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">',
  '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/">',
  "<item>",
  "</item>",
  "<entry>",
  "</entry>",
  "<link>https://www.example.com/e</link>",
  "<link>mailto:x@example.com</link>",
  '<link href="f" rel="alternate"/>',
  '<guid isPermaLink="false">g</guid>',
  '<enclosure url="e.mp3"/>',
  "<feedburner:origLink>x</feedburner:origLink>",
  "<html>",
  "<!DOCTYPE html>",
  "{",
  '"version": "https://jsonfeed.org/version/1.1",',
  '"items": [',
  '{"url": "https://www.example.com/h", "title": "T"},',
  '{"id": 1}',
  "]}",
  "User-agent: *\n",
  "Disallow: /*a*b$\n",
  "Sitemap: https://www.example.com/s.xml\n",
  "https://www.example.com/i\n",
  "https://www.example.com/j\t2024-01-02\n",
  "www.example.com/k\r\n",
  "url,lastmod\n",
  "\ufeff",
  "\u2028",
  "\u0085",
  "😀",
];

/** Fixtures that are small enough to be parsed many times. */
const fixtures = loadFixtures()
  .map(({ input }) => input)
  .filter((input) => input.length <= 5000);

const damagedFixture = fc
  .tuple(fc.constantFrom(...fixtures), fc.nat())
  .map(([input, seed]) => mutate(input, seededRandom(seed)).bytes);

const damagedDocument = fc
  .tuple(fc.oneof(...modelFormats.map((format) => documentArbitrary(format))), fc.nat(), fc.boolean())
  .map(([{ bytes }, seed, whole]) => (whole ? bytes : mutate(bytes, seededRandom(seed)).bytes));

const fragments = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TOKENS) }, fc.string({ maxLength: 5 })), {
    maxLength: 40,
  })
  .map((tokens) => encoder.encode(tokens.join("")));

/** Any bytes. */
export const anyBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: "binary", maxLength: 300 }).map((text) => encoder.encode(text)),
  { weight: 3, arbitrary: fragments },
  { weight: 3, arbitrary: damagedFixture },
  { weight: 2, arbitrary: damagedDocument },
);

export const anyInput: fc.Arbitrary<AnyInput> = fc.record({
  bytes: anyBytes,
  url: fc.constantFrom(
    "https://www.example.com/sitemap.xml",
    "https://www.example.com/sitemap.xml",
    "https://www.example.com/dir/sitemap.txt",
    "http://www.example.com/robots.txt",
    "https://www.example.com/sitemap.xml.gz",
    "file:///sitemap.xml",
    "",
  ),
  contentType: fc.constantFrom(
    undefined,
    undefined,
    "text/xml",
    "text/plain",
    "text/html; charset=iso-8859-1",
    "application/json; charset=shift_jis",
    "text/xml; charset=utf-16",
    ";;charset=",
  ),
  strict: fc.constantFrom(false, false, false, true),
});

/** Texts for the functions that take a text. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 30 }).map((tokens) => tokens.join("")),
  anyBytes.map((bytes) => new TextDecoder().decode(bytes)),
);

/** Splits bytes into chunks, some of them empty. */
export function chunksArbitrary(bytes: Uint8Array): fc.Arbitrary<readonly Uint8Array[]> {
  return fc
    .oneof(fc.array(fc.nat(bytes.length), { maxLength: 12 }), fc.constant(Array.from(bytes, (_, at) => at)))
    .map((cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
    });
}
