/**
 * The key of a page: pages with the same key are the same page in a comparison. By default only spellings of a percent
 * escape are ignored (page-key.ts). The caller can ignore more.
 */
import { pageKey } from "../page-list/page-key.ts";

/**
 * A difference between two URLs that a comparison can ignore:
 *
 * - `scheme`: http and https
 * - `www`: a host with and without `www.`
 * - `slash`: a slash at the end of the path
 * - `query`: everything after `?`
 * - `html`: `.html` at the end of the path, and `index.html`
 * - `case`: upper and lower case in the path
 */
export type IgnoredDifference = (typeof IGNORED_DIFFERENCES)[number];

export const IGNORED_DIFFERENCES = ["scheme", "www", "slash", "query", "html", "case"] as const;

/** Creates the function that returns the key of a URL. The URL must be normalized by `URL`. */
export function createKey(ignored: readonly IgnoredDifference[]): (url: string) => string {
  const [scheme, www, slash, query, html, lower] = IGNORED_DIFFERENCES.map((name) => ignored.includes(name));
  if (ignored.length === 0) return pageKey;
  return (given) => {
    const url = pageKey(given);
    const hostAt = url.indexOf("://") + 3;
    const pathAt = url.indexOf("/", hostAt);
    const queryAt = url.indexOf("?", pathAt);
    const start = scheme ? "//" : url.slice(0, hostAt);
    const host = url.slice(hostAt, pathAt);
    let path = url.slice(pathAt, queryAt < 0 ? undefined : queryAt);
    if (lower) path = path.toLowerCase();
    if (html) path = withoutHtml(path);
    if (slash && path.length > 1 && path.endsWith("/")) path = path.slice(0, -1);
    return `${start}${www ? withoutWww(host) : host}${path}${query || queryAt < 0 ? "" : url.slice(queryAt)}`;
  };
}

/** `/a/index.html` is `/a/`, and `/a.html` is `/a`. */
function withoutHtml(path: string): string {
  return path.replace(/(?:(\/)index)?\.html?$/i, "$1");
}

/** Keeps `www.com`, where `www` is the name of the domain. */
function withoutWww(host: string): string {
  return /^www\.[^.]+\./.test(host) ? host.slice("www.".length) : host;
}
