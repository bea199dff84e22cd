/**
 * Checks one fixture: the complete input against its expectation, every other chunking against the complete
 * input. Returns problems as sentences.
 *
 * Takes the parser as an argument and uses nothing of Node, so that the same check runs on a bundle in a
 * browser or in a bare context.
 */
import type { DateValue, Entry, Page, Sitemap, SubSitemap } from "../../src/model/model.ts";
import type { Expected, ExpectedFields, Fixture } from "../support/fixtures.ts";
import { smallestPieces, splitAt, splitPositions, streamOf } from "../support/splits.ts";

type Source = string | Uint8Array | AsyncIterable<string | Uint8Array>;

interface Options {
  readonly url?: string;
  readonly contentType?: string;
  readonly strict?: boolean;
}

export interface ParseApi {
  parseSitemap(source: Source, options?: Options): Promise<Sitemap>;
  parseEntries(source: Source, options?: Options): AsyncGenerator<Entry>;
}

/** Enough to see the pattern, few enough to read. */
const MAX_PROBLEMS = 5;

const EMITTED_URL = /^https?:\/\/[\x21-\x7e]+$/;

/** Every field of a page, so that a new one cannot be missed in the comparison. */
const PAGE_FIELDS = Object.keys({
  url: true,
  urlText: true,
  lastModified: true,
  changeFrequency: true,
  priority: true,
  title: true,
  section: true,
  linkedFrom: true,
  published: true,
  feedUrl: true,
  news: true,
  images: true,
  videos: true,
  alternates: true,
  media: true,
  mobile: true,
  pageMap: true,
} satisfies Record<keyof Page, true>) as readonly (keyof Page)[];

/** The result of a parse as text, to be compared many times. */
interface Outcome {
  readonly sitemap: Sitemap;
  readonly pages: readonly Page[];
  /** All but the pages, as text. */
  readonly rest: string;
}

export async function checkCase(fixture: Fixture, api: ParseApi): Promise<string[]> {
  const { expected, input } = fixture;
  const options = optionsOf(expected);
  const whole = outcomeOf(await api.parseSitemap(input, options));
  const problems = [
    ...expectationProblems(whole, expected),
    ...emittedUrlProblems(whole),
    ...(await strictProblems(fixture, api)),
    ...(await entryProblems(whole, fixture, api)),
    ...(await chunkingProblems(whole, fixture, api)),
  ];
  return problems.slice(0, MAX_PROBLEMS).map((problem) => `${fixture.name}: ${problem}`);
}

function optionsOf({ url, contentType }: Expected): Options {
  return { url, ...(contentType !== undefined && { contentType }) };
}

function outcomeOf(sitemap: Sitemap): Outcome {
  const { pages, subSitemaps, http, ...rest } = sitemap;
  const children = subSitemaps.map(({ url, lastModified, kind }) => ({
    url,
    kind,
    ...(lastModified && { lastModified: plainDate(lastModified) }),
  }));
  return { sitemap, pages: [...pages], rest: JSON.stringify({ ...rest, children }) };
}

// The complete input against the expectation

function expectationProblems(whole: Outcome, expected: Expected): string[] {
  return [
    ...kindProblems(whole.sitemap, expected),
    ...pageProblems(whole, expected),
    ...childProblems(whole.sitemap, expected),
    ...issueProblems(whole.sitemap, expected),
    ...fieldProblems(whole.pages, expected),
  ];
}

type Facts = Pick<Expected, "kind" | "format" | "code" | "partial" | "duplicateCount">;

function kindProblems(sitemap: Sitemap, { kind, format, code, partial, duplicateCount }: Facts): string[] {
  const actual: Record<string, unknown> = { ...sitemap };
  return Object.entries({ kind, format, code, partial, duplicateCount }).flatMap(([name, value]) =>
    value === undefined || actual[name] === value
      ? []
      : [`${name} is ${show(actual[name])}, expected ${show(value)}`],
  );
}

function pageProblems({ pages }: Outcome, { pages: expected, pageCount, ends }: Expected): string[] {
  const urls = pages.map((page) => page.url);
  if (pageCount === undefined) return listProblems("pages", urls, expected ?? []);
  const problems = urls.length === pageCount ? [] : [`${urls.length} pages, expected ${pageCount}`];
  const actualEnds = [urls.at(0) ?? "", urls.at(-1) ?? ""];
  return ends === undefined ? problems : [...problems, ...listProblems("first and last", actualEnds, ends)];
}

function childProblems({ subSitemaps }: Sitemap, { children, childFields }: Expected): string[] {
  const urls = subSitemaps.map((child) => child.url);
  const problems = listProblems("children", urls, children ?? []);
  for (const child of subSitemaps) {
    // parseSitemap fetches nothing.
    if (child.kind !== "invalid" || child.code !== "not-fetched" || !/not fetched/i.test(child.reason)) {
      problems.push(`child ${child.url} is not marked as not fetched`);
    }
  }
  childFields?.forEach((fields, at) => {
    const date = subSitemaps[at]?.lastModified;
    const actual = sorted({ ...(date && { lastModified: dateText(date) }) });
    if (actual !== sorted(fields)) problems.push(`child ${at} has ${actual}, expected ${sorted(fields)}`);
  });
  return problems;
}

