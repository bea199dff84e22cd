/** Draws one chart of a report as an SVG file, for README files and dashboards. */
import { readablePath, readableUrl } from "../readable-text.ts";
import type { BulkDate, ChartName, Counts, SiteReport } from "../report-model.ts";
import { age, number, percent, sum } from "../report-text.ts";
import { ageRows, CALENDAR_WEEKS, weekShapes } from "./calendar.ts";
import { SECTION_COLORS } from "./colors.ts";
import { fitText, textWidth } from "./fit-text.ts";
import { Html, html, px } from "./html.ts";
import { shortName } from "./language-matrix.ts";
import { monthShapes, shownMonths } from "./month-chart.ts";
import { chartStyle } from "./page-style.ts";
import { mapShapes } from "./section-map.ts";
import { pageTotal } from "./summary-tiles.ts";

/** Width of the file, and of the space for the shapes. GitHub shows a README about as wide. */
const WIDTH = 840;
const PADDING = 20;
const INNER = WIDTH - 2 * PADDING;
/** Height of the heading and the line below it. */
const HEAD = 72;
/** Height of a line of text. */
const LINE = 20;
const MAX_BARS = 12;

/** A chart without its frame. */
interface Chart {
  readonly title: string;
  /** The numbers as text, for people who cannot see the chart. */
  readonly description: string;
  readonly height: number;
  readonly shapes: Html;
}

const CHARTS: Readonly<Record<ChartName, (report: SiteReport) => Chart>> = {
  sections: sectionChart,
  months: monthChart,
  days: dayChart,
  ages: ageChart,
  languages: languageChart,
};

/**
 * Draws one chart as an SVG file, light and dark. It loads nothing and contains no script. Text of the site is escaped.
 *
 * @param report the numbers, from `siteReport`
 * @example
 * await writeFile("months.svg", renderChart(numbers, "months"));
 */
