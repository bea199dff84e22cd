/**
 * Splits a line of a text sitemap that contains more than a URL, such as `https://www.example.com/a,2024-01-02`.
 *
 * Commas, semicolons and bars are allowed in URLs, and spaces are common mistakes in them. So such a character ends a
 * URL only in three cases: the file has a header, only columns such as a date can follow, or a space is next to it. A
 * URL such as `https://www.example.com/title,12345` is never split.
 */
import { CHANGE_FREQUENCIES } from "../../model/change-frequencies.ts";
import { trimUrl } from "../values/url.ts";

/** The column names in the first line of a CSV file, such as `url,lastmod`. */
export interface Header {
  readonly separator: string;
  readonly columns: number;
  readonly dateColumn: number;
}

export interface Cell {
  /** The text of the cell, trimmed and without CSV quotes. */
  readonly text: string;
  /** The first cell is always a URL. `date` is a cell where a date is expected. */
  readonly kind: "url" | "date" | "other";
}

const URL_COLUMN = /^(?:page[ _-]?)?(?:url|uri|loc|location|link|address|page|href|permalink)s?$/i;
const DATE_COLUMN =
  /^(?:last[ _-]?mod(?:ified)?|(?:last[ _-]?)?(?:changed?|updated?)|modified|date)(?:[ _-](?:at|on|date))?$/i;
/** Maximum length of a header. Real headers are shorter. Stops the useless splitting of long lines. */
const MAX_HEADER_LENGTH = 1000;

/** Parses a header line. Returns undefined if the first column name does not mean URL. */
export function findHeader(line: string): Header | undefined {
  if (line.length > MAX_HEADER_LENGTH) return undefined;
  const separator = /[\t,;|]/.exec(line)?.[0];
  if (separator === undefined) return undefined;
  const names = splitAt(line, separator);
  if (!URL_COLUMN.test(names[0] ?? "")) return undefined;
  const named = names.findIndex((name) => DATE_COLUMN.test(name));
  return { separator, columns: names.length, dateColumn: Math.max(named, 1) };
}

/** Splits a line into cells. The cell after a URL gets the kind `date`, because a date is expected there. */
export function splitRow(line: string, header?: Header): readonly Cell[] {
  if (header !== undefined && line.includes(header.separator)) return splitByHeader(line, header);
  const cells: Cell[] = [];
  for (const text of splitFields(line).flatMap(splitColumns)) {
    const isUrl = cells.length === 0 || WEB_URL.test(text);
    cells.push({ text, kind: isUrl ? "url" : cells.at(-1)?.kind === "url" ? "date" : "other" });
  }
  return cells;
}

/**
 * Splits a line into the columns of the header. If the line has more cells than the header has names, the URL also
 * contains the separator. The additional cells then belong to the URL.
 */
function splitByHeader(line: string, header: Header): readonly Cell[] {
  const texts = splitAt(line, header.separator);
  const own = Math.max(0, texts.length - header.columns);
  const url = texts.slice(0, own + 1).join(header.separator);
  const rest = texts.slice(own + 1).map((text): Cell => ({ text, kind: "other" }));
  const [date] = rest.splice(header.dateColumn - 1, 1);
  return [{ text: url, kind: "url" }, ...(date ? [{ ...date, kind: "date" } as const] : []), ...rest];
}

/** Splits at every separator that is not inside quotes. */
function splitAt(line: string, separator: string): string[] {
  const texts: string[] = [];
  for (let start = 0; start <= line.length; ) {
    const quoted = closingQuote(line, start);
    const from = quoted ?? start;
    const found = line.indexOf(separator, from);
    const end = found < 0 ? line.length : found;
    texts.push(quoted === undefined ? trimUrl(line.slice(start, end)) : line.slice(start + 1, quoted - 1));
    start = end + 1;
  }
  return texts;
}

/**
 * The index after a quoted text at `start`. Undefined if the text is not quoted, or anything but a separator follows.
 */
function closingQuote(line: string, start: number): number | undefined {
  if (line.charAt(start) !== '"') return undefined;
  const end = line.indexOf('"', start + 1) + 1;
  return end > 0 && /^[\s,;|]?$/.test(line.charAt(end)) ? end : undefined;
}

