/**
 * Recognizes a page whose URL is spelled differently. `%c3` and `%C3` are the same octet, and so are `%7E` and `~` (RFC
 * 3986, 6.2.2). Pages are compared by a key that ignores these differences. They are reported with the URL as the
 * sitemap spells it.
 */
const UNRESERVED = /[\w.~-]/;

/** Returns the key of a page. All spellings of its URL have the same key. `url` must be normalized by `URL`. */
export function pageKey(url: string): string {
  if (!url.includes("%")) return url;
  return url.replace(/%[\da-f]{2}/gi, (octet) => {
    const char = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return UNRESERVED.test(char) ? char : octet.toUpperCase();
  });
}
