/**
 * Reads sitemaps that have pages in common, and yields each page once. The lines are sorted by the key of their URL
 * (page-list/page-key.ts), in a temporary file if they do not fit into memory.
 */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageKey } from "../../page-list/page-key.ts";
import { LineSorter, SorterPool } from "./line-sorter.ts";
import { mergeLines } from "./merge-lines.ts";
import { urlOfLine } from "./page-line.ts";
import { linesOf, type Sections, type SnapshotSitemap } from "./snapshot-format.ts";

/** Sorts before all characters of a line. */
const SEPARATOR = "\x01";
/** Number of digits, so that the numbers of sitemaps are in alphabetical order. */
const DIGITS = 9;

/** A page and the first sitemap that lists it. */
interface SharedPage {
  readonly line: string;
  readonly sitemap: string;
}

/** Yields the pages of these sitemaps, sorted by URL. */
export async function* sharedPages(
  snapshot: Pick<Sections, "texts">,
  sitemaps: readonly SnapshotSitemap[],
): AsyncGenerator<SharedPage> {
  if (sitemaps.length === 0) return;
  const folder = join(tmpdir(), `siteatlas-${randomUUID()}`);
  const sorter = new LineSorter(new SorterPool(folder));
  try {
    for (const [number, sitemap] of sitemaps.entries()) {
      const mark = `${SEPARATOR}${String(number).padStart(DIGITS, "0")}`;
      for await (const text of snapshot.texts(sitemap)) {
        await sorter.hold(Array.from(linesOf(text), (line) => recordOf(line, mark)));
      }
    }
    let key: string | undefined;
    let [lines, number]: [string[], number] = [[], 0];
    for await (const records of sorter.sorted()) {
      for (const record of records) {
        const next = readRecord(record);
        if (next.key !== key) {
          if (key !== undefined) yield { line: mergeLines(lines), sitemap: sitemaps[number]!.url };
          [key, lines, number] = [next.key, [], next.number];
        }
        lines.push(next.line);
      }
    }
    if (key !== undefined) yield { line: mergeLines(lines), sitemap: sitemaps[number]!.url };
  } finally {
    await sorter.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The key of the URL, the mark of the sitemap, the URL if it is not equal to its key, and the fields. */
function recordOf(line: string, mark: string): string {
  const url = urlOfLine(line);
  const key = pageKey(url);
  return key + mark + (key === url ? line.slice(url.length) : line);
}

function readRecord(record: string): {
  readonly key: string;
  readonly number: number;
  readonly line: string;
} {
  const at = record.indexOf(SEPARATOR);
  const key = record.slice(0, at);
  const rest = record.slice(at + 1 + DIGITS);
  const line = rest === "" || rest.startsWith("\t") ? key + rest : rest;
  return { key, number: Number(record.slice(at + 1, at + 1 + DIGITS)), line };
}
