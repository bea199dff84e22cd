/** Draws the last twelve months day by day, and the ages of the pages. */
import { DAY_MS } from "../day-counts.ts";
import type { ReportAge, ReportDates, SiteReport } from "../report-model.ts";
import { age, number, percent } from "../report-text.ts";
import { HEAT_LEVELS } from "./colors.ts";
import { card, dataTable, type Html, html, px } from "./html.ts";

const CELL = 11;
const STEP = 13;
const LEFT = 30;
const TOP = 16;
/** Two blocks of weeks. They are side by side on a wide page, and one below the other on a phone. */
const WEEKS = 27;
const MAX_DAYS = 371;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export function calendar(report: SiteReport, detail: number): Html | undefined {
  const { dates, made, pages } = report;
  if (pages.total === 0 || dates.dated === 0) return undefined;
  const days = Object.entries(dates.days);
  const rows = days
    .slice(-Math.ceil(MAX_DAYS * detail))
    .map(([date, count]) => [date, number(count)])
    .reverse();
  const quiet = days.length === 0;
  return card(
    "days",
    "Last twelve months, day by day",
    quiet
      ? "No page has a date in the last twelve months."
      : "One square per day. The darker it is, the more pages have this date.",
    !quiet && html`<div class="weeks">${blocks(dates, made.at)}</div>${scale()}`,
    !quiet && dataTable("pages by day", ["Day", "Pages"], rows, days.length),
    html`<h3>Age of the pages</h3>`,
    ages(report),
  );
}

/**
 * The level of each count, from 1 to 5. A fifth of the days has each level, because a few days are often much larger
 * than all others. Equal counts have the same level.
 */
function levelsOf(counts: readonly number[]): (count: number) => number {
  const sorted = [...counts].sort((a, b) => a - b);
  const starts = Array.from(
    { length: HEAT_LEVELS - 1 },
    (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / HEAT_LEVELS)] ?? 1,
  );
  return (count) => 1 + starts.filter((start) => count >= start).length;
}

function blocks(dates: ReportDates, at: string): Html[] {
  return [0, WEEKS].map((start) => {
    const weeks = start === 0 ? WEEKS : WEEKS - 1;
    const label = `Squares for ${weeks} weeks. The table below has the numbers.`;
    return html`<svg class="cal" viewBox="0 0 ${LEFT + weeks * STEP} ${TOP + 7 * STEP}" role="img" aria-label="${label}">${weekShapes(dates, at, { start, weeks })}</svg>`;
  });
}

/** Number of weeks in the calendar: the last one is that of the report. */
export const CALENDAR_WEEKS: number = 2 * WEEKS - 1;

/** The squares of some weeks, with names of months and weekdays. @param span the first week, and how many */
export function weekShapes(
  { days }: ReportDates,
  at: string,
  { start, weeks }: { readonly start: number; readonly weeks: number },
): Html {
  const today = Math.floor(Date.parse(at) / DAY_MS);
  // 1970-01-01 was a Thursday. Weeks start on Monday.
  const weekday = (day: number): number => (day + 3) % 7;
  const firstMonday = today - weekday(today) - (CALENDAR_WEEKS - 1) * 7;
  const levelOf = levelsOf(Object.values(days));
  const cells: Html[] = [];
  const labels: Html[] = [];
  let free = 0;
  for (let week = 0; week < weeks; week++) {
    const monday = firstMonday + (start + week) * 7;
    const x = LEFT + week * STEP;
    const date = new Date(monday * DAY_MS);
    if (date.getUTCDate() <= 7 && x >= free && week < weeks - 1) {
      labels.push(html`<text class="axis" x="${x}" y="11">${MONTHS[date.getUTCMonth()]!}</text>`);
      free = x + 30;
    }
    for (let day = 0; day < 7 && monday + day <= today + 1; day++) {
      const name = new Date((monday + day) * DAY_MS).toISOString().slice(0, 10);
      const count = days[name] ?? 0;
      const level = count === 0 ? "h0" : `h${levelOf(count)}`;
      const title = html`<title>${name}: ${number(count)}</title>`;
      cells.push(html`<rect class="${level}" x="${x}" y="${TOP + day * STEP}">${count > 0 && title}</rect>`);
    }
  }
  const names = ["Mon", "Wed", "Fri"].map(
    (name, index) => html`<text class="axis" x="0" y="${TOP + 2 * index * STEP + 10}">${name}</text>`,
  );
  return html`${labels}${names}${cells}`;
}

function scale(): Html {
  const squares = Array.from(
    { length: HEAT_LEVELS + 1 },
    (_, level) => html`<rect class="h${level}" x="${level * STEP}" width="${CELL}" height="${CELL}" rx="2"/>`,
  );
  return html`<p class="scale">fewer <svg viewBox="0 0 ${(HEAT_LEVELS + 1) * STEP} ${CELL}" aria-hidden="true">${squares}</svg> more</p>`;
}

const DAYS = new Map<number | undefined, string>([
  [1, "up to 1 day"],
  [7, "up to 7 days"],
  [30, "up to 30 days"],
  [90, "up to 90 days"],
  [365, "up to 1 year"],
  [1095, "up to 3 years"],
  [undefined, "older"],
]);

interface AgeRow {
  readonly name: string;
  readonly count: number;
  /** The class of its color. */
  readonly className: string;
}

export function ageRows({ dates }: SiteReport): AgeRow[] {
  const rows: AgeRow[] = dates.ages.map(({ maxDays, pages }: ReportAge) => ({
    name: DAYS.get(maxDays) ?? "",
    count: pages,
    className: "c0",
  }));
  if (dates.future > 0) rows.push({ name: "in the future", count: dates.future, className: "c1" });
  if (dates.invalid > 0) rows.push({ name: "date not valid", count: dates.invalid, className: "c7" });
  rows.push({ name: "no date", count: dates.none, className: "c7" });
  return rows;
}

function ages(report: SiteReport): Html {
  const { dates, pages } = report;
  const rows = ageRows(report);
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const line = ({ name, count, className }: AgeRow): Html =>
    html`<tr><th scope="row">${name}</th><td class="bar">${barOf(count / most, className)}</td><td class="n">${number(count)}</td><td class="n soft">${percent(count, pages.total)}</td></tr>`;
  const median = dates.medianAgeDays;
  return html`<table class="bars"><caption class="sr">Pages by age</caption><thead class="sr"><tr><th scope="col">Age</th><th scope="col">Bar</th><th scope="col">Pages</th><th scope="col">Share</th></tr></thead><tbody>${rows.map(line)}</tbody></table>${median !== undefined && html`<p class="note">Half of the dated pages changed within ${age(median)}, according to the site.</p>`}`;
}

/** A bar for a table. @param share from 0 to 1 */
export function barOf(share: number, className: string): Html {
  const width = share === 0 ? 0 : Math.max(0.8, 100 * share);
  return html`<svg class="hbar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="${className}" width="${px(width)}" height="6"/></svg>`;
}
