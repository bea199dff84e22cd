/** Counts the events of a walk for a report, and turns the counts into the numbers of the report. */
import type { IssueCode } from "../model/issue-severity.ts";
import type { Issue, Page } from "../model/model.ts";
import type { WalkEvent, WalkedSitemap } from "../walk/events/events.ts";
import { isFailure } from "../walk/events/failed-sitemap.ts";
import type { BoundedCounts, Counted } from "./bounded-counts.ts";
import { DAY_MS, dayIndexOf, dayName } from "./day-counts.ts";
import { IssueCounts } from "./issue-counts.ts";
import { monthOf } from "./modified-by-month.ts";
import { KEPT, MAX_UNIQUE_URLS, PageCounts, type SectionEntry } from "./page-counts.ts";
import {
  type BulkDate,
  type Counts,
  REPORT_FORMAT,
  REPORT_VERSION,
  type ReportChanges,
  type ReportDates,
  type ReportExample,
  type ReportFindings,
  type ReportIssue,
  type ReportOrigin,
  type ReportPages,
  type ReportSection,
  type SiteReport,
} from "./report-model.ts";
import { SitemapCounts, shortened } from "./sitemap-counts.ts";
import { sortedCounts } from "./sorted-counts.ts";

/** Languages for which a section has a count and a number of gaps. */
const MAX_SECTION_LANGUAGES = 20;
const MAX_EXAMPLES = 3;
const MAX_BULK_DATES = 5;
/** A day is a bulk date if it has at least this many pages of a section, */
const LEAST_BULK = 50;
/** and at least this share of the dated pages of the section, */
const BULK_SHARE = 0.25;
/** and at least this share of the dated pages of the site. */
const BULK_SITE_SHARE = 0.005;
/** 53 weeks, so that a calendar of the last year has complete weeks. */
const CALENDAR_DAYS = 371;
/** The ages that a report distinguishes, in days. Older pages come last. */
const AGES: readonly number[] = [1, 7, 30, 90, 365, 1095];

/** Facts about how a report was made. The events of a walk do not contain them. */
export interface ReportFacts extends Partial<Omit<ReportOrigin, "at">> {
  /** When the numbers were true. Ages are counted up to this time. @default now */
  readonly at?: Date;
  /** Changes that the last syncs found. */
  readonly changes?: ReportChanges;
  /** Findings of `siteatlas lint`. They replace the issues of the walk in tables. */
  readonly lint?: ReportFindings;
  /** Findings of `siteatlas check`. */
  readonly check?: ReportFindings;
}

export class ReportCounter {
  readonly #pages: PageCounts;
  readonly #sitemaps: SitemapCounts = new SitemapCounts();
  readonly #issues: IssueCounts = new IssueCounts();
  readonly #examples: Map<IssueCode, ReportExample[]> = new Map();
  readonly #stops: Set<string> = new Set();

  /** @param site the homepage. Most URLs start with it */
  constructor(site = "") {
    this.#pages = new PageCounts(URL.canParse(site) ? `${new URL(site).origin}/` : "");
  }

  add(event: WalkEvent): void {
    if (event.kind === "page") this.addPage(event.page);
    else if (event.kind === "sitemap") this.addSitemap(event.sitemap);
    else this.addIssue(event.issue);
  }

  addPage(page: Page): void {
    this.#pages.add(page);
  }

  addSitemap(sitemap: WalkedSitemap): void {
    this.#sitemaps.add(sitemap);
    this.#issues.addSitemap(sitemap);
    const { url, code } = sitemap;
    if (isFailure(sitemap) && code !== undefined) this.#addExample(code, { url: shortened(url) });
  }

