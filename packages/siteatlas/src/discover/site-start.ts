/**
 * Reads the start of a walk: the homepage of a site, or a list of sitemaps that the caller already knows. If the caller
 * passes sitemaps, the walk does not search robots.txt, known locations and homepage links for others.
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

/** The start of a walk after it was checked. */
export interface SiteStart {
  /** The homepage. If the caller passed sitemaps: the root of the first sitemap's host. */
  readonly homepage: URL;
  /** The sitemap URLs that the caller passed, without duplicates. Undefined if the start is a homepage. */
  readonly sitemaps: readonly string[] | undefined;
  /** Credentials (`user:password`) that the passed URLs contained, by origin. They were removed from the URLs. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** Checks the start of a walk. @throws {TypeError} if it is neither a homepage nor a list of sitemap URLs */
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

/** Returns the credentials in the URLs, by origin. The caller has already checked the URLs. */
function credentialsOf(urls: readonly (string | URL)[]): ReadonlyMap<string, string> {
  const pairs = urls.flatMap((text): [string, string][] => {
    const url = new URL(text);
    const credentials = credentialsIn(url);
    return credentials === undefined ? [] : [[url.origin, credentials]];
  });
  return new Map(pairs);
}

/** The URLs that the caller passed: the homepage or the sitemaps. Their hosts belong to the site. */
export function givenUrls({ homepage, sitemaps = [homepage.href] }: SiteStart): readonly string[] {
  return sitemaps;
}
