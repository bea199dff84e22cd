/**
 * The sitemaps of a site as a tree on a terminal: what each is, how much it lists and weighs, what the server
 * answered, when it was modified, and what is wrong with it.
 *
 *     www.example.com
 *     ├─ /robots.txt          robots       2 sitemaps    1.2 kB  200
 *     │  ├─ /sitemap.xml      xml     41,174 pages       8.1 MB  200  2026-11-01  ▲ 2
 *     │  └─ /old.xml          ✖ the server answered 404
 *     └─ /sitemap_news.xml    xml         12 pages       3.4 kB  200  known location
 */

import { dateText } from "../../date-text.ts";
import { type IssueCode, severityOf } from "../../issues.ts";
import { terminalText } from "../../sinks/terminal.ts";
import type { SitemapOutcome, WalkedSitemap } from "../../walk/events.ts";
import { failureReason, failureText } from "../talk/failures.ts";
import { type Paint, paintFor, type Style } from "../talk/style.ts";
import { bytes, number } from "../talk/words.ts";
import type { DrawOptions } from "./draw-options.ts";
import { type Glyphs, glyphsFor } from "./glyphs.ts";
import { SEVERITIES } from "./site-stats.ts";
import {
  asciiOnly,
  cellWidth,
  fit,
  fitMiddle,
  padEnd,
  padStart,
  readablePath,
  shortUrl,
} from "./text-cells.ts";

export interface TreeNode {
  readonly sitemap: WalkedSitemap;
  /** Those of this document. */
  readonly issues: ReadonlyMap<IssueCode, number>;
  readonly children: readonly TreeNode[];
}

const MIN_WIDTH = 40;
/** As good as endless, and a number to reckon with. */
const MAX_WIDTH = 1_000_000;
/** Names get at least this, however deep they are. */
const MIN_NAME = 12;
/** One step of the branches, in cells. */
const STEP = 3;
/** In cells: nobody looks at more of them. Stops the thousand indexes that nest a thousand deep. */
const MAX_BRANCHES = 100 * STEP;
/** Branches do not take more of the width than this, however deep they are. */
const MAX_BRANCHES_SHARE = 0.5;
/** Long notes do not take more of the width than this away from the names. */
const MAX_NOTES_SHARE = 0.25;

interface Note {
  readonly style: Style;
  readonly text: string;
  /** Where there is no room for the text. */
  readonly short?: string;
}

