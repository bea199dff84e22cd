/**
 * The numbers of a site, gathered while it is read, in memory that does not grow with it: tables are bounded,
 * dates are counted by month, of sitemaps the five slowest and largest are kept.
 */
import { type IssueCode, type Severity, severityOf } from "../../issues.ts";
import type { Issue, Page } from "../../model.ts";
import { kindOf, languageOf, type PageKind } from "../../output/page-record.ts";
import type { WalkedSitemap } from "../../walk/events.ts";
import { isFailure } from "../talk/tally.ts";
import { BoundedCounts, type Counted } from "./bounded-counts.ts";
import { MonthCounts, monthOf } from "./month-counts.ts";

const MAX_SECTIONS = 200;
const MAX_SUBSECTIONS = 600;
const MAX_LANGUAGES = 200;
export const DAY_MS = 86_400_000;
/** Ten years of days. */
const MAX_DAYS = 3660;
const TOP_SITEMAPS = 5;
/** Longer names of directories are cut. */
const MAX_SECTION_LENGTH = 200;

export interface Section extends Counted {
  readonly months: MonthCounts;
}

export interface FormatCount {
  sitemaps: number;
  pages: number;
}

export interface IssueCount {
  readonly severity: Severity;
  count: number;
}

/** A sitemap with what it took: milliseconds, or bytes. */
export interface RankedSitemap {
  readonly url: string;
  readonly value: number;
  readonly pages: number;
}

export class SiteStats {
  pages = 0;
  /** Read, robots.txt aside. */
  sitemaps = 0;
  bytes = 0;
  duplicates = 0;
  /** Pages with a lastmod that is a date. */
  dated = 0;
  /** Of those precise to a month at least. */
  readonly months: MonthCounts = new MonthCounts();
  /** By days since 1970; precise to a day at least. */
  readonly days: BoundedCounts<Counted, number> = new BoundedCounts(MAX_DAYS, () => ({ count: 0 }));
  /** By the first directory of the path: `/news`; `/` for pages in none. */
  readonly sections: BoundedCounts<Section> = new BoundedCounts(MAX_SECTIONS, createSection);
  /** By the first two: `/en/news`. */
  readonly subsections: BoundedCounts<Section> = new BoundedCounts(MAX_SUBSECTIONS, createSection);
  readonly languages: BoundedCounts<Counted> = new BoundedCounts(MAX_LANGUAGES, () => ({ count: 0 }));
  readonly kinds: Map<PageKind, number> = new Map();
  /** `xml`, `rss`, …; `index` for those that list sitemaps. */
  readonly formats: Map<string, FormatCount> = new Map();
  readonly #issues: Map<IssueCode, IssueCount> = new Map();
  #issuesTold = 0;
  #issuesFound = 0;
  /** Told, of documents that are not at their end. */
  readonly #pending: Map<string, IssueCode[]> = new Map();
  /** The slowest first. */
  readonly slowest: RankedSitemap[] = [];
  /** The largest first. */
  readonly largest: RankedSitemap[] = [];

  add(page: Page, _sitemapUrl: string): void {
    this.pages++;
    const kind = kindOf(page);
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    const language = languageOf(page);
    if (language !== undefined) this.languages.add(language);
    const [section, subsection] = sectionsOf(page.url);
    const month = this.#addDate(page);
    const entry = this.sections.add(section);
    const subentry = this.subsections.add(subsection);
    if (month === undefined) return;
    this.months.add(month);
    entry.months.add(month);
    subentry.months.add(month);
  }

  addSitemap(sitemap: WalkedSitemap): void {
    const { url, outcome, kind, format, pageCount, duplicateCount, http } = sitemap;
    this.bytes += http?.bytes ?? 0;
    this.#addIssues(sitemap);
    if (outcome !== "found" || format === "robots" || format === undefined) return;
    this.sitemaps++;
    this.duplicates += duplicateCount;
    const name = kind === "index" ? "index" : format;
    const entry = this.formats.get(name) ?? { sitemaps: 0, pages: 0 };
    this.formats.set(name, entry);
    entry.sitemaps++;
    entry.pages += pageCount;
    if (http === undefined) return;
    rank(this.slowest, { url, value: http.ms, pages: pageCount });
    rank(this.largest, { url, value: http.bytes, pages: pageCount });
  }

  addIssue({ url, code }: Issue): void {
    const codes = this.#pending.get(url);
    if (codes === undefined) this.#pending.set(url, [code]);
    else codes.push(code);
  }

