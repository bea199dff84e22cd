/**
 * Which pages are given out, and as what: globs, dates, kinds, languages, each once, with another origin or
 * without theirs. One page at a time; what needs all of them (a sample) is sample.ts.
 */
import type { DateValue, Page } from "../model.ts";
import { kindOf, languageOf } from "../output/page-record.ts";
import type { PageKindName, Settings } from "./flags.ts";
import { anyGlob } from "./glob.ts";

type PageTest = (page: Page) => boolean;

/** The page as it is to be given out, or undefined. */
export type Selection = (page: Page) => Page | undefined;

/** Undefined when every page passes as it is. `siteUrl` is what `--strip-url` leaves out. */
export function createSelection(settings: Settings, siteUrl?: string): Selection | undefined {
  const tests = pageTests(settings);
  const rewrite = rewriteUrl(settings, siteUrl);
  if (tests.length === 0 && rewrite === undefined) return undefined;
  return (page) => {
    for (const test of tests) if (!test(page)) return undefined;
    return rewrite === undefined ? page : { ...page, url: rewrite(page.url) };
  };
}

/** Whether there are pages that are left out. */
export function isSelective(settings: Settings): boolean {
  const { sample, limit } = settings;
  return pageTests(settings).length > 0 || sample !== undefined || limit !== undefined;
}

function pageTests({ include, exclude, since, kind, lang, unique }: Settings): PageTest[] {
  const tests: PageTest[] = [];
  const included = anyGlob(include);
  if (included !== undefined) tests.push(({ url }) => included(url));
  const excluded = anyGlob(exclude);
  if (excluded !== undefined) tests.push(({ url }) => !excluded(url));
  if (since !== undefined) tests.push((page) => changedSince(page, since.getTime()));
  if (kind !== undefined) tests.push((page) => kind.some((wanted) => isKind(page, wanted)));
  if (lang !== undefined) tests.push((page) => isLanguage(languageOf(page), lang));
  if (unique) tests.push(firstOfUrl());
  return tests;
}

/** `--unique` remembers every URL: there is no smaller way to be sure. */
function firstOfUrl(): PageTest {
  const seen = new Set<string>();
  return ({ url }) => {
    if (seen.has(url)) return false;
    seen.add(url);
    return true;
  };
}

function changedSince({ lastModified, published, news }: Page, since: number): boolean {
  const date = lastModified ?? published ?? news?.published;
  return date !== undefined && lastInstant(date) >= since;
}

const DAY = 86_400_000;

/** The end of what a date may mean: `2026-11` may be the last of November. */
function lastInstant({ value, precision }: DateValue): number {
  if (value === undefined) return Number.NEGATIVE_INFINITY;
  if (precision === "year") return Date.UTC(value.getUTCFullYear() + 1, 0) - 1;
  if (precision === "month") return Date.UTC(value.getUTCFullYear(), value.getUTCMonth() + 1) - 1;
  return precision === "day" ? value.getTime() + DAY - 1 : value.getTime();
}

function isKind(page: Page, kind: PageKindName): boolean {
  switch (kind) {
    case "news":
      return page.news !== undefined;
    case "image":
      return page.images !== undefined;
    case "video":
      return page.videos !== undefined;
    case "feed":
      return kindOf(page) === "feed";
  }
}

/** `de` is asked for and `de-AT` is German, too; not the other way round. */
function isLanguage(language: string | undefined, wanted: readonly string[]): boolean {
  const given = language?.toLowerCase();
  return wanted.some((text) => given === text.toLowerCase() || given?.startsWith(`${text.toLowerCase()}-`));
}

function rewriteUrl(
  { rewriteOrigin, stripUrl }: Settings,
  siteUrl: string | undefined,
): ((url: string) => string) | undefined {
  const strip = stripUrl && siteUrl !== undefined ? stripper(siteUrl) : undefined;
  if (rewriteOrigin === undefined) return strip;
  const move = (url: string): string => rewriteOrigin + url.slice(new URL(url).origin.length);
  return strip === undefined ? move : (url) => strip(move(url));
}

/** Takes the site's URL, without its final slash, off the URLs that start with it. */
export function stripper(siteUrl: string): (url: string) => string {
  const prefix = siteUrl.replace(/\/$/, "");
  return (url) => (url.startsWith(prefix) ? url.slice(prefix.length) || "/" : url);
}

/** What `--stratify path` tells apart: the first segment of the path. */
export function sectionOf(url: string): string {
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: url };
  const end = pathname.indexOf("/", 1);
  return end === -1 ? "/" : pathname.slice(0, end);
}
