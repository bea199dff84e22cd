/**
 * Draws the sitemaps of a site as a tree, with format, entries, size, status, date and issues of each.
 *
 *     www.example.com
 *     ├─ /robots.txt          robots       2 sitemaps    1.2 kB  200
 *     │  ├─ /sitemap.xml      xml     41,174 pages       8.1 MB  200  2026-11-01  ▲ 2
 *     │  └─ /old.xml          ✖ the server answered 404
 *     └─ /sitemap_news.xml    xml         12 pages       3.4 kB  200  known location
 */

import { terminalText } from "../../escape/terminal.ts";
import { dateText } from "../../model/format-date.ts";
import { type IssueCode, severityOf } from "../../model/issue-severity.ts";
import { SEVERITIES } from "../../report/issue-counts.ts";
import type { SitemapOutcome, WalkedSitemap } from "../../walk/events/events.ts";
import { failureReason, failureText } from "../messages/failure-texts.ts";
import { isCutByLimit } from "../messages/run-counts.ts";
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
import { bytes, number } from "../terminal/format-text.ts";
import { type Glyphs, glyphsFor } from "../terminal/glyphs.ts";
import { type Paint, paintFor, type Style } from "../terminal/style.ts";
import type { DrawOptions } from "./draw-options.ts";

export interface TreeNode {
  readonly sitemap: WalkedSitemap;
  readonly issues: ReadonlyMap<IssueCode, number>;
  readonly children: readonly TreeNode[];
  /** Whether a robots.txt lists the sitemap. */
  readonly isListedByRobots?: boolean;
}

const MIN_WIDTH = 40;
/** Maximum width of a picture. `Infinity` cannot be used, because `repeat` rejects it. */
const MAX_WIDTH = 1_000_000;
/** Minimum width of a name, in cells, however deep it is in the tree. */
const MIN_NAME = 12;
/** Width of the branch lines of one level, in cells. */
const BRANCH_WIDTH = 3;
/** Maximum width of the branch lines at the left, in cells. Indexes may be nested a thousand levels deep. */
const MAX_BRANCHES = 100 * BRANCH_WIDTH;
/** Maximum share of the width for the branch lines. */
const MAX_BRANCHES_SHARE = 0.5;
/** Maximum share of the width for the notes at the right, if names have to be shortened for them. */
const MAX_NOTES_SHARE = 0.25;

interface Note {
  readonly style: Style;
  readonly text: string;
  /** The text to show if the full text does not fit. */
  readonly short?: string;
}

interface Line {
  readonly branches: string;
  readonly name: string;
  readonly cells: Cells | undefined;
  /** The text in place of columns if the sitemap was not read. */
  readonly remark: { readonly style: Style; readonly text: string } | undefined;
  readonly notes: readonly Note[];
}

interface Cells {
  readonly kind: string;
  readonly amount: string;
  readonly unit: string;
  readonly size: string;
  readonly status: string;
  readonly modified: string;
}

export function drawTree(roots: readonly TreeNode[], options: DrawOptions): string {
  const { homepage, color, ascii = false, incomplete } = options;
  const glyphs = glyphsFor(ascii);
  const paint = paintFor(color);
  const isUrl = URL.canParse(homepage);
  const origin = isUrl ? new URL(homepage).origin : undefined;
  const short = (url: string): string => shortUrl(url, origin, ascii);
  const lines = Array.from(walkTree(roots, glyphs), ({ node, branches }) =>
    readLine(node, branches, short, glyphs),
  );
  const width = Math.min(Math.max(options.width, MIN_WIDTH), MAX_WIDTH);
  const name = readablePath(isUrl ? new URL(homepage).host : homepage);
  const state = incomplete === undefined ? "" : `  incomplete (${incomplete})`;
  const title = fitMiddle(name, width - state.length, glyphs.ellipsis);
  const drawn = layOut(lines, width, glyphs, paint);
  const picture = [`${paint("bold", title)}${state === "" ? "" : paint("yellow", state)}`, ...drawn]
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
  return ascii ? asciiOnly(picture) : picture;
}

