/** Defines which sitemaps are counted in texts such as "23 sitemaps", in every summary, chart and JSON object. */
import type { WalkedSitemap } from "./events.ts";

/**
 * Whether the event counts as one sitemap. Counted: a document that was read completely or in part, or is unchanged
 * since the last sync, also if it is an index. Not counted: robots.txt, failed sitemaps, and further listings of the
 * same document. docs/cli.md explains this to users.
 */
export function isCountedSitemap({ outcome, format }: Pick<WalkedSitemap, "outcome" | "format">): boolean {
  return (outcome === "found" || outcome === "unchanged") && format !== "robots";
}
