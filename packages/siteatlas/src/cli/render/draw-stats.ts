/** Draws the overview of a site: totals, dates, sections, languages, formats, sitemaps and issues. */

import { dateText } from "../../model/format-date.ts";
import type { Severity } from "../../model/issue-severity.ts";
import { describeIssue } from "../../model/issue-table.ts";
import { DAY_MS } from "../../report/day-counts.ts";
import { SEVERITIES } from "../../report/issue-counts.ts";
import { type MonthRange, monthName } from "../../report/modified-by-month.ts";
import {
  asciiOnly,
  cellWidth,
  fit,
  fitMiddle,
  padEnd,
  padStart,
  readablePath,
  shortUrl,
} from "../terminal/cell-width.ts";
import { bytes, count, duration, number, wrapWords } from "../terminal/format-text.ts";
import { bar, type Glyphs, glyphsFor, sparkline } from "../terminal/glyphs.ts";
import { type Paint, paintFor } from "../terminal/style.ts";
import type { RankedSitemap, Section, SiteStats } from "./collect-stats.ts";
import type { DrawOptions } from "./draw-options.ts";

export interface DrawStatsOptions extends DrawOptions {
  /** The duration of the walk. */
  readonly ms: number;
  /** Whether filters or `--limit` selected the pages, so that the numbers do not cover all pages. @default false */
  readonly isSelected?: boolean;
  /** Whether `--limit` was reached. @default false */
  readonly isCutShort?: boolean;
  /** The number of pages before filters, if it is known. */
  readonly allPages?: number | undefined;
  /** The number of sitemaps, including those that were read in part. @default stats.sitemaps */
  readonly sitemaps?: number;
}

const MIN_WIDTH = 40;
const MAX_WIDTH = 120;
const MAX_BAR = 40;
const MAX_SECTIONS = 10;
const MAX_ISSUES = 8;
const SPARK_WIDTH = 24;
/** Minimum width of a picture with a sparkline beside each bar. */
const SPARKS_FROM_WIDTH = 72;
/**
 * Minimum width of a picture that shows the share of dated pages beside the chart. In narrower pictures, it is in the
 * next line.
 */
const SHARE_FROM_WIDTH = 60;
/** If a section has more than this share of the pages, its subsections are shown instead. */
const DOMINANT = 0.6;
/** If more than this share of all dates are the same day, this is probably the day of a build. */
const STAMPED = 0.1;

interface Canvas {
  readonly width: number;
  readonly origin: string | undefined;
  readonly ascii: boolean;
  readonly glyphs: Glyphs;
  readonly paint: Paint;
}

export function drawStats(stats: SiteStats, options: DrawStatsOptions): string {
  const { homepage, width, color, ascii = false } = options;
  const canvas: Canvas = {
    width: Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH),
    origin: URL.canParse(homepage) ? new URL(homepage).origin : undefined,
    ascii,
    glyphs: glyphsFor(ascii),
    paint: paintFor(color),
  };
  const range = stats.months.range(stats.pastMonths);
  const parts = [
    drawTitle(stats, options, canvas),
    drawMonths(stats, range, canvas),
    drawSections(stats, range, canvas),
    drawLists(stats, options, canvas),
    drawRanks(stats, canvas),
    drawIssues(stats, canvas),
  ];
  const picture = parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join(""))
    .join("\n");
  return ascii ? asciiOnly(picture) : picture;
}

/** The first line: `www.example.com  23 sitemaps · 80,356 pages · 7 languages · 11.2 s`. */
function drawTitle(stats: SiteStats, options: DrawStatsOptions, { width, glyphs, paint }: Canvas): string[] {
  const { homepage, ms, incomplete, isCutShort = false } = options;
  const { allPages = stats.pages, sitemaps = stats.sitemaps } = options;
  const all = count(allPages, "page");
  const some = allPages === stats.pages ? all : `${number(stats.pages)} of ${all}`;
  const pages = isCutShort ? `first ${some}` : some;
  const facts = [count(sitemaps, "sitemap"), pages];
  if (stats.languages.size > 1) facts.push(`${number(stats.languages.size)} languages`);
  facts.push(duration(ms));
  if (incomplete !== undefined) facts.push(`incomplete (${incomplete})`);
  const host = fitMiddle(shownHost(homepage), width - 20, glyphs.ellipsis);
  const line = facts.join(` ${glyphs.dot} `);
  if (cellWidth(host) + 2 + cellWidth(line) <= width)
    return [`${paint("bold", host)}  ${paint("dim", line)}`];
  return [paint("bold", host), `  ${paint("dim", fit(line, width - 2, glyphs.ellipsis))}`];
}

