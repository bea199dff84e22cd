/** The sentences of a report, for HTML and Markdown. */
import { readablePath } from "./readable-text.ts";
import type { Counts, SiteReport, UnknownPart } from "./report-model.ts";

const NUMBER = new Intl.NumberFormat("en-US");

export function number(value: number): string {
  return NUMBER.format(value);
}

/** A short number for small places: `9,999`, `41k`, `2.6M`. */
export function shortNumber(value: number): string {
  if (value < 10_000) return number(value);
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1e6).toFixed(value < 9.95e6 ? 1 : 0)}M`;
}

export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? "" : noun.endsWith("x") ? "es" : "s"}`;
}

/** A share: `12%`, `< 1%` if it is small, and `100%` only for all. */
export function percent(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0%";
  if (part === whole) return "100%";
  const share = (100 * part) / whole;
  if (share < 1) return "< 1%";
  return share > 99 ? "> 99%" : `${Math.round(share)}%`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 999_500) return `${(value / 1e3).toFixed(value < 9950 ? 1 : 0)} kB`;
  if (value < 999_500_000) return `${(value / 1e6).toFixed(value < 9.95e6 ? 1 : 0)} MB`;
  return `${(value / 1e9).toFixed(1)} GB`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** An age in days, as people say it: `3 days`, `5 months`, `2.4 years`. */
export function age(days: number): string {
  if (days < 60) return count(days, "day");
  if (days < 730) return `${Math.round(days / 30.44)} months`;
  return `${(days / 365.25).toFixed(1)} years`;
}

export function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, one) => total + one, 0);
}

export function timeText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/**
 * What the site is like, in one to four short sentences.
 *
 * @param show makes a name of the site safe for the text
 */
export function headline(report: SiteReport, show: (name: string) => string): string[] {
  const { made, pages, sections, dates, languages, sitemaps, issues, lint } = report;
  if (pages.total === 0) {
    return sitemaps.read === 0
      ? ["No sitemap could be read, so this report has no pages."]
      : [`The site has ${count(sitemaps.read, "sitemap")}, but they list no pages.`];
  }
  const known = Object.keys(languages.pages).length;
  const inLanguages = known > 1 ? ` in ${known}${languages.other > 0 ? " or more" : ""} languages` : "";
  const recent = dates.ages
    .filter(({ maxDays = Number.POSITIVE_INFINITY }) => maxDays <= 30)
    .reduce((total, one) => total + one.pages, 0);
  const errors = (lint?.rules ?? issues).filter(({ severity }) => severity === "error");
  const [first] = sections;
  return [
    `The sitemaps of this site list ${count(pages.total, "page")}${inLanguages}.`,
    ...(first !== undefined && sections.length > 1
      ? [
          `Its largest section, ${show(readablePath(first.path, 40))}, has ${percent(first.pages, pages.total)} of them.`,
        ]
      : []),
    dates.dated === 0
      ? "The site does not say when its pages changed."
      : `According to the site, ${percent(recent, pages.total)} of the pages changed in the last 30 days.`,
    ...(made.unknown.includes("issues") && lint === undefined ? [] : [errorText(errors)]),
  ];
}

function errorText(errors: readonly { readonly count: number }[]): string {
  if (errors.length === 0) return "No errors were found in the sitemaps.";
  const times = errors.reduce((total, one) => total + one.count, 0);
  return `${count(times, "error")} in the sitemaps may hide pages from search engines.`;
}

const UNKNOWN: Readonly<Record<UnknownPart, string>> = {
  languages: "Languages",
  media: "Kinds of pages, images and videos",
  issues: "Mistakes in the sitemaps",
  transfer: "Sizes and times of sitemaps",
};

/** Why a part of the numbers is not known. */
const REASONS: Readonly<Record<SiteReport["made"]["from"], string>> = {
  walk: "they were not collected",
  files: "files were read, and nothing was fetched",
  snapshot: "a snapshot does not keep them",
};

/** Where mistakes were looked for. */
export function inspected({ made }: SiteReport): string {
  return made.from === "files" ? "the files" : "robots.txt, sitemaps and responses";
}

/** What is missing in the numbers, and what is only a minimum. Empty if the numbers are complete. */
export function caveats({ made, pages, sitemaps, otherSections, languages, lint }: SiteReport): string[] {
  const texts: string[] = [];
  if (sitemaps.failed > 0)
    texts.push(`${count(sitemaps.failed, "sitemap")} could not be read. Their pages are missing.`);
  if (sitemaps.partial > 0)
    texts.push(`${count(sitemaps.partial, "sitemap")} could be read only in part. The rest is missing.`);
  if (sitemaps.stopped > 0)
    texts.push(`${count(sitemaps.stopped, "sitemap")} were not read because of a limit of siteatlas.`);
  if (sitemaps.skipped > 0)
    texts.push(`${count(sitemaps.skipped, "sitemap")} were excluded by a filter, an option or robots.txt.`);
  for (const stop of made.stops) texts.push(`The walk ended early: ${stop}.`);
  if (!pages.isUniqueExact)
    texts.push(
      `The number of different URLs is a minimum: only ${number(pages.unique)} URLs could be compared.`,
    );
  if (otherSections > 0)
    texts.push(
      `Only the largest sections are counted one by one. ${count(otherSections, "page")} are in smaller ones. A section that appeared late may be counted too low.`,
    );
  if (languages.other > 0)
    texts.push(`${count(languages.other, "page")} are in languages that are not counted one by one.`);
  const unknown = made.unknown.filter((part) => part !== "issues" || lint === undefined);
  for (const part of unknown) texts.push(`${UNKNOWN[part]} are not known: ${REASONS[made.from]}.`);
  return texts;
}
