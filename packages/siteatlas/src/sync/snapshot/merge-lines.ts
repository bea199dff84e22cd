/**
 * Decides which data a page has that several entries list. In one sitemap, the entry with the newest date counts. If
 * several sitemaps list the page, each value is the one of the sitemap with the newest date, or of the next sitemap that
 * has a value. So the data of a page depends only on the snapshot, and everyone who reads it gets the same.
 */
import { fieldsOfLine, PAGE_FIELDS, type PageField, urlOfLine } from "./page-line.ts";

const DATE_FIELD = "\tlastModified=";

/**
 * Whether these fields of a page are used instead of others: they have a newer date, or are first in alphabetical order.
 * So the order of the entries does not matter.
 */
export function isPreferred(fields: string, others: string): boolean {
  const [date, other] = [dateOf(fields), dateOf(others)];
  return date === other ? fields < others : date > other;
}

/** The date as text. Dates are in UTC, so those of the same precision are in alphabetical order. */
function dateOf(fields: string): string {
  const at = fields.indexOf(DATE_FIELD);
  return at < 0 ? "" : fields.slice(at + DATE_FIELD.length).split("\t", 1)[0]!;
}

/**
 * Merges the lines of a page, one from each sitemap. If they spell the URL differently, the first spelling in
 * alphabetical order is used.
 */
export function mergeLines(lines: readonly string[]): string {
  const [only] = lines;
  if (lines.length === 1) return only!;
  const [url] = lines.map(urlOfLine).sort();
  const fields = lines.map((line) => line.slice(urlOfLine(line).length));
  fields.sort((a, b) => (a === b ? 0 : isPreferred(a, b) ? -1 : 1));
  const values = new Map<PageField, string>();
  for (const each of fields) {
    for (const [name, value] of fieldsOfLine(each)) if (!values.has(name)) values.set(name, value);
  }
  const names = PAGE_FIELDS.filter((name) => values.has(name));
  return [url, ...names.map((name) => `${name}=${values.get(name)}`)].join("\t");
}
