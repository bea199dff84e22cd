/** Lines are sorted, one per page, in memory and on disk with the same result. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pageKey } from "../../../src/page-list/page-key.ts";
import { mergeByUrl } from "../../../src/sync/snapshot/line-cursor.ts";
import { LineSorter, SorterPool } from "../../../src/sync/snapshot/line-sorter.ts";
import { urlOfLine } from "../../../src/sync/snapshot/page-line.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function* section(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`;
}

async function sort(texts: Iterable<string>, known?: readonly string[], maxOwn?: number): Promise<string[]> {
  const sorter = new LineSorter(new SorterPool(join(folder, "lines"), maxOwn));
  for (const text of texts) await sorter.add(text);
  const lines: string[] = [];
  for await (const batch of sorter.pages(known && section(known))) lines.push(...batch);
  await sorter.drop();
  expect(await readdir(join(folder, "lines")).catch(() => [])).toEqual([]);
  return lines;
}

/** The rule in plain code: one line per key, with the known spelling or the first one, and the first fields. */
function sortPlainly(lines: readonly string[], known: readonly string[] = []): string[] {
  const spellings = new Map<string, string>();
  for (const url of [...known, ...lines.map(urlOfLine).sort()]) {
    if (!spellings.has(pageKey(url))) spellings.set(pageKey(url), url);
  }
  const respelled = lines.map((line) => {
    const url = urlOfLine(line);
    return spellings.get(pageKey(url)) + line.slice(url.length);
  });
  const byUrl = new Map(
    respelled
      .sort()
      .reverse()
      .map((line) => [urlOfLine(line), line]),
  );
  return [...byUrl.values()].sort();
}

describe("a small sitemap", () => {
  test("has one line per URL, in order", async () => {
    const texts = ["https://e.com/b\nhttps://e.com/a\tpriority=1", "https://e.com/a\nhttps://e.com/a/c"];
    expect(await sort(texts)).toEqual(["https://e.com/a", "https://e.com/a/c", "https://e.com/b"]);
  });

  test("keeps the known spelling, in both directions, with the fields of the new line", async () => {
    const known = ["https://e.com/%7ea", "https://e.com/plain", "https://e.com/~b"];
    const lines = [
      "https://e.com/~a\tpriority=1",
      "https://e.com/%7eb",
      "https://e.com/plain",
      "https://e.com/%c3",
    ];
    expect(await sort(lines, known)).toEqual([
      "https://e.com/%7ea\tpriority=1",
      "https://e.com/%c3",
      "https://e.com/plain",
      "https://e.com/~b",
    ]);
  });

  test("does not list a page that only the last snapshot has", async () => {
    expect(await sort(["https://e.com/%7ea"], ["https://e.com/%41", "https://e.com/b"])).toEqual([
      "https://e.com/%7ea",
    ]);
  });

  test("has no line if it is empty", async () => {
    expect(await sort([])).toEqual([]);
  });
});

describe("a sitemap that does not fit into memory", () => {
  const SEGMENTS = ["a", "%41", "b", "%62", "%c3%a9", "%C3%A9", "~", "%7E", "%7e", "plain"];
  const PADDING = "x".repeat(300);
  const MAX_OWN = 300_000;

  /** 1.4 MB in 4,000 lines; some URLs repeat, in other spellings. */
  function* texts(hasEscapes: boolean): Generator<string> {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const segments = hasEscapes ? SEGMENTS : SEGMENTS.filter((segment) => !segment.includes("%"));
    for (let at = 0; at < 40; at++) {
      const lines = Array.from({ length: 100 }, () => {
        const path = [0, 0, 0].map(() => segments[random(segments.length)]).join("/");
        return `https://e.com/${path}/${random(12)}${PADDING}\tpriority=0.${random(10)}`;
      });
      yield lines.join("\n");
    }
  }

  const short = (lines: readonly string[]): string => lines.join("\n").replaceAll(PADDING, "");

  test.each([
    ["without escape sequences", false],
    ["with spellings", true],
  ])("%s has the same lines as one in memory", async (_name, hasEscapes) => {
    const lines = [...texts(hasEscapes)].flatMap((text) => text.split("\n"));
    expect(short(await sort(texts(hasEscapes), undefined, MAX_OWN))).toBe(short(sortPlainly(lines)));
  });

  test("keeps known spellings", async () => {
    const lines = [...texts(true)].flatMap((text) => text.split("\n"));
    const known = sortPlainly(lines)
      .filter((_, at) => at % 3 === 0)
      .map((line) => urlOfLine(line).replaceAll("%7E", "%7e").replaceAll("%41", "A"));
    expect(short(await sort(texts(true), known.toSorted(), MAX_OWN))).toBe(short(sortPlainly(lines, known)));
  });
});

test("two sequences are merged, and the newer line of a URL wins", async () => {
  async function* batches(...all: readonly (readonly string[])[]): AsyncGenerator<readonly string[]> {
    yield* all;
  }
  const merged: string[] = [];
  const older = batches(["https://e.com/a\tpriority=1", "https://e.com/b"], [], ["https://e.com/d"]);
  const newer = batches(["https://e.com/a"], ["https://e.com/a/b", "https://e.com/c"]);
  for await (const lines of mergeByUrl(older, newer)) merged.push(...lines);
  expect(merged.map((line) => line.replace("https://e.com", ""))).toEqual(["/a", "/a/b", "/b", "/c", "/d"]);
});