/** Yields all nodes, depth first, each with its branch lines. It is not recursive, because trees can be deep. */
function* walkTree(
  roots: readonly TreeNode[],
  glyphs: Glyphs,
): Generator<{ node: TreeNode; branches: string }> {
  const { branch, lastBranch, trunk } = glyphs;
  const blank = " ".repeat(BRANCH_WIDTH);
  const path = [{ nodes: roots, at: 0, before: "" }];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const node = level.nodes[level.at++];
    if (node === undefined) {
      path.pop();
      continue;
    }
    const isLast = level.at === level.nodes.length;
    yield { node, branches: level.before + (isLast ? lastBranch : branch) };
    const before = fitBranches(level.before + (isLast ? blank : trunk), MAX_BRANCHES, glyphs);
    path.push({ nodes: node.children, at: 0, before });
  }
}

/** Shortens branch lines: drops levels at the left and puts an ellipsis there. */
function fitBranches(branches: string, width: number, { ellipsis }: Glyphs): string {
  if (branches.length <= width) return branches;
  const steps = Math.max(1, Math.floor(width / BRANCH_WIDTH));
  const mark = steps > 1 ? ellipsis.padEnd(BRANCH_WIDTH) : "";
  return mark + branches.slice(mark.length - steps * BRANCH_WIDTH);
}

function readLine(
  { sitemap, issues }: TreeNode,
  branches: string,
  short: (url: string) => string,
  glyphs: Glyphs,
): Line {
  const name = short(sitemap.requestedUrl ?? sitemap.url);
  const isRead = sitemap.outcome === "found";
  return {
    branches,
    name,
    cells: isRead ? readCells(sitemap) : undefined,
    remark: isRead ? undefined : readRemark(sitemap, glyphs),
    notes: isRead ? readNotes(sitemap, issues, short, glyphs) : [],
  };
}

function readCells({ kind, format, pageCount, childCount, http, lastModified }: WalkedSitemap): Cells {
  const isIndex = kind === "index";
  // A sitemap may list both pages and sitemaps: show the larger number.
  const amount = isIndex && childCount >= pageCount ? childCount : pageCount;
  const one = isIndex && childCount >= pageCount ? "sitemap" : "page";
  return {
    kind: isIndex && format !== "robots" ? "index" : (format ?? ""),
    amount: number(amount),
    unit: amount === 1 ? one : `${one}s`,
    size: http === undefined ? "" : bytes(http.bytes),
    status: http === undefined ? "" : String(http.status),
    modified:
      lastModified?.value === undefined
        ? ""
        : dateText(lastModified.value, lastModified.precision).slice(0, 10),
  };
}

const REMARKS: Readonly<Record<Exclude<SitemapOutcome, "found" | "failed">, string>> = {
  shared: "shown elsewhere",
  skipped: "skipped",
  stopped: "not read",
  unchanged: "not modified",
};

/** Remarks for an index that is listed again below itself. Nothing is missing, because it was read further up. */
const CYCLES: Readonly<Partial<Record<IssueCode, string>>> = {
  "index.self-reference": "lists itself",
  "index.cycle": "cycle: already above",
};

function readRemark(sitemap: WalkedSitemap, glyphs: Glyphs): Line["remark"] {
  const { outcome, code } = sitemap;
  const reason = failureReason(sitemap);
  const why = reason === undefined ? "" : `: ${terminalText(reason)}`;
  const cycle = code === undefined ? undefined : CYCLES[code];
  if (cycle !== undefined) return { style: "dim", text: `${glyphs.shared} ${cycle}` };
  if (outcome === "failed" || outcome === "found") {
    return { style: "red", text: `${glyphs.error} ${terminalText(failureText(sitemap))}` };
  }
  if (outcome === "shared") return { style: "dim", text: `${glyphs.shared} ${REMARKS.shared}` };
  // If a filter skipped the sitemap, the reason already starts with "skipped". Do not repeat the word.
  const text = reason?.startsWith(`${REMARKS[outcome]} `)
    ? terminalText(reason)
    : `${REMARKS[outcome]}${why}`;
  return { style: outcome === "stopped" ? "yellow" : "dim", text };
}

