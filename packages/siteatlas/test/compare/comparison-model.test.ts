/** Compares random inputs of all kinds with a naive model, which keeps all URLs in Sets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { IGNORED_DIFFERENCES, type IgnoredDifference } from "../../src/compare/compare-key.ts";
import { Comparison, type PageIntake } from "../../src/compare/comparison.ts";
import type { ComparedPage } from "../../src/compare/merge-pages.ts";
import { readFile, readFolder } from "../../src/compare/read/read-file.ts";
import { runs, seed } from "../support/runs.ts";
import { ORIGIN, Random, type RandomInput, randomInput, randomUrl } from "./random-inputs.ts";

const folder = mkdtempSync(join(tmpdir(), "siteatlas-compare-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The key of a URL, from the parts that `URL` finds. */
function naiveKey(url: string, ignored: readonly IgnoredDifference[]): string {
  const parts = new URL(url);
  const has = (name: IgnoredDifference): boolean => ignored.includes(name);
  const canonical = (text: string): string =>
    text.replace(/%([\dA-F]{2})/gi, (octet, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /^[A-Za-z0-9._~-]$/.test(character) ? character : octet.toUpperCase();
    });
  let path = canonical(parts.pathname);
  if (has("case")) path = path.toLowerCase();
  if (has("html")) {
    if (path.endsWith("/index.html")) path = path.slice(0, -"index.html".length);
    else if (path.endsWith(".html")) path = path.slice(0, -".html".length);
  }
  if (has("slash") && path !== "/" && path.endsWith("/")) path = path.slice(0, -1);
  const host = has("www") && parts.host.startsWith("www.") ? parts.host.slice(4) : parts.host;
  const query = url.includes("?") ? url.slice(url.indexOf("?")) : "";
  return `${has("scheme") ? "" : parts.protocol}//${host}${path}${has("query") ? "" : canonical(query)}`;
}

interface NaivePage {
  readonly key: string;
  readonly page: ComparedPage;
}

function naiveCompare(
  a: readonly string[],
  b: readonly string[],
  ignored: readonly IgnoredDifference[],
): NaivePage[] {
  const first = (urls: readonly string[]): Map<string, string> => {
    const map = new Map<string, string>();
    for (const url of urls) {
      const key = naiveKey(url, ignored);
      const known = map.get(key);
      // The URL that is equal to the key comes first, then the alphabetical order.
      if (known === undefined || url === key || (known !== key && url < known)) map.set(key, url);
    }
    return map;
  };
  const [inA, inB] = [first(a), first(b)];
  return [...new Set([...inA.keys(), ...inB.keys()])].sort().map((key) => {
    const [urlA, urlB] = [inA.get(key), inB.get(key)];
    const where = urlA === undefined ? "b" : urlB === undefined ? "a" : "both";
    const differs = where === "both" && urlA !== urlB;
    return {
      key,
      page: { kind: "page", in: where, url: urlA ?? urlB!, ...(differs && { urlInB: urlB! }) },
    };
  });
}

const KINDS: readonly (RandomInput["type"] | "folder")[] = [
  "urls",
  "csv",
  "json",
  "log",
  "sitemap",
  "folder",
];

/** Writes an input, adds it to one side, and returns the URLs that it has. */
async function fill(intake: PageIntake, random: Random, name: string): Promise<readonly string[]> {
  const kind = random.pick(KINDS);
  const isOwn = kind === "log" || kind === "folder";
  const count = random.chance(0.05) ? 0 : 1 + random.below(random.chance(0.1) ? 300 : 25);
  const all = Array.from({ length: count }, () => randomUrl(random, isOwn));
  // The parser drops repeated pages of a sitemap, also if a percent escape is spelled differently.
  const urls = kind === "sitemap" ? [...new Map(all.map((url) => [naiveKey(url, []), url])).values()] : all;
  const path = join(folder, name);
  if (kind === "folder") return fillFolder(intake, path, urls);
  const { bytes } = randomInput(random, urls, kind);
  writeFileSync(path, bytes);
  await intake.addAll(readFile(path, intake.facts, { origin: ORIGIN, ...typeFor(kind, count) }));
  return urls;
}

/** A list of few URLs with commas may look like a table. */
function typeFor(kind: RandomInput["type"], count: number): { type?: "urls" | "csv" | "json" | "log" } {
  return count < 12 && kind === "urls" ? { type: kind } : {};
}

async function fillFolder(
  intake: PageIntake,
  path: string,
  urls: readonly string[],
): Promise<readonly string[]> {
  const pages = new Set<string>();
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  for (const url of urls) {
    const name = decodeURIComponent(new URL(url).pathname);
    const file = name.endsWith("/") ? `${name}index.html` : name;
    try {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), "");
    } catch {
      // Another page has a folder with this name.
      continue;
    }
    if (file.endsWith("index.html")) pages.add(`${ORIGIN}${file.slice(0, -"index.html".length)}`);
    else if (file.endsWith(".html")) pages.add(`${ORIGIN}${file}`);
  }
  await intake.addAll(readFolder(path, intake.facts, { origin: ORIGIN }));
  return [...pages].map((page) => new URL(page).href);
}

describe("random inputs of all kinds", () => {
  const CASES = runs(3000);
  const BLOCKS = 10;
  it.each(Array.from({ length: BLOCKS }, (_, block) => block))("block %i", async (block) => {
    for (let at = 0; at < CASES / BLOCKS; at++) {
      const number = seed + block * 1_000_000 + at;
      const random = new Random(number);
      const ignore = IGNORED_DIFFERENCES.filter(() => random.chance(0.25));
      // Small limits, so that most comparisons write runs and merge them on several levels.
      const limits = { memory: 1e9, records: random.pick([2, 5, 1000]), runs: random.pick([2, 3, 8]) };
      const comparison = await Comparison.open({ ignore, limits, temporaryFolder: folder });
      try {
        const a = await fill(comparison.a, random, `${number}.a`);
        const b = await fill(comparison.b, random, `${number}.b`);
        const pages: ComparedPage[] = [];
        for await (const batch of comparison.pages()) pages.push(...batch);
        const expected = naiveCompare(a, b, ignore);
        expect(pages, `seed ${number}`).toEqual(expected.map(({ page }) => page));
        const { onlyA, onlyB, both, sections, otherSections } = comparison.summary();
        const count = (where: string): number => expected.filter(({ page }) => page.in === where).length;
        expect([onlyA, onlyB, both], `seed ${number}`).toEqual([count("a"), count("b"), count("both")]);
        const sum = (field: "onlyA" | "onlyB" | "both"): number =>
          sections.reduce((total, section) => total + section[field], otherSections[field]);
        expect([sum("onlyA"), sum("onlyB"), sum("both")]).toEqual([onlyA, onlyB, both]);
      } finally {
        await comparison.close();
        rmSync(join(folder, `${number}.a`), { recursive: true, force: true });
        rmSync(join(folder, `${number}.b`), { recursive: true, force: true });
      }
    }
  });
});
