/**
 * `--include-sitemap` and `--exclude-sitemap` as callbacks of the walk. An included sitemap includes everything
 * below it. Indexes that may lead to included sitemaps are also fetched, but their own pages are dropped.
 *
 * The walk calls no callback for robots.txt and known locations. Those that do not match are fetched for the sitemaps
 * they list. robots.txt itself never matches, so `*robots*` does not include everything it lists.
 */
import { knownPaths } from "../../discover/known-paths.ts";
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { RecurseListCallback } from "../../walk/options.ts";
import type { Settings } from "../config/flags.ts";
import { anyGlob, type UrlTest } from "../config/glob.ts";

/** The usual names of indexes: `sitemap_index.xml`, `/sitemap.xml`. */
const INDEX_NAME = /index[^/]*$|\/sitemap\.xml(?:\.gz)?$/i;

export interface SitemapFilter {
  readonly recurseListCallback: RecurseListCallback;
  /** Whether pages of this sitemap are kept. */
  readonly givesPages: UrlTest;
}

/** Whether the filter is called for the Sitemap lines of the site's robots.txt, which may redirect to another host. */
export function isRobotsPlace(level: number, parentUrls: ReadonlySet<string>): boolean {
  return level === 0 && [...parentUrls].some(isRobotsUrl);
}

/** Returns undefined without filters. */
export function createSitemapFilter({
  includeSitemap,
  excludeSitemap,
  knownPath = [],
}: Settings): SitemapFilter | undefined {
  const included = anyGlob(includeSitemap, "--include-sitemap");
  const excluded = anyGlob(excludeSitemap, "--exclude-sitemap");
  if (included === undefined && excluded === undefined) return undefined;
  /** Sitemaps that match by their own URL or by that of an index above them. */
  const wanted = new Set<string>();
  /** Sitemaps that are fetched only for the sitemaps they list. */
  const passed = new Set<string>();
  /** URLs of robots.txt, before and after redirects. */
  const robotsUrls = new Set<string>();
  const guessed = [...knownPaths("thorough"), ...knownPath].map((path) => `/${path.replace(/^\/+/, "")}`);
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
    // A redirected sitemap is in neither set: the callback got its earlier URL.
    givesPages: (url) => {
      if (excluded?.(url)) return false;
      if (included === undefined || included(url) || wanted.has(url)) return true;
      return !passed.has(url) && !isGuess(url);
    },
  };
}
