/** What of a URL stays when a page moves: its path, or at least the last part of it. */

/** Endings of pages that say nothing about them. */
const ENDING = /\.(?:html?|php|aspx?|jsp)$/;
/** Shorter ones (`1`, `en`, `faq`) are no names of pages. */
const MIN_LENGTH = 5;

/** Path and query of the URL at the start of a line. */
export function pathOf(line: string): string {
  const tab = line.indexOf("\t");
  const url = tab < 0 ? line : line.slice(0, tab);
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/** The last part of the path, without ending and in lower case; may be empty. */
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

/** Slug and query: what a page and the one that it became have in common, and a million others have not. */
export function pieceKey(line: string): string {
  const path = pathOf(line);
  const query = path.indexOf("?");
  return query < 0 ? slugOf(line) : slugOf(line) + path.slice(query);
}

/** Whether a slug names one page and not any. */
export function isTellingSlug(slug: string): boolean {
  return slug.length >= MIN_LENGTH && !/^(?:index|default|home)$/.test(slug);
}