/** A walk reports at most this number of issues per code for a document. */
const MAX_REPORTED = 10;

const MARKS: Readonly<Record<(typeof SEVERITIES)[number], Style>> = {
  error: "red",
  warning: "yellow",
  info: "dim",
};

function readNotes(
  sitemap: WalkedSitemap,
  issues: ReadonlyMap<IssueCode, number>,
  short: (url: string) => string,
  glyphs: Glyphs,
): Line["notes"] {
  const { source, requestedUrl, url, issueCount, issueCounts } = sitemap;
  // This note comes first, because notes at the end are dropped if they do not fit.
  const state = isCutByLimit(sitemap) ? "cut by a limit" : "truncated";
  const notes: Note[] = sitemap.partial ? [{ style: "yellow", text: state }] : [];
  const isCounted =
    issueCounts !== undefined || issueCount <= [...issues.values()].reduce((sum, times) => sum + times, 0);
  for (const severity of SEVERITIES) {
    const counts = [...issues].filter(([code]) => severityOf(code) === severity).map(([, times]) => times);
    const times = counts.reduce((sum, more) => sum + more, 0);
    const more = !isCounted && counts.some((reported) => reported >= MAX_REPORTED) ? "+" : "";
    if (times > 0)
      notes.push({ style: MARKS[severity], text: `${glyphs[severity]} ${number(times)}${more}` });
  }
  if (source === "known") notes.push({ style: "dim", text: "known location", short: "known" });
  if (source === "homepage") notes.push({ style: "dim", text: "homepage link", short: "link" });
  if (requestedUrl !== undefined) notes.push({ style: "dim", text: `redirects to ${short(url)}` });
  return notes;
}

/**
 * Arranges the lines in columns. If they are too wide, names are shortened. If two names would then look the same, or a
 * note about an error or a warning would not fit, less important notes are dropped, then columns.
 */
function layOut(lines: readonly Line[], width: number, glyphs: Glyphs, paint: Paint): string[] {
  const most = (measure: (line: Line) => number): number =>
    lines.reduce((longest, line) => Math.max(longest, measure(line)), 0);
  const deepest = most(({ branches, name }) => branches.length + Math.min(MIN_NAME, cellWidth(name)));
  const least = Math.max(width / 3, Math.min(deepest, MAX_BRANCHES_SHARE * width));
  const longest = most(({ branches, name }) => branches.length + cellWidth(name));
  const nameWidthFor = (columns: Columns, room: number): number =>
    Math.floor(Math.min(longest, Math.max(least, width - totalWidth(columns) - room - 2)));
  const roomFor = (isShown: (note: Note) => boolean): number =>
    Math.min(
      most(({ notes }) => notesWidth(notes.filter(isShown))),
      MAX_NOTES_SHARE * width,
    );
  const all = columnsFor(lines, width - Math.max(2 * MIN_NAME, Math.floor(least)));
  const usual = {
    columns: all,
    nameWidth: nameWidthFor(
      all,
      roomFor(() => true),
    ),
  };
  const room = roomFor(({ style }) => style !== "dim");
  const tighter = fewerColumns(all).map((columns) => ({ columns, nameWidth: nameWidthFor(columns, room) }));
  const layouts = [usual, ...tighter];
  const distinct = layouts.filter((one) => areDistinct(lines, one.nameWidth, glyphs));
  const hasRoom = (one: { readonly columns: Columns; readonly nameWidth: number }): boolean =>
    one.nameWidth + 2 + totalWidth(one.columns) + room <= width;
  const { columns, nameWidth } = distinct.find(hasRoom) ?? distinct[0] ?? usual;
  return lines.map((line) => {
    const { branches, name } = fitName(line, nameWidth, glyphs);
    const gap = " ".repeat(Math.max(0, nameWidth - branches.length - cellWidth(name)) + 2);
    return paint("dim", branches) + name + gap + tailOf(line, columns, width - nameWidth - 2, glyphs, paint);
  });
}

