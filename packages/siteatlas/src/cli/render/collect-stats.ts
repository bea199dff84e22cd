/** Collects the numbers for the overview of a site while the site is read, in limited memory. */
import type { IssueCode } from "../../model/issue-severity.ts";
import type { Issue, Page } from "../../model/model.ts";
import { kindOf, languageOf, type PageKind } from "../../output/page-fields.ts";
import { BoundedCounts, type Counted } from "../../report/bounded-counts.ts";
import { DAY_MS } from "../../report/day-counts.ts";
import { type IssueCount, IssueCounts } from "../../report/issue-counts.ts";
import { ALL_MONTHS, MonthCounts, type MonthRange, monthOf } from "../../report/modified-by-month.ts";
import { sectionsOf } from "../../report/url-sections.ts";
import { isCountedSitemap } from "../../walk/events/counted-sitemap.ts";
import type { WalkedSitemap } from "../../walk/events/events.ts";

const MAX_SECTIONS = 200;
const MAX_SUBSECTIONS = 600;
const MAX_LANGUAGES = 200;
/** Maximum number of different days that are counted: ten years. */
const MAX_DAYS = 3660;
const TOP_SITEMAPS = 5;

export interface Section extends Counted {
  readonly months: MonthCounts;
}

export interface FormatCount {
  sitemaps: number;
  pages: number;
}

export interface RankedSitemap {
  readonly url: string;
  /** The duration of the request in milliseconds, or the size in bytes. */
  readonly value: number;
  readonly pages: number;
}

export interface OtherDates {
  /** Number of dates before 1990. */
  readonly before: number;
  /** Number of dates after the current month. */
  readonly after: number;
  /** Number of dates that are only a year, such as `2024`. */
  readonly yearOnly: number;
}

export class SiteStats {
  /**
   * The months of a chart: from 1990 to the current month, because later dates are mistakes. On the last day of a
   * month, the next month is included, because the site may be east of UTC.
   */
  readonly pastMonths: MonthRange;
  pages = 0;
  /** Number of sitemaps, not counting robots.txt. */
  sitemaps = 0;
  bytes = 0;
  /** Number of URLs that a sitemap lists more than once. With `--unique`, also URLs that another sitemap lists. */
  duplicates = 0;
  /** Number of pages with a valid lastmod. */
  dated = 0;
  /** Number of pages by the month of their lastmod. Dates with only a year do not count. */
  readonly months: MonthCounts = new MonthCounts();
  /** Number of pages by the day of their lastmod, as days since 1970. Dates without a day do not count. */
  readonly days: BoundedCounts<Counted, number> = new BoundedCounts(MAX_DAYS, () => ({ count: 0 }));
  /** Number of pages by the first folder of their path, such as `/news`. Pages without a folder count for `/`. */
  readonly sections: BoundedCounts<Section> = new BoundedCounts(MAX_SECTIONS, createSection);
  /** Number of pages by the first two folders of their path, such as `/en/news`. */
  readonly subsections: BoundedCounts<Section> = new BoundedCounts(MAX_SUBSECTIONS, createSection);
  readonly languages: BoundedCounts<Counted> = new BoundedCounts(MAX_LANGUAGES, () => ({ count: 0 }));
  readonly kinds: Map<PageKind, number> = new Map();
  /** Number of sitemaps by format, such as `xml` or `rss`. Sitemaps that list sitemaps count as `index`. */
  readonly formats: Map<string, FormatCount> = new Map();
  readonly #issues: IssueCounts = new IssueCounts();
  readonly slowest: RankedSitemap[] = [];
  readonly largest: RankedSitemap[] = [];

  constructor(now: Date = new Date()) {
    const newest = monthOf(new Date(now.getTime() + DAY_MS));
    this.pastMonths = { ...ALL_MONTHS, to: Math.min(newest, ALL_MONTHS.to) };
  }

  add(page: Page): void {
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
    const { url, kind, format, pageCount, duplicateCount, http } = sitemap;
    this.bytes += http?.bytes ?? 0;
    this.#issues.addSitemap(sitemap);
    if (!isCountedSitemap(sitemap) || format === undefined) return;
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

  addIssue(issue: Issue): void {
    this.#issues.add(issue);
  }

  /** The issues, sorted by severity, then by count. */
  sortedIssues(): [code: IssueCode, issue: IssueCount][] {
    return this.#issues.sorted();
  }

  /** Numbers of dates that are not in the chart of months. */
  otherDates(): OtherDates {
    return { ...this.months.outside(this.pastMonths), yearOnly: this.dated - this.months.total };
  }

  /** The numbers of the overview that are not already in `RunCounts`. */
  toJSON(): object {
    const { bytes, duplicates, dated, pastMonths } = this;
    return {
      bytes,
      duplicates,
      dated,
      months: this.months.byName(pastMonths),
      otherDates: this.otherDates(),
      sections: sectionList(this.sections, pastMonths),
      otherSections: this.sections.rest,
      languages: Object.fromEntries(this.languages.sorted().map(([name, { count }]) => [name, count])),
      kinds: sortedByName(this.kinds),
      formats: sortedByName(this.formats),
      issues: this.sortedIssues().map(([code, { severity, count }]) => ({ code, severity, count })),
      slowest: this.slowest.map(({ url, value, pages: listed }) => ({ url, ms: value, pages: listed })),
      largest: this.largest.map(({ url, value, pages: listed }) => ({ url, bytes: value, pages: listed })),
    };
  }

  /** Counts the lastmod of a page. Returns its month, or undefined if the date has no month. */
  #addDate({ lastModified }: Page): number | undefined {
    if (lastModified?.value === undefined || Number.isNaN(lastModified.value.getTime())) return undefined;
    this.dated++;
    const { value, precision } = lastModified;
    if (precision === "year") return undefined;
    if (precision !== "month") this.days.add(Math.floor(value.getTime() / DAY_MS));
    return monthOf(value);
  }
}

function createSection(): Section {
  return { count: 0, months: new MonthCounts() };
}

function sectionList(sections: BoundedCounts<Section>, range: MonthRange): object[] {
  return sections
    .sorted()
    .map(([path, { count, months }]) => ({ path, pages: count, months: months.byName(range) }));
}

/** Sorts by name, so that the order does not depend on which sitemap ends first. */
function sortedByName<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Inserts a sitemap into a list that keeps only the largest values, sorted by value, then by URL. */
function rank(list: RankedSitemap[], sitemap: RankedSitemap): void {
  const at = list.findIndex(
    ({ url, value }) => value < sitemap.value || (value === sitemap.value && url > sitemap.url),
  );
  list.splice(at < 0 ? list.length : at, 0, sitemap);
  if (list.length > TOP_SITEMAPS) list.pop();
}
