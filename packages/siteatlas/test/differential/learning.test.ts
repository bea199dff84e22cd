/**
 * The markup cache changes nothing: events, pages and issues are the same without it, for well-formed,
 * damaged and large repetitive documents, and for any chunks.
 */
import { expect, test } from "vitest";
import { runs, seed } from "../support/runs.ts";
import { pieces, seededRandom } from "../support/splits.ts";
import { damagedDocuments, undamagedDocuments, wellFormedDocuments } from "./documents.ts";
import { readEntries } from "./page-urls.ts";
import { chosenEvents } from "./xml-events.ts";

const encoder = new TextEncoder();

/** Elements whose text is captured: all, few, some. */
const WANTS: readonly ((name: string) => boolean)[] = [
  () => true,
  (name) => /loc|lastmod|link|title|^a$/.test(name),
  (name) => name.length > 3,
];

/** Compares the entries, and the events for one of the readers above. */
function expectSame(bytes: Uint8Array, i: number, url?: string): void {
  const size = i % 2 === 0 ? bytes.length : 1 + Math.floor(seededRandom(i)() * 200);
  const chunks = (all: Uint8Array): Iterable<Uint8Array> => pieces(all, size);
  const wants = WANTS[i % WANTS.length]!;
  expectEqual(
    chosenEvents(bytes, wants, { learn: true, chunks }),
    chosenEvents(bytes, wants, { learn: false }),
    bytes,
  );
  expectEqual(
    readEntries(bytes, { learn: true, chunks, url }),
    readEntries(bytes, { learn: false, url }),
    bytes,
  );
}

/** The comparison of vitest takes ten times as long, so it is used only for differences. */
function expectEqual(learnt: readonly unknown[], plain: readonly unknown[], bytes: Uint8Array): void {
  if (JSON.stringify(learnt) === JSON.stringify(plain)) return;
  expect(learnt, new TextDecoder().decode(bytes.subarray(0, 10_000))).toEqual(plain);
}

test("on well-formed documents", () => {
  const documents = Object.values(wellFormedDocuments()).flat();
  for (const [i, document] of documents.entries()) expectSame(encoder.encode(document), i);
});

for (const kind of ["usual", "unusual"] as const) {
  test(`on the ${kind} sitemaps and feeds, whole and damaged`, () => {
    let i = 0;
    for (const bytes of undamagedDocuments[kind]) expectSame(bytes, i++);
    for (const { bytes } of damagedDocuments(kind)) expectSame(bytes, i++);
  });
}

test("on large repetitive documents with occasional exceptions", () => {
  for (let i = 0; i < 20; i++) {
    expectSame(encoder.encode(repetitive(seededRandom(seed + i))), i);
  }
});

test("on entries of a few forms that repeat, with fields in any order and number", () => {
  for (let i = 0; i < runs(200); i++) {
    // Pages outside the directory of the document are reported.
    const url = `https://www.example.com/${i % 3 === 0 ? "a/" : ""}sitemap.xml`;
    expectSame(encoder.encode(similarEntries(seededRandom(seed + i))), i, url);
  }
});

/** Entries of two to four forms. Each form is random, and repeats often enough to be read in runs. */
function similarEntries(random: () => number): string {
  const one = <T>(...of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const [root, entry] = one(
    ["urlset", "url"],
    ["urlset", "url"],
    ["sitemapindex", "sitemap"],
    ["urlset", "sitemap"],
  );
  const location = (): string =>
    one(
      "<loc>https://www.example.com/{n}</loc>",
      "<loc>https://www.example.com/{n}</loc>",
      "<loc>https://www.example.com/a/{n}.html?x={n}</loc>",
      "<loc>https://www.example.com//{n}</loc>",
      "<loc>https://other.example/{n}</loc>",
      "<loc>https://www.example.com/same</loc>",
      "<loc><b>https://www.example.com/{n}</b></loc>",
      "<loc><![CDATA[https://www.example.com/{n}]]></loc>",
      "<loc></loc>",
      "https://www.example.com/loose/{n}",
    );
  const field = (): string =>
    one(
      "<lastmod>2024-01-1{d}</lastmod>",
      "<lastmod>2024-01-1{d}</lastmod>",
      "<lastmod>2024-01-1{d}</lastmod>",
      "<lastmod>2024-01-1{d}T0{d}:00:00+01:00</lastmod>",
      "<lastmod> 2024-01-1{d}</lastmod>",
      "<lastmod>2224-01-1{d}</lastmod>",
      "<lastmod></lastmod>",
      "<changefreq>{frequency}</changefreq>",
      "<changefreq>Daily</changefreq>",
      "<priority>0.{d}</priority>",
      "<priority>1.{d}</priority>",
      "<priority>2</priority>",
      "<x>1</x>",
      "<image:image><image:loc>https://www.example.com/{n}.jpg</image:loc></image:image>",
    );
  const form = (): string => {
    const blank = one("", "\n", "\n  ");
    const fields = [location(), ...Array.from({ length: Math.floor(random() * 4) }, field)];
    if (random() < 0.2) fields.push(location());
    if (random() < 0.2) fields.reverse();
    return `<${entry}>${blank}${fields.join(blank)}${blank}</${entry}>${blank}`;
  };
  const forms = Array.from({ length: 2 + Math.floor(random() * 3) }, form);
  const entries = Array.from({ length: 150 }, (_, n) =>
    (random() < 0.8 ? forms[0]! : one(...forms))
      .replaceAll("{n}", `${n % 140}`)
      .replaceAll("{d}", `${n % 10}`)
      .replaceAll("{frequency}", one("daily", "weekly", "never", "hourly")),
  );
  return `<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${entries.join("")}</${root}>`;
}

/** Entries with mostly the same markup between values. */
function repetitive(random: () => number): string {
  const rare = <T>(usual: T, ...others: readonly T[]): T =>
    random() < 0.97 ? usual : others[Math.floor(random() * others.length)]!;
  const entries = Array.from({ length: 500 }, (_, n) => {
    const blank = rare("\n", "", " ", "\r\n", "\n<!-- note -->\n", "<?pi?>", "text");
    const open = rare("<url>", '<url xmlns="">', "<url >", "<URL>", "<url/>", "<url><url>");
    const loc = rare("<loc>", '<loc a="b">', "<loc >", "", "<loc><b>");
    const end = rare("</loc>", "</loc >", "", "</b></loc>", "</LOC>");
    const date = rare(
      `<lastmod>2024-01-0${1 + (n % 9)}</lastmod>`,
      "",
      "<lastmod/>",
      "<lastmod>&#50;024</lastmod>",
    );
    const image = rare(
      `<image:image><image:loc>https://www.example.com/${n}.jpg</image:loc></image:image>`,
      "",
      '<image:image xmlns:image="urn:x"><image:loc>no</image:loc></image:image>',
      '<xhtml:link rel="alternate" href="https://www.example.com/de"/>',
    );
    const map = rare(
      "",
      '<pagemap:PageMap><pagemap:DataObject type="t"><pagemap:Attribute name="n">1</pagemap:Attribute>' +
        "<pagemap:Attribute>2</pagemap:Attribute><pagemap:Attribute>3</pagemap:Attribute></pagemap:DataObject></pagemap:PageMap>",
    );
    const close = rare("</url>", "</url >", "", "</urlset>", "</url></url>");
    return `${open}${blank}${loc}https://www.example.com/${n}?a=1&amp;b=2${end}${blank}${date}${blank}${image}${map}${close}${blank}`;
  });
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("")}</urlset>`;
}
