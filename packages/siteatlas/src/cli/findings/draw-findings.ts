/**
 * Findings as text, like those of a compiler: what is wrong, where, the line with the problem underlined, why it
 * matters, and how to fix it.
 */

import { terminalText } from "../../escape/terminal.ts";
import type { FindingGroup, GroupExample } from "../../lint/group-findings.ts";
import type { Severity } from "../../model/issue-severity.ts";
import type { DrawOptions } from "../render/draw-options.ts";
import { cellWidth } from "../terminal/cell-width.ts";
import { wrapWords } from "../terminal/format-text.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { type Paint, paintFor, type Style } from "../terminal/style.ts";
import { documentOf, type FindingsReport } from "./findings-report.ts";
import { timesText } from "./times-text.ts";

const MAX_WIDTH = 100;
/** Number of examples that are shown per rule. The first one has its line. */
const EXAMPLES = 3;
const STYLES: Readonly<Record<Severity, Style>> = { error: "red", warning: "yellow", info: "blue" };

type Options = Pick<DrawOptions, "width" | "color"> & { readonly ascii: boolean };

export function drawFindings(report: FindingsReport, options: Options): string {
  const width = Math.min(options.width, MAX_WIDTH);
  const paint = paintFor(options.color);
  const blocks = report.groups.map((group) => drawGroup(group, report, { ...options, width, paint }));
  const notes = report.notes.map((note) => wrapped(`${paint("bold", "note")}: `, 6, note, width));
  return [...blocks, ...notes].map((lines) => `${lines.join("\n")}\n`).join("\n");
}

interface Drawing extends Options {
  readonly paint: Paint;
}

function drawGroup(group: FindingGroup, report: FindingsReport, drawing: Drawing): string[] {
  const { rule, severity, examples } = group;
  const { paint, width } = drawing;
  const [first, ...others] = examples.slice(0, EXAMPLES);
  const label = `${severity}[${rule.id}]`;
  const lines = wrapped(
    `${paint(STYLES[severity], paint("bold", label))} `,
    label.length + 1,
    rule.message,
    width,
    (text) => paint("bold", text),
  );
  const gutter = Math.max(2, ...examples.slice(0, 1).map(({ line = 0 }) => String(line).length));
  const indent = " ".repeat(gutter);
  const text = (name: string, content: string): void => {
    lines.push(
      ...wrapped(
        `${indent} ${paint("blue", "=")} ${paint("bold", name)}: `,
        gutter + 5 + name.length,
        content,
        width,
      ),
    );
  };
  if (first !== undefined) lines.push(...drawPlace(first, severity, gutter, drawing));
  for (const other of others) lines.push(...drawWhere(other, gutter, drawing));
  text("why", rule.why);
  text("fix", rule.fix);
  text("see", rule.source);
  const times = timesText(group, report);
  if (times !== "") text("found", times);
  return lines;
}

function drawPlace(place: GroupExample, severity: Severity, gutter: number, drawing: Drawing): string[] {
  const { line, excerpt } = place;
  const { paint } = drawing;
  const lines = drawWhere(place, gutter, drawing);
  if (line === undefined || excerpt === undefined) return lines;
  const bar = paint("blue", "|");
  const indent = " ".repeat(gutter);
  const { text, from, length } = cropped(excerpt, Math.max(20, drawing.width - gutter - 4), drawing.ascii);
  const offset = " ".repeat(cellWidth(text.slice(0, from)));
  const mark = "^".repeat(Math.max(1, cellWidth(text.slice(from, from + length))));
  return [
    ...lines,
    `${indent} ${bar}`,
    `${paint("blue", String(line).padStart(gutter))} ${bar} ${terminalText(text)}`,
    `${indent} ${bar} ${offset}${paint(STYLES[severity], mark)}`,
  ];
}

/** The place of an example: its document, line and column, and what is special about it. */
function drawWhere(place: GroupExample, gutter: number, { paint, width }: Drawing): string[] {
  const { line, column, detail, value, excerpt } = place;
  const position = line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`;
  const where = `${" ".repeat(gutter)}${paint("blue", "-->")} ${documentOf(place)}${position}`;
  // The excerpt shows the value.
  const shown = [excerpt === undefined ? value : undefined, detail]
    .filter((part) => part !== undefined)
    .join(": ");
  if (shown === "") return [where];
  const indent = " ".repeat(gutter + 4);
  return [where, ...wrapped(indent, indent.length, terminalText(shown), width)];
}

interface Cropped {
  readonly text: string;
  readonly from: number;
  readonly length: number;
}

/** The part of an excerpt around the problem that fits the width. */
function cropped({ text, from, length }: Cropped, width: number, ascii: boolean): Cropped {
  if (cellWidth(text) <= width) return { text, from, length };
  const { ellipsis } = glyphsFor(ascii);
  const room = width - 2;
  const start = Math.max(0, Math.min(from - Math.floor(room / 3), text.length - room));
  const before = start > 0 ? ellipsis : "";
  const part = text.slice(start, start + room);
  const after = start + room < text.length ? ellipsis : "";
  const at = from - start + before.length;
  return {
    text: `${before}${part}${after}`,
    from: at,
    length: Math.max(1, Math.min(length, part.length - (from - start))),
  };
}

/** A text after a label. Its further lines are indented. */
function wrapped(
  label: string,
  indent: number,
  text: string,
  width: number,
  style: (text: string) => string = (line) => line,
): string[] {
  const lines = wrapWords(text, Math.max(20, width - indent));
  return lines.map((line, index) => `${index === 0 ? label : " ".repeat(indent)}${style(line)}`);
}
