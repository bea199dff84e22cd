// Generated from model/issue-table.ts by `npm run generate`. Do not edit.

/**
 * How serious an issue is. `error`: data was lost. `warning`: it was repaired, dropped or skipped. `info`: allowed or
 * harmless.
 */
export type Severity = "error" | "warning" | "info";

/** Strict mode drops the entry that has the issue, or ends the document as invalid. */
export type StrictAction = "drop" | "fail";

/** Every code that siteatlas can report. */
export type IssueCode =
  | "content.empty" | "content.html" | "content.json" | "content.zip" | "content.binary" |
  "content.unknown-root" | "content.no-urls" | "content.type-mismatch" | "not-fetched" | "filtered" |
  "gzip.too-deep" | "gzip.not-gzip" | "gzip.unlabelled" | "gzip.nested" | "gzip.truncated" | "gzip.corrupt" |
  "gzip.trailing-junk" | "gzip.crc" | "gzip.deflate" | "gzip.bomb" | "encoding.not-utf8" |
  "encoding.wrong-declaration" | "encoding.http-mismatch" | "encoding.invalid-utf8" | "xml.leading-whitespace"
  | "xml.leading-junk" | "xml.decl-not-first" | "xml.trailing-junk" | "xml.multiple-roots" |
  "xml.missing-root" | "xml.truncated" | "xml.doctype" | "xml.unclosed-url" | "xml.unclosed-loc" |
  "xml.nested-url" | "xml.stray-end-tag" | "xml.tag-case" | "xml.control-char" | "xml.bare-ampersand" |
  "xml.undefined-entity" | "xml.surrogate-ref" | "xml.bad-char-ref" | "xml.stray-lt" | "xml.bad-comment" |
  "xml.unquoted-attribute" | "xml.unclosed-quote" | "xml.duplicate-attribute" | "xml.unbound-prefix" |
  "xml.too-deep" | "xml.too-many-attributes" | "xml.too-long" | "ns.missing" | "ns.nonstandard" | "ns.https" |
  "ns.legacy" | "ns.wrong" | "entry.missing-loc" | "entry.no-page" | "entry.multiple-loc" |
  "entry.repeated-field" | "entry.markup-in-loc" | "entry.too-many-items" | "index.contains-url" |
  "index.missing-sitemap-element" | "urlset.missing-url-element" | "urlset.contains-sitemap" | "url.relative"
  | "url.no-base" | "url.schemeless" | "url.double-scheme" | "url.missing-slash" | "url.backslash" |
  "url.space" | "url.newline" | "url.fragment" | "url.credentials" | "url.decorated" | "url.double-escaped" |
  "url.html-escaped" | "url.bad-percent" | "url.too-long" | "url.invalid" | "url.unsupported-scheme" |
  "url.private-host" | "url.scheme-mismatch" | "url.cross-host" | "url.cross-site" | "url.outside-path" |
  "priority.format" | "priority.range" | "changefreq.unknown" | "date.format" | "date.no-timezone" |
  "date.ambiguous" | "date.epoch" | "date.placeholder" | "date.future" | "date.invalid" | "date.invalid-time"
  | "date.weekday-mismatch" | "text.double-escaped" | "text.cut" | "news.missing-title" | "news.missing-date"
  | "news.outside-url" | "image.missing-loc" | "image.outside-url" | "video.number-format" |
  "video.duration-format" | "video.unknown" | "video.outside-url" | "hreflang.format" | "hreflang.outside-url"
  | "hreflang.missing-href" | "rss.link-attribute" | "json.invalid" | "json.item-too-long" | "text.comment" |
  "text.non-url-line" | "text.extra-columns" | "text.multiple-urls" | "text.line-too-long" | "robots.key-typo"
  | "robots.missing-colon" | "robots.ignored-line" | "robots.relative-sitemap" | "robots.schemeless" |
  "robots.decorated-value" | "robots.multiple-values" | "robots.empty-value" | "robots.bare-url" |
  "robots.html" | "robots.line-too-long" | "robots.truncated" | "robots.encoding" | "robots.wildcard-sitemap"
  | "robots.unreachable" | "robots.disallowed" | "robots.sitemap-disallowed" | "robots.crawl-delay" |
  "http.status" | "http.timeout" | "http.connection" | "http.dns" | "http.tls" | "http.proxy" |
  "http.protocol" | "http.blocked-address" | "http.blocked-port" | "http.redirect-loop" |
  "http.too-many-redirects" | "http.redirect-scheme" | "http.bad-redirect" | "http.downgrade" |
  "http.truncated" | "http.partial" | "http.bad-content-encoding" | "http.https-fallback" | "http.retry" |
  "site.moved" | "index.cycle" | "index.self-reference" | "index.lists-page" | "index.lists-robots" |
  "index.duplicate-content" | "limit.depth" | "limit.indexes" | "limit.sitemaps" | "limit.children" |
  "limit.places" | "limit.held" | "limit.barren" | "limit.foreign-hosts" | "limit.urls" | "limit.bytes" |
  "limit.time" | "limit.cpu";

/** Why the parser rejects a document: the reason of an invalid sitemap. */
export const refusals = {
  "content.empty": "The document is empty",
  "content.html": "The document is an HTML page, not a sitemap",
  "content.json": "The document is JSON but not a JSON Feed",
  "content.zip": "The document is a ZIP archive, not a sitemap",
  "content.binary": "The document is binary data, not a sitemap",
  "content.unknown-root": "The root element is unknown",
  "content.no-urls": "The first 100 lines contain no URL",
  "gzip.too-deep": "Too many layers of compression",
} as const;

/** Codes, and groups such as `http`. */
export const errors: ReadonlySet<string> = new Set([
  "content", "gzip.too-deep", "gzip.truncated", "gzip.corrupt", "gzip.bomb", "xml.truncated", "index.cycle",
  "index.self-reference", "url.invalid", "json.invalid", "http", "limit",
]);

/** Exceptions in the groups above. Codes that are in no set are also warnings. */
export const warnings: ReadonlySet<string> = new Set([
  "http.downgrade", "http.partial", "http.bad-content-encoding", "http.https-fallback",
]);

export const infos: ReadonlySet<string> = new Set([
  "content.type-mismatch", "not-fetched", "filtered", "gzip.not-gzip", "gzip.unlabelled", "ns.https",
  "ns.legacy", "entry.no-page", "index.lists-robots", "url.fragment", "url.scheme-mismatch", "url.cross-host",
  "url.cross-site", "url.outside-path", "date.future", "date.weekday-mismatch", "text.double-escaped",
  "text.comment", "robots.bare-url", "robots.disallowed", "http.retry", "site.moved",
]);

export const dropping: ReadonlySet<IssueCode> = new Set([
  "entry.missing-loc", "entry.markup-in-loc", "url.relative", "url.schemeless", "url.double-scheme",
  "url.missing-slash", "url.backslash", "url.newline", "url.decorated", "url.bad-percent", "url.too-long",
  "url.scheme-mismatch", "url.cross-host", "url.outside-path",
]);

export const failing: ReadonlySet<IssueCode> = new Set([
  "gzip.crc", "encoding.invalid-utf8", "xml.leading-junk", "xml.unclosed-url", "xml.unclosed-loc",
  "xml.nested-url", "xml.stray-end-tag", "xml.tag-case", "xml.control-char", "xml.bare-ampersand",
  "xml.undefined-entity", "xml.surrogate-ref", "xml.bad-char-ref", "xml.stray-lt", "xml.bad-comment",
  "xml.unquoted-attribute", "xml.unclosed-quote", "xml.duplicate-attribute", "xml.unbound-prefix",
]);