function issueProblems({ issues, issueCount }: Sitemap, { codes = [], quiet }: Expected): string[] {
  const reported: readonly string[] = issues.map((issue) => issue.code);
  const problems = codes.flatMap((code) =>
    reported.includes(code) ? [] : [`${code} is not reported; there is ${show(reported)}`],
  );
  if (issueCount < issues.length) problems.push(`issueCount is ${issueCount} for ${issues.length} issues`);
  const loud = issues.filter((issue) => issue.severity !== "info").map((issue) => issue.code);
  if (quiet && loud.length > 0) problems.push(`nothing is wrong here, yet ${show(loud)} is reported`);
  return problems;
}

function fieldProblems(pages: readonly Page[], { firstPage = {}, fields = [] }: Expected): string[] {
  const first: Record<string, unknown> = pages[0] === undefined ? {} : fieldsOf(pages[0]);
  const problems = Object.entries(firstPage).flatMap(([name, value]) =>
    (first[name] ?? null) === value ? [] : [`${name} is ${show(first[name])}, expected ${show(value)}`],
  );
  fields.forEach((expected, at) => {
    const page = pages[at];
    const actual = sorted(page === undefined ? {} : comparableFields(page, expected));
    if (actual !== sorted(expected)) problems.push(`page ${at} has ${actual}, expected ${sorted(expected)}`);
  });
  return problems;
}

/** All fields but `url`. `urlText` only if the expectation has it. */
function comparableFields(page: Page, expected: ExpectedFields): Record<string, unknown> {
  const { url, urlText, ...fields } = fieldsOf(page);
  return "urlText" in expected ? { ...fields, urlText } : fields;
}

function listProblems(what: string, actual: readonly string[], expected: readonly string[]): string[] {
  const same = show(actual.map(comparableUrl)) === show(expected.map(comparableUrl));
  return same ? [] : [`${what} are ${show(actual)}, expected ${show(expected)}`];
}

/** Runtimes differ only in what they escape (`^` in U23). */
function comparableUrl(url: string): string {
  const href = URL.canParse(url) ? new URL(url).href : url;
  return href.replace(/%[0-9a-f]{2}/gi, (hex) => hex.toUpperCase());
}

function emittedUrlProblems({ sitemap, pages }: Outcome): string[] {
  const urls = [...pages.flatMap(urlsOf), ...sitemap.subSitemaps.map((child) => child.url)];
  return urls.flatMap((url) => (EMITTED_URL.test(url) ? [] : [`${show(url)} was given as a URL`]));
}

function urlsOf(page: Page): string[] {
  const videos = page.videos ?? [];
  return [
    page.url,
    page.feedUrl,
    ...[page.images, page.alternates, page.media].flatMap((list) => list?.map((item) => item.url) ?? []),
    ...videos.flatMap((video) => [video.thumbnailUrl, video.contentUrl, video.playerUrl, video.galleryUrl]),
  ].filter((url) => url !== undefined);
}

async function strictProblems({ expected, input }: Fixture, api: ParseApi): Promise<string[]> {
  const { strict } = expected;
  if (strict === undefined) return [];
  const sitemap = await api.parseSitemap(input, { ...optionsOf(expected), strict: true });
  const problems =
    strict.kind === undefined
      ? [
          ...listProblems(
            "pages",
            [...sitemap.pages].map((page) => page.url),
            strict.pages ?? [],
          ),
          ...listProblems(
            "children",
            sitemap.subSitemaps.map((child) => child.url),
            strict.children ?? [],
          ),
        ]
      : kindProblems(sitemap, strict);
  return problems.map((problem) => `strict: ${problem}`);
}

// Every other chunking against the complete input

async function entryProblems(whole: Outcome, fixture: Fixture, api: ParseApi): Promise<string[]> {
  const options = optionsOf(fixture.expected);
  const problems: string[] = [];
  const sources: readonly (readonly [string, Source])[] = [
    ["whole", fixture.input],
    ["byte by byte", streamOf(smallestPieces(fixture.input))],
  ];
  for (const [how, source] of sources) {
    const pages: Page[] = [];
    const children: SubSitemap[] = [];
    const issues: string[] = [];
    for await (const entry of api.parseEntries(source, options)) {
      if (entry.kind === "page") pages.push(entry.page);
      else if (entry.kind === "sitemap") children.push(entry.sitemap);
      else issues.push(`${entry.issue.code}:${entry.issue.line ?? "-"}`);
    }
    const difference =
      pagesDifference(whole.pages, pages) ??
      differenceOf(
        "children",
        whole.sitemap.subSitemaps.map((child) => child.url),
        children.map((child) => child.url),
      ) ??
      differenceOf(
        "issues",
        whole.sitemap.issues.map((issue) => `${issue.code}:${issue.line ?? "-"}`),
        issues,
      );
    if (difference !== undefined) problems.push(`parseEntries ${how}: ${difference}`);
  }
  return problems;
}

