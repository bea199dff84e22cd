/** Extracts the parts of a URL that stay the same when a page moves: its path, or the last segment of the path. */
import { pageKey } from "../../page-list/page-key.ts";
import { urlOfLine } from "../snapshot/page-line.ts";

/** File extensions that do not identify a page. */
const ENDING = /\.(?:html?|php|aspx?|jsp)$/;
/** Shorter slugs (`1`, `en`, `faq`) occur on many pages and identify none. */
const MIN_LENGTH = 5;

/** Path and query of the URL that the line starts with. */
export function pathOf(line: string): string {
  const url = urlOfLine(line);
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/** The last segment of the path, without extension and in lower case. May be empty. */
export function slugOf(line: string): string {
  const path = pathOf(line);
  const query = path.indexOf("?");
  let end = query < 0 ? path.length : query;
  while (end > 0 && path.charAt(end - 1) === "/") end--;
  return path
    .slice(path.lastIndexOf("/", end - 1) + 1, end)
    .toLowerCase()
    .replace(ENDING, "");
}

/**
 * Returns a key of the page: slug and query. A page that moves usually keeps both, and few other pages have the same
 * key. All spellings of a URL have the same key. Pages with the same key are in one piece (differing-lines.ts).
 */
export function pieceKey(whole: string): string {
  const line = pageKey(urlOfLine(whole));
  const path = pathOf(line);
  const query = path.indexOf("?");
  return query < 0 ? slugOf(line) : slugOf(line) + path.slice(query);
}

/** Whether a slug identifies one page. */
export function isSpecificSlug(slug: string): boolean {
  return slug.length >= MIN_LENGTH && !/^(?:index|default|home)$/.test(slug);
}
