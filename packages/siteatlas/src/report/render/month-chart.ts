/** Draws when pages changed: one bar per month, stacked by section, with marks at days that many pages share. */
import { MonthCounts, monthName, monthOf } from "../modified-by-month.ts";
import { readablePath } from "../readable-text.ts";
import type { BulkDate, Counts, SiteReport } from "../report-model.ts";
import { number, percent, shortNumber, sum } from "../report-text.ts";
import { SECTION_COLORS } from "./colors.ts";
import { card, dataTable, foreign, type Html, html, px } from "./html.ts";

const NARROWEST = 3;

interface Bin {
  readonly from: number;
  /** The month after the last one. */
  readonly end: number;
  readonly total: number;
}

interface ChartSize {
  readonly width: number;
  readonly height: number;
  readonly most: number;
  readonly className: string;
}

function monthNumber(name: string): number {
  return monthOf(new Date(`${name}-01T00:00:00Z`));
}

/** Months as numbers (`monthOf`). `to` is included. */
interface MonthSpan {
  readonly from: number;
  readonly to: number;
}

/** The months to show, without single dates that are far from all other ones. */
export function shownMonths(months: Counts): MonthSpan | undefined {
  const counts = new MonthCounts();
  for (const [name, pages] of Object.entries(months)) counts.add(monthNumber(name), pages);
  return counts.range();
}

export function monthChart(report: SiteReport, detail: number): Html | undefined {
  const { dates, pages, sections } = report;
  if (pages.total === 0) return undefined;
  const range = shownMonths(dates.months);
  if (range === undefined) {
    const why =
      dates.yearOnly > 0 ? "The dates of the pages have no month." : "The sitemaps have no dates (lastmod).";
    return card("months", "When pages changed", why);
  }
  const before = Object.entries(dates.months).reduce(
    (all, [name, count]) => (monthNumber(name) < range.from ? all + count : all),
    dates.before1990,
  );
  const notes = [
    dates.none > 0 && `${percent(dates.none, pages.total)} of the pages have no date.`,
    dates.invalid > 0 && `${number(dates.invalid)} dates are not valid.`,
    before > 0 && `${number(before)} earlier dates are not shown.`,
    dates.future > 0 && `${number(dates.future)} dates are in the future.`,
    dates.yearOnly > 0 && `${number(dates.yearOnly)} dates are only a year.`,
  ].filter((note) => note !== false);
  const legend = sections
    .slice(0, SECTION_COLORS - 1)
    .map(({ path }, index) => html`<li>${swatch(index)}${foreign(readablePath(path, 30))}</li>`);
  const hasOther = sections.length >= SECTION_COLORS || report.otherSections > 0;
  const others = hasOther && html`<li>${swatch(SECTION_COLORS - 1)}other sections</li>`;
  return card(
    "months",
    "When pages changed",
    html`Pages by the month of their date (<code>lastmod</code>). ${notes.join(" ")}`,
    html`<ul class="legend">${legend}${others}</ul>`,
    draw(report, range, { width: 1120, height: 230, most: 130, className: "wide" }),
    draw(report, range, { width: 340, height: 200, most: 44, className: "narrow" }),
    bulkNotes(dates.bulk),
    dataTable(
      "pages by month",
      ["Month", "Pages"],
      Object.entries(dates.months)
        .reverse()
        .slice(0, Math.ceil(240 * detail))
        .map(([name, count]) => [name, number(count)]),
      Object.keys(dates.months).length,
    ),
  );
}