function shownHost(homepage: string): string {
  return readablePath(URL.canParse(homepage) ? new URL(homepage).host : homepage);
}

/** Draws the chart of months, and below it lines about dates that are not in the chart or are suspicious. */
function drawMonths(stats: SiteStats, range: MonthRange | undefined, canvas: Canvas): string[] {
  const { width, paint } = canvas;
  const { dated, pages } = stats;
  if (dated === 0) return [];
  const share = dated < pages ? `${percent(dated / pages)} dated` : "";
  const isBeside = share !== "" && width >= SHARE_FROM_WIDTH;
  const notes = [isBeside ? "" : share, hiddenText(stats, range), stampedText(stats)].filter(
    (note) => note !== "",
  );
  const lines = notes.flatMap((note) =>
    wrapWords(note, width - 4).map((line, at) => `${at === 0 ? "  " : "    "}${paint("dim", line)}`),
  );
  return [drawChart(stats, range, isBeside ? `  ${share}` : "", canvas), ...lines];
}

/** Draws the chart: `lastmod 2021-01 ▁▁▂▃█ 2026-11  96% dated`. */
function drawChart(
  { months, pastMonths }: SiteStats,
  range: MonthRange | undefined,
  end: string,
  { width, glyphs, paint }: Canvas,
): string {
  if (range === undefined) return `  ${paint("dim", `lastmod${end}`)}`;
  const [from, to] = [monthName(range.from), monthName(range.to)];
  if (from === to) return `  ${paint("dim", `lastmod ${from}${end}`)}`;
  const room = width - "  lastmod ".length - from.length - to.length - 2 - end.length;
  const line = sparkline(months.densities(range, room, pastMonths.to), glyphs);
  return `  ${paint("dim", `lastmod ${from}`)} ${paint("blue", line)} ${paint("dim", to + end)}`;
}

/**
 * Text about dates that are not in the chart:
 * `not shown: 5 pages before 2021-01, 2 pages after 2026-11, 12 pages with only a year`.
 */
function hiddenText(stats: SiteStats, range: MonthRange = stats.pastMonths): string {
  const { before, after } = stats.months.outside(range);
  const { yearOnly } = stats.otherDates();
  const parts = [
    ...(before > 0 ? [`${count(before, "page")} before ${monthName(range.from)}`] : []),
    ...(after > 0 ? [`${count(after, "page")} after ${monthName(range.to)}`] : []),
    ...(yearOnly > 0 ? [`${count(yearOnly, "page")} with only a year`] : []),
  ];
  return parts.length === 0 ? "" : `not shown: ${parts.join(", ")}`;
}

/** Text about a day that many pages have as their date: `11% of the dates are 2026-03-16: probably a build date`. */
function stampedText({ days, dated }: SiteStats): string {
  const [day] = days.sorted();
  if (day === undefined || day[1].count <= Math.max(100, dated * STAMPED)) return "";
  const date = dateText(new Date(day[0] * DAY_MS), "day");
  return `${percent(day[1].count / dated)} of the dates are ${date}: probably a build date`;
}

interface Row {
  readonly name: string;
  readonly count: number;
  readonly section?: Section;
}

