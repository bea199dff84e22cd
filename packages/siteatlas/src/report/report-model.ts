/** The numbers of a report: plain data, which is also the JSON of `siteatlas report -f json`. */
import type { IssueCode, Severity } from "../model/issue-severity.ts";
import type { PageKind } from "../output/page-fields.ts";
import type { SitemapOrigin, SitemapOutcome } from "../walk/events/events.ts";

export const REPORT_FORMAT = "siteatlas-report";
export const REPORT_VERSION = 1;

export const CHART_NAMES = ["sections", "months", "days", "ages", "languages"] as const;
/** A chart of a report, for `renderChart`. */
export type ChartName = (typeof CHART_NAMES)[number];

/** Counts by name. The names are sorted by count, the largest first, unless the comment of the field says otherwise. */
export type Counts = Readonly<Record<string, number>>;

/** The numbers of a report about a site. `siteReport` returns them, `renderReport` draws them. */
export interface SiteReport {
  /** Identifies the JSON. */
  readonly format: typeof REPORT_FORMAT;
  /** Version of the JSON. */
  readonly version: typeof REPORT_VERSION;
  /** Where the numbers come from. */
  readonly made: ReportOrigin;
  /** The pages that the sitemaps list. */
  readonly pages: ReportPages;
  /** Parts of the site, the largest first. At most 200. */
  readonly sections: readonly ReportSection[];
  /** Number of pages in all other sections. */
  readonly otherSections: number;
  /** Dates of the pages (lastmod). */
  readonly dates: ReportDates;
  /** Languages of the pages. */
  readonly languages: ReportLanguages;
  /** Sitemaps of the site. */
  readonly sitemaps: ReportSitemaps;
  /** Mistakes in sitemaps and responses: errors first, then by count. */
  readonly issues: readonly ReportIssue[];
  /** Findings of `siteatlas lint`, if there are any. They include the mistakes in `issues`. */
  readonly lint?: ReportFindings;
  /** Findings of `siteatlas check`, if there are any. */
  readonly check?: ReportFindings;
  /** What changed at the last sync. Only in a report of a snapshot. */
  readonly changes?: ReportChanges;
}

/** A part of a report that its source does not contain. */
export type UnknownPart = "languages" | "media" | "issues" | "transfer";

/** Where the numbers of a report come from, and what is missing. */
export interface ReportOrigin {
  /** The homepage of the site, or the name of the files. */
  readonly site: string;
  /** When the numbers were true, in ISO 8601. Ages are counted up to this time. */
  readonly at: string;
  /** What was read: the site, files, or a snapshot. */
  readonly from: "walk" | "files" | "snapshot";
  /** The command that made the report. */
  readonly command?: string;
  /** Version of siteatlas. */
  readonly siteatlas?: string;
  /** Duration of the walk in milliseconds. */
  readonly ms?: number;
  /** Number of requests. */
  readonly requests?: number;
  /** Limits that the walk reached, and why it ended early. Empty if it ended normally. */
  readonly stops: readonly string[];
  /** Parts that the source does not contain. Their numbers are 0. */
  readonly unknown: readonly UnknownPart[];
}

/** Numbers of pages. */
export interface ReportPages {
  /** Number of pages. A page that several sitemaps list counts several times. */
  readonly total: number;
  /** Number of different URLs. Only a minimum if `isUniqueExact` is false. */
  readonly unique: number;
  /** False if the site has more URLs than the report can compare (about 3.4 million). */
  readonly isUniqueExact: boolean;
  /** Number of entries that repeat an earlier URL of the same sitemap. They are not in `total`. */
  readonly repeatedInSitemap: number;
  /** Number of pages by kind. */
  readonly kinds: Readonly<Partial<Record<PageKind, number>>>;
  /** Number of pages by the number of folders and names in their path. The last number counts all deeper pages. */
  readonly depths: readonly number[];
  /** Number of pages by host. At most 20 hosts. */
  readonly hosts: Counts;
  /** Number of pages on other hosts. */
  readonly otherHosts: number;
  /** Number of URLs with a query (`?`). */
  readonly withQuery: number;
  /** Number of URLs that start with `http:`. */
  readonly insecure: number;
  /** Length of the longest URL. */
  readonly longestUrl: number;
  /** Number of pages with a change frequency. */
  readonly withChangeFrequency: number;
  /** Number of pages with a priority. */
  readonly withPriority: number;
  /** Number of pages with images, and of all their images. */
  readonly images: ReportMedia;
  /** Number of pages with videos, and of all their videos. */
  readonly videos: ReportMedia;
}