export function swatch(color: number): Html {
  return html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class="c${color}" width="10" height="10" rx="2"/></svg>`;
}

function bulkNotes(bulk: readonly BulkDate[]): Html | undefined {
  if (bulk.length === 0) return undefined;
  const item = ({ date, section, pages, share }: BulkDate): Html =>
    html`<li>${number(pages)} pages of ${foreign(readablePath(section, 40))} have the date ${date}, which is ${percent(share, 1)} of the dates there. This is probably the day of a build or an import, not a change of each page.</li>`;
  return html`<div class="marks"><h3>Days that many pages share</h3><ol>${bulk.map(item)}</ol></div>`;
}

/** Months per bar: 1, 3 or 12, so that there are at most `most` bars. */
function stepOf(months: number, most: number): number {
  return [1, 3, 6].find((step) => months / step <= most) ?? 12;
}

function draw(report: SiteReport, range: MonthSpan, size: ChartSize): Html {
  const { width, height, className } = size;
  const { dates } = report;
  const name = `Bars from ${monthName(range.from)} to ${monthName(range.to)}, ${number(sum(dates.months))} pages. The table below has the numbers.`;
  return html`<svg class="${className}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}">${monthShapes(report, range, { ...size, hasTitles: className === "wide" })}</svg>`;
}

/** The bars of the months, with axes, marks and tooltips. */
export function monthShapes(
  { dates, sections }: SiteReport,
  range: MonthSpan,
  { width, height, most, hasTitles }: Omit<ChartSize, "className"> & { readonly hasTitles: boolean },
): Html {
  const step = stepOf(range.to - range.from + 1, most);
  const from = Math.floor(range.from / step) * step;
  const bins: Bin[] = [];
  const countIn = (months: Counts, start: number): number =>
    Array.from({ length: step }, (_, index) => months[monthName(start + index)] ?? 0).reduce(
      (a, b) => a + b,
      0,
    );
  for (let month = from; month <= range.to; month += step)
    bins.push({ from: month, end: month + step, total: countIn(dates.months, month) });
  const [left, top, bottom] = [40, 22, 22];
  const plot = { width: width - left - 4, height: height - top - bottom };
  const tallest = niceMaximum(Math.max(...bins.map(({ total }) => total)));
  const slot = Math.min(plot.width / bins.length, 46);
  const bar = Math.max(slot - Math.min(2, slot / 4), Math.min(slot, NARROWEST));
  const y = (value: number): number => top + plot.height * (1 - value / tallest);
  const stacks = bins.map(() => 0);
  const paths: string[] = Array<string>(SECTION_COLORS).fill("");
  const addBar = (color: number, index: number, value: number): void => {
    if (value <= 0) return;
    const start = y(stacks[index]!);
    stacks[index]! += value;
    paths[color] +=
      `M${px(left + slot * index)} ${px(start)}h${px(bar)}V${px(y(stacks[index]!))}h-${px(bar)}z`;
  };
  for (const [index, { from: start, total }] of bins.entries()) {
    for (const [color, section] of sections.slice(0, SECTION_COLORS - 1).entries())
      addBar(color, index, countIn(section.months, start));
    addBar(SECTION_COLORS - 1, index, total - stacks[index]!);
  }
  const lines = [0, tallest / 2, tallest].map(
    (value) =>
      html`<path class="grid" d="M${left} ${px(y(value))}H${width - 4}"/><text class="axis end" x="${left - 6}" y="${px(y(value) + 4)}">${shortNumber(value)}</text>`,
  );
  // A phone shows no tooltips.
  const hits = (hasTitles ? bins : []).map(
    ({ from: start, total }, index) =>
      html`<rect class="hit" x="${px(left + slot * index)}" y="${top}" width="${px(slot)}" height="${plot.height}"><title>${binName(start, step)}: ${number(total)} pages</title></rect>`,
  );
  return html`${lines}${paths.map((path, color) => path !== "" && html`<path class="c${color}" d="${path}"/>`)}${axisLabels(bins, step, { left, slot, y: height - 6, width })}${marks(dates.bulk, bins, { left, slot, y, stacks, width })}${hits}`;
}

function binName(start: number, step: number): string {
  return step === 1 ? monthName(start) : `${monthName(start)} to ${monthName(start + step - 1)}`;
}

/** The next larger number with one or two significant digits that can be halved. */
function niceMaximum(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const nice = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return Math.max(2, nice * power);
}

interface Axis {
  readonly left: number;
  readonly slot: number;
  readonly width: number;
}

/** Years below the bars, as many as have room. If the chart has only a few months, their names. */
function axisLabels(
  bins: readonly Bin[],
  step: number,
  { left, slot, y, width }: Axis & { y: number },
): Html[] {
  const isShort = bins.length * step <= 18;
  const labels: Html[] = [];
  let free = 0;
  for (const [index, { from }] of bins.entries()) {
    const isYear = bins[index]!.from % 12 < step;
    if (!isShort && !isYear) continue;
    const x = left + slot * index;
    const text = isShort ? monthName(from) : monthName(from).slice(0, 4);
    const room = text.length * 7.5 + 8;
    if (x < free || x + room - 8 > width) continue;
    free = x + room;
    labels.push(html`<text class="axis" x="${px(x)}" y="${y}">${text}</text>`);
  }
  return labels;
}

/** Numbers above the bars of the days that many pages share. The list below the chart explains them. */
function marks(
  bulk: readonly BulkDate[],
  bins: readonly Bin[],
  { left, slot, y, stacks, width }: Axis & { y: (value: number) => number; stacks: readonly number[] },
): Html[] {
  const used: { x: number; y: number }[] = [];
  return bulk.flatMap(({ date }, order) => {
    const month = monthNumber(date.slice(0, 7));
    const index = bins.findIndex(({ from, end }) => month >= from && month < end);
    if (index < 0) return [];
    const x = Math.min(Math.max(left + slot * (index + 0.5), left + 9), width - 12);
    const at = Math.max(10, y(stacks[index]!) - 12);
    let cx = x;
    // Several marks of one bar, or of neighbors, are side by side.
    const aside = x > width / 2 ? -19 : 19;
    while (used.some((one) => Math.abs(one.x - cx) < 18 && Math.abs(one.y - at) < 18)) cx += aside;
    used.push({ x: cx, y: at });
    return [
      html`<circle class="mark" cx="${px(cx)}" cy="${px(at)}" r="8"/><text class="mark-n" x="${px(cx)}" y="${px(at + 3.8)}">${order + 1}</text>`,
    ];
  });
}
