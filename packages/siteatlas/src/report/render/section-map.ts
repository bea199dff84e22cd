/** Draws the sections of a site as a treemap: the area of each rectangle is its number of pages. */
import { readablePath } from "../readable-text.ts";
import type { ReportSection, SiteReport } from "../report-model.ts";
import { number, percent, shortNumber } from "../report-text.ts";
import { SECTION_COLORS, TILE_SHADES } from "./colors.ts";
import { fitText, textWidth } from "./fit-text.ts";
import { card, dataTable, foreign, type Html, html, px } from "./html.ts";
import { type Box, treemap } from "./treemap.ts";

const MAX_NAME = 60;
const MAX_TILES = 14;
const HEADER = 20;
const SIZE = 12;
/** Tiles that are smaller have no room for a number. */
const LEAST_HEIGHT = 18;
const LEAST_SECTION = 26;

interface Tile {
  readonly name: string;
  readonly pages: number;
}

interface MapSection extends Tile {
  readonly color: number;
  readonly tiles: readonly Tile[];
}

/** The sections of the map, the largest first. Small ones are one section at the end. */
function mapSections({ sections, otherSections }: SiteReport, most: number, maxName: number): MapSection[] {
  const shown = sections.slice(0, sections.length > most ? most - 1 : most);
  const rest = otherSections + sections.slice(shown.length).reduce((sum, { pages }) => sum + pages, 0);
  const map: MapSection[] = shown.map((section, index) => ({
    name: readablePath(section.path, maxName),
    pages: section.pages,
    color: sectionColor(index),
    tiles: tilesOf(section, maxName),
  }));
  if (rest > 0) map.push({ name: "other sections", pages: rest, color: SECTION_COLORS - 1, tiles: [] });
  return map.sort((a, b) => b.pages - a.pages);
}

/** The color of a section by its rank. All sections after the first ones have the same color. */
export function sectionColor(rank: number): number {
  return Math.min(rank, SECTION_COLORS - 1);
}

function tilesOf({ path, pages, folders }: ReportSection, maxName: number): Tile[] {
  const named = Object.entries(folders)
    .slice(0, MAX_TILES)
    .filter(([, count]) => count > pages / 100)
    .map(([folder, count]) => ({
      name: readablePath(folder.slice(path.length + 1), maxName),
      pages: count,
    }));
  const rest = pages - named.reduce((sum, tile) => sum + tile.pages, 0);
  if (named.length === 0) return [];
  const tiles = rest > 0 ? [...named, { name: "other", pages: rest }] : named;
  return tiles.sort((a, b) => b.pages - a.pages);
}

export function sectionMap(report: SiteReport, detail: number): Html | undefined {
  const { sections, pages, otherSections } = report;
  if (pages.total === 0) return undefined;
  const maxName = Math.ceil(MAX_NAME * Math.max(1 / 3, detail));
  const rows = sections.slice(0, Math.ceil(60 * detail)).map((one) => [
    foreign(readablePath(one.path, maxName)),
    number(one.pages),
    percent(one.pages, pages.total),
    percent(one.dated, one.pages),
    foreign(
      Object.entries(one.folders)
        .slice(0, 3)
        .map(([folder, count]) => `${readablePath(folder, 30)} ${shortNumber(count)}`)
        .join(", "),
    ),
  ]);
  const rest = sections.slice(rows.length).reduce((sum, one) => sum + one.pages, otherSections);
  if (rest > 0) rows.push(["other sections", number(rest), percent(rest, pages.total), "", ""]);
  const isMinimum = otherSections > 0;
  return card(
    "sections",
    "Where the pages are",
    html`Each rectangle is a folder of the site. Its area is the number of pages below it.${isMinimum && " Small folders are counted together."}`,
    draw(report, { ...WIDE_MAP, maxName }),
    // A phone shows no tooltips.
    draw(report, { width: 340, height: 460, most: 8, className: "narrow", maxName, hasTitles: false }),
    dataTable("sections", ["Section", "Pages", "Share", "With a date", "Largest folders"], rows),
  );
}

interface MapSize {
  readonly width: number;
  readonly height: number;
  readonly most: number;
  readonly className: string;
  /** Maximum length of a name. */
  readonly maxName: number;
  /** Whether the rectangles have tooltips. */
  readonly hasTitles: boolean;
}

const WIDE_MAP: MapSize = {
  width: 1120,
  height: 470,
  most: 14,
  className: "wide",
  maxName: MAX_NAME,
  hasTitles: true,
};

