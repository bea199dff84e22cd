/** The chart of months is correct: its bars have the heights of the densities, and no date is hidden. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SiteStats } from "../../src/cli/render/collect-stats.ts";
import { drawStats } from "../../src/cli/render/draw-stats.ts";
import { glyphsFor, sparkline } from "../../src/cli/terminal/glyphs.ts";
import { MonthCounts, monthName, monthOf } from "../../src/report/modified-by-month.ts";
import { fuzzFactor, seed } from "../support/runs.ts";

const options = { homepage: "https://www.example.com/", ms: 1000, color: false };
const { spark } = glyphsFor(false);

type Counts = ReadonlyMap<string, number>;

/** @param months `2024-05` → how many pages; `2024` has only a year. */
function siteOf(months: Counts, undated = 0, now: Date = new Date("2060-01-15")): SiteStats {
  const stats = new SiteStats(now);
  for (const [text, count] of months) {
    const value = new Date(`${text.length === 4 ? `${text}-01` : text}-01T00:00:00Z`);
    const lastModified = { text, value, precision: text.length === 4 ? "year" : "month" } as const;
    const page = { url: "https://www.example.com/a/b", lastModified };
    for (let i = 0; i < count; i++) stats.add(page);
  }
  for (let i = 0; i < undated; i++) stats.add({ url: "https://www.example.com/a/b" });
  return stats;
}

interface Chart {
  /** `2024-05` */
  readonly from: string;
  readonly to: string;
  /** In eighths. Empty for a single month. */
  readonly heights: readonly number[];
  /** The heights of the section's sparkline. */
  readonly sectionHeights: readonly number[];
  /** The numbers of pages that the text below the chart names. */
  readonly named: readonly number[];
}

/** Reads the picture as a person would. */
function readChart(picture: string): Chart | undefined {
  const [, from, bars = "", to = from] =
    /^ {2}lastmod (\d{4}-\d\d)(?: ([ ▁-█]+) (\d{4}-\d\d))?(?: {2}|$)/m.exec(picture) ?? [];
  const [, text = ""] = /^ {2}not shown: ([\s\S]*?)\n(?! {4}\S)/m.exec(picture) ?? [];
  const [, section = ""] = /^ {2}\/a .*%(?: {2}([ ▁-█]+))?$/m.exec(picture) ?? [];
  const named = [...text.matchAll(/([\d,]+)\s+pages?/g)].map(([, count = ""]) =>
    Number(count.replaceAll(",", "")),
  );
  if (from === undefined || to === undefined) return undefined;
  const heightsOf = (line: string): number[] => [...line].map((bar) => spark.indexOf(bar));
  return { from, to, heights: heightsOf(bars), sectionHeights: heightsOf(section), named };
}

const indexOf = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
const nameOf = (index: number): string =>
  `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}`;

/** The true densities: pages per month of each bar. */
function densities(months: Counts, { from, to }: Chart, bars: number): number[] {
  const [first, length] = [indexOf(from), indexOf(to) - indexOf(from) + 1];
  const sums = Array.from({ length: bars }, () => ({ pages: 0, months: 0 }));
  for (let i = 0; i < length; i++) {
    const sum = sums[Math.floor((i * bars) / length)]!;
    sum.months++;
    sum.pages += months.get(nameOf(first + i)) ?? 0;
  }
  return sums.map((sum) => sum.pages / sum.months);
}

function expectHeights(heights: readonly number[], expected: readonly number[]): void {
  const most = Math.max(...expected);
  for (const [i, density] of expected.entries()) {
    const height = heights[i] ?? 0;
    expect(Math.abs(height / 8 - density / most), `bar ${i}`).toBeLessThanOrEqual(1 / 8);
    expect(height > 0, `bar ${i}`).toBe(density > 0);
  }
}

/** A few clusters of months, and a few pages anywhere from 1970 to 2060. */
const distributions = fc
  .record({
    clusters: fc.array(
      fc.record({
        from: fc.integer({ min: indexOf("1995-01"), max: indexOf("2027-12") }),
        counts: fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 40 }),
      }),
      { maxLength: 3 },
    ),
    strays: fc.array(
      fc.record({
        month: fc.integer({ min: indexOf("1970-01"), max: indexOf("2060-12") }),
        count: fc.integer({ min: 1, max: 5 }),
      }),
      { maxLength: 4 },
    ),
    yearOnly: fc.nat({ max: 3 }),
  })
  .map(({ clusters, strays, yearOnly }) => {
    const months = new Map<string, number>(yearOnly > 0 ? [["2020", yearOnly]] : []);
    const add = (month: number, count: number): void => {
      if (count > 0) months.set(nameOf(month), (months.get(nameOf(month)) ?? 0) + count);
    };
    for (const { from, counts } of clusters) for (const [i, count] of counts.entries()) add(from + i, count);
    for (const { month, count } of strays) add(month, count);
    return months;
  });