const GAP = /[\s,;|]+/g;
const WEB_URL = /^["'<]?https?:\/\//i;
const WEB_URL_HERE = /["'<]?https?:\/\//iy;

/** Splits a line where a URL certainly ends: at a tab, at a separator next to a space, and before another URL. */
function splitFields(line: string): string[] {
  const fields: string[] = [];
  let start = 0;
  GAP.lastIndex = 0;
  while (start < line.length) {
    // A quote counts only at the start of a field. Its end is searched once per field, which keeps the time linear.
    const quoted = GAP.lastIndex === start ? closingQuote(line, start) : undefined;
    if (quoted !== undefined) GAP.lastIndex = quoted;
    const gap = GAP.exec(line);
    const end = gap?.index ?? line.length;
    const after = end + (gap?.[0].length ?? 0);
    if (gap !== null && end !== quoted && !isFieldEnd(gap[0], line, after)) continue;
    const field = end === quoted ? line.slice(start + 1, end - 1) : trimUrl(line.slice(start, end));
    if (field !== "" || end === quoted) fields.push(field);
    start = after;
    GAP.lastIndex = after;
  }
  return fields;
}

function isFieldEnd(gap: string, line: string, after: number): boolean {
  if (gap.includes("\t") || (/\s/.test(gap) && /[,;|]/.test(gap))) return true;
  WEB_URL_HERE.lastIndex = after;
  return WEB_URL_HERE.test(line);
}

/** Maximum length of a column. No date, change frequency or priority is longer. */
const MAX_COLUMN_LENGTH = 40;
const CERTAIN = new RegExp(
  `^(?:\\d{4}-\\d{1,2}-\\d{1,2}(?:T[\\d:.+\\-Z]*)?|${CHANGE_FREQUENCIES.join("|")})$`,
  "i",
);
const NUMBER = /^\d+$/;
/**
 * Matches a priority, a time, a time zone or an empty cell. Such a text counts as a column only if the field also has a
 * date or a change frequency.
 */
const FILLER =
  /^(?:|0?\.\d{1,3}|1\.0{1,3}|\d{1,2}:\d{2}(?::[\d.]+)?(?:Z|[+-]\d{2}:?\d{2})?|[+-]\d{2}:?\d{2}|Z|UTC|GMT)$/i;
const DATE_AND_TIME =
  /\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.+\-Z]*| \d{1,2}:\d{2}[\d:.+\-Z]*)?(?: (?:[+-]\d{2}:?\d{2}|Z|UTC|GMT)(?![^ ,;|]))?/i;

/**
 * Separates the URL at the start of a field from the columns after it. Returns the URL and the date. If no column is a
 * date, returns the URL and the text of all columns. If the field has no columns, returns the field itself.
 *
 * Columns are dates, change frequencies, numbers and `FILLER` cells. At least one of them must be a date or a change
 * frequency. Numbers directly after the URL belong to the URL: `…/title,12345,2024-01-02,0.8` is the URL
 * `…/title,12345` with the date 2024-01-02.
 */
function splitColumns(field: string): string[] {
  let cut = field.length;
  let isCertain = false;
  let end = field.length;
  for (;;) {
    const separator = columnSeparatorBefore(field, end);
    if (separator < 0) break;
    const column = field.slice(separator + 1, end);
    if (CERTAIN.test(column)) isCertain = true;
    else if (!NUMBER.test(column) && !FILLER.test(column)) break;
    if (!NUMBER.test(column)) cut = separator;
    end = separator;
  }
  if (!isCertain) return [field];
  const columns = field.slice(cut + 1);
  return [field.slice(0, cut), DATE_AND_TIME.exec(columns)?.[0] ?? columns];
}

/**
 * Index of the separator before the column that ends at `end`. -1 if there is none, or the column would be too long.
 */
function columnSeparatorBefore(field: string, end: number): number {
  const stop = Math.max(0, end - 1 - MAX_COLUMN_LENGTH);
  for (let index = end - 1; index >= stop; index--) {
    if (" ,;|".includes(field.charAt(index))) return index;
  }
  return -1;
}
