/**
 * Reads the homepage that a caller names, and builds the URLs of what lies beside it.
 *
 * A caller's mistake is a `TypeError` here, not a repair: what people type on a command line is the
 * command line's to complete. Whether a host exists or may be asked is found out by the fetch layer.
 */
import { logLine, logUrl } from "../sinks/log-line.ts";
import { maskNoUrl } from "../sinks/userinfo.ts";

export interface HomepageUrlOptions {
  /** Whether to go to the root of the host, whatever page of the site was named. */
  readonly normalize: boolean;
}

/** As much of the input as an error message repeats. */
const MAX_SHOWN = 200;

/**
 * The homepage as a URL without credentials and fragment. Normalised, it is the root of its host; else
 * path and query stay as given.
 *
 * @throws {TypeError} when the text is no absolute http or https URL
 */
export function readHomepageUrl(text: string, { normalize }: HomepageUrlOptions): URL {
  // Plain JavaScript hands over anything.
  if (typeof text !== "string") throw new TypeError("Cannot read homepage URL: it is not a string");
  const given = parseUrl(text);
  if (given === undefined || !isWeb(given)) {
    const shown = logLine(maskNoUrl(text), { maxLength: MAX_SHOWN });
    throw new TypeError(`Cannot read homepage URL "${shown}": ${whyNot(text.trim(), given)}`);
  }
  const homepage = normalize ? new URL("/", given) : given;
  homepage.username = "";
  homepage.password = "";
  homepage.hash = "";
  return homepage;
}

/**
 * The URL of a known path (`sitemap.xml`, `robots.txt`) of this homepage: below its path, with a slash
 * between the two (`https://example.com/blog` has `https://example.com/blog/sitemap.xml`).
 */
export function knownUrl(homepage: URL, path: string): string {
  const { origin, pathname } = homepage;
  const folder = pathname.endsWith("/") ? pathname : `${pathname}/`;
  // Put together as text, not resolved: no path, whatever it looks like, leads to another host.
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
  // `localhost:8080` and `example.com:8080/` are a host with its port, though they parse as a scheme.
  const isHost = scheme === undefined || /^\d+(?:\/|$)/.test(text.slice(scheme.length + 1));
  if (!isHost && url !== undefined)
    return `its scheme is "${logLine(scheme, { maxLength: MAX_SHOWN })}", not http or https`;
  const meant = isHost ? parseUrl(`https://${withoutLeadingSlashes(text)}`) : undefined;
  return meant === undefined ? "it is not a URL" : `it has no scheme, did you mean "${logUrl(meant.href)}"?`;
}

function isWeb(url: URL): boolean {
  return url.protocol === "https:" || url.protocol === "http:";
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