function draw(report: SiteReport, size: MapSize): Html {
  const { width, height, className } = size;
  const sections = mapShapes(report, size);
  const label = `Map of ${number(sections.length)} sections. The table below has the numbers.`;
  return html`<svg class="${className} map" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${sections}</svg>`;
}

/** One group of shapes for each section. */
export function mapShapes(report: SiteReport, size: Omit<MapSize, "className">): Html[] {
  const { width, height, most, maxName, hasTitles } = size;
  const sections = mapSections(report, most, maxName);
  const boxes = treemap(
    sections.map(({ pages }) => pages),
    { x: 0, y: 0, width, height },
  );
  const total = hasTitles ? report.pages.total : undefined;
  return sections.map((section, index) => drawSection(section, boxes[index]!, total));
}

/** @param total number of all pages. Undefined if the rectangles have no tooltips */
function drawSection(section: MapSection, outer: Box, total: number | undefined): Html {
  const { name, pages, color, tiles } = section;
  const box = inset(outer, 1.5);
  const title =
    total !== undefined &&
    html`<title>${`${name}: ${number(pages)} pages, ${percent(pages, total)}`}</title>`;
  const hasHeader = box.height >= LEAST_SECTION && box.width >= 40;
  const inner = { x: box.x, y: box.y + HEADER, width: box.width, height: box.height - HEADER };
  const hasTiles = hasHeader && tiles.length > 1 && inner.height > LEAST_HEIGHT;
  const boxes = hasTiles
    ? treemap(
        tiles.map((tile) => tile.pages),
        inset(inner, 1.5),
      )
    : [];
  return html`<g>${title}${rect(box, `d${color}`, 3)}${hasHeader && header(name, pages, box)}${boxes.map((one, index) => drawTile(tiles[index]!, inset(one, 1), { color, index, ...(total !== undefined && { section: name }) }))}${!hasTiles && hasHeader && inner.height > 4 && rect(inset(inner, 2), `t${color}0`, 2)}</g>`;
}

function header(name: string, pages: number, { x, y, width }: Box): Html {
  const count = shortNumber(pages);
  const countWidth = textWidth(count, SIZE) + 6;
  const room = width - 12;
  const withCount = fitText(name, room - countWidth, SIZE * 1.08);
  const shown = withCount === "" ? fitText(name, room, SIZE * 1.08) : withCount;
  const right =
    withCount !== "" && html`<text class="on-n" x="${px(x + width - 6)}" y="${px(y + 14.5)}">${count}</text>`;
  return html`<text class="on" x="${px(x + 6)}" y="${px(y + 14.5)}">${shown}</text>${right}`;
}

interface TilePlace {
  readonly color: number;
  readonly index: number;
  /** The name of its section, for the tooltip. Absent without tooltips. */
  readonly section?: string;
}

function drawTile(tile: Tile, box: Box, { color, index, section }: TilePlace): Html | undefined {
  if (box.width < 2 || box.height < 2) return undefined;
  const shade = Math.min(TILE_SHADES - 1, Math.floor(index / 3));
  const name = box.height >= LEAST_HEIGHT ? fitText(tile.name, box.width - 10, SIZE * 1.08) : "";
  const count = shortNumber(tile.pages);
  const hasCount = name !== "" && box.height >= 36 && textWidth(count, 11) <= box.width - 10;
  const title =
    section !== undefined && html`<title>${`${section}/${tile.name}: ${number(tile.pages)} pages`}</title>`;
  return html`<g>${title}${rect(box, `t${color}${shade}`, 2)}${name !== "" && html`<text class="in" x="${px(box.x + 5)}" y="${px(box.y + 14)}">${name}</text>`}${hasCount && html`<text class="in-n" x="${px(box.x + 5)}" y="${px(box.y + 28)}">${count}</text>`}</g>`;
}

function rect({ x, y, width, height }: Box, className: string, radius: number): Html {
  return html`<rect class="${className}" x="${px(x)}" y="${px(y)}" width="${px(Math.max(0.5, width))}" height="${px(Math.max(0.5, height))}" rx="${radius}"/>`;
}

function inset({ x, y, width, height }: Box, by: number): Box {
  return {
    x: x + by,
    y: y + by,
    width: Math.max(0.5, width - 2 * by),
    height: Math.max(0.5, height - 2 * by),
  };
}