async function chunkingProblems(
  whole: Outcome,
  { expected, input }: Fixture,
  api: ParseApi,
): Promise<string[]> {
  const options = optionsOf(expected);
  const problems: string[] = [];
  const compare = async (how: string, chunks: Iterable<Uint8Array>): Promise<void> => {
    const other = outcomeOf(await api.parseSitemap(streamOf(chunks), options));
    const difference =
      pagesDifference(whole.pages, other.pages) ?? differenceOf("the rest", whole.rest, other.rest);
    if (difference !== undefined) problems.push(`${how}: ${difference}`);
  };
  await compare("byte by byte", smallestPieces(input));
  for (const position of splitPositions(input.length)) {
    await compare(`split at ${position}`, splitAt(input, position));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems;
}

/** Serializes only pages that differ: 50,001 pages are compared 200 times. */
function pagesDifference(whole: readonly Page[], other: readonly Page[]): string | undefined {
  if (whole.length !== other.length) {
    return `${other.length} pages, whole ${whole.length}: ${show(other.slice(0, 3).map((page) => page.url))}`;
  }
  for (let at = 0; at < whole.length; at++) {
    const page = whole[at]!;
    const second = other[at]!;
    if (page.url === second.url && hasOnlyUrl(page) && hasOnlyUrl(second)) continue;
    const difference = fieldsDifference(page, second);
    if (difference !== undefined) return `page ${at}: ${difference}`;
  }
  return undefined;
}

function hasOnlyUrl(page: Page): boolean {
  for (const name in page) if (name !== "url") return false;
  return true;
}

function fieldsDifference(whole: Page, other: Page): string | undefined {
  for (const name of PAGE_FIELDS) {
    if (isSame(name, whole[name], other[name])) continue;
    return `${name} is ${show(plain(name, other[name]))}, whole ${show(plain(name, whole[name]))}`;
  }
  return undefined;
}

function isSame(name: string, whole: unknown, other: unknown): boolean {
  if (whole === other) return true;
  if (!isObject(whole) || !isObject(other)) return false;
  if (DATE_FIELDS.has(name)) return isSameDate(whole as unknown as DateValue, other as unknown as DateValue);
  const names = Object.keys(whole);
  if (names.length !== Object.keys(other).length || Array.isArray(whole) !== Array.isArray(other))
    return false;
  return names.every((key) => isSame(key, whole[key], other[key]));
}

function isSameDate(whole: DateValue, other: DateValue): boolean {
  return (
    whole.text === other.text &&
    whole.precision === other.precision &&
    whole.zoneAssumed === other.zoneAssumed &&
    whole.value?.getTime() === other.value?.getTime()
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function differenceOf(what: string, whole: unknown, other: unknown): string | undefined {
  return show(whole) === show(other) ? undefined : `${what} is ${show(other)}, whole ${show(whole)}`;
}

// Values as text

/** The present fields, dates as precise as the document. */
function fieldsOf(page: Page): Partial<Record<keyof Page, unknown>> {
  const fields: Partial<Record<keyof Page, unknown>> = {};
  for (const name of PAGE_FIELDS) {
    if (page[name] !== undefined) fields[name] = readable(name, page[name]);
  }
  return fields;
}

const DATE_FIELDS: ReadonlySet<string> = new Set(["lastModified", "published", "expires"]);

/** Replaces each date in a value. */
function mapDates(name: string, value: unknown, date: (value: DateValue) => unknown): unknown {
  if (!isObject(value)) return value;
  if (DATE_FIELDS.has(name)) return date(value as unknown as DateValue);
  if (Array.isArray(value)) return value.map((item) => mapDates("", item, date));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapDates(key, item, date)]));
}

/** All fields of a date, read one by one because they may be getters. */
function plainDate({ text, value, precision, zoneAssumed }: DateValue): unknown {
  return { text, value, precision, zoneAssumed };
}

const plain = (name: string, value: unknown): unknown => mapDates(name, value, plainDate);
const readable = (name: string, value: unknown): unknown => mapDates(name, value, dateText);

/** "2024", "2024-01", "2024-01-02", "2024-01-02T03:04:05Z". */
function dateText({ text, value, precision }: DateValue): string {
  if (value === undefined) return `no date: ${text}`;
  const iso = value.toISOString().replace(".000Z", "Z");
  const length = { year: 4, month: 7, day: 10, time: iso.length }[precision ?? "time"];
  return iso.slice(0, length);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "absent";
}

/** JSON with sorted keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item) && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
