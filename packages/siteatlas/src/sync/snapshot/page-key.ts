/**
 * Spellings of one URL. `%c3` and `%C3` are the same octet, and so are `%7E` and `~` (RFC 3986, 6.2.2). Pages are
 * compared by a key that ignores this, and reported with the URL as written.
 */
import { urlOfLine } from "./page-line.ts";

const UNRESERVED = /[\w.~-]/;

/** URLs of one page have the same key. `url` must be normalized by `URL`. */
export function pageKey(url: string): string {
  if (!url.includes("%")) return url;
  return url.replace(/%[\da-f]{2}/gi, (octet) => {
    const char = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return UNRESERVED.test(char) ? char : octet.toUpperCase();
  });
}

/**
 * Keeps the spellings of the last snapshot, under which pages were reported. A new page with several spellings gets the
 * first one in the order of the alphabet, so that the order of the sitemap does not matter.
 *
 * @param known the lines of the sitemap in the last snapshot
 */
export function keepSpellings(lines: readonly string[], known: Iterable<string>): string[] {
  const urls = lines.map(urlOfLine);
  const escaped = new Set(urls.filter((url) => url.includes("%")).map(pageKey));
  const spellings = new Map<string, string>();
  for (const line of known) {
    const url = urlOfLine(line);
    if (url.includes("%") || escaped.has(url)) spellings.set(pageKey(url), url);
  }
  // A spelling with more escapes comes first: `%` is less than every character that need not be escaped.
  return lines.toSorted().map((line) => {
    const url = urlOfLine(line);
    const key = pageKey(url);
    const spelling = spellings.get(key) ?? url;
    if (url.includes("%")) spellings.set(key, spelling);
    return spelling === url ? line : spelling + line.slice(url.length);
  });
}
