/** Random inputs of a comparison: the same URLs as a list, a table, JSON rows, a log or a sitemap, with noise. */
import { gzipSync } from "node:zlib";
import type { FileType } from "../../src/compare/source-facts.ts";

export const ORIGIN = "https://www.example.com";

/** Mulberry32: small, fast and the same everywhere. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(max: number): number {
    return Math.floor(this.next() * max);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }
}

const SEGMENTS = [
  "a",
  "b",
  "Blog",
  "blog",
  "c%C3%BC",
  "c%c3%bc",
  "%7Ea",
  "~a",
  "x.html",
  "index.html",
  "x;y",
  "q,r",
];
const QUERIES = ["", "", "", "?", "?a=1", "?a=1&b=2", "?b=%2f", "?q=a,b;c"];

/** A URL as `URL` normalizes it. Few parts, so that inputs have many URLs in common. */
export function randomUrl(random: Random, isOwn: boolean): string {
  const origin = isOwn
    ? ORIGIN
    : random.pick([
        ORIGIN,
        ORIGIN,
        "http://www.example.com",
        "https://example.com",
        "https://shop.example.com:8443",
      ]);
  const depth = random.below(4);
  const segments = Array.from({ length: depth }, () => random.pick(SEGMENTS));
  const slash = depth > 0 && random.chance(0.3) ? "/" : "";
  return new URL(`${origin}/${segments.join("/")}${slash}${random.pick(QUERIES)}`).href;
}

export interface RandomInput {
  readonly type: FileType | "sitemap";
  readonly bytes: Uint8Array;
}

export function randomInput(random: Random, urls: readonly string[], type: RandomInput["type"]): RandomInput {
  const text = WRITERS[type](random, urls);
  const bytes = random.chance(0.15) && type !== "sitemap" ? wide(text, random) : Buffer.from(text);
  return { type, bytes: random.chance(0.3) ? gzipSync(bytes) : bytes };
}

function wide(text: string, random: Random): Uint8Array {
  if (random.chance(0.5)) return Buffer.from(`\ufeff${text}`);
  const little = Buffer.from(`\ufeff${text}`, "utf16le");
  return random.chance(0.5) ? little : little.swap16();
}

const WRITERS: Readonly<Record<RandomInput["type"], (random: Random, urls: readonly string[]) => string>> = {
  urls: (random, urls) =>
    joinLines(
      random,
      urls.flatMap((url) => [...(random.chance(0.1) ? ["", "# a comment"] : []), url]),
    ),
  csv: csv,
  json: (random, urls) =>
    random.chance(0.5)
      ? urls.map((url) => `${JSON.stringify({ lastmod: "2026-11-17", url })}\n`).join("")
      : `[\n${urls.map((url) => JSON.stringify({ url })).join(",\n")}\n]\n`,
  log: (random, urls) =>
    joinLines(
      random,
      urls.flatMap((url) => [...logNoise(random), logLine(random, url)]),
    ),
  sitemap: (_, urls) =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
      .map((url) => `<url><loc>${url.replaceAll("&", "&amp;")}</loc></url>`)
      .join("\n")}</urlset>`,
};

function joinLines(random: Random, lines: readonly string[]): string {
  const end = random.pick(["\n", "\r\n", "\r"]);
  return lines.join(end) + (random.chance(0.5) ? end : "");
}

const TITLES = ['say "hi"', "two\nlines", "a, b; c\td|e", "", "=1+1", "plain", "\r\n"];

function csv(random: Random, urls: readonly string[]): string {
  const delimiter = random.pick([",", ";", "\t", "|"]);
  const end = random.pick(["\n", "\r\n"]);
  const before = random.below(3);
  // Few rows without names of columns may look like a list.
  const hasHeader = urls.length < 12 || random.chance(0.8);
  const others = ["Status", "Title", "Depth"];
  const names = [...others.slice(0, before), random.pick(["URL", "Address", "page_url", "loc"]), "Note"];
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const cell = (text: string): string =>
    /[",;\t|\r\n]/.test(text) || random.chance(0.3) ? quoted(text) : text;
  const rows = urls.map((url) => [
    ...others.slice(0, before).map(() => random.pick(TITLES)),
    url,
    random.pick(TITLES),
  ]);
  return [...(hasHeader ? [names] : []), ...rows].map((row) => row.map(cell).join(delimiter) + end).join("");
}

const AGENT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

function logLine(random: Random, url: string): string {
  const { pathname, search } = new URL(url);
  const query = url.endsWith("?") ? "?" : search;
  const combined = random.chance(0.7) ? ` "-" "${AGENT}"` : "";
  const method = random.pick(["GET", "GET", "HEAD"]);
  const status = random.pick([200, 200, 206, 301, 304]);
  return `203.0.113.7 - - [17/Nov/2026:09:00:00 +0000] "${method} ${pathname}${query} HTTP/1.1" ${status} 512${combined}`;
}

function logNoise(random: Random): string[] {
  if (!random.chance(0.3)) return [];
  const line = (request: string, status: number): string =>
    `203.0.113.7 - "a [b] c" [17/Nov/2026:09:00:00 +0000] "${request}" ${status} 0 "-" "-"`;
  return [
    random.pick([
      line("POST /posted HTTP/1.1", 200),
      line("GET /missing HTTP/1.1", 404),
      line("\\x16\\x03\\x01", 400),
      line("-", 408),
      line("OPTIONS * HTTP/1.1", 200),
      "not a log line",
      "",
    ]),
  ];
}
