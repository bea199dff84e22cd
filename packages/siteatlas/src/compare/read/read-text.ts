/** Reads the URLs of a text: a list, a table, JSON rows, a server log or a sitemap. */
import type { Page } from "../../model/model.ts";
import { parseEntries } from "../../parse/parse-sitemap.ts";
import { FactCounts, type FileType } from "../source-facts.ts";
import { findTable, MAX_TITLES } from "./csv-column.ts";
import { csvRows } from "./csv-rows.ts";
import { detectType } from "./detect-type.ts";
import { readLogLine } from "./log-line.ts";
import { openText } from "./open-text.ts";
import { linesOf } from "./text-lines.ts";
import { TargetUrls, UrlTexts } from "./url-texts.ts";

/** Options for reading files. */
export interface ReadOptions {
  /** The type of the file. @default detected */
  readonly type?: FileType | undefined;
  /** Name or number of the column with the URLs. Only for tables. @default detected */
  readonly column?: string | undefined;
  /** The origin of paths, such as `https://example.com`. */
  readonly origin?: string | undefined;
  /** Statuses of log lines that count: `200`, or `2xx`. @default 2xx and 3xx */
  readonly statuses?: readonly string[] | undefined;
  /** Only log lines whose user agent contains this text. Upper and lower case do not matter. @default all */
  readonly userAgent?: string | undefined;
  /** Called for each page of a sitemap, before its URL is yielded. */
  readonly onPage?: ((page: Page) => void) | undefined;
}

type Batches = AsyncGenerator<readonly string[]>;

/** Yields the URLs in batches. */
export async function* readText(
  bytes: AsyncIterable<Uint8Array>,
  facts: FactCounts,
  options: ReadOptions,
): Batches {
  const texts = openText(bytes, facts);
  const { value: sample = "" } = (await texts.next()) as { value: string | undefined };
  if (facts.problem !== undefined) return;
  const type = detectType(sample);
  if (type === "binary") {
    facts.problem = "binary";
    return;
  }
  facts.type = options.type ?? type;
  const all = startingWith(sample, texts);
  switch (facts.type) {
    case "sitemap":
      yield* readSitemap(all, facts, options);
      break;
    case "log":
      yield* readLog(all, facts, options);
      break;
    case "csv":
      yield* readTable(all, sample, facts, options);
      break;
    case "json":
      yield* readJson(all, facts, options);
      break;
    default:
      yield* readList(all, facts, options);
  }
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first !== "") yield first;
  yield* rest;
}

/** One URL per line. Lines that start with `#` are comments. */
async function* readList(texts: AsyncIterable<string>, facts: FactCounts, { origin }: ReadOptions): Batches {
  const reader = new UrlTexts(origin, facts);
  for await (const lines of linesOf(texts, facts)) {
    const urls: string[] = [];
    for (const line of lines) {
      const url = line.startsWith("#") ? undefined : reader.read(line);
      if (url !== undefined) urls.push(url);
    }
    yield urls;
  }
}

async function* readTable(
  texts: AsyncIterable<string>,
  sample: string,
  facts: FactCounts,
  { column: wanted, origin, type }: ReadOptions,
): Batches {
  const form = findTable(sample, wanted, type === "csv");
  if (form === undefined || form.column < 0) {
    facts.problem = "no-column";
    return;
  }
  facts.column = form.name;
  const reader = new UrlTexts(origin, facts);
  // The first rows may be titles and names of columns. They do not count as dropped.
  const titles = new UrlTexts(origin, new FactCounts());
  let number = 0;
  let hasUrls = false;
  for await (const rows of csvRows(texts, form.delimiter, facts)) {
    const urls: string[] = [];
    for (const row of rows) {
      const isTitle = !hasUrls && number++ < MAX_TITLES;
      const cell = form.isSingle ? row.join(form.delimiter) : row[form.column];
      if (cell === undefined) {
        if (!isTitle) facts.drop("broken");
        continue;
      }
      if (isTitle && cell.trim() === form.name) continue;
      const url = (isTitle && !cell.startsWith("/") ? titles : reader).read(cell);
      if (url === undefined) continue;
      hasUrls = true;
      urls.push(url);
    }
    yield urls;
  }
}

/** One JSON object with a `url` per line. Also reads an array with one object per line, as `-f json` writes it. */
async function* readJson(texts: AsyncIterable<string>, facts: FactCounts, { origin }: ReadOptions): Batches {
  const reader = new UrlTexts(origin, facts);
  for await (const lines of linesOf(texts, facts)) {
    const urls: string[] = [];
    for (const line of lines) {
      const text = line.trim().replace(/,$/, "");
      if (text === "" || text === "[" || text === "]" || text === "[]") continue;
      const url = urlOfJson(text);
      if (url === undefined) facts.drop("broken");
      const read = url === undefined ? undefined : reader.read(url);
      if (read !== undefined) urls.push(read);
    }
    yield urls;
  }
}

function urlOfJson(text: string): string | undefined {
  try {
    const row: unknown = JSON.parse(text);
    if (typeof row === "string") return row;
    const { url } = row as { readonly url?: unknown };
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}

async function* readSitemap(
  texts: AsyncIterable<string>,
  facts: FactCounts,
  { origin, onPage }: ReadOptions,
): Batches {
  const url = origin === undefined ? {} : { url: `${origin}/sitemap.xml` };
  let urls: string[] = [];
  for await (const entry of parseEntries(texts, url)) {
    if (entry.kind === "page") {
      onPage?.(entry.page);
      urls.push(entry.page.url);
    } else if (entry.kind === "sitemap") facts.unreadSitemaps++;
    else if (entry.issue.code === "xml.truncated") facts.isPartial = true;
    if (urls.length < 1000) continue;
    yield urls;
    urls = [];
  }
  yield urls;
}

const METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD"]);
const STATUSES: readonly string[] = ["2xx", "3xx"];

async function* readLog(texts: AsyncIterable<string>, facts: FactCounts, options: ReadOptions): Batches {
  const { origin, statuses = STATUSES } = options;
  if (origin === undefined) {
    facts.problem = "no-origin";
    return;
  }
  const targets = new TargetUrls(origin);
  const { hostname } = new URL(origin);
  const userAgent = options.userAgent?.toLowerCase();
  const isWanted = (status: number): boolean =>
    statuses.includes(String(status)) || statuses.includes(`${Math.floor(status / 100)}xx`);
  for await (const lines of linesOf(texts, facts)) {
    const urls: string[] = [];
    for (const line of lines) {
      if (line.trim() === "") continue;
      const request = readLogLine(line);
      if (request === undefined) facts.drop("broken");
      else if (request.host !== undefined && request.host !== hostname) facts.drop("host");
      else if (
        !METHODS.has(request.method) ||
        !isWanted(request.status) ||
        (userAgent !== undefined && request.userAgent?.toLowerCase().includes(userAgent) !== true)
      )
        facts.drop("request");
      else {
        const url = targets.read(request.target);
        if (url === undefined) facts.drop("invalid");
        else urls.push(url);
      }
    }
    yield urls;
  }
}