/** One sitemap, ready to be put into columns. */
interface Line {
  readonly branches: string;
  readonly name: string;
  readonly cells: Cells | undefined;
  /** In place of the columns, for what was not read. */
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

/** Lines, each with its line feed. */
export function drawTree(roots: readonly TreeNode[], options: DrawOptions): string {
  const { homepage, color, ascii = false } = options;
  const glyphs = glyphsFor(ascii);
  const paint = paintFor(color);
  const isUrl = URL.canParse(homepage);
  const origin = isUrl ? new URL(homepage).origin : undefined;
  const short = (url: string): string => shortUrl(url, origin, ascii);
  const lines = Array.from(walkTree(roots, glyphs), ({ node, branches }) =>
    readLine(node, branches, short, glyphs),
  );
  const width = Math.min(Math.max(options.width, MIN_WIDTH), MAX_WIDTH);
  const title = readablePath(isUrl ? new URL(homepage).host : homepage);
  const drawn = layOut(lines, width, glyphs, paint);
  const picture = [paint("bold", fitMiddle(title, width, glyphs.ellipsis)), ...drawn]
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
  return ascii ? asciiOnly(picture) : picture;
}

/** Depth first. Not by recursion: indexes may nest as deep as they are many. */
function* walkTree(
  roots: readonly TreeNode[],
  glyphs: Glyphs,
): Generator<{ node: TreeNode; branches: string }> {
  const { branch, lastBranch, trunk } = glyphs;
  const blank = " ".repeat(STEP);
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

/** Cut at the left, by whole steps, with an ellipsis for those that are gone. */
function fitBranches(branches: string, width: number, { ellipsis }: Glyphs): string {
  if (branches.length <= width) return branches;
  const steps = Math.max(1, Math.floor(width / STEP));
  const mark = steps > 1 ? ellipsis.padEnd(STEP) : "";
  return mark + branches.slice(mark.length - steps * STEP);
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
  // An index may list pages, and the other way round: what there is more of counts.
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
  shared: "shown at its other place",
  skipped: "left out",
  stopped: "not read",
  unchanged: "not modified",
};

/** What leads back to itself was read, above: nothing is missing. */
const LEADS_BACK: Readonly<Partial<Record<IssueCode, string>>> = {
  "index.self-reference": "the index itself",
  "index.cycle": "leads back to an index above",
};

function readRemark(sitemap: WalkedSitemap, glyphs: Glyphs): Line["remark"] {
  const { outcome, code } = sitemap;
  const reason = failureReason(sitemap);
  const why = reason === undefined ? "" : `: ${terminalText(reason)}`;
  const back = code === undefined ? undefined : LEADS_BACK[code];
  if (back !== undefined) return { style: "dim", text: `${glyphs.shared} ${back}` };
  if (outcome === "failed" || outcome === "found") {
    return { style: "red", text: `${glyphs.error} ${terminalText(failureText(sitemap))}` };
  }
  if (outcome === "shared") return { style: "dim", text: `${glyphs.shared} ${REMARKS.shared}` };
  return { style: outcome === "stopped" ? "yellow" : "dim", text: `${REMARKS[outcome]}${why}` };
}

const MAX_TOLD = 10;

const MARKS: Readonly<Record<(typeof SEVERITIES)[number], Style>> = {
  error: "red",
  warning: "yellow",
  info: "dim",
};

function readNotes(
  { partial, source, requestedUrl, url, issueCount }: WalkedSitemap,
  issues: ReadonlyMap<IssueCode, number>,
  short: (url: string) => string,
  glyphs: Glyphs,
): Line["notes"] {
  const notes: Note[] = [];
  const isCounted = issueCount <= [...issues.values()].reduce((sum, times) => sum + times, 0);
  for (const severity of SEVERITIES) {
    const counts = [...issues].filter(([code]) => severityOf(code) === severity).map(([, times]) => times);
    const times = counts.reduce((sum, more) => sum + more, 0);
    // Of one code the library tells so many for each document.
    const more = !isCounted && counts.some((told) => told >= MAX_TOLD) ? "+" : "";
    if (times > 0)
      notes.push({ style: MARKS[severity], text: `${glyphs[severity]} ${number(times)}${more}` });
  }
  if (partial) notes.push({ style: "yellow", text: "cut short" });
  if (source === "known") notes.push({ style: "dim", text: "known location", short: "known" });
  if (source === "homepage") notes.push({ style: "dim", text: "homepage link", short: "link" });
  if (requestedUrl !== undefined) notes.push({ style: "dim", text: `redirects to ${short(url)}` });
  return notes;
}

/** Puts the lines into columns. Names give way first, then the columns from the right; the rest is cut. */
function layOut(lines: readonly Line[], width: number, glyphs: Glyphs, paint: Paint): string[] {
  const most = (measure: (line: Line) => number): number =>
    lines.reduce((longest, line) => Math.max(longest, measure(line)), 0);
  const deepest = most(({ branches, name }) => branches.length + Math.min(MIN_NAME, cellWidth(name)));
  const least = Math.max(width / 3, Math.min(deepest, MAX_BRANCHES_SHARE * width));
  const columns = columnsFor(lines, width - Math.max(2 * MIN_NAME, Math.floor(least)));
  const longest = most(({ branches, name }) => branches.length + cellWidth(name));
  const longestNotes = most(({ notes }) => notesWidth(notes));
  const rest = totalWidth(columns) + Math.min(longestNotes, MAX_NOTES_SHARE * width);
  const nameWidth = Math.floor(Math.min(longest, Math.max(least, width - rest - 2)));
  return lines.map((line) => {
    const room = nameWidth - Math.min(MIN_NAME, cellWidth(line.name));
    const branches = fitBranches(line.branches, room, glyphs);
    const name = fitMiddle(line.name, nameWidth - branches.length, glyphs.ellipsis);
    const gap = " ".repeat(Math.max(0, nameWidth - branches.length - cellWidth(name)) + 2);
    return paint("dim", branches) + name + gap + tailOf(line, columns, width - nameWidth - 2, glyphs, paint);
  });
}

/** The columns that are shown, each with its width. */
type Columns = ReadonlyMap<keyof Cells, number>;

/** From the left; the number and its unit are one. */
const COLUMNS: readonly (keyof Cells)[] = ["kind", "amount", "unit", "size", "status", "modified"];

function columnsFor(lines: readonly Line[], room: number): Columns {
  const columns = new Map<keyof Cells, number>();
  for (const key of COLUMNS) {
    const width = lines.reduce((most, { cells }) => Math.max(most, cellWidth(cells?.[key] ?? "")), 0);
    if (width === 0) continue;
    columns.set(key, width);
    // The kind and how much there is are shown in any case.
    if (totalWidth(columns) <= room || key === "kind" || key === "amount" || key === "unit") continue;
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
  // A date that is not there leaves its place to what would be cut otherwise.
  const isTight = cellWidth(text) + notesWidth(notes) > room;
  let drawn = fit(isTight ? text.trimEnd() : text, room, glyphs.ellipsis);
  let left = room - cellWidth(drawn);
  for (const note of notes) {
    const { short = note.text } = note;
    const text = cellWidth(note.text) + 2 <= left ? note.text : short;
    // A few letters of it say nothing.
    if (left - 2 < Math.min(cellWidth(text), MIN_NAME)) continue;
    const shown = fit(text, left - 2, glyphs.ellipsis);
    drawn += `  ${paint(note.style, shown)}`;
    left -= 2 + cellWidth(shown);
  }
  return drawn;
}