/** Numbers of images or videos. */
export interface ReportMedia {
  /** Number of pages that have at least one. */
  readonly pages: number;
  /** Number of all. */
  readonly total: number;
}

/** A part of the site: the pages below one folder. */
export interface ReportSection {
  /**
   * The first folder of the path, such as `/news`. If the first folder is the declared language of the page, it is the
   * second folder. `/` is for pages without a folder.
   */
  readonly path: string;
  /** Number of pages. */
  readonly pages: number;
  /** Number of pages with a date. */
  readonly dated: number;
  /** Number of pages by month of their date, such as `2026-05`, the earliest first. */
  readonly months: Counts;
  /** Number of pages by language. At most 20 languages of the site. */
  readonly languages: Counts;
  /** Number of pages with hreflang links. */
  readonly withHreflang: number;
  /** Number of pages whose hreflang links do not include this language. */
  readonly hreflangGaps: Counts;
  /** The largest folders in the section. At most 40. */
  readonly folders: Counts;
  /** Number of pages in other folders of the section, and of pages directly in the section. */
  readonly otherFolders: number;
}

/** Dates of pages, as their sitemaps declare them. Days and months are in UTC. */
export interface ReportDates {
  /** Number of pages with a valid date. */
  readonly dated: number;
  /** Number of pages whose date is not valid. */
  readonly invalid: number;
  /** Number of pages without a date. */
  readonly none: number;
  /** Number of dates by month, from 1990 to the month after the report, the earliest first. */
  readonly months: Counts;
  /** Number of dates by day in the last 371 days, the earliest first. Dates without a day are not included. */
  readonly days: Counts;
  /** Number of pages by age in days. */
  readonly ages: readonly ReportAge[];
  /** Number of dates after the day of the report and the next day. */
  readonly future: number;
  /** Number of dates before 1990. */
  readonly before1990: number;
  /** Number of dates that are only a year. They are not in `months`. */
  readonly yearOnly: number;
  /** Half of the dated pages are at most this old, in days. Dates in the future do not count. */
  readonly medianAgeDays?: number;
  /** Days that many pages have in common, the largest first. At most 5. They may be days of a build. */
  readonly bulk: readonly BulkDate[];
}

/** Number of pages of an age. */
export interface ReportAge {
  /** Maximum age in days. Absent for older pages. */
  readonly maxDays?: number;
  /** Number of pages that are at most this old, and older than the age before. */
  readonly pages: number;
}

/** A day that many pages of a section have in common. */
export interface BulkDate {
  /** The day, such as `2026-09-03`. */
  readonly date: string;
  /** The section. */
  readonly section: string;
  /** Number of pages of the section with this date. */
  readonly pages: number;
  /** Their share of the dated pages of the section, from 0 to 1. */
  readonly share: number;
}

/** Languages that pages declare by hreflang or as news. */
export interface ReportLanguages {
  /** Number of pages with a declared language. */
  readonly declared: number;
  /** Number of pages by language. At most 40. */
  readonly pages: Counts;
  /** Number of pages in other languages. */
  readonly other: number;
  /** Number of pages with hreflang links. */
  readonly withHreflang: number;
  /** Number of pages whose hreflang links do not include the page itself. */
  readonly withoutSelf: number;
  /** Number of pages with an `x-default` link. */
  readonly withDefault: number;
}

