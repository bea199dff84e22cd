/** The headline numbers of a report. */
import type { Counts, SiteReport } from "../report-model.ts";
import { age, number, percent, shortNumber } from "../report-text.ts";
import { type Html, html } from "./html.ts";

interface Tile {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

/** The change since an earlier report, such as `+1,284`. */
function change(now: number, before: number | undefined): string {
  if (before === undefined) return "";
  const by = now - before;
  return by === 0 ? "unchanged; " : `${by > 0 ? "+" : "−"}${number(Math.abs(by))}; `;
}

function largest(counts: Counts, most: number): string {
  return Object.entries(counts)
    .slice(0, most)
    .map(([name, count]) => `${shortNumber(count)} ${name}`)
    .join(", ");
}

export function issueTotal({ issues }: SiteReport, severity?: string): number {
  return issues
    .filter((issue) => severity === undefined || issue.severity === severity)
    .reduce((sum, { count }) => sum + count, 0);
}

function youngerThan({ dates }: SiteReport, days: number): number {
  return dates.ages
    .filter(({ maxDays = Number.POSITIVE_INFINITY }) => maxDays <= days)
    .reduce((sum, { pages }) => sum + pages, 0);
}

/** The number of pages, with `≥` if pages are missing. */
export function pageTotal({ pages, sitemaps, made }: SiteReport): string {
  const isIncomplete = sitemaps.failed + sitemaps.partial + sitemaps.stopped + made.stops.length > 0;
  return `${isIncomplete ? "≥ " : ""}${number(pages.total)}`;
}

/** The number of mistakes. With lint, the number of rules: one rule may count each page of the site. */
function findingsTile(report: SiteReport, before: SiteReport | undefined): Tile {
  const { lint, made } = report;
  const name = "Findings";
  if (lint !== undefined) {
    const rules = (severity: string): number => lint.rules.filter((one) => one.severity === severity).length;
    const note = `rules of lint: ${rules("error")} errors, ${rules("warning")} warnings`;
    return { name, value: number(lint.rules.length), note };
  }
  if (made.unknown.includes("issues")) return { name, value: "unknown", note: "not in a snapshot" };
  const total = issueTotal(report);
  const by = (severity: string): string => shortNumber(issueTotal(report, severity));
  return {
    name,
    value: number(total),
    note: `${change(total, before && issueTotal(before))}${by("error")} errors, ${by("warning")} warnings`,
  };
}

export function summaryTiles(report: SiteReport, before: SiteReport | undefined): Html {
  const { pages, sitemaps, dates, languages, made } = report;
  const isKnown = (part: (typeof made.unknown)[number]): boolean => !made.unknown.includes(part);
  const names = Object.keys(languages.pages);
  const tiles: Tile[] = [
    {
      name: "Pages",
      value: pageTotal(report),
      note: `${change(pages.total, before?.pages.total)}${pages.isUniqueExact ? "" : "at least "}${number(pages.unique)} different URLs`,
    },
    {
      name: "Sitemaps",
      value: number(sitemaps.read),
      note: `${change(sitemaps.read, before?.sitemaps.read)}${sitemaps.failed > 0 ? `${number(sitemaps.failed)} failed; ` : ""}${largest(sitemaps.formats, 3) || "none read"}`,
    },
    {
      name: "Pages with a date",
      value: percent(dates.dated, pages.total),
      note: dates.medianAgeDays === undefined ? "no lastmod" : `median age ${age(dates.medianAgeDays)}`,
    },
    {
      name: "Languages",
      value: isKnown("languages") ? `${number(names.length)}${languages.other > 0 ? "+" : ""}` : "unknown",
      note: !isKnown("languages")
        ? "not in a snapshot"
        : names.length === 0
          ? "none declared"
          : `hreflang on ${percent(languages.withHreflang, pages.total)}`,
    },
    {
      name: "Changed in 7 days",
      value: dates.dated === 0 && pages.total > 0 ? "unknown" : number(youngerThan(report, 7)),
      note: `${change(youngerThan(report, 7), before && youngerThan(before, 7))}according to lastmod`,
    },
    findingsTile(report, before),
  ];
  return html`<dl class="tiles">${tiles.map(({ name, value, note }) => html`<div class="card"><dt>${name}</dt><dd class="big">${value}</dd><dd class="soft">${note}</dd></div>`)}</dl>`;
}
