/** On well-formed documents the scanner has the same events as saxes, complete and in chunks. */
import { expect, test } from "vitest";
import { pieces, seededRandom } from "../support/splits.ts";
import { wellFormedDocuments } from "./documents.ts";
import { saxesEvents, scannerEvents, type XmlEvent } from "./xml-events.ts";

const encoder = new TextEncoder();

for (const [name, documents] of Object.entries(wellFormedDocuments())) {
  test(`${documents.length} well-formed documents (${name}) give the events of saxes`, () => {
    for (const [i, document] of documents.entries()) {
      const bytes = encoder.encode(document);
      const expected = saxesEvents(document);
      const size = 1 + Math.floor(seededRandom(i)() * 40);
      expectEqual(scannerEvents(bytes, { learn: true }), expected, document);
      const cut = scannerEvents(bytes, { learn: true, chunks: (all) => pieces(all, size) });
      expectEqual(cut, expected, `in pieces of ${size}:\n${document}`);
    }
  });
}

/** The comparison of vitest takes ten times as long, so it is used only for differences. */
function expectEqual(events: readonly XmlEvent[], expected: readonly XmlEvent[], message: string): void {
  if (JSON.stringify(events) !== JSON.stringify(expected)) expect(events, message).toEqual(expected);
}
