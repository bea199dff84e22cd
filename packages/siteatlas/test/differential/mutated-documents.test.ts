/**
 * In damaged documents siteatlas finds every page URL that htmlparser2 in XML mode finds with the same
 * readers, except for the reasons in losses.ts.
 */
import { expect, test } from "vitest";
import { DAMAGED_OF_EACH, damagedDocuments, undamagedDocuments } from "./documents.ts";
import { compare, reasons } from "./losses.ts";
import { ourUrls, theirUrls } from "./page-urls.ts";

test("undamaged documents give the same URLs", () => {
  for (const bytes of Object.values(undamagedDocuments).flat()) {
    expect([...ourUrls(bytes)]).toEqual([...theirUrls(bytes, { closeAtEnd: false })]);
    expect(ourUrls(bytes).size).toBeGreaterThan(0);
  }
});

for (const kind of ["usual", "unusual"] as const) {
  test(`${DAMAGED_OF_EACH} damaged ${kind} documents lose no URL without reason`, () => {
    const count: Record<string, number> = {};
    const faults: string[] = [];
    const found = { ours: 0, theirs: 0 };
    const urlsOf = new Map(undamagedDocuments[kind].map((bytes) => [bytes, ourUrls(bytes)]));
    for (const { original, bytes, steps } of damagedDocuments(kind)) {
      const { ours, theirs, lost } = compare(bytes, urlsOf.get(original)!);
      found.ours += ours;
      found.theirs += theirs;
      for (const { reason } of lost) count[reason] = (count[reason] ?? 0) + 1;
      const unexcused = lost.filter(({ reason }) => reason === "").map(({ url }) => url);
      if (unexcused.length > 0) faults.push(`${steps}: ${unexcused}\n${new TextDecoder().decode(bytes)}`);
    }
    expect(faults.slice(0, 5).join("\n\n"), `${faults.length} documents`).toBe("");
    // The reasons are for rare cases: they must not cover more than a few in a thousand.
    const excused = Object.values(count).reduce((sum, one) => sum + one, 0);
    expect(excused / found.theirs, JSON.stringify(count)).toBeLessThan(0.002);
    expect(found.ours).toBeGreaterThan(found.theirs);
  });
}

/** One document per reason, in the order of the table. */
const EXAMPLES: readonly string[] = [
  "<urlset><url><loc>https://www.example.com/a</loc></url ",
  '<"x:urlset xmlns:x="http://www.sitemaps.org/schemas/sitemap/0.9"><x:url><x:loc>https://www.example.com/a</x:loc></x:url></x:urlset>',
  '<item><urlset xmlns:sm="http://www.example.com/"></item><sm:url><sm:loc>https://www.example.com/a</sm:loc></sm:url></urlset>',
  "<urlset><![cdata[><url><loc>https://www.example.com/a</loc></url></urlset>",
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="https://www.example.com/a"><link><![cdata[https://www.example.com/A]]></link></item></rdf:RDF>',
  `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link type='t><title></title>' href="https://www.example.com/a"/></entry></feed>`,
  "<rss><channel><item><title></Item</title><link>https://www.example.com/a</link></item></channel></rss>",
];

test("every reason has its example", () => {
  const url = "https://www.example.com/a";
  const found = EXAMPLES.map((example) => compare(new TextEncoder().encode(example), new Set([url])).lost);
  expect(found).toEqual(Object.keys(reasons).map((reason) => [{ url, reason }]));
});