export function renderChart(report: SiteReport, name: ChartName): string {
  const { made } = report;
  if (!Object.hasOwn(CHARTS, name)) throw new TypeError(`renderChart: unknown chart ${String(name)}`);
  const { title, description, height, shapes } = CHARTS[name](report);
  const site = readableUrl(made.site, "", 80).replace(/^https?:\/\/|\/$/g, "");
  const about = `${site}, ${made.at.slice(0, 10)}: ${pageTotal(report)} pages`;
  const full = HEAD + height + PADDING;
  const [titleId, textId] = [`${name}-title`, `${name}-text`];
  const file = html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${full}" viewBox="0 0 ${WIDTH} ${full}" role="img" aria-labelledby="${titleId} ${textId}"><title id="${titleId}">${title}: ${about}</title><desc id="${textId}">${description}</desc><style>${new Html(chartStyle())}</style><rect class="back" x="0.5" y="0.5" width="${WIDTH - 1}" height="${full - 1}" rx="12"/><text class="head" x="${PADDING}" y="34">${title}</text><text class="sub" x="${PADDING}" y="54">${fitText(about, INNER, 13)}</text><g class="${name === "sections" ? "map" : name === "days" ? "cal" : "chart"}" transform="translate(${PADDING} ${HEAD})">${shapes}</g></svg>
`;
  return file.text;
}

function sectionChart(report: SiteReport): Chart {
  const { pages, sections } = report;
  const title = "Where the pages are";
  if (pages.total === 0) return emptyChart(title, "The sitemaps list no pages.");
  const size = { width: INNER, height: 400, most: 12, maxName: 60, hasTitles: true };
  const rows = sections
    .slice(0, MAX_BARS)
    .map(({ path, pages: count }) => `${readablePath(path, 40)} ${amount(count, pages.total)}`);
  return {
    title,
    description: `Sections of the site by number of pages: ${listOf(rows, sections.length)}.`,
    height: size.height,
    shapes: html`${mapShapes(report, size)}`,
  };
}

function monthChart(report: SiteReport): Chart {
  const { dates } = report;
  const title = "When pages changed";
  const range = shownMonths(dates.months);
  if (range === undefined) return emptyChart(title, "The sitemaps have no dates (lastmod).");
  const { items, height } = legend(report);
  const size = { width: INNER, height: 220, most: 110, hasTitles: true };
  const [most] = Object.entries(dates.months).sort(([, a], [, b]) => b - a);
  const years: Record<string, number> = {};
  for (const [month, pages] of Object.entries(dates.months))
    years[month.slice(0, 4)] = (years[month.slice(0, 4)] ?? 0) + pages;
  return {
    title,
    description: `Pages by the month of their date (lastmod). Most pages have ${most![0]}: ${number(most![1])}. By year: ${countList(years)}.`,
    height: height + size.height + dates.bulk.length * LINE,
    shapes: html`${items}<g transform="translate(0 ${height})">${monthShapes(report, range, size)}</g>${bulkLines(dates.bulk, height + size.height)}`,
  };
}

/** Explains the marks: the days that many pages share. */
function bulkLines(bulk: readonly BulkDate[], top: number): Html[] {
  return bulk.map(({ date, section, pages, share }, index) => {
    const text = `${index + 1}: ${number(pages)} pages of ${readablePath(section, 40)} have the date ${date}, ${percent(share, 1)} of the dates there`;
    return html`<text class="sub" x="0" y="${top + (index + 1) * LINE - 2}">${fitText(text, INNER, 13)}</text>`;
  });
}

/** The colors of the sections, in as many lines as they need. */
function legend({ sections, otherSections }: SiteReport): { items: Html[]; height: number } {
  const names = sections.slice(0, SECTION_COLORS - 1).map(({ path }) => readablePath(path, 30));
  if (sections.length >= SECTION_COLORS || otherSections > 0) names.push("other sections");
  let [x, y] = [0, 0];
  const items = names.map((name, color) => {
    const width = textWidth(name, 13) + 36;
    if (x > 0 && x + width > INNER) [x, y] = [0, y + LINE];
    const item = html`<rect class="c${color}" x="${px(x)}" y="${y + 1}" width="11" height="11" rx="2"/><text x="${px(x + 18)}" y="${y + 11}">${fitText(name, INNER - 18, 13)}</text>`;
    x += width;
    return item;
  });
  return { items, height: y + LINE };
}

function dayChart({ dates, made }: SiteReport): Chart {
  const title = "Last twelve months, day by day";
  const days = Object.entries(dates.days);
  if (days.length === 0) return emptyChart(title, "No page has a date in the last twelve months.");
  const [most] = days.sort(([, a], [, b]) => b - a);
  const months: Record<string, number> = {};
  for (const [day, pages] of Object.entries(dates.days))
    months[day.slice(0, 7)] = (months[day.slice(0, 7)] ?? 0) + pages;
  return {
    title,
    description: `Pages by the day of their date (lastmod). The darker a day is, the more pages have it. Most pages have ${most![0]}: ${number(most![1])}. By month: ${countList(months)}.`,
    height: 106,
    shapes: weekShapes(dates, made.at, { start: 0, weeks: CALENDAR_WEEKS }),
  };
}

function ageChart(report: SiteReport): Chart {
  const { dates, pages } = report;
  const title = "Age of the pages";
  if (pages.total === 0) return emptyChart(title, "The sitemaps list no pages.");
  const median = dates.medianAgeDays;
  const half = median === undefined ? "" : ` Half of the dated pages changed within ${age(median)}.`;
  return barChart(title, ageRows(report), pages.total, `Pages by age, according to lastmod.${half}`);
}

function languageChart({ languages, pages, made }: SiteReport): Chart {
  const title = "Languages";
  const all = Object.entries(languages.pages);
  if (made.unknown.includes("languages")) return emptyChart(title, "The languages are not known.");
  if (all.length === 0) return emptyChart(title, "The sitemaps do not declare languages.");
  const rows = all
    .slice(0, all.length > MAX_BARS ? MAX_BARS - 1 : MAX_BARS)
    .map(([name, count]) => ({ name: shortName(name), count, className: "c0" }));
  const rest = sum(languages.pages) + languages.other - rows.reduce((total, { count }) => total + count, 0);
  if (rest > 0) rows.push({ name: "other languages", count: rest, className: "c7" });
  const none = pages.total - languages.declared;
  if (none > 0) rows.push({ name: "not declared", count: none, className: "c7" });
  return barChart(title, rows, pages.total, "Pages by declared language.");
}

interface BarRow {
  readonly name: string;
  readonly count: number;
  readonly className: string;
}

/** Horizontal bars with names on the left and numbers on the right. */
function barChart(title: string, rows: readonly BarRow[], total: number, about: string): Chart {
  const [step, left, right] = [26, 130, 190];
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const shapes = rows.map(({ name, count, className }, index) => {
    const width = count === 0 ? 0 : Math.max(2, ((INNER - left - right) * count) / most);
    const y = index * step;
    return html`<text x="0" y="${y + 15}">${fitText(name, left - 20, 13)}</text><rect class="${className}" x="${left}" y="${y + 5}" width="${px(width)}" height="12" rx="3"/><text class="end" x="${INNER - 60}" y="${y + 15}">${number(count)}</text><text class="sub end" x="${INNER}" y="${y + 15}">${percent(count, total)}</text>`;
  });
  const items = rows.map(({ name, count }) => `${name} ${amount(count, total)}`);
  return {
    title,
    description: `${about} ${items.join("; ")}.`,
    height: rows.length * step,
    shapes: html`${shapes}`,
  };
}

/** A chart of nothing says why. */
function emptyChart(title: string, reason: string): Chart {
  return { title, description: reason, height: 30, shapes: html`<text x="0" y="16">${reason}</text>` };
}

function amount(count: number, total: number): string {
  return `${number(count)} (${percent(count, total)})`;
}

function listOf(texts: readonly string[], total: number): string {
  const more = total - texts.length;
  return `${texts.join("; ")}${more > 0 ? `; and ${number(more)} more` : ""}`;
}

function countList(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${number(count)}`)
    .join("; ");
}
