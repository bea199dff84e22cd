/**
 * Draws the result of a comparison: the numbers, a bar for each section, and some pages that only one input has.
 *
 *   a  example.com      site       12,403 pages
 *   b  crawl.csv        csv        12,077 pages (column Address)
 *
 *                 only a  both  only b
 *   /blog  ███░░░░░░░▓▓    1,204  8,000     301
 */
import type { ComparisonSummary } from "../../compare/comparison.ts";
import type { PageCounts } from "../../compare/section-counts.ts";
import type { SourceFacts } from "../../compare/source-facts.ts";
import type { DrawOptions } from "../render/draw-options.ts";
import {
  asciiOnly,
  cellWidth,
  fit,
  fitMiddle,
  padEnd,
  padStart,
  readablePath,
} from "../terminal/cell-width.ts";
import { count, number } from "../terminal/format-text.ts";
import { type Glyphs, glyphsFor } from "../terminal/glyphs.ts";
import { type Paint, paintFor } from "../terminal/style.ts";

/** Some pages that only one input has. */
export interface Examples {
  readonly a: readonly string[];
  readonly b: readonly string[];
}

/** Number of examples for each input. */
export const MAX_EXAMPLES = 5;
const MAX_SECTIONS = 12;
const MAX_BAR = 40;

interface Canvas {
  readonly width: number;
  readonly ascii: boolean;
  readonly glyphs: Glyphs;
  readonly paint: Paint;
}

export function drawComparison(
  summary: ComparisonSummary,
  names: readonly [a: string, b: string],
  examples: Examples,
  { width, color, ascii = false }: Omit<DrawOptions, "homepage">,
): string {
  const canvas: Canvas = {
    width: Math.min(width, 120),
    ascii,
    glyphs: glyphsFor(ascii),
    paint: paintFor(color),
  };
  const picture = [
    drawInputs(summary, names, canvas),
    drawSections(summary, canvas),
    drawExamples("a", summary.onlyA, examples.a, canvas),
    drawExamples("b", summary.onlyB, examples.b, canvas),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join(""))
    .join("\n");
  return ascii ? asciiOnly(picture) : picture;
}

const TYPES: Readonly<Record<NonNullable<SourceFacts["type"]>, string>> = {
  site: "site",
  snapshot: "snapshot",
  folder: "folder",
  sitemap: "sitemap",
  urls: "list",
  csv: "table",
  json: "JSON rows",
  log: "server log",
};

/** Draws one line for each input: `a  crawl.csv  table, column Address  12,077 pages`. */
function drawInputs(
  { a, b, onlyA, onlyB, both }: ComparisonSummary,
  names: readonly [string, string],
  { width, paint, glyphs }: Canvas,
): string[] {
  const facts = [a, b].map(({ type, column, partial }) =>
    [
      type === undefined ? "" : TYPES[type],
      ...(column === undefined ? [] : [`column ${readablePath(column, true)}`]),
      ...(partial ? ["incomplete"] : []),
    ].join(", "),
  );
  const pages = [onlyA + both, onlyB + both].map((value) => count(value, "page"));
  const factWidth = Math.max(...facts.map(cellWidth));
  const pageWidth = Math.max(...pages.map(cellWidth));
  const nameWidth = Math.min(
    Math.max(...names.map(cellWidth)),
    Math.max(10, width - 5 - factWidth - 2 - pageWidth - 2),
  );
  return names.map((name, at) => {
    const shown = padEnd(fitMiddle(name, nameWidth, glyphs.ellipsis), nameWidth);
    const fact = padEnd(fit(facts[at]!, width, glyphs.ellipsis), factWidth);
    return `${paint("bold", at === 0 ? "a" : "b")}  ${paint("bold", shown)}  ${paint("dim", fact)}  ${padStart(pages[at]!, pageWidth)}`;
  });
}

interface Row extends PageCounts {
  readonly name: string;
}

const HEADERS = ["only a", "both", "only b"] as const;

