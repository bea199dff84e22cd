/**
 * Which rules apply to feeds. A feed follows its own specification, not the sitemap protocol: RSS allows items without a
 * link, Atom allows relative URLs, and both allow any encoding and links to other sites.
 */
import type { WalkedSitemap } from "../../walk/events/events.ts";
import type { LintRule } from "../rule.ts";

/** Rules about pages that also apply to feeds. */
const PAGE_RULES: ReadonlySet<string> = new Set([
  "date.weekday-mismatch",
  "entry.no-page",
  "rss.link-attribute",
  "url.credentials",
  "url.private-host",
  "url.robots-disallowed",
  "url.session-id",
]);

/** Rules about documents that do not apply to feeds. */
const NOT_FOR_FEEDS =
  /^(?:encoding\.not-utf8|lastmod\..*|priority\..*|changefreq\..*|sitemap\.empty|xml\.nested-url|index\.duplicate-content)$/;

export function isFeed({ format }: Pick<WalkedSitemap, "format">): boolean {
  return format === "rss" || format === "atom" || format === "json";
}

export function appliesToFeeds({ id, counts }: LintRule): boolean {
  // Rules of the caller apply to everything. They can look at the format.
  if (counts === "page") return PAGE_RULES.has(id) || id.startsWith("json.") || !OWN_PREFIXES.test(id);
  return !NOT_FOR_FEEDS.test(id);
}

const OWN_PREFIXES =
  /^(?:entry|index|urlset|url|priority|changefreq|date|lastmod|text|news|image|video|hreflang|rss|tag|pagemap)\./;
