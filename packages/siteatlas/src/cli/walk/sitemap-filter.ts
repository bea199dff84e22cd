/**
 * Turns `--include-sitemap` and `--exclude-sitemap` into callbacks of the walk. If a sitemap is included, everything
 * below it is included. Indexes that may lead to included sitemaps are also fetched, but their own pages are dropped.
 *
 * The walk does not call the callback for robots.txt and known locations. It always fetches them, because they may list
 * included sitemaps. robots.txt itself never matches, so `*robots*` does not include everything that robots.txt lists.
 */
import { htmlKnownPaths, knownPaths } from "../../discover/known-paths.ts";
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { RecurseListCallback } from "../../walk/options.ts";
import type { Settings } from "../config/flags.ts";
import { anyGlob, type UrlTest } from "../config/glob.ts";

/** Matches the usual names of indexes, such as `sitemap_index.xml` and `/sitemap.xml`. */
const INDEX_NAME = /index[^/]*$|\/sitemap\.xml(?:\.gz)?$/i;

export interface SitemapFilter {
  readonly recurseListCallback: RecurseListCallback;
  /** Whether the pages of this sitemap are kept. */
  readonly givesPages: UrlTest;
}

/**
 * Whether a `recurseListCallback` gets the Sitemap lines of the site's robots.txt. The robots.txt may have redirected
 * to another host.
 */
export function isRobotsPlace(level: number, parentUrls: ReadonlySet<string>): boolean {
  return level === 0 && [...parentUrls].some(isRobotsUrl);
}

/** Creates the filter. Returns undefined if neither flag is given. */
export function createSitemapFilter({
  includeSitemap,
  excludeSitemap,
  knownPath = [],
}: Settings): SitemapFilter | undefined {
  const included = anyGlob(includeSitemap, "--include-sitemap");
  const excluded = anyGlob(excludeSitemap, "--exclude-sitemap");
  if (included === undefined && excluded === undefined) return undefined;
  /** Sitemaps that are included, because their own URL or that of an index above them matches. */
  const wanted = new Set<string>();
  /** Sitemaps that do not match. They are fetched only for the sitemaps that they list. */
  const passed = new Set<string>();
  /** URLs of robots.txt, before and after redirects. */
  const robotsUrls = new Set<string>();
  const guessed = [...knownPaths("thorough"), ...htmlKnownPaths, "llms.txt", ...knownPath].map(
    (path) => `/${path.replace(/^\/+/, "")}`,
  );
  const isGuess = (url: string): boolean => guessed.some((path) => url.endsWith(path));
  return {
    recurseListCallback: (urls, level, parentUrls) => {
      if (isRobotsPlace(level, parentUrls)) for (const url of parentUrls) robotsUrls.add(url);
      const isRobots = (url: string): boolean => robotsUrls.has(url) || isRobotsUrl(url);
      const isBelow =
        included === undefined || [...parentUrls].some((url) => !isRobots(url) && included(url));
      return urls.filter((url) => {
        if (excluded?.(url)) return false;
        if (isBelow || included(url)) {
          if (included !== undefined) wanted.add(url);
          return true;
        }
        if (!INDEX_NAME.test(url)) return false;
        passed.add(url);
        return true;
      });
    },
    // `url` is the URL after redirects. The callback got the URL before them, so `url` may be in neither set.
    givesPages: (url) => {
      if (excluded?.(url)) return false;
      if (included === undefined || included(url) || wanted.has(url)) return true;
      return !passed.has(url) && !isGuess(url);
    },
  };
}