/** Draws a table with a bar for each section. The bar has three parts: only a, both, only b. */
function drawSections(summary: ComparisonSummary, canvas: Canvas): string[] {
  const { width, paint, glyphs } = canvas;
  const rows = sectionRows(summary, canvas);
  const cells = rows.map(({ onlyA, both, onlyB }) => [onlyA, both, onlyB].map(number));
  const widths = HEADERS.map((header, at) => Math.max(header.length, ...cells.map((row) => row[at]!.length)));
  const numbers = widths.reduce((sum, one) => sum + one + 2, 0);
  const nameWidth = Math.min(
    Math.max(...rows.map(({ name }) => cellWidth(name))),
    Math.max(8, Math.floor((width - numbers) / 2)),
  );
  const barWidth = Math.max(0, Math.min(MAX_BAR, width - numbers - nameWidth - 6));
  const line = (name: string, drawn: string, texts: readonly string[]): string =>
    `  ${padEnd(fit(name, nameWidth, glyphs.ellipsis), nameWidth)}  ${drawn}${texts
      .map((text, at) => `  ${padStart(text, widths[at]!)}`)
      .join("")}`;
  const most = Math.max(1, ...rows.slice(1).map(({ onlyA, onlyB, both }) => onlyA + onlyB + both));
  return [
    paint("dim", line("", " ".repeat(barWidth), HEADERS)),
    ...rows.map((row, at) => line(row.name, drawBar(row, at === 0 ? 0 : most, barWidth, canvas), cells[at]!)),
  ];
}

/** The first row has all pages. */
function sectionRows(
  { sections, otherSections, onlyA, onlyB, both }: ComparisonSummary,
  canvas: Canvas,
): Row[] {
  const hasHosts = new Set(sections.map(({ host }) => host)).size > 1;
  const shown = sections.slice(0, MAX_SECTIONS);
  const rest = sections.slice(MAX_SECTIONS).reduce<PageCounts>(
    (sum, section) => ({
      onlyA: sum.onlyA + section.onlyA,
      onlyB: sum.onlyB + section.onlyB,
      both: sum.both + section.both,
    }),
    otherSections,
  );
  const named = shown.map(({ host, section, ...counts }) => ({
    name: readablePath(hasHosts ? host + section : section, canvas.ascii),
    ...counts,
  }));
  const others = rest.onlyA + rest.onlyB + rest.both > 0 ? [{ name: "(others)", ...rest }] : [];
  return [{ name: "all pages", onlyA, onlyB, both }, ...named, ...others];
}

/** Draws the three parts of a bar. A part with pages is never empty. @param most number of pages of the longest bar */
function drawBar(
  { onlyA, onlyB, both }: PageCounts,
  most: number,
  width: number,
  { ascii, paint }: Canvas,
): string {
  if (most === 0 || width < 3) return " ".repeat(width);
  const [a, same, b] = ascii ? ["<", "=", ">"] : ["█", "░", "▓"];
  const length = (value: number): number =>
    value === 0 ? 0 : Math.max(1, Math.round((value / most) * width));
  let [lengthA, lengthBoth, lengthB] = [length(onlyA), length(both), length(onlyB)];
  // Rounding may make the bar too long. Shorten its longest part.
  for (let extra = lengthA + lengthBoth + lengthB - width; extra > 0; extra--) {
    if (lengthBoth >= lengthA && lengthBoth >= lengthB) lengthBoth--;
    else if (lengthA >= lengthB) lengthA--;
    else lengthB--;
  }
  const rest = " ".repeat(width - lengthA - lengthBoth - lengthB);
  return `${paint("yellow", a!.repeat(lengthA))}${paint("dim", same!.repeat(lengthBoth))}${paint("cyan", b!.repeat(lengthB))}${rest}`;
}

function drawExamples(side: "a" | "b", total: number, urls: readonly string[], canvas: Canvas): string[] {
  if (total === 0) return [];
  const { width, glyphs, paint } = canvas;
  const more =
    total > urls.length ? ` (${number(urls.length)} of ${number(total)}, all with --only ${side})` : "";
  return [
    `${paint(side === "a" ? "yellow" : "cyan", `only in ${side}`)}${paint("dim", more)}`,
    ...urls.map((url) => `  ${fitMiddle(readablePath(url, canvas.ascii), width - 2, glyphs.ellipsis)}`),
  ];
}
