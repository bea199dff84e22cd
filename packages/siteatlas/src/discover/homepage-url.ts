/**
 * Parses the homepage URL that a caller passes, and builds the URLs of known locations below it.
 *
 * An invalid URL throws a `TypeError`. Only the command line completes URLs without a scheme. Whether the host exists
 * and may be requested is checked in fetch/.
 */

import { showValue } from "../check/show-value.ts";
import { logLine, logUrl } from "../escape/log-line.ts";
import { maskNoSite } from "../escape/userinfo.ts";
import { parseUrl } from "../parse/values/parse-url.ts";

export interface HomepageUrlOptions {
  /** Use the root of the host, even if the URL has a path. */
  readonly normalize: boolean;
  /** The name of the URL in an error message. @default "homepage URL" */
  readonly name?: string;
}

/** Maximum number of characters of the input in an error message. */
const MAX_SHOWN = 200;

/**
 * Returns the homepage URL without credentials and fragment. With `normalize`, returns the root of the host. Without
 * it, keeps the path and the query.
 *
 * @throws {TypeError} if the text is not an absolute http or https URL
 */
export function readHomepageUrl(
  url: string | URL,
  { normalize, name = "homepage URL" }: HomepageUrlOptions,
): URL {
  const text = url instanceof URL ? url.href : url;
  // Check the type, because callers in plain JavaScript may pass any value.
  if (typeof text !== "string") {
    throw new TypeError(`Cannot read ${name}: it must be a string or a URL object, not ${showValue(url)}`);
  }
  const given = parseUrl(text);
  if (given === undefined || !isWeb(given)) {
    const shown = logLine(maskNoSite(text), { maxLength: MAX_SHOWN });
    throw new TypeError(`Cannot read ${name} "${shown}": ${whyNot(text.trim(), given)}`);
  }
  const homepage = normalize ? new URL("/", given) : given;
  homepage.username = "";
  homepage.password = "";
  homepage.hash = "";
  return homepage;
}

/**
 * Returns the URL of a path (`sitemap.xml`, `robots.txt`) below the homepage. For `https://example.com/blog` and
 * `sitemap.xml`, this is `https://example.com/blog/sitemap.xml`.
 */
export function knownUrl(homepage: URL, path: string): string {
  const { origin, pathname } = homepage;
  const folder = pathname.endsWith("/") ? pathname : `${pathname}/`;
  // Concatenate instead of resolving, so that no path can point to another host.
  return new URL(origin + folder + withoutLeadingSlashes(path)).href;
}

function withoutLeadingSlashes(path: string): string {
  let from = 0;
  while (path[from] === "/") from++;
  return path.slice(from);
}

function whyNot(text: string, url: URL | undefined): string {
  if (text === "") return "it is empty";
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1];
  // `localhost:8080` and `example.com:8080/` are a host and a port, although they parse as a scheme.
  const isHost = scheme === undefined || /^\d+(?:\/|$)/.test(text.slice(scheme.length + 1));
  if (!isHost && url !== undefined)
    return `its scheme is "${logLine(scheme, { maxLength: MAX_SHOWN })}", not http or https`;
  const meant = isHost ? parseUrl(`https://${withoutLeadingSlashes(text)}`) : undefined;
  // The colon may be missing: `http//user:password@host`. Then the password is in the path, where `logUrl` cannot find
  // and mask it.
  const isSafe = meant !== undefined && !meant.pathname.includes("@");
  return isSafe ? `it has no scheme, did you mean "${logUrl(meant.href)}"?` : "it is not a URL";
}

function isWeb(url: URL): boolean {
  return url.protocol === "https:" || url.protocol === "http:";
}