function drawSections(stats: SiteStats, range: MonthRange | undefined, canvas: Canvas): string[] {
  const { width, glyphs, paint } = canvas;
  const rows = sectionRows(stats, canvas.ascii);
  if (rows.length === 0) return [];
  const hasSparks = range !== undefined && range.from < range.to && width >= SPARKS_FROM_WIDTH;
  const numberWidth = Math.max(...rows.map((row) => number(row.count).length));
  const fixed = 2 + 2 + 2 + numberWidth + 2 + 4 + (hasSparks ? 2 + SPARK_WIDTH : 0);
  const names = rows.map(({ name }) => name);
  const nameWidth = Math.min(Math.max(...names.map(cellWidth)), Math.floor((width - fixed) / 2));
  const barWidth = Math.min(MAX_BAR, width - fixed - nameWidth);
  const most = Math.max(...rows.map((row) => row.count));
  return rows.map(({ name, count: pages, section }) => {
    const label = padEnd(fit(name, nameWidth, glyphs.ellipsis), nameWidth);
    const drawn = padEnd(bar(pages / most, barWidth, glyphs), barWidth);
    const share = padStart(percent(pages / stats.pages), 4);
    const line = `  ${label}  ${paint("blue", drawn)}  ${padStart(number(pages), numberWidth)}  ${paint("dim", share)}`;
    if (!hasSparks || section === undefined || section.months.total === 0) return line;
    return `${line}  ${paint("cyan", sparkline(section.months.densities(range, SPARK_WIDTH, stats.pastMonths.to), glyphs))}`;
  });
}

/**
 * The rows for the largest sections. If one section has most of the pages, such as `/en`, its subsections are shown
 * instead.
 */
function sectionRows({ sections, subsections }: SiteStats, ascii: boolean): Row[] {
  let rows: Row[] = sections
    .sorted()
    .map(([path, section]) => ({ name: path, count: section.count, section }));
  const total = rows.reduce((sum, row) => sum + row.count, sections.rest);
  const [first] = rows;
  if (first !== undefined && first.name !== "/" && first.count > total * DOMINANT) {
    const inside = subsections
      .sorted()
      .filter(([path]) => path === first.name || path.startsWith(`${first.name}/`))
      .map(([path, section]): Row => ({ name: path, count: section.count, section }));
    // Subsections are useless if they are tiny, as in a blog with a folder for each article.
    const covered = inside.slice(0, MAX_SECTIONS).reduce((sum, row) => sum + row.count, 0);
    if (inside.length > 2 && covered > first.count / 2) {
      rows = [...inside, ...rows.slice(1)].sort((a, b) => b.count - a.count);
    }
  }
  const shown = rows.slice(0, MAX_SECTIONS);
  const rest = total - shown.reduce((sum, row) => sum + row.count, 0);
  const named = shown.map((row) => ({ ...row, name: readablePath(row.name, ascii) }));
  const others = rows.length - shown.length;
  // If some sections were dropped to save memory (bounded-counts.ts), their number is unknown.
  const name = sections.rest > 0 ? "(others)" : others === 1 ? "(1 other)" : `(${number(others)} others)`;
  return rest > 0 ? [...named, { name, count: rest }] : named;
}

/** Draws lists of languages, kinds and formats: `languages  en 41,174 · de 25,333`. Omits a list with one item. */
function drawLists(stats: SiteStats, { isSelected = false }: DrawStatsOptions, canvas: Canvas): string[] {
  const { width, glyphs, paint } = canvas;
  const languages = stats.languages.sorted().map(([name, { count: pages }]) => ({ name, pages }));
  const kinds = sortedPages([...stats.kinds].map(([name, pages]) => ({ name, pages })));
  const formats = sortedPages(
    [...stats.formats].filter(([name]) => name !== "index").map(([name, { pages }]) => ({ name, pages })),
  );
  const lists = [
    { label: "languages", items: languages },
    { label: "kinds", items: kinds },
    // With filters, formats are not shown: their numbers also include pages that the filters skip.
    ...(isSelected ? [] : [{ label: "formats", items: formats }]),
  ];
  return lists
    .filter(({ items }) => items.length > 1)
    .map(({ label, items }) => {
      const shown = listed(items, width - 13, glyphs);
      return `  ${paint("dim", padEnd(label, 9))}  ${shown}`;
    });
}

interface Item {
  readonly name: string;
  readonly pages: number;
}

function sortedPages(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => b.pages - a.pages || (a.name < b.name ? -1 : 1));
}

