/** Defines which sitemaps count in "23 sitemaps", in every summary, chart and JSON object (docs/cli.md). */
import type { WalkedSitemap } from "./events.ts";

/**
 * Whether the event is one counted sitemap: a document that was read, completely or in part, or is known to be
 * unchanged. Indexes count. Not counted: robots.txt, failed sitemaps, and further listings of the same document.
 */
export function isCountedSitemap({ outcome, format }: Pick<WalkedSitemap, "outcome" | "format">): boolean {
  return (outcome === "found" || outcome === "unchanged") && format !== "robots";
}