function fitName(line: Line, width: number, glyphs: Glyphs): Pick<Line, "branches" | "name"> {
  const room = width - Math.min(MIN_NAME, cellWidth(line.name));
  const branches = fitBranches(line.branches, room, glyphs);
  return { branches, name: fitMiddle(line.name, width - branches.length, glyphs.ellipsis) };
}

/** Whether names that are different are also different after they are shortened to this width. */
function areDistinct(lines: readonly Line[], width: number, glyphs: Glyphs): boolean {
  const names = new Map<string, string>();
  return lines.every((line) => {
    const { name } = fitName(line, width, glyphs);
    const same = names.get(name) ?? line.name;
    names.set(name, line.name);
    return same === line.name;
  });
}

/** The columns that are shown, with their widths. */
type Columns = ReadonlyMap<keyof Cells, number>;

/** All columns, from left to right. */
const COLUMNS: readonly (keyof Cells)[] = ["kind", "amount", "unit", "size", "status", "modified"];

const ALWAYS: ReadonlySet<keyof Cells> = new Set(["kind", "amount", "unit"]);

/** Returns the given columns, then the same without the last one, and so on. Some columns are never dropped. */
function fewerColumns(columns: Columns): Columns[] {
  const entries = [...columns];
  const least = entries.filter(([key]) => ALWAYS.has(key)).length;
  const counts = Array.from({ length: entries.length - least + 1 }, (_, dropped) => entries.length - dropped);
  return counts.map((count) => new Map(entries.slice(0, count)));
}

function columnsFor(lines: readonly Line[], room: number): Columns {
  const columns = new Map<keyof Cells, number>();
  for (const key of COLUMNS) {
    const width = lines.reduce((most, { cells }) => Math.max(most, cellWidth(cells?.[key] ?? "")), 0);
    if (width === 0) continue;
    columns.set(key, width);
    if (totalWidth(columns) <= room || ALWAYS.has(key)) continue;
    columns.delete(key);
    break;
  }
  return columns;
}

function totalWidth(columns: Columns): number {
  let total = 0;
  for (const [key, width] of columns) total += width + (key === "unit" ? 1 : 2);
  return total;
}

function notesWidth(notes: Line["notes"]): number {
  return notes.reduce((sum, { text }) => sum + 2 + cellWidth(text), 0);
}

function tailOf(line: Line, columns: Columns, room: number, glyphs: Glyphs, paint: Paint): string {
  const { cells, remark, notes } = line;
  if (remark !== undefined) return paint(remark.style, fit(remark.text, room, glyphs.ellipsis));
  if (cells === undefined) return "";
  let text = "";
  for (const [key, width] of columns) {
    const isText = key === "kind" || key === "unit" || key === "modified";
    text += text === "" ? "" : key === "unit" ? " " : "  ";
    text += isText ? padEnd(cells[key], width) : padStart(cells[key], width);
  }
  // If the line is too long, remove the spaces of an empty last column, so that notes can use the space.
  const isTight = cellWidth(text) + notesWidth(notes) > room;
  let drawn = fit(isTight ? text.trimEnd() : text, room, glyphs.ellipsis);
  let left = room - cellWidth(drawn);
  for (const note of notes) {
    const { short = note.text } = note;
    const text = cellWidth(note.text) + 2 <= left ? note.text : short;
    // Do not shorten a note to only a few letters.
    if (left - 2 < Math.min(cellWidth(text), MIN_NAME)) continue;
    const shown = fit(text, left - 2, glyphs.ellipsis);
    drawn += `  ${paint(note.style, shown)}`;
    left -= 2 + cellWidth(shown);
  }
  return drawn;
}
