/**
 * The documents on which the scanners are compared: 5,000 well-formed ones, of which 1,000 are sitemaps and
 * feeds, and 20,000 damaged sitemaps and feeds (a quarter of them in CI), half of them typical ones.
 */
import fc from "fast-check";
import { documentArbitrary } from "../support/generate-bytes.ts";
import type { ModelFormat } from "../support/generate-model.ts";
import { mutate } from "../support/mutate.ts";
import { runs, seed } from "../support/runs.ts";
import { seededRandom } from "../support/splits.ts";
import { usualDocuments } from "./usual-documents.ts";
import { writeWellFormed } from "./well-formed-xml.ts";

const FORMATS: readonly ModelFormat[] = ["urlset", "sitemapindex", "rss2", "rss1", "atom1", "atom03"];
const WELL_FORMED = 5000;
const WELL_FORMED_SITEMAPS = 1000;
export const DAMAGED_OF_EACH: number = Math.min(10_000, runs(10_000));
/** Long documents hide the damage and are slow. */
const MAX_LENGTH = 3000;

/** Sitemaps, feeds, and XML of no known vocabulary. */
export function wellFormedDocuments(): {
  readonly sitemaps: readonly string[];
  readonly others: readonly string[];
} {
  const numRuns = Math.ceil(WELL_FORMED_SITEMAPS / FORMATS.length);
  const samples = FORMATS.flatMap((format) => fc.sample(documentArbitrary(format), { seed, numRuns }));
  const others = Array.from({ length: WELL_FORMED - WELL_FORMED_SITEMAPS }, (_, i) =>
    writeWellFormed(seededRandom(seed + i)),
  );
  return { sitemaps: samples.map(({ text }) => text.trimStart()), others };
}

/** Sitemaps and feeds before they are damaged. */
export const undamagedDocuments: Readonly<Record<"usual" | "unusual", readonly Uint8Array[]>> = {
  usual: usualDocuments,
  unusual: FORMATS.flatMap((format) =>
    fc
      .sample(documentArbitrary(format), { seed, numRuns: 200 })
      .filter(({ gzipLayers, encoding }) => gzipLayers === 0 && encoding.startsWith("utf-8"))
      .map(({ bytes }) => bytes)
      .filter((bytes) => bytes.length <= MAX_LENGTH),
  ),
};

export interface DamagedDocument {
  readonly original: Uint8Array;
  readonly bytes: Uint8Array;
  /** The damage, step by step. */
  readonly steps: readonly string[];
}

export function* damagedDocuments(kind: "usual" | "unusual"): Generator<DamagedDocument> {
  const originals = undamagedDocuments[kind];
  for (let i = 0; i < DAMAGED_OF_EACH; i++) {
    const original = originals[i % originals.length]!;
    yield { original, ...mutate(original, seededRandom(seed + i)) };
  }
}
