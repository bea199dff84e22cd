// Generated from model/limits.ts by `npm run generate`. Do not edit.

/** Limits of one document. What exceeds them is dropped or cut, and reported. See docs/limits.md. */
export interface ParseLimits {
  /** Nested XML elements. Deeper elements are read, but the end tags of outer elements are ignored. `1` allows only the root. @default 64 */
  readonly elementDepth?: number | undefined;
  /** Attributes per tag. Further attributes are ignored. @default 256 */
  readonly attributes?: number | undefined;
  /** Namespace declarations per tag. Further declarations are ignored. @default 64 */
  readonly namespaces?: number | undefined;
  /** Bytes of an element or attribute name. A tag or an attribute with a longer name is dropped. @default 1024 */
  readonly nameBytes?: number | undefined;
  /** Bytes of a tag, a value or a line of text. A longer tag, value or line is dropped. In a text sitemap, the limit counts characters and reports `text.line-too-long`. @default 65_536 */
  readonly tokenBytes?: number | undefined;
  /** Characters of a title, caption or other text; the rest is cut. @default 4096 */
  readonly textLength?: number | undefined;
  /** Characters of a URL. Longer URLs are dropped. More than 2,048 characters are reported. @default 8192 */
  readonly urlLength?: number | undefined;
  /** Images per page. Further images are dropped. @default 1000 */
  readonly imagesPerUrl?: number | undefined;
  /** Videos per page. Further videos are dropped. @default 100 */
  readonly videosPerUrl?: number | undefined;
  /** Alternates per page, for other languages or devices. Further alternates are dropped. @default 1000 */
  readonly alternatesPerUrl?: number | undefined;
  /** Members of a gzip file. The document is cut. Browsers cannot count members. @default 1000 */
  readonly gzipMembers?: number | undefined;
  /** Layers of compression, such as gzip inside gzip. Content codings count. A document with more is invalid. @default 3 */
  readonly compressionLayers?: number | undefined;
  /** Issues kept per document, at most a tenth of them with the same code. Further issues are only counted, in `issueCount`. @default 100 */
  readonly issues?: number | undefined;
  /** Bytes of robots.txt that are searched for rules. `Sitemap:` lines are read to 5 MiB. @default 512_000 */
  readonly robotsBytes?: number | undefined;
  /** Bytes of a line of robots.txt. Longer lines are skipped. @default 16_664 */
  readonly robotsLineBytes?: number | undefined;
}

/** Limits of one walk. `0` allows nothing, `Infinity` removes a limit. See docs/limits.md. */
export interface WalkLimits extends ParseLimits {
  /** Limit per site: total time. The walk ends when it is reached. @default 3_600_000 */
  readonly timeMs?: number | undefined;
  /** Limit per site: pages. The walk ends when it is reached. @default Infinity */
  readonly urls?: number | undefined;
  /** Limit per site: sitemaps requested, including robots.txt and known locations. @default 50_000 */
  readonly sitemaps?: number | undefined;
  /** Limit per site: levels of nesting; robots.txt is level 0. Deeper sitemaps are skipped. @default 11 */
  readonly depth?: number | undefined;
  /** Limit per site: sitemap indexes. The site's robots.txt does not count. Of an index beyond the limit, only the first 64 KiB are read. @default 500 */
  readonly indexes?: number | undefined;
  /** Limit per site: positions in the sitemap tree; a sitemap listed by three indexes has three. When the limit is reached, an index that is already shown elsewhere is not laid out again. @default 100_000 */
  readonly places?: number | undefined;
  /** Limit per site: memory for sitemaps that are listed but not read yet, and for issues. An estimate in bytes; a long URL counts three times. Pages do not count: a stream does not hold them. @default 67_108_864 */
  readonly heldBytes?: number | undefined;
  /** Limit per site: held bytes per downloaded byte. Checked from 16 MiB of held bytes on. @default 400 */
  readonly heldRatio?: number | undefined;
  /** Limit per site: hosts outside the site's registrable domain. @default 10 */
  readonly foreignHosts?: number | undefined;
  /** Limit per site: downloaded bytes. The walk ends when it is reached. @default 10_737_418_240 */
  readonly totalBytes?: number | undefined;
  /** Limit per site: bytes after decompression. The walk ends when it is reached. @default 42_949_672_960 */
  readonly totalDecodedBytes?: number | undefined;
  /** Limit per index: sitemaps that an index lists. The first ones are kept. @default 50_000 */
  readonly children?: number | undefined;
  /** Limit per index: Sitemap lines in robots.txt. The first ones are kept. @default 5000 */
  readonly robotsSitemaps?: number | undefined;
  /** Limit per index: empty sitemaps in a row; the rest of the index is then skipped. @default 200 */
  readonly barrenChildren?: number | undefined;
  /** Limit per sitemap: pages. @default 1_000_000 */
  readonly urlsPerSitemap?: number | undefined;
  /** Limit per sitemap: downloaded bytes. A larger Content-Length makes the sitemap invalid at once. @default 104_857_600 */
  readonly wireBytes?: number | undefined;
  /** Limit per sitemap: bytes after decompression. @default 104_857_600 */
  readonly decodedBytes?: number | undefined;
  /** Limit per sitemap: decompressed bytes per downloaded byte. Checked from 8 MiB of decompressed bytes on. @default 1000 */
  readonly compressionRatio?: number | undefined;
  /** Limit per sitemap: CPU time for parsing. @default 10_000 */
  readonly cpuMs?: number | undefined;
  /** Limit per request: retries after a temporary failure. @default 2 */
  readonly retries?: number | undefined;
  /** Limit per request: longest wait before the first retry; doubles for each further retry. The wait is random below it. It must be finite. @default 1000 */
  readonly backoffMs?: number | undefined;
  /** Limit per request: time for the whole request, including the body. @default 300_000 */
  readonly requestMs?: number | undefined;
  /** Limit per request: time until the response headers are complete. @default 30_000 */
  readonly headersMs?: number | undefined;
  /** Limit per request: longest pause within a body. @default 30_000 */
  readonly idleMs?: number | undefined;
  /** Limit per request: lowest average download speed, per second; a slower response is cut off. Slower bodies are cut. Checked from `idleMs` after the headers on. `0` and `Infinity` turn it off. @default 1024 */
  readonly bytesPerSecond?: number | undefined;
  /** Limit per request: redirects. A redirect to an earlier URL of the chain ends at once, with `http.redirect-loop`. @default 10 */
  readonly redirects?: number | undefined;
  /** Limit per request: longest wait for Retry-After; a longer one is shortened to this. An origin that sends longer ones three times in a row is not requested again. @default 120_000 */
  readonly retryAfterMs?: number | undefined;
  /** Limit per request: longest wait for Crawl-delay; a longer one is shortened to this. @default 30_000 */
  readonly crawlDelayMs?: number | undefined;
}

/** All limits of a type, each with its value. */
export type FilledLimits<L extends ParseLimits> = { readonly [K in keyof L]-?: number };

export const PARSE_LIMITS: FilledLimits<ParseLimits> = {
  elementDepth: 64,
  attributes: 256,
  namespaces: 64,
  nameBytes: 1024,
  tokenBytes: 65_536,
  textLength: 4096,
  urlLength: 8192,
  imagesPerUrl: 1000,
  videosPerUrl: 100,
  alternatesPerUrl: 1000,
  gzipMembers: 1000,
  compressionLayers: 3,
  issues: 100,
  robotsBytes: 512_000,
  robotsLineBytes: 16_664,
};