/** Sitemaps of a site. */
export interface ReportSitemaps {
  /** Number of sitemaps that were read. robots.txt is not included. */
  readonly read: number;
  /** Number of indexes among them. */
  readonly indexes: number;
  /** Number of sitemaps that failed. */
  readonly failed: number;
  /** Number of sitemaps that were read in part. */
  readonly partial: number;
  /** Number of sitemaps that were not read because of a limit. */
  readonly stopped: number;
  /** Number of sitemaps that a filter, an option or robots.txt excluded. */
  readonly skipped: number;
  /** Number of bytes of all responses, before decompression. */
  readonly bytes: number;
  /** Number of sitemaps by format. Indexes count as `index`. */
  readonly formats: Counts;
  /** Number of pages by format of their sitemap. */
  readonly formatPages: Counts;
  /** Number of sitemaps by how they were found. */
  readonly sources: Counts;
  /** The sitemaps: failures and indexes first, then those with most pages. At most 200. */
  readonly list: readonly ReportSitemap[];
  /** Number of sitemaps that are not in `list`. */
  readonly unlisted: number;
}

/** One sitemap in a report. */
export interface ReportSitemap {
  /** The URL, at most 2,000 characters. */
  readonly url: string;
  /** URL of the sitemap that lists it. */
  readonly parentUrl?: string;
  /** How the sitemap was found. */
  readonly source: SitemapOrigin;
  /** The outcome, such as `found` or `failed`. */
  readonly outcome: SitemapOutcome;
  /** The format, `index` for an index. Absent if it is not a sitemap. */
  readonly format?: string;
  /** Number of pages. */
  readonly pages: number;
  /** Number of sitemaps that it lists. */
  readonly children: number;
  /** The date in the index, as written. */
  readonly lastModified?: string;
  /** Status code of the response. */
  readonly status?: number;
  /** Number of bytes, before decompression. */
  readonly bytes?: number;
  /** Duration of its requests in milliseconds. */
  readonly ms?: number;
  /** Set if it was read in part. */
  readonly partial?: true;
  /** Why it failed, is partial or was not read. */
  readonly code?: IssueCode;
}

/** Issues of one kind. */
export interface ReportIssue {
  /** The kind of issue. */
  readonly code: IssueCode;
  /** Severity of the issue. */
  readonly severity: Severity;
  /** Number of issues. */
  readonly count: number;
  /** Where the first ones are. At most 3. */
  readonly examples: readonly ReportExample[];
}

/** Where an issue is. */
export interface ReportExample {
  /** URL of the document, at most 2,000 characters. */
  readonly url: string;
  /** Line of the document. */
  readonly line?: number;
  /** The text with the mistake. */
  readonly value?: string;
}

/** Findings of `siteatlas lint` or `siteatlas check`. */
export interface ReportFindings {
  /** The site or the files that were checked. */
  readonly target: string;
  /** Number of pages: those that the sitemaps list, or those that were requested. */
  readonly pages: number;
  /** The rules that found something: errors first, then by count. */
  readonly rules: readonly ReportFinding[];
}

/** The findings of one rule of lint or check. */
export interface ReportFinding {
  /** The id of the rule, such as `url.relative`. */
  readonly rule: string;
  /** Severity of the finding. */
  readonly severity: Severity;
  /** The problem in one sentence. */
  readonly message: string;
  /** How to fix it. */
  readonly fix: string;
  /** Number of occurrences. */
  readonly count: number;
  /** Where the first ones are. At most 3. */
  readonly examples: readonly ReportExample[];
}

/** Changes that the last syncs found. */
export interface ReportChanges {
  /** The syncs, the newest last. At most 30. */
  readonly runs: readonly ReportSync[];
  /** Number of pages that no sitemap lists any more, but whose removal is not certain yet. */
  readonly pending: number;
}

/** One sync. */
export interface ReportSync {
  /** Start of the sync, in ISO 8601. */
  readonly at: string;
  /** Number of added pages. */
  readonly added: number;
  /** Number of changed pages. */
  readonly changed: number;
  /** Number of removed pages. */
  readonly removed: number;
  /** Number of sitemaps that could not be read. */
  readonly unknown: number;
}
