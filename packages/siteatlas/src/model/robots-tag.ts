/** Reads `X-Robots-Tag` headers: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag */

/**
 * Whether the header forbids indexing for all crawlers. Directives after the name of a crawler are for this crawler
 * only: `googlebot: noindex, nofollow`.
 */
export function forbidsIndexing(header: string): boolean {
  for (const text of header.split(",")) {
    const directive = text.trim().toLowerCase();
    if (/^[\w-]+\s*:/.test(directive) && !directive.startsWith("unavailable_after")) return false;
    if (directive === "noindex" || directive === "none") return true;
  }
  return false;
}