/** Joins as many items as fit into the width. If some do not fit, their number follows. */
function listed(items: readonly Item[], width: number, { dot }: Glyphs): string {
  const separator = ` ${dot} `;
  let line = "";
  for (const [i, { name, pages }] of items.entries()) {
    const next = `${line === "" ? "" : separator}${readablePath(name)} ${number(pages)}`;
    const more = i + 1 < items.length ? `${separator}${items.length - i - 1} more` : "";
    if (cellWidth(line + next + more) > width && line !== "")
      return `${line}${separator}${items.length - i} more`;
    line += next;
  }
  return line;
}

/** The slowest and the largest sitemaps, side by side if there is room. */
function drawRanks(stats: SiteStats, canvas: Canvas): string[] {
  if (stats.slowest.length < 2) return [];
  const isWide = canvas.width >= 100;
  const width = isWide ? Math.floor((canvas.width - 4) / 2) : canvas.width - 2;
  const slowest = rankLines("slowest", stats.slowest, duration, width, canvas);
  const largest = rankLines("largest", stats.largest, bytes, width, canvas);
  if (!isWide) return [...slowest, ...largest].map(({ line }) => `  ${line}`);
  return slowest.map(({ line, cells }, i) => {
    return `  ${line}${" ".repeat(width - cells)}  ${largest[i]?.line ?? ""}`;
  });
}

function rankLines(
  title: string,
  list: readonly RankedSitemap[],
  words: (value: number) => string,
  width: number,
  { ascii, glyphs, origin, paint }: Canvas,
): { line: string; cells: number }[] {
  const values = list.map(({ value }) => words(value));
  const valueWidth = Math.max(...values.map(cellWidth));
  const lines = list.map(({ url }, i) => {
    const name = fitMiddle(shortUrl(url, origin, ascii), width - valueWidth - 2, glyphs.ellipsis);
    const line = `${padStart(values[i]!, valueWidth)}  ${name}`;
    return { line, cells: cellWidth(line) };
  });
  return [{ line: paint("dim", title), cells: title.length }, ...lines];
}

const MARKS: Readonly<Record<Severity, { style: "red" | "yellow" | "dim"; one: string }>> = {
  error: { style: "red", one: "error" },
  warning: { style: "yellow", one: "warning" },
  info: { style: "dim", one: "note" },
};

/** Draws the issues: a line `✖ 3 errors  ▲ 4 warnings  ℹ 2 notes`, then one line per code. */
function drawIssues(stats: SiteStats, { width, glyphs, paint }: Canvas): string[] {
  const issues = stats.sortedIssues();
  if (issues.length === 0) return [];
  const sums = SEVERITIES.map((severity) => ({
    severity,
    sum: issues.reduce((sum, [, issue]) => sum + (issue.severity === severity ? issue.count : 0), 0),
  })).filter(({ sum }) => sum > 0);
  const head = sums.map(({ severity, sum }) => {
    const { style, one } = MARKS[severity];
    return paint(style, `${glyphs[severity]} ${count(sum, one)}`);
  });
  const shown = issues.slice(0, MAX_ISSUES);
  const countWidth = Math.max(...shown.map(([, issue]) => number(issue.count).length));
  const codeWidth = Math.max(...shown.map(([code]) => code.length));
  const lines = shown.map(([code, { severity, count: times }]) => {
    const mark = paint(MARKS[severity].style, glyphs[severity]);
    const before = `${padStart(number(times), countWidth)} ${padEnd(code, codeWidth)}`;
    const room = width - 9 - countWidth - codeWidth;
    return `    ${mark} ${before}  ${paint("dim", fit(describeIssue(code).message, room, glyphs.ellipsis))}`;
  });
  const kinds = issues.length - shown.length;
  const rest = kinds > 0 ? [`and ${count(kinds, "more kind")} (--json lists all)`] : [];
  return [`  ${head.join("  ")}`, ...lines, ...rest.map((line) => paint("dim", `      ${line}`))];
}

/** Formats a share as `51%` or `<1%`. */
function percent(share: number): string {
  if (share > 0 && share < 0.005) return "<1%";
  return share < 1 && share >= 0.995 ? ">99%" : `${Math.round(share * 100)}%`;
}
