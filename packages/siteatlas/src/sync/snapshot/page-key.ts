/**
 * Recognizes a page whose URL is spelled differently. `%c3` and `%C3` are the same octet, and so are `%7E` and `~` (RFC
 * 3986, 6.2.2). Pages are compared by a key that ignores these differences. They are reported with the URL as the
 * sitemap spells it.
 */
import { urlOfLine } from "./page-line.ts";

const UNRESERVED = /[\w.~-]/;

/** Returns the key of a page. All spellings of its URL have the same key. `url` must be normalized by `URL`. */
export function pageKey(url: string): string {
  if (!url.includes("%")) return url;
  return url.replace(/%[\da-f]{2}/gi, (octet) => {
    const char = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return UNRESERVED.test(char) ? char : octet.toUpperCase();
  });
}

/**
 * Spells the URLs of these lines as the last snapshot does, because pages were reported with that spelling. If a new
 * page has several spellings, the first one in alphabetical order is used, so that the order of the lines does not
 * matter.
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
  // `%` sorts before every character that need not be escaped, so a spelling with more escapes comes first.
  return lines.toSorted().map((line) => {
    const url = urlOfLine(line);
    const key = pageKey(url);
    const spelling = spellings.get(key) ?? url;
    if (url.includes("%")) spellings.set(key, spelling);
    return spelling === url ? line : spelling + line.slice(url.length);
  });
}