  /**
   * Those of a document at its end. A sitemap that failed is an error, too, also where no document said so;
   * what is wrong with something that is none, where we only guessed, is nobody's fault.
   */
  #addIssues(sitemap: WalkedSitemap): void {
    const { url, requestedUrl = url, source, outcome, code, issueCount } = sitemap;
    const codes = [url, ...(requestedUrl === url ? [] : [requestedUrl])].flatMap((one) => {
      const told = this.#pending.get(one) ?? [];
      this.#pending.delete(one);
      return told;
    });
    if (source === "known" && outcome === "failed") return;
    this.#issuesFound += issueCount;
    this.#issuesTold += codes.length;
    for (const told of codes) this.#count(told);
    if (isFailure(sitemap) && code !== undefined && !codes.includes(code)) this.#count(code);
  }

  #count(code: IssueCode): void {
    const entry = this.#issues.get(code);
    if (entry === undefined) this.#issues.set(code, { severity: severityOf(code), count: 1 });
    else entry.count++;
  }

  /** Of what is wrong many times in one document, the library tells the first ten; how many more there are. */
  get moreIssues(): number {
    return Math.max(0, this.#issuesFound - this.#issuesTold);
  }

  /** The worst first, of those the most frequent. */
  sortedIssues(): [code: IssueCode, issue: IssueCount][] {
    // What is left was said of the site as a whole.
    for (const codes of this.#pending.values()) for (const code of codes) this.#count(code);
    this.#pending.clear();
    return [...this.#issues].sort(
      ([codeA, a], [codeB, b]) =>
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
        b.count - a.count ||
        (codeA < codeB ? -1 : 1),
    );
  }

  /** What the tally of a run does not know. */
  toJSON(): object {
    const { bytes, duplicates, dated, months } = this;
    return {
      bytes,
      duplicates,
      dated,
      months,
      sections: sectionList(this.sections),
      otherSections: this.sections.rest,
      languages: Object.fromEntries(this.languages.sorted().map(([name, { count }]) => [name, count])),
      kinds: sortedByName(this.kinds),
      formats: sortedByName(this.formats),
      issues: this.sortedIssues().map(([code, { severity, count }]) => ({ code, severity, count })),
      moreIssues: this.moreIssues,
      slowest: this.slowest.map(({ url, value, pages: listed }) => ({ url, ms: value, pages: listed })),
      largest: this.largest.map(({ url, value, pages: listed }) => ({ url, bytes: value, pages: listed })),
    };
  }

  /** The month, where the date tells it. */
  #addDate({ lastModified }: Page): number | undefined {
    if (lastModified?.value === undefined) return undefined;
    this.dated++;
    const { value, precision } = lastModified;
    if (precision === "year") return undefined;
    if (precision !== "month") this.days.add(Math.floor(value.getTime() / DAY_MS));
    return monthOf(value);
  }
}

export const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

function createSection(): Section {
  return { count: 0, months: new MonthCounts() };
}

function sectionList(sections: BoundedCounts<Section>): object[] {
  return sections.sorted().map(([path, { count, months }]) => ({ path, pages: count, months }));
}

/** They come as sitemaps end, which is another order each time. */
function sortedByName<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The first directory of a URL's path, and the first two: `/news` and `/news/2024`. What is last in a path is
 * the page. Not by `URL`: this is done for millions.
 */
export function sectionsOf(url: string): [section: string, subsection: string] {
  const pathAt = url.indexOf("/", url.indexOf("//") + 2);
  if (pathAt < 0) return ["/", "/"];
  const queryAt = url.indexOf("?", pathAt);
  const pathEnd = Math.min(queryAt < 0 ? url.length : queryAt, pathAt + 2 * MAX_SECTION_LENGTH);
  const path = url.slice(pathAt, pathEnd);
  const first = path.indexOf("/", 1);
  if (first < 0) return ["/", "/"];
  const section = path.slice(0, Math.min(first, MAX_SECTION_LENGTH));
  const second = path.indexOf("/", first + 1);
  return [section, second < 0 ? section : path.slice(0, second)];
}

/** Keeps the list at its length, sorted; equal ones by their URL. */
function rank(list: RankedSitemap[], sitemap: RankedSitemap): void {
  const at = list.findIndex(
    ({ url, value }) => value < sitemap.value || (value === sitemap.value && url > sitemap.url),
  );
  list.splice(at < 0 ? list.length : at, 0, sitemap);
  if (list.length > TOP_SITEMAPS) list.pop();
}
