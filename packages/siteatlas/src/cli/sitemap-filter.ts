/**
 * `--include-sitemap` and `--exclude-sitemap` as callbacks of the walk. A sitemap that is included brings all
 * that it lists. What could be the index above those that are wanted is read, too, but its own pages do not
 * count.
 *
 * Robots.txt and the known locations are read without asking: of those that do not match, only what they
 * list counts. Robots.txt itself never matches: `*robots*` does not mean all that it lists.
 */
import { knownPaths } from "../discover/known-paths.ts";
import type { RecurseListCallback } from "../walk/options.ts";
import type { Settings } from "./flags.ts";
import { anyGlob, type UrlTest } from "./glob.ts";

/** `sitemap_index.xml`, `/sitemap.xml`: the usual names of indexes. */
const INDEX_NAME = /index[^/]*$|\/sitemap\.xml(?:\.gz)?$/i;

const isNamed = (url: string): boolean => !url.endsWith("/robots.txt");

export interface SitemapFilter {
  readonly recurseListCallback: RecurseListCallback;
  /** Whether pages of this sitemap count. */
  readonly givesPages: UrlTest;
}

/** Undefined when every sitemap is wanted. */
export function createSitemapFilter({
  includeSitemap,
  excludeSitemap,
  knownPath = [],
}: Settings): SitemapFilter | undefined {
  const included = anyGlob(includeSitemap);
  const excluded = anyGlob(excludeSitemap);
  if (included === undefined && excluded === undefined) return undefined;
  /** Wanted, by their own name or by that of what lists them. */
  const wanted = new Set<string>();
  /** Read for what they list alone. */
  const passed = new Set<string>();
  const guessed = [...knownPaths("thorough"), ...knownPath].map((path) => `/${path.replace(/^\/+/, "")}`);
  const isGuess = (url: string): boolean => guessed.some((path) => url.endsWith(path));
  return {
    recurseListCallback: (urls, _, parentUrls) => {
      const isBelow = included === undefined || [...parentUrls].some((url) => isNamed(url) && included(url));
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
    // Of a guess nobody is asked; what is behind a redirect was asked for under another name.
    givesPages: (url) => {
      if (excluded?.(url)) return false;
      if (included === undefined || included(url) || wanted.has(url)) return true;
      return !passed.has(url) && !isGuess(url);
    },
  };
}
