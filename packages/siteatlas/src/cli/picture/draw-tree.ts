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
import { type IssueCode, severityOf } from "../../issues.ts";
import { terminalText } from "../../sinks/terminal.ts";
import type { SitemapOutcome, WalkedSitemap } from "../../walk/events.ts";
import { dateText } from "../output/record.ts";
import { type Paint, paintFor, type Style } from "../talk/style.ts";
import { bytes, failureText, number } from "../talk/words.ts";
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

export interface DrawTreeOptions {
  /** The site's URL: the line at the top. Its origin is left out below it. */
  readonly homepage: string;
  /** Columns of the terminal; longer names of sitemaps are cut. */
  readonly width: number;
  readonly color: boolean;
  /** No characters beyond ASCII. @default false */
  readonly ascii?: boolean;
}

const MIN_WIDTH = 40;
/** Names get at least this, however deep they are. */
const MIN_NAME = 12;
/** In cells: no terminal shows more of them. Stops the thousand indexes that nest a thousand deep. */
const MAX_BRANCHES = 300;
/** Long notes do not take more of the width than this away from the names. */
const MAX_NOTES_SHARE = 0.25;

/** One sitemap, ready to be put into columns. */
interface Line {
  readonly branches: string;
  readonly name: string;
  readonly cells: Cells | undefined;
  /** In place of the columns, for what was not read. */
  readonly remark: { readonly style: Style; readonly text: string } | undefined;
  readonly notes: readonly { readonly style: Style; readonly text: string }[];
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
export function drawTree(roots: readonly TreeNode[], options: DrawTreeOptions): string {
  const { homepage, color, ascii = false } = options;
  const glyphs = glyphsFor(ascii);
  const paint = paintFor(color);
  const isUrl = URL.canParse(homepage);
  const origin = isUrl ? new URL(homepage).origin : undefined;
  const short = (url: string): string => shortUrl(url, origin, ascii);
  const lines = Array.from(walkTree(roots, glyphs), ({ node, branches }) =>
    readLine(node, branches, short, glyphs),
  );
  const width = Math.max(options.width, MIN_WIDTH);
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
  { branch, lastBranch, trunk }: Glyphs,
): Generator<{ node: TreeNode; branches: string }> {
  const blank = " ".repeat(trunk.length);
  const path = [{ nodes: roots, at: 0, before: "" }];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const node = level.nodes[level.at++];
    if (node === undefined) {
      path.pop();
      continue;
    }
    const isLast = level.at === level.nodes.length;
    yield { node, branches: level.before + (isLast ? lastBranch : branch) };
    const before = (level.before + (isLast ? blank : trunk)).slice(-MAX_BRANCHES);
    path.push({ nodes: node.children, at: 0, before });
  }
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
};

function readRemark({ outcome, code, reason, http }: WalkedSitemap, glyphs: Glyphs): Line["remark"] {
  const why = reason === undefined ? "" : `: ${terminalText(reason)}`;
  if (outcome === "failed" || outcome === "found") {
    return { style: "red", text: `${glyphs.error} ${terminalText(failureText(code, http, reason))}` };
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
  const notes: { style: Style; text: string }[] = [];
  if (partial) notes.push({ style: "yellow", text: "cut short" });
  const isCounted = issueCount <= [...issues.values()].reduce((sum, times) => sum + times, 0);
  for (const severity of SEVERITIES) {
    const counts = [...issues].filter(([code]) => severityOf(code) === severity).map(([, times]) => times);
    const times = counts.reduce((sum, more) => sum + more, 0);
    // Of one code the library tells so many for each document.
    const more = !isCounted && counts.some((told) => told >= MAX_TOLD) ? "+" : "";
    if (times > 0)
      notes.push({ style: MARKS[severity], text: `${glyphs[severity]} ${number(times)}${more}` });
  }
  if (source === "known") notes.push({ style: "dim", text: "known location" });
  if (source === "homepage") notes.push({ style: "dim", text: "homepage link" });
  if (requestedUrl !== undefined) notes.push({ style: "dim", text: `redirects to ${short(url)}` });
  return notes;
}

/** Puts the lines into columns. Names give way first, then the columns from the right; the rest is cut. */
function layOut(lines: readonly Line[], width: number, glyphs: Glyphs, paint: Paint): string[] {
  const columns = columnsFor(lines, width - Math.max(2 * MIN_NAME, Math.floor(width / 3)));
  const longest = lines.reduce((most, { branches, name }) => Math.max(most, cellWidth(branches + name)), 0);
  const longestNotes = lines.reduce((most, { notes }) => Math.max(most, notesWidth(notes)), 0);
  const rest = totalWidth(columns) + Math.min(longestNotes, MAX_NOTES_SHARE * width);
  const nameWidth = Math.floor(Math.min(longest, Math.max(width / 3, width - rest - 2)));
  return lines.map((line) => {
    const branches = line.branches.slice(-Math.max(3, nameWidth - MIN_NAME));
    const name = fitMiddle(line.name, nameWidth - cellWidth(branches), glyphs.ellipsis);
    const gap = " ".repeat(Math.max(0, nameWidth - cellWidth(branches + name)) + 2);
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
  let drawn = fit(text, room, glyphs.ellipsis);
  let left = room - cellWidth(drawn);
  for (const note of notes) {
    if (left < 6) break;
    const shown = fit(note.text, left - 2, glyphs.ellipsis);
    drawn += `  ${paint(note.style, shown)}`;
    left -= 2 + cellWidth(shown);
  }
  return drawn;
}
