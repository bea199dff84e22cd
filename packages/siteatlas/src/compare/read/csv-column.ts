/** Finds the delimiter of a table, and the column with the URLs of pages. */
import { FactCounts } from "../source-facts.ts";
import { CsvReader, type Delimiter, type Row } from "./csv-rows.ts";
import { SAMPLE_LENGTH } from "./text-lines.ts";

const DELIMITERS: readonly Delimiter[] = ["\t", ",", ";", "|"];
/** Number of rows that are examined. */
const SAMPLE_ROWS = 50;
/** Minimum number of rows of a table that has no names of columns. */
const MIN_ROWS = 5;
/** Maximum number of rows with titles and names of columns, before the first URL. */
export const MAX_TITLES = 3;

/**
 * Names of columns with the URLs of pages, the best first. Crawlers, search consoles and analytics tools use them. They
 * are compared in lower case, with spaces for `_` and `-`.
 */
const NAMES: readonly string[] = [
  "url",
  "address",
  "loc",
  "page url",
  "full url",
  "final url",
  "top pages",
  "page",
  "pages",
  "landing page",
  "landing page url",
  "page location",
  "page path",
  "page path and screen class",
  "uri",
  "link",
  "permalink",
  "target url",
  "source url",
];

/** Matches a comment in a list of URLs. `#` alone may be the name of a column. */
const COMMENT = /^#./;
const WEB_URL = /^\s*https?:\/\/[^\s/]/i;
const PATH = /^\s*\/[^\s]*$/;
/** Matches the end of a URL that contains a delimiter: `1234,00.html`. */
const URL_END = /^[^\s:]*(?:\.(?:s?html?|php|aspx?|jsp)|[^\s:]\/)\s*$/i;

/** A table, and the column with its URLs. */
export interface TableForm {
  readonly delimiter: Delimiter;
  /** Index of the column. -1 if no column has URLs. */
  readonly column: number;
  /** Whether the table has one column. Then a delimiter belongs to the URL, even if the URL is not in quotes. */
  readonly isSingle: boolean;
  /** Name of the column, or its number if the table has no header. */
  readonly name: string;
}

/**
 * Finds out whether text is a table. Returns undefined if it is a list, or not a table at all.
 *
 * @param sample the first characters of the text. Its last line may be incomplete
 * @param wanted the name or number of the column that the caller wants
 * @param isForced whether the caller says that the text is a table
 */
export function findTable(sample: string, wanted?: string, isForced = false): TableForm | undefined {
  const forms = DELIMITERS.map((delimiter) => ({ delimiter, rows: sampleRows(sample, delimiter) }));
  // No URL contains a tab, so one row with tabs is enough.
  const tables = forms.filter(
    ({ rows, delimiter }) =>
      rows.length > 0 && hasColumns(rows, isForced || delimiter === "\t" ? 1 : MIN_ROWS),
  );
  const found = tables.sort((a, b) => consistency(b.rows) - consistency(a.rows))[0];
  const form = found ?? (isForced || isNamed(forms[0]!.rows) ? forms[1]! : undefined);
  if (form === undefined) return undefined;
  const { delimiter, rows } = form;
  const [header = []] = rows;
  const column = wanted === undefined ? urlColumn(rows) : wantedColumn(header, wanted);
  const isSingle = found === undefined && column === 0;
  return { delimiter, column, isSingle, name: columnName(header, column) };
}

function sampleRows(sample: string, delimiter: Delimiter): readonly Row[] {
  const reader = new CsvReader(delimiter, new FactCounts());
  const rows = reader.push(sample);
  // The last row of a longer text is probably incomplete.
  const all = sample.length < SAMPLE_LENGTH ? [...rows, ...reader.end()] : rows;
  return all.filter(([first = ""]) => !COMMENT.test(first)).slice(0, SAMPLE_ROWS);
}

/**
 * Whether the delimiter makes columns. A URL may contain a delimiter. So a row before the first URL must have several
 * cells: the names of the columns. If the text starts with a URL, there must be `minRows` rows, and all must have the
 * same number of cells. If all of them end like a URL, they are lines of a list.
 */
function hasColumns(rows: readonly Row[], minRows: number): boolean {
  const firstUrl = rows.findIndex((row) => row.some((cell) => WEB_URL.test(cell)));
  const width = rows[0]!.length;
  if (firstUrl === 0) {
    const isList = rows.every((row) => URL_END.test(row.at(-1)!));
    return rows.length >= minRows && width > 1 && !isList && rows.every((row) => row.length === width);
  }
  return rows.slice(0, firstUrl < 0 ? MAX_TITLES : firstUrl).some((row) => row.length > 1);
}

/** The share of rows with the most frequent number of cells, if it is more than one cell. */
function consistency(rows: readonly Row[]): number {
  const counts = new Map<number, number>();
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
  return Math.max(0, ...counts.values()) / rows.length;
}

/** Whether a table with a single column starts with its name. */
function isNamed([first = []]: readonly Row[]): boolean {
  return first.length === 1 && NAMES.includes(plainName(first[0]!));
}

/** The column with the best name that has URLs. Without such a name, the first column with the most URLs or paths. */
function urlColumn(rows: readonly Row[]): number {
  const [header = []] = rows;
  const width = Math.max(...rows.map(({ length }) => length));
  const urls = Array.from({ length: width }, (_, at) => countCells(rows, at, WEB_URL));
  const paths = Array.from({ length: width }, (_, at) => countCells(rows, at, PATH));
  const names = header.map(plainName);
  for (const name of NAMES) {
    const at = names.indexOf(name);
    if (at >= 0 && (urls[at]! > 0 || paths[at]! > 0 || rows.length === 1)) return at;
  }
  for (const counts of [urls, paths]) {
    const most = Math.max(...counts);
    if (most > 0) return counts.indexOf(most);
  }
  return -1;
}

function countCells(rows: readonly Row[], at: number, pattern: RegExp): number {
  return rows.filter((row) => pattern.test(row[at] ?? "")).length;
}

function wantedColumn(header: Row, wanted: string): number {
  const exact = header.indexOf(wanted);
  const at = exact >= 0 ? exact : header.map(plainName).indexOf(plainName(wanted));
  if (at >= 0) return at;
  return /^[1-9]\d{0,4}$/.test(wanted) ? Number(wanted) - 1 : -1;
}

function columnName(header: Row, column: number): string {
  const name = header[column]?.trim() ?? "";
  return name === "" || WEB_URL.test(name) || PATH.test(name) ? String(column + 1) : name;
}

function plainName(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]+/g, " ");
}
