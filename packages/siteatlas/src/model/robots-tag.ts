/** Reads `X-Robots-Tag` headers: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag */

/** Directives with a value. All other names before a colon are names of crawlers. */
const WITH_VALUE = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)\s*:/;

/**
 * Whether the header forbids indexing for all crawlers, or for the crawler `also`. Directives after the name of a
 * crawler are for this crawler only: `googlebot: noindex, nofollow`.
 */
export function forbidsIndexing(header: string, also = ""): boolean {
  let crawler = "";
  for (const text of header.toLowerCase().split(",")) {
    const [, name, rest] = /^\s*([\w-]+)\s*:(.*)$/.exec(text) ?? [];
    const isNamed = name !== undefined && !WITH_VALUE.test(text.trim());
    if (isNamed) crawler = name;
    const directive = (isNamed ? rest! : text).trim();
    const isForbidden = directive === "noindex" || directive === "none";
    if (isForbidden && (crawler === "" || crawler === also)) return true;
  }
  return false;
}
