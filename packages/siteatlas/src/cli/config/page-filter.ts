/**
 * Selects pages by glob, date, kind and language, and rewrites their URLs. Works on one page at a time: for
 * samples, which need all pages, see sample.ts.
 */
import type { DateValue, Page } from "../../model/model.ts";
import { kindOf, languageOf } from "../../output/page-fields.ts";
import type { PageKindName, Settings } from "./flags.ts";
import { anyGlob } from "./glob.ts";

type PageTest = (page: Page) => boolean;

/** Returns the page to write, or undefined to skip it. `--strip-url` removes `siteUrl`. */
export type Selection = (page: Page, siteUrl?: string) => Page | undefined;

/** Returns undefined if every page passes unchanged. */
export function createSelection(settings: Settings): Selection | undefined {
  const tests = pageTests(settings);
  const { rewriteOrigin, stripUrl } = settings;
  if (tests.length === 0 && rewriteOrigin === undefined && !stripUrl) return undefined;
  return (page, siteUrl = "") => {
    for (const test of tests) if (!test(page)) return undefined;
    let { url } = page;
    if (rewriteOrigin !== undefined) url = rewriteOrigin + url.slice(new URL(url).origin.length);
    if (stripUrl) url = stripSite(url, rewriteOrigin ?? siteUrl);
    return url === page.url ? page : { ...page, url };
  };
}

/** Whether any page could be skipped. */
export function isSelective(settings: Settings): boolean {
  const { sample, limit } = settings;
  return pageTests(settings).length > 0 || sample !== undefined || limit !== undefined;
}

function pageTests({ include, exclude, since, kind, lang, unique }: Settings): PageTest[] {
  const tests: PageTest[] = [];
  const included = anyGlob(include, "--include");
  if (included !== undefined) tests.push(({ url }) => included(url));
  const excluded = anyGlob(exclude, "--exclude");
  if (excluded !== undefined) tests.push(({ url }) => !excluded(url));
  if (since !== undefined) tests.push((page) => changedSince(page, since.getTime()));
  if (kind !== undefined) tests.push((page) => kind.some((wanted) => isKind(page, wanted)));
  if (lang !== undefined) tests.push((page) => isLanguage(languageOf(page), lang));
  if (unique) tests.push(firstOfUrl());
  return tests;
}

/** A test that accepts each URL once, for `--unique`. */
export function firstOfUrl(): PageTest {
  const seen = new Set<string>();
  return ({ url }) => {
    if (seen.has(url)) return false;
    seen.add(url);
    return true;
  };
}

/** A publication date counts only if lastmod is missing or not a date: a changed article may be old. */
function changedSince({ lastModified, published, news }: Page, since: number): boolean {
  const date = [lastModified, published, news?.published].find((one) => one?.value !== undefined);
  return date !== undefined && lastInstant(date) >= since;
}

const DAY = 86_400_000;

/** The last instant that a date can mean: for `2026-11` it is the end of November. */
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
    case "page":
      return kindOf(page) === kind;
  }
}

/** `de` matches `de-AT`; `de-AT` does not match `de`. */
function isLanguage(language: string | undefined, wanted: readonly string[]): boolean {
  const given = language?.toLowerCase();
  return wanted.some((text) => given === text.toLowerCase() || given?.startsWith(`${text.toLowerCase()}-`));
}

/** Removes the site's URL, without its final slash, from the start of a URL. */
export function stripSite(url: string, siteUrl: string): string {
  const prefix = siteUrl.replace(/\/$/, "");
  return prefix !== "" && url.startsWith(prefix) ? url.slice(prefix.length) || "/" : url;
}

/** The first segment of the path, for `--stratify path`. */
export function sectionOf(url: string): string {
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: url };
  const end = pathname.indexOf("/", 1);
  return end === -1 ? "/" : pathname.slice(0, end);
}