  addIssue(issue: Issue): void {
    this.#issues.add(issue);
    const { code, url, line, value } = issue;
    // A limit of the site, such as limit.urls, ends the walk early.
    if (code.startsWith("limit.")) this.#stops.add(code);
    this.#addExample(code, {
      url: shortened(url),
      ...(line !== undefined && { line }),
      ...(value !== undefined && { value }),
    });
  }

  #addExample(code: IssueCode, example: ReportExample): void {
    const examples = this.#examples.get(code) ?? [];
    this.#examples.set(code, examples);
    if (examples.length < MAX_EXAMPLES && examples.every(({ url }) => url !== example.url))
      examples.push(example);
  }

  /** The numbers. Call it once, at the end. */
  numbers(facts: ReportFacts = {}): SiteReport {
    const {
      at = new Date(),
      changes,
      lint,
      check,
      site = "",
      from = "walk",
      stops = [],
      unknown = [],
      ...more
    } = facts;
    const pages = this.#pages;
    const languages = namesOf(pages.languages, MAX_SECTION_LANGUAGES);
    return {
      format: REPORT_FORMAT,
      version: REPORT_VERSION,
      made: { site, at: at.toISOString(), from, ...more, stops: [...stops, ...this.#stops], unknown },
      pages: this.#pageNumbers(),
      sections: pages.sections
        .sorted()
        .slice(0, KEPT.sections)
        .map(([path, entry]) => sectionNumbers(path, entry, languages, at)),
      otherSections: restOf(pages.sections, KEPT.sections),
      dates: this.#dates(at),
      languages: {
        declared: pages.declaredLanguage,
        pages: countsOf(pages.languages, KEPT.languages),
        other: restOf(pages.languages, KEPT.languages),
        withHreflang: pages.withHreflang,
        withoutSelf: pages.withoutSelf,
        withDefault: pages.withDefault,
      },
      sitemaps: this.#sitemaps.numbers(),
      issues: this.#issueNumbers(),
      ...(lint !== undefined && { lint }),
      ...(check !== undefined && { check }),
      ...(changes !== undefined && { changes }),
    };
  }

  #pageNumbers(): ReportPages {
    const { urls, hosts, kinds, depths, images, videos, ...pages } = this.#pages;
    return {
      total: pages.total,
      unique: urls.size,
      isUniqueExact: urls.size < MAX_UNIQUE_URLS,
      repeatedInSitemap: this.#sitemaps.repeated,
      kinds: sortedCounts(kinds),
      depths,
      hosts: countsOf(hosts, KEPT.hosts),
      otherHosts: restOf(hosts, KEPT.hosts),
      withQuery: pages.withQuery,
      insecure: pages.insecure,
      longestUrl: pages.longestUrl,
      withChangeFrequency: pages.withChangeFrequency,
      withPriority: pages.withPriority,
      images,
      videos,
    };
  }

  #dates(at: Date): ReportDates {
    const { total, dated, invalidDates, yearOnly, months, days, roughDays } = this.#pages;
    const today = dayIndexOf(at.getTime());
    // The day after is not in the future: the site may be east of UTC.
    const last = today + 1;
    const sum = (from: number, to: number): number => days.sum(from, to) + roughDays.sum(from, to);
    const ages = [...AGES, undefined].map((maxDays, index) => {
      const newest = index === 0 ? last : today - AGES[index - 1]! - 1;
      const pages = sum(maxDays === undefined ? 0 : today - maxDays, newest);
      return { ...(maxDays !== undefined && { maxDays }), pages };
    });
    const future = dated - sum(0, last);
    const median = medianDay(sum, dated - future, last);
    return {
      dated,
      invalid: invalidDates,
      none: total - dated - invalidDates,
      months: months.byName({ from: 0, to: monthOf(new Date(at.getTime() + DAY_MS)) }),
      days: days.byName(last - CALENDAR_DAYS, last),
      ages,
      future,
      before1990: sum(0, 0),
      yearOnly,
      ...(median !== undefined && { medianAgeDays: Math.max(0, today - median) }),
      bulk: this.#bulkDates(),
    };
  }

  #bulkDates(): BulkDate[] {
    const { sections, dated } = this.#pages;
    const byId = new Map(sections.sorted().map(([path, entry]) => [entry.id, { path, entry }]));
    const found: BulkDate[] = [];
    for (const { id, day, pages } of this.#pages.bulkDays(Math.max(LEAST_BULK, dated * BULK_SITE_SHARE))) {
      const { path, entry } = byId.get(id) ?? {};
      if (path === undefined || entry === undefined || pages < entry.dated * BULK_SHARE) continue;
      found.push({ date: dayName(day), section: path, pages, share: pages / entry.dated });
      if (found.length === MAX_BULK_DATES) break;
    }
    return found;
  }

  #issueNumbers(): ReportIssue[] {
    return this.#issues.sorted().map(([code, { severity, count }]) => ({
      code,
      severity,
      count,
      examples: this.#examples.get(code) ?? [],
    }));
  }
}

function sectionNumbers(
  path: string,
  { count, dated, months, languages, hreflang, withHreflang, folders }: SectionEntry,
  names: readonly string[],
  at: Date,
): ReportSection {
  const [own, listed] = [new Map(languages.sorted()), new Map(hreflang.sorted())];
  const countIn = (map: ReadonlyMap<string, Counted>, name: string): number => map.get(name)?.count ?? 0;
  const inFolders = countsOf(folders, KEPT.folders);
  return {
    path,
    pages: count,
    dated,
    months: months.byName({ from: 0, to: monthOf(new Date(at.getTime() + DAY_MS)) }),
    languages: presentCounts(names.map((name) => [name, countIn(own, name)])),
    withHreflang,
    hreflangGaps: presentCounts(names.map((name) => [name, withHreflang - countIn(listed, name)])),
    folders: inFolders,
    otherFolders: count - Object.values(inFolders).reduce((sum, pages) => sum + pages, 0),
  };
}

/** Counts that are not 0, the largest first. */
function presentCounts(counts: readonly (readonly [string, number])[]): Counts {
  return sortedCounts(counts.filter(([, count]) => count > 0));
}

/** The day in the middle of all dates. Undefined without dates. */
function medianDay(
  sum: (from: number, to: number) => number,
  dated: number,
  last: number,
): number | undefined {
  if (dated === 0) return undefined;
  let newer = 0;
  for (let day = last; day >= 0; day--) {
    newer += sum(day, day);
    if (2 * newer >= dated) return day;
  }
  return 0;
}

function namesOf(counts: BoundedCounts<Counted>, limit: number): string[] {
  return counts
    .sorted()
    .slice(0, limit)
    .map(([name]) => name);
}

function countsOf(counts: BoundedCounts<Counted>, limit: number): Counts {
  const entries = counts.sorted().slice(0, limit);
  return Object.fromEntries(entries.map(([name, { count }]) => [name, count]));
}

/** The sum of the counts that `countsOf` omits. */
function restOf(counts: BoundedCounts<Counted>, limit: number): number {
  const entries = counts.sorted().slice(limit);
  return entries.reduce((sum, [, { count }]) => sum + count, counts.rest);
}
