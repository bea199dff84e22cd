/**
 * The format of the file that `saveTree` writes: JSON lines, compressed with gzip. `zcat` shows them.
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
 * Maximum length of a line in bytes. Stops a file with a line that never ends. A page with 1,000 images needs about a
 * tenth of this length.
 */
export const MAX_LINE_BYTES: number = 8 * 1024 * 1024;

/** The last line of the file. Its counts prove that no line is missing. */
export interface FileEnd {
  readonly end: { readonly sitemaps: number; readonly pages: number };
}
