/**
 * Selects pages by glob, date, kind and language, and rewrites their URLs. It looks at one page at a time. Samples need
 * all pages: see sample.ts.
 */
import type { DateValue, Page } from "../../model/model.ts";
import { kindOf, languageOf } from "../../output/page-fields.ts";
import type { PageKindName, Settings } from "./flags.ts";
import { anyGlob } from "./glob.ts";

type PageTest = (page: Page) => boolean;

/**
 * A function that returns the page to write, or undefined to skip the page. With `--strip-url`, `siteUrl` is removed
 * from the URLs.
 */
export type Selection = (page: Page, siteUrl?: string) => Page | undefined;

/** Creates the filter for pages. Returns undefined if the settings neither skip nor change any page. */
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

/** Whether the settings may skip pages. */
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

/** Creates the test for `--unique`, which accepts each URL once. */
export function firstOfUrl(): PageTest {
  const seen = new Set<string>();
  return ({ url }) => {
    if (seen.has(url)) return false;
    seen.add(url);
    return true;
  };
}

/**
 * Whether a page changed since this time. The publication date is used only if lastmod is missing or invalid, because
 * an old article may have changed.
 */
function changedSince({ lastModified, published, news }: Page, since: number): boolean {
  const date = [lastModified, published, news?.published].find((one) => one?.value !== undefined);
  return date !== undefined && lastInstant(date) >= since;
}

const DAY = 86_400_000;

/** The end of the period that a date names. For `2026-11` it is the end of November. */
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

/** Whether the user wants pages in this language. `de` also selects `de-AT`, but `de-AT` does not select `de`. */
function isLanguage(language: string | undefined, wanted: readonly string[]): boolean {
  const given = language?.toLowerCase();
  return wanted.some((text) => given === text.toLowerCase() || given?.startsWith(`${text.toLowerCase()}-`));
}

/** Removes the URL of the site from the start of a URL. The slash before the path stays. */
export function stripSite(url: string, siteUrl: string): string {
  const prefix = siteUrl.replace(/\/$/, "");
  return prefix !== "" && url.startsWith(prefix) ? url.slice(prefix.length) || "/" : url;
}
