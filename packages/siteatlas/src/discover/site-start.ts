/**
 * Where a walk starts: at the homepage of a site, whose sitemaps it finds, or at sitemaps that the caller already
 * knows. Given sitemaps are the whole start: robots.txt, known locations and homepage links are not searched.
 */
import { showValue } from "../check/show-value.ts";
import { credentialsIn } from "../fetch/basic-auth.ts";
import { readHomepageUrl } from "./homepage-url.ts";

/**
 * The homepage of a site, or the URLs of one or more sitemaps.
 *
 * @example
 * "https://example.com/"
 * new URL("https://example.com/")
 * { sitemaps: ["https://example.com/news.xml", "https://example.com/shop.xml"] }
 */
export type WalkStart = string | URL | GivenSitemaps;

/** Sitemaps that the caller already knows. */
export interface GivenSitemaps {
  /** URLs of the sitemaps, in the order in which they are read. At least one. */
  readonly sitemaps: readonly (string | URL)[];
}

/** A checked start. */
export interface SiteStart {
  /** The homepage. For given sitemaps, the root of the first one's host. */
  readonly homepage: URL;
  /** The given sitemaps, each URL once. Undefined if the start is a homepage. */
  readonly sitemaps: readonly string[] | undefined;
  /** Credentials in the given URLs, as `user:password`, by origin. The URLs do not contain them. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** @throws {TypeError} if the start is neither a homepage nor a list of sitemap URLs */
export function readStart(start: WalkStart, { normalize }: { readonly normalize: boolean }): SiteStart {
  if (typeof start !== "object" || start instanceof URL || start === null) {
    const homepage = readHomepageUrl(start, { normalize });
    return { homepage, sitemaps: undefined, credentials: credentialsOf([start]) };
  }
  const { sitemaps } = start;
  if (!Array.isArray(sitemaps) || sitemaps.length === 0) {
    throw new TypeError(
      "Cannot start here: pass a homepage URL, or { sitemaps: [url, …] } with at least one URL",
    );
  }
  const other = Object.keys(start).find((name) => name !== "sitemaps");
  if (other !== undefined) {
    throw new TypeError(
      `Cannot start here: unknown property ${showValue(other)} beside sitemaps. Options are the second argument`,
    );
  }
  const urls = sitemaps.map((url: string | URL) =>
    readHomepageUrl(url, { normalize: false, name: "sitemap URL" }),
  );
  return {
    homepage: new URL("/", urls[0]),
    sitemaps: [...new Set(urls.map(({ href }) => href))],
    credentials: credentialsOf(sitemaps),
  };
}

/** The URLs have been checked. */
function credentialsOf(urls: readonly (string | URL)[]): ReadonlyMap<string, string> {
  const pairs = urls.flatMap((text): [string, string][] => {
    const url = new URL(text);
    const credentials = credentialsIn(url);
    return credentials === undefined ? [] : [[url.origin, credentials]];
  });
  return new Map(pairs);
}

/** The URLs that the caller gave. Their hosts belong to the site. */
export function givenUrls({ homepage, sitemaps = [homepage.href] }: SiteStart): readonly string[] {
  return sitemaps;
}