describe("the chart of months", () => {
  it("has bars within an eighth of the densities, and names every page that it does not show", () => {
    let outlierCharts = 0;
    const check = (months: Counts, width: number, undated: number): void => {
      const stats = siteOf(months, undated);
      const picture = drawStats(stats, { ...options, width });
      const chart = readChart(picture);
      const total = [...months.values()].reduce((sum, count) => sum + count, 0);
      const hidden = chart?.named.reduce((sum, count) => sum + count, 0) ?? 0;
      let shown = 0;
      for (const [month, count] of months) {
        const isInside = chart !== undefined && month.length > 4 && month >= chart.from && month <= chart.to;
        if (isInside) shown += count;
      }
      if (chart === undefined) {
        // All dates are out of range.
        const [, text = ""] = /not shown: ([\s\S]*?)\n(?! {4}\S)/.exec(picture) ?? [];
        const named = [...text.matchAll(/(\d+)\s+pages?/g)].map(([, count]) => Number(count));
        expect(named.reduce((sum, count) => sum + count, 0)).toBe(total);
        return;
      }
      expect(shown + hidden).toBe(total);
      if (hidden > 0) outlierCharts++;
      if (chart.heights.length > 0)
        expectHeights(chart.heights, densities(months, chart, chart.heights.length));
      else expect(chart.from).toBe(chart.to);
      if (width < 72 || chart.heights.length === 0) return;
      const bars = Math.min(24, indexOf(chart.to) - indexOf(chart.from) + 1);
      expectHeights(chart.sectionHeights, densities(months, chart, bars));
    };
    fc.assert(fc.property(distributions, fc.integer({ min: 40, max: 130 }), fc.nat({ max: 2 }), check), {
      seed,
      numRuns: 1000 * fuzzFactor,
    });
    expect(outlierCharts).toBeGreaterThan(100);
  });

  it.each([3, 10, 24, 25, 47, 71, 72, 100, 200, 360])(
    "is flat if each of %i months has 100 pages, at every width",
    (length) => {
      const months = new MonthCounts();
      for (let i = 0; i < length; i++) for (let page = 0; page < 100; page++) months.add(300 + i);
      const range = months.range()!;
      for (let bars = 1; bars <= 130; bars++) {
        const line = sparkline(months.densities(range, bars), glyphsFor(false));
        expect(line).toBe("█".repeat(Math.min(bars, length)));
      }
    },
  );

  it("names a few pages far away from all others instead of stretching the axis", () => {
    const months = new Map([
      ["1990-12", 1],
      ["1984-01", 1],
      ["2049-12", 5],
      ["2024", 12],
    ]);
    for (let i = 0; i < 24; i++) months.set(nameOf(indexOf("2024-10") + i), 100);
    const picture = drawStats(siteOf(months), { ...options, width: 100 });
    expect(picture).toContain("lastmod 2024-10 ████████████████████████ 2026-09\n");
    expect(picture).toContain(
      "  not shown: 2 pages before 2024-10, 5 pages after 2026-09, 12 pages with only a year\n",
    );
  });

  it("shows the newest month, however few pages it has", () => {
    const months = new Map([["2026-11", 1]]);
    for (let i = 0; i < 24; i++) months.set(nameOf(indexOf("2024-11") + i), 500);
    expect(drawStats(siteOf(months), { ...options, width: 100 })).toContain(
      "lastmod 2024-11 ████████████████████████▁ 2026-11\n",
    );
  });

  it("ends at the current month, and names the dates after it", () => {
    const months = new Map([
      ["2026-09", 2],
      ["2026-10", 2],
      ["2031-01", 2],
    ]);
    const stats = siteOf(months, 0, new Date("2026-11-16"));
    const picture = drawStats(stats, { ...options, width: 100 });
    expect(picture).toContain("lastmod 2026-09 ██ 2026-10\n  not shown: 2 pages after 2026-10\n");
    expect(JSON.parse(JSON.stringify(stats))).toMatchObject({
      months: { "2026-09": 2, "2026-10": 2 },
      otherDates: { before: 0, after: 2, yearOnly: 0 },
      sections: [{ months: { "2026-09": 2, "2026-10": 2 } }],
    });
    const future = siteOf(new Map([["2031-01", 2]]), 0, new Date("2026-11-16"));
    expect(drawStats(future, { ...options, width: 100 })).toContain("not shown: 2 pages after 2026-11\n");
  });

  it("of a section is flat to its end, although the current month is not over", () => {
    const months = new Map([["2026-11", 1]]);
    for (let i = 0; i < 60; i++) months.set(nameOf(indexOf("2021-11") + i), 100);
    const picture = drawStats(siteOf(months, 0, new Date("2026-11-16")), { ...options, width: 80 });
    expect(readChart(picture)?.sectionHeights).toEqual(Array<number>(24).fill(8));
  });

  it("says below a narrow chart how many pages have a date", () => {
    const picture = drawStats(
      siteOf(
        new Map([
          ["2024-01", 3],
          ["2024", 1],
        ]),
        1,
      ),
      { ...options, width: 40 },
    );
    expect(picture).toContain("  lastmod 2024-01\n  80% dated\n  not shown: 1 page with only a year\n");
  });
});

it("counts months from 1990 to 2049, and all dates before and after them", () => {
  const months = new MonthCounts();
  for (const year of [1, 1989, 1990, 2049, 2050, 9999]) months.add(monthOf(new Date(Date.UTC(year, 11))));
  expect(months.byName()).toEqual({ "1990-12": 1, "2049-12": 1 });
  const range = months.range()!;
  expect([monthName(range.from), monthName(range.to)]).toEqual(["1990-12", "2049-12"]);
  expect(months.outside(range)).toEqual({ before: 2, after: 2 });
  expect(months.total).toBe(6);
});

it("draws a line in eighths: blank for 0, and never blank for a value above 0", () => {
  expect(sparkline([0, 1, 500, 1000], glyphsFor(false))).toBe(" ▁▄█");
  expect(sparkline([0, 1, 500, 1000], glyphsFor(true))).toBe(" _-#");
  expect(sparkline([0, 0], glyphsFor(false))).toBe("  ");
});
