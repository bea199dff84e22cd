/** Rules about the dates, priorities and change frequencies of a sitemap as a whole. */
import type { LintedSitemap, LintRule } from "../rule.ts";
import { BING_SITEMAPS, GOOGLE_BUILD, GOOGLE_LASTMOD_BLOG, SM_LASTMOD, SM_PRIORITY } from "./sources.ts";

/** Below this number of pages, equal values may be a coincidence. */
const ENOUGH = 20;
const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60_000;
const OLD = Date.UTC(2000, 0, 1);

/** The date that at least 90% of the dated pages share. */
function sharedDate({ stats }: LintedSitemap): NonNullable<LintedSitemap["stats"]["commonDate"]> | undefined {
  const { commonDate, dated, news } = stats;
  const isShared = commonDate !== undefined && dated >= ENOUGH && commonDate.count >= 0.9 * dated;
  return isShared && news === 0 ? commonDate : undefined;
}

/** Whether a date is the time at which the server says that it made the document. */
function isBuildTime(date: Date, { response }: LintedSitemap): boolean {
  const { "last-modified": modified = "", date: sent = "" } = response?.headers ?? {};
  return [modified, sent].some((text) => Math.abs(Date.parse(text) - date.getTime()) <= MINUTE);
}

export const dateRules: readonly LintRule[] = [
  {
    id: "lastmod.identical",
    severity: "warning",
    message: "Nearly all pages of a sitemap have the same lastmod",
    why: "Search engines compare lastmod with the pages. If it is often wrong, they ignore it for the whole site.",
    fix: "Write the date of the last significant change of each page, not the date of the build.",
    source: GOOGLE_LASTMOD_BLOG,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const shared = sharedDate(sitemap);
        if (shared === undefined) return;
        const isBuild = shared.date.precision === "time" && isBuildTime(shared.date.value!, sitemap);
        if (isBuild) return;
        report({ value: shared.date.text, detail: `${shared.count} of ${sitemap.stats.dated} dates` });
      },
    }),
  },
  {
    id: "lastmod.build-time",
    severity: "warning",
    message: "The lastmod of nearly all pages is the time at which the sitemap was made",
    why: "The dates say nothing about the pages. Search engines then ignore lastmod for the whole site.",
    fix: "Write the date of the last significant change of each page.",
    source: GOOGLE_LASTMOD_BLOG,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const shared = sharedDate(sitemap);
        const isBuild = shared?.date.precision === "time" && isBuildTime(shared.date.value!, sitemap);
        if (isBuild)
          report({ value: shared!.date.text, detail: `${shared!.count} of ${sitemap.stats.dated} dates` });
      },
    }),
  },
  {
    id: "lastmod.missing",
    severity: "info",
    message: "Fewer than half of the pages of a sitemap have a lastmod",
    why: "Search engines use lastmod to decide which pages they fetch again.",
    fix: "Add <lastmod> with the date of the last significant change.",
    source: BING_SITEMAPS,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats, format }) => {
        const { pages, dated, news } = stats;
        if (format !== "xml" || pages < ENOUGH || dated >= pages / 2 || news > 0) return;
        report({ detail: `${dated} of ${pages} pages` });
      },
    }),
  },
  {
    id: "lastmod.date-only",
    severity: "info",
    isOff: true,
    message: "The dates of a sitemap have no time",
    why: "Bing prefers dates with a time, to see changes on the same day.",
    fix: "Write the time and its zone, such as 2026-11-17T09:30:00Z.",
    source: BING_SITEMAPS,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats: { dated, daysOnly } }) => {
        if (dated > 0 && daysOnly > dated / 2) report({ detail: `${daysOnly} of ${dated} dates` });
      },
    }),
  },
  {
    id: "lastmod.old",
    severity: "info",
    isOff: true,
    message: "A page has a date before the year 2000",
    why: "Such a date is usually a default value of a database.",
    fix: "Write the real date, or remove the field.",
    source: SM_LASTMOD,
    counts: "page",
    listen: ({ report }) => ({
      page: ({ lastModified, url, urlText }) => {
        const value = lastModified?.value;
        if (value !== undefined && value.getTime() < OLD)
          report({ value: lastModified!.text, find: urlText ?? url });
      },
    }),
  },
  {
    id: "lastmod.index-older",
    severity: "warning",
    message: "The index gives a sitemap an older date than its newest page",
    why: "Search engines skip a sitemap whose date did not change, so they miss the new pages.",
    fix: "Set the date in the index when the sitemap changes.",
    source: SM_LASTMOD,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats: { newest }, lastModified, url, parentUrl }) => {
        const listed = lastModified?.value?.getTime();
        // One day is the difference between time zones.
        if (listed === undefined || newest === Number.NEGATIVE_INFINITY || newest - listed <= DAY) return;
        const detail = `the index says ${lastModified!.text}, the newest page ${new Date(newest).toISOString().slice(0, 10)}`;
        report({ value: url, detail }, parentUrl);
      },
    }),
  },
  {
    id: "priority.constant",
    severity: "info",
    isOff: true,
    message: "All pages of a sitemap have the same priority",
    why: "The priority compares pages of one site. If all are equal, it has no effect.",
    fix: "Remove <priority>.",
    source: SM_PRIORITY,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats }) => {
        if (stats.priorities >= ENOUGH && stats.isPriorityConstant) report();
      },
    }),
  },
  {
    id: "priority.unused",
    severity: "info",
    isOff: true,
    message: "A sitemap has priorities",
    why: "Google and Bing ignore <priority>. It makes the file larger.",
    fix: "Remove <priority>.",
    source: GOOGLE_BUILD,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats: { priorities } }) => {
        if (priorities > 0) report({ detail: `${priorities} pages` });
      },
    }),
  },
  {
    id: "changefreq.unused",
    severity: "info",
    isOff: true,
    message: "A sitemap has change frequencies",
    why: "Google and Bing ignore <changefreq>. It makes the file larger.",
    fix: "Remove <changefreq>.",
    source: GOOGLE_BUILD,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats: { frequencies } }) => {
        if (frequencies > 0) report({ detail: `${frequencies} pages` });
      },
    }),
  },
];
