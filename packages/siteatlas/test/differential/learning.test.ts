/**
 * The markup cache changes nothing: events, pages and issues are the same without it, for well-formed,
 * damaged and large repetitive documents, and for any chunks.
 */
import { expect, test } from "vitest";
import { seed } from "../support/runs.ts";
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
function expectSame(bytes: Uint8Array, i: number): void {
  const size = i % 2 === 0 ? bytes.length : 1 + Math.floor(seededRandom(i)() * 200);
  const chunks = (all: Uint8Array): Iterable<Uint8Array> => pieces(all, size);
  const wants = WANTS[i % WANTS.length]!;
  expectEqual(
    chosenEvents(bytes, wants, { learn: true, chunks }),
    chosenEvents(bytes, wants, { learn: false }),
    bytes,
  );
  expectEqual(readEntries(bytes, { learn: true, chunks }), readEntries(bytes, { learn: false }), bytes);
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
