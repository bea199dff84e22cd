/**
 * The file of `saveTree`: JSON lines, compressed with gzip, so that `zcat` shows everything.
 *
 *     {"format":"siteatlas-tree","version":1}
 *     {"sitemap":{"kind":"index",…},"subSitemaps":2,"pages":0}     a node, before its sitemaps
 *     {"sitemap":{"kind":"pages",…},"subSitemaps":0,"pages":3}     a node, and then its 3 pages
 *     {"url":"https://example.com/a",…}
 *     …
 *     {"sitemap":{"kind":"pages",…},"subSitemaps":0,"pages":{"sameAs":1}}   the pages of node 1; the root is 0
 *     {"sameAs":1}                                                           node 1 itself, in another place
 *     {"end":{"sitemaps":3,"pages":3}}
 */
import { TREE_VERSION } from "./tree-to-json.ts";

export const FILE_FORMAT = "siteatlas-tree";

export const HEADER: string = JSON.stringify({ format: FILE_FORMAT, version: TREE_VERSION });

/**
 * Longest line in bytes. Stops a file whose line never ends. A page with 1,000 images of usual length has a tenth of
 * it.
 */
export const MAX_LINE_BYTES: number = 8 * 1024 * 1024;

/** The last line. It proves that the file is complete, and that no line is missing. */
export interface FileEnd {
  readonly end: { readonly sitemaps: number; readonly pages: number };
}
